/**
 * Float: decimal digits and a power of ten → the nearest double (ties to even), bit for bit what Number() gives.
 *
 * 1. Small: digits and power are exact doubles, so one division or multiplication rounds once (Clinger).
 * 2. Else the digits times a 128-bit approximation of the power of five (Eisel and Lemire, "Number parsing at a gigabyte per
 *    second"); the top bits decide unless the product lies too close to a halfway point.
 * 3. Else, or when more than 19 digits matter and both neighbours differ, the host decides from the text.
 */
import { slowFloat } from "./env";

/** Below 10^-342 every 19-digit number is under half of the smallest double; above 10^308 over the largest. */
const POWER_MIN: i32 = -342;
const POWER_MAX: i32 = 308;

/** The 128 top bits of 5^q for each q, low word first, filled by the host before the first call. */
const powers = memory.data(651 * 16, 16);
const exact = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
]);

/** Whether the last `lemire` was sure of its answer. */
let sure: bool = true;

export function powersAt(): usize {
  return powers;
}

/** The double nearest to digits × 10^power; [at, at + length) is its whole text without a sign, for the host. */
export function toFloat(digits: u64, power: i32, at: usize, length: u32): f64 {
  if (digits <= 0x20_0000_0000_0000 && power >= -22 && power <= 22) {
    const value = <f64>digits;
    return power < 0
      ? value / load<f64>(exact + ((<usize>-power) << 3))
      : value * load<f64>(exact + ((<usize>power) << 3));
  }
  const bits = lemire(digits, power);
  return sure ? reinterpret<f64>(bits) : slowFloat(at, length);
}

/** The same for a text of more than 19 digits: `digits` holds the first 19 that matter, and something other than zeros may follow. */
export function toFloatLong(digits: u64, power: i32, at: usize, length: u32): f64 {
  const low = lemire(digits, power);
  if (sure && lemire(digits + 1, power) === low && sure) return reinterpret<f64>(low);
  return slowFloat(at, length);
}

/** Bits of the double; `sure` is false when the product cannot tell. */
function lemire(digits: u64, power: i32): u64 {
  sure = true;
  if (digits === 0 || power < POWER_MIN) return 0;
  if (power > POWER_MAX) return 0x7ff0_0000_0000_0000;
  const zeros = <i32>clz(digits);
  const w = digits << zeros;
  const entry = powers + ((<usize>(power - POWER_MIN)) << 4);
  const p = load<u64>(entry, 8);
  let low = w * p;
  let high = mulHigh(w, p);
  if ((high & 0x1ff) === 0x1ff) {
    // The low half of the power may carry into the bits that matter.
    const more = mulHigh(w, load<u64>(entry));
    low += more;
    if (low < more) high++;
  }
  if (low === 0xffff_ffff_ffff_ffff && (power < -27 || power > 55)) {
    sure = false;
    return 0;
  }
  const upper = <i32>(high >> 63);
  const shift = upper + 9;
  let mantissa = high >> shift;
  // floor(power × log2(10)) + 63, exact in this range, and the bias.
  let exponent = ((217706 * power) >> 16) + 63 + upper - zeros + 1023;
  if (exponent <= 0) {
    if (exponent <= -63) return 0;
    mantissa >>= 1 - exponent;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    return mantissa; // a carry into bit 52 is the smallest normal number
  }
  // A product that is exactly halfway, possible only for these powers, rounds to even.
  if (low <= 1 && power >= -4 && power <= 23 && (mantissa & 3) === 1)
    if (mantissa << shift === high) mantissa &= ~1;
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >= 0x20_0000_0000_0000) {
    mantissa = 0x10_0000_0000_0000;
    exponent++;
  }
  if (exponent >= 0x7ff) return 0x7ff0_0000_0000_0000;
  return (mantissa & 0xf_ffff_ffff_ffff) | ((<u64>exponent) << 52);
}

/** The high 64 bits of a 128-bit product. */
function mulHigh(a: u64, b: u64): u64 {
  const a0 = a & 0xffff_ffff;
  const a1 = a >> 32;
  const b0 = b & 0xffff_ffff;
  const b1 = b >> 32;
  const mid = a1 * b0 + ((a0 * b0) >> 32);
  const mid2 = a0 * b1 + (mid & 0xffff_ffff);
  return a1 * b1 + (mid >> 32) + (mid2 >> 32);
}
