/**
 * Text: quoted string values. Only `\"` and `\\` are escapes; raw newlines are part of the value. The unescaped bytes go straight into
 * the column's buffer.
 */
import { copyPadded, isUtf8 } from "./bytes";
import { Column, columnReserve } from "./column";

/** Newlines inside strings of the current line. */
export let textNewlines: u32 = 0;
/** Why putText failed: the codes below. */
export let textFault: u32 = 0;
export const TEXT_OPEN: u32 = 1;
export const TEXT_UTF8: u32 = 2;
export const TEXT_MEMORY: u32 = 3;

let high: bool = false;
let escapes: bool = false;
let newlines: u32 = 0;

export function textReset(): void {
  textNewlines = 0;
}

/** The closing quote of the string that opens at `at`, or 0 when it never closes. Notes escapes, newlines and high bits on the way. */
export function textEnd(at: usize, end: usize): usize {
  high = false;
  escapes = false;
  newlines = 0;
  let p = at + 1;
  while (p < end) {
    const block = v128.load(p);
    const stops = v128.or(i8x16.eq(block, i8x16.splat(34)), i8x16.eq(block, i8x16.splat(92)));
    const mask = i8x16.bitmask(stops);
    const before = mask === 0 ? 0xffff : (mask & -mask) - 1;
    if (i8x16.bitmask(block) & before) high = true;
    newlines += popcnt(i8x16.bitmask(i8x16.eq(block, i8x16.splat(10))) & before);
    if (mask === 0) {
      p += 16;
      continue;
    }
    p += ctz(mask);
    if (p >= end) return 0;
    if (load<u8>(p) === 34) return p;
    // A backslash: an escape, or itself.
    const next = load<u8>(p, 1);
    if (next === 34 || next === 92) {
      escapes = true;
      p++;
    }
    p++;
  }
  return 0;
}

/** What is wrong with the string that opens at `at`, 0 when it is a good one. */
export function textFaultOf(at: usize, end: usize): u32 {
  const close = textEnd(at, end);
  if (close === 0) return TEXT_OPEN;
  // Escapes are ASCII before ASCII: the raw bytes are well-formed exactly when the value is.
  return high && !isUtf8(at + 1, <u32>(close - at - 1)) ? TEXT_UTF8 : 0;
}

/** Appends the string that opens at `at` to the column's bytes; returns the position behind its closing quote, or 0 and textFault. */
export function putText(c: Column, at: usize, end: usize): usize {
  const close = textEnd(at, end);
  if (close === 0) {
    textFault = TEXT_OPEN;
    return 0;
  }
  const length = <u32>(close - at - 1);
  if (!columnReserve(c, length)) {
    textFault = TEXT_MEMORY;
    return 0;
  }
  const to = c.bytes + c.bytesLength;
  const taken = escapes ? unescapeTo(to, at + 1, close) : length;
  if (!escapes) copyPadded(to, at + 1, length);
  if (high && !isUtf8(to, taken)) {
    textFault = TEXT_UTF8;
    return 0;
  }
  c.bytesLength += taken;
  textNewlines += newlines;
  return close + 1;
}

function unescapeTo(to: usize, from: usize, end: usize): u32 {
  const start = to;
  while (from < end) {
    let c = load<u8>(from++);
    if (c === 92) {
      const next = load<u8>(from);
      if (next === 34 || next === 92) {
        c = next;
        from++;
      }
    }
    store<u8>(to++, c);
  }
  return <u32>(to - start);
}
