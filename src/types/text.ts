/**
 * Values as texts where every protocol agrees: floats with the fewest digits that read back to the same value, dates. Pure.
 */

/**
 * A float the way the reference prints it: plain from 1e-5 up to 1e16 (1e-6 up to 1e13 for 32 bits) and always with a fraction,
 * else with an exponent without plus sign or padding: `5.0`, `0.1`, `1e16`, `1.5e-7`, `NaN`, `inf`, `-inf`, `-0.0`.
 */
export function floatText(value: number, bits: 32 | 64 = 64): string {
  const size = Math.abs(value);
  // JavaScript prints the same digits in this range: nearly every value takes this path.
  if (Number.isInteger(value) && size < 1e12) return Object.is(value, -0) ? "-0.0" : `${value}.0`;
  if (bits === 64 && size >= 1e-5 && size < 1e12) return String(value);
  if (Number.isNaN(value)) return "NaN";
  if (value === Number.POSITIVE_INFINITY) return "inf";
  if (value === Number.NEGATIVE_INFINITY) return "-inf";
  const [mantissa, power] = (bits === 64 ? value.toExponential() : shortest32(value)).split(
    "e",
  ) as [string, string];
  const exponent = Number(power);
  const plain = bits === 64 ? exponent >= -5 && exponent < 16 : exponent >= -6 && exponent < 13;
  return plain ? placePoint(mantissa, exponent) : `${mantissa}e${exponent}`;
}

/** Days since 1970-01-01 → `YYYY-MM-DD`; beyond 9999 the year carries a sign. */
export function dateText(days: number): string {
  // The calendar repeats every 400 years, and JavaScript's Date ends before 32-bit days do.
  const cycles = Math.floor(days / DAYS_PER_CYCLE);
  const at = new Date((days - cycles * DAYS_PER_CYCLE) * 86_400_000);
  const year = at.getUTCFullYear() + cycles * 400;
  const sign = year < 0 ? "-" : year > 9999 ? "+" : "";
  const rest = at.toISOString().slice(-20, -14);
  return `${sign}${String(Math.abs(year)).padStart(4, "0")}${rest}`;
}

const DAYS_PER_CYCLE = 146_097;

/** Fewest digits that round to the same 32-bit float; nine always do. */
function shortest32(value: number): string {
  for (let digits = 0; digits < 8; digits++) {
    const text = value.toExponential(digits);
    if (Math.fround(Number(text)) === value) return text;
  }
  return value.toExponential(8);
}

/** 1.25 × 10² → "125.0", 5 × 10⁻³ → "0.005". */
function placePoint(mantissa: string, exponent: number): string {
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace(/[-.]/g, "");
  const point = exponent + 1;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (digits.length <= point) return `${sign}${digits.padEnd(point, "0")}.0`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
