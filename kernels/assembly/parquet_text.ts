/**
 * Texts (any bytes) of one column for some output rows: gathered as their places, then written as Parquet wants them. Their range is by
 * bytes, as Parquet orders strings; DuckDB orders them the same.
 */
import { copyPadded } from "./bytes";
import { gatherBits } from "./parquet_gather";

/** Place and length of the least and the greatest text of the last textRange. */
export let textLow: usize = 0;
export let textLowLength: u32 = 0;
export let textHigh: usize = 0;
export let textHighLength: u32 = 0;

/** `count` offsets of `from`, of which the first becomes `base` and the others keep their distance from it. */
export function rebaseOffsets(from: usize, count: u32, base: u32, to: usize): void {
  const shift = base - load<u32>(from);
  for (let i: usize = 0; i < (<usize>count) << 2; i += 4)
    store<u32>(to + i, load<u32>(from + i) + shift);
}

/** How many of the `count` output rows have texts of at most `bytesMax` bytes together; at least one. */
export function textRowsWithin(offsets: usize, order: usize, count: u32, bytesMax: u32): u32 {
  let bytes: u64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = offsets + ((<usize>load<u32>(order + ((<usize>i) << 2))) << 2);
    bytes += load<u32>(at, 4) - load<u32>(at);
    if (bytes > bytesMax && i > 0) return i;
  }
  return count;
}

/**
 * Places (32-bit) and lengths (words) of the texts of `count` output rows, without NULLs; `order`, `validity` and `bits` are
 * as in parquet_gather. Returns how many are not NULL.
 */
export function gatherTexts(
  offsets: usize,
  bytes: usize,
  order: usize,
  count: u32,
  validity: usize,
  bits: usize,
  starts: usize,
  lengths: usize,
): u32 {
  if (validity !== 0) {
    // Where the places come to be there is room for the row numbers, which are read first.
    count = gatherBits(order, count, validity, bits, starts);
    order = starts;
  }
  for (let i: usize = 0; i < <usize>count; i++) {
    const at = offsets + ((<usize>load<u32>(order + (i << 2))) << 2);
    const start = load<u32>(at);
    store<u32>(starts + (i << 2), <u32>bytes + start);
    store<u64>(lengths + (i << 3), <u64>(load<u32>(at, 4) - start));
  }
  return count;
}

/** Sum of the lengths. */
export function textBytes(lengths: usize, count: u32): u64 {
  let sum: u64 = 0;
  for (const end = lengths + ((<usize>count) << 3); lengths < end; lengths += 8)
    sum += load<u64>(lengths);
  return sum;
}

/** Writes the texts one after the other; returns the end. Writes up to 15 bytes past it. */
export function joinTexts(starts: usize, lengths: usize, count: u32, to: usize): usize {
  for (let i: usize = 0; i < <usize>count; i++) {
    const length = <u32>load<u64>(lengths + (i << 3));
    copyPadded(to, load<u32>(starts + (i << 2)), length);
    to += length;
  }
  return to;
}

/** Writes the entries of a dictionary of texts, each behind its length; returns the end. Writes up to 15 bytes past it. */
export function joinEntries(
  starts: usize,
  lengths: usize,
  entries: usize,
  count: u32,
  to: usize,
): usize {
  for (let e: usize = 0; e < <usize>count; e++) {
    const i = <usize>load<u32>(entries + (e << 2));
    const length = <u32>load<u64>(lengths + (i << 3));
    store<u32>(to, length);
    copyPadded(to + 4, load<u32>(starts + (i << 2)), length);
    to += 4 + length;
  }
  return to;
}

/** Range of texts: of those that `entries` names, or, when it is 0, of the first `count`, of which there is one at least. */
export function textRange(starts: usize, lengths: usize, entries: usize, count: u32): void {
  for (let e: usize = 0; e < <usize>count; e++) {
    const i = entries === 0 ? e : <usize>load<u32>(entries + (e << 2));
    const at = <usize>load<u32>(starts + (i << 2));
    const length = <u32>load<u64>(lengths + (i << 3));
    if (e === 0 || compareTexts(at, length, textLow, textLowLength) < 0) {
      textLow = at;
      textLowLength = length;
    }
    if (e === 0 || compareTexts(at, length, textHigh, textHighLength) > 0) {
      textHigh = at;
      textHighLength = length;
    }
  }
}

export function compareTexts(a: usize, aLength: u32, b: usize, bLength: u32): i32 {
  const shared = min(aLength, bLength);
  // Most differ early; a read past the text is allowed, and what it finds there is not compared.
  for (let i: u32 = 0; i < shared; i += 8) {
    let x = bswap<u64>(load<u64>(a + i));
    let y = bswap<u64>(load<u64>(b + i));
    if (shared - i < 8) {
      const unused = 8 * <u64>(8 - (shared - i));
      x >>= unused;
      y >>= unused;
    }
    if (x !== y) return x < y ? -1 : 1;
  }
  return aLength === bLength ? 0 : aLength < bLength ? -1 : 1;
}
