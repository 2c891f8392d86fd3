/**
 * Number: the literals `-?digits` with `i` (int64), `u` (uint64, no sign), or a fraction and an exponent (float64). No plus, no leading or
 * trailing point, no NaN, no infinity: a literal past the range of its type is refused, not rounded to something else.
 *
 * Digits are read eight at a time: one 64-bit word tells how many of its bytes are digits, and three multiplications join them.
 */
import { FLOAT64, INT64, UINT64 } from "./column";
import { toFloat, toFloatLong } from "./float";

const TENS = memory.data<u64>([1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000]);
/** More digits than this may overflow 64 bits. */
const DIGITS_SAFE: i32 = 19;
/** Past any double's range, and far from overflow of the sum with a digit count. */
const EXPONENT_MAX: i32 = 1_000_000;

/** The literal that scanNumber read. */
export let numberKind: u32 = FLOAT64;
export let numberBits: u64 = 0;

/** The run of digits that scanDigits read. */
export let digits: u64 = 0;
export let digitCount: i32 = 0;

/** High bits at bytes that are not digits; exact up to and including the first of them. */
function nonDigits(word: u64): u64 {
  return ((word + 0x4646_4646_4646_4646) | (word - 0x3030_3030_3030_3030)) & 0x8080_8080_8080_8080;
}

/** Joins the first `count` (1 to 8) digits of a word. */
function join(word: u64, count: u32): u64 {
  let d = (word - 0x3030_3030_3030_3030) << (64 - 8 * <u64>count);
  d = d * 10 + (d >> 8);
  return (
    ((d & 0x0000_00ff_0000_00ff) * 0x000f_4240_0000_0064 +
      ((d >> 16) & 0x0000_00ff_0000_00ff) * 0x0000_2710_0000_0001) >>
    32
  );
}

export function digitsReset(): void {
  digits = 0;
  digitCount = 0;
}

/** Adds the run of digits at `at` to `digits` and `digitCount`; returns its end. Past 19 digits `digits` is garbage. */
export function scanDigits(at: usize): usize {
  while (true) {
    const word = load<u64>(at);
    const bad = nonDigits(word);
    if (bad === 0) {
      digits = digits * 100_000_000 + join(word, 8);
      digitCount += 8;
      at += 8;
      continue;
    }
    const count = <u32>(ctz(bad) >> 3);
    if (count > 0) {
      digits = digits * load<u64>(TENS + ((<usize>count) << 3)) + join(word, count);
      digitCount += count;
    }
    return at + count;
  }
}

/** Reads a literal into numberKind and numberBits; returns its end, 0 when it is none. The caller checks what follows. */
export function scanNumber(at: usize): usize {
  const negative = load<u8>(at) === 45;
  const start = at + usize(negative);
  let p = start;
  const word = load<u64>(start);
  const bad = nonDigits(word);
  if (bad !== 0) {
    // Most integers and most whole parts: fewer than eight digits, no loop.
    const count = <u32>(ctz(bad) >> 3);
    if (count === 0) return 0;
    digits = join(word, count);
    digitCount = count;
    p += count;
  } else {
    digitsReset();
    p = scanDigits(start);
  }
  let c = load<u8>(p);
  if (c === 105) return integer(start, p, negative) ? p + 1 : 0;
  if (c === 117) return !negative && unsigned(start, p) ? p + 1 : 0;
  let power = 0;
  if (c === 46) {
    const fraction = p + 1;
    p = scanDigits(fraction);
    if (p === fraction) return 0;
    power = -(<i32>(p - fraction));
    c = load<u8>(p);
  }
  if ((c | 32) === 101) {
    let e = p + 1;
    const sign = load<u8>(e);
    if (sign === 45 || sign === 43) e++;
    p = e;
    let exponent = 0;
    for (let d = <u32>load<u8>(p) - 48; d <= 9; d = <u32>load<u8>(++p) - 48)
      exponent = min(exponent * 10 + d, EXPONENT_MAX);
    if (p === e) return 0;
    power += sign === 45 ? -exponent : exponent;
  }
  const value =
    digitCount <= DIGITS_SAFE
      ? toFloat(digits, power, start, <u32>(p - start))
      : long(start, p, power);
  if (value === Infinity) return 0;
  numberKind = FLOAT64;
  numberBits = reinterpret<u64>(value) | ((<u64>negative) << 63);
  return p;
}

function integer(start: usize, end: usize, negative: bool): bool {
  if (digitCount > DIGITS_SAFE && !recount(start, end)) return false;
  if (digits > 0x7fff_ffff_ffff_ffff + <u64>negative) return false;
  numberKind = INT64;
  numberBits = negative ? 0 - digits : digits;
  return true;
}

function unsigned(start: usize, end: usize): bool {
  if (digitCount > DIGITS_SAFE && !recount(start, end)) return false;
  numberKind = UINT64;
  numberBits = digits;
  return true;
}

/** Reads [start, end), all digits, again without its leading zeros. False when it is past 64 bits. */
export function recount(start: usize, end: usize): bool {
  while (start < end && load<u8>(start) === 48) start++;
  if (end - start > 20) return false;
  let value: u64 = 0;
  for (; start < end; start++) {
    const digit = <u64>load<u8>(start) - 48;
    // Only the twentieth digit can overflow.
    if (value > 1844674407370955161 || (value === 1844674407370955161 && digit > 5)) return false;
    value = value * 10 + digit;
  }
  digits = value;
  return true;
}

/** A float of more than 19 digits: takes the first 19 from the first non-zero one; the power counts the rest. */
function long(start: usize, end: usize, power: i32): f64 {
  let value: u64 = 0;
  let taken = 0;
  let rest = false;
  for (let p = start; p < end; p++) {
    const digit = <u32>load<u8>(p) - 48;
    if (digit > 9) {
      if (load<u8>(p) === 46) continue;
      break; // the exponent
    }
    if (taken < DIGITS_SAFE) {
      value = value * 10 + digit;
      if (value !== 0) taken++;
    } else {
      power++;
      if (digit !== 0) rest = true;
    }
  }
  const length = <u32>(end - start);
  return rest ? toFloatLong(value, power, start, length) : toFloat(value, power, start, length);
}
