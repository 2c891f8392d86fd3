/**
 * Runs of bytes: compare, copy, varints, UTF-8. Reads may touch up to 15 bytes past a run (the heap and the padded input allow it);
 * writes never do, except in copyPadded, which says so.
 */

export function equalBytes(a: usize, b: usize, length: u32): bool {
  while (length >= 16) {
    if (i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) !== 0xffff) return false;
    a += 16;
    b += 16;
    length -= 16;
  }
  const mask = (1 << length) - 1;
  return (i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) & mask) === mask;
}

/** Copies in steps of 16 bytes: the target needs 15 bytes of room behind it. Faster than memory.copy for short runs. */
export function copyPadded(to: usize, from: usize, length: u32): void {
  if (length > 512) {
    memory.copy(to, from, length);
    return;
  }
  for (let i: u32 = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** Is every byte below 0x80? */
export function isAscii(at: usize, length: u32): bool {
  while (length >= 16) {
    if (i8x16.bitmask(v128.load(at)) !== 0) return false;
    at += 16;
    length -= 16;
  }
  return (i8x16.bitmask(v128.load(at)) & ((1 << length) - 1)) === 0;
}

/** Well-formed UTF-8 in the sense of Unicode: no overlong forms, no surrogates, nothing past U+10FFFF. */
export function isUtf8(at: usize, length: u32): bool {
  const end = at + length;
  while (at < end) {
    if (end - at >= 16 && i8x16.bitmask(v128.load(at)) === 0) {
      at += 16;
      continue;
    }
    const lead = <u32>load<u8>(at);
    if (lead < 0x80) {
      at++;
      continue;
    }
    let more: u32;
    let low: u32 = 0x80;
    let high: u32 = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) more = 1;
    else if (lead >= 0xe0 && lead <= 0xef) {
      more = 2;
      if (lead === 0xe0) low = 0xa0;
      if (lead === 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      more = 3;
      if (lead === 0xf0) low = 0x90;
      if (lead === 0xf4) high = 0x8f;
    } else return false;
    if (end - at <= more) return false;
    const second = <u32>load<u8>(at, 1);
    if (second < low || second > high) return false;
    for (let i: u32 = 2; i <= more; i++) if ((load<u8>(at + i) & 0xc0) !== 0x80) return false;
    at += more + 1;
  }
  return true;
}

/** Writes an unsigned LEB128 number; returns the position behind it (at most 5 bytes on). */
export function putVarint(at: usize, value: u32): usize {
  while (value >= 0x80) {
    store<u8>(at++, <u8>(value | 0x80));
    value >>= 7;
  }
  store<u8>(at++, <u8>value);
  return at;
}

/** The number that takeVarint read. */
export let varint: u32 = 0;

/** Reads a LEB128 number of at most 32 bits into `varint`; returns the position behind it, 0 when it is cut or too long. */
export function takeVarint(at: usize, end: usize): usize {
  let value: u32 = 0;
  for (let shift: u32 = 0; shift < 35; shift += 7) {
    if (at >= end) return 0;
    const byte = <u32>load<u8>(at++);
    if (shift === 28 && byte > 15) return 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      varint = value;
      return at;
    }
  }
  return 0;
}
