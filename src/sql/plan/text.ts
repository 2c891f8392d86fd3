/** Values as text, in DuckDB's text: floats as Rust prints them, timestamps with a T, intervals in words. */
import type { TimeUnit } from "../../types/mod.ts";
import { ticksOf, toMicros } from "./ticks.ts";

/**
 * Plain digits from 1e-5 to 1e16 (floats of 32 bits: 1e-6 to 1e13), else `1e16`, `1.5e-7`. DuckDB prints
 * exponents with a sign and two digits, and begins with them at 1e-4.
 */
export function floatText(sql: string, single: boolean): string {
  const text = `CAST(${sql} AS VARCHAR)`;
  const size = `abs(${sql})`;
  const short = `regexp_replace(regexp_replace(${text}, 'e\\+0*', 'e'), 'e-0+', 'e-')`;
  const plainFrom = single ? "1e-6" : "1e-5";
  // Small numbers that DuckDB prints with an exponent: all digits after the right number of zeros.
  const digits = `replace(regexp_extract(${text}, '^-?([0-9.]+)e', 1), '.', '')`;
  const zeros = `repeat('0', CAST(regexp_extract(${text}, 'e-([0-9]+)$', 1) AS INTEGER) - 1)`;
  const small = `concat(CASE WHEN ${sql} < 0 THEN '-' ELSE '' END, '0.', ${zeros}, ${digits})`;
  const bigFrom = single ? "1e13" : "1e16";
  // A float that DuckDB prints plainly although it is big: shift the point.
  const whole = `regexp_replace(regexp_replace(${text}, '^(-?)([0-9])([0-9]*?)0*\\.0$', '\\1\\2.\\3'), '\\.$', '')`;
  const exponent = `CAST(floor(log10(${size})) AS INTEGER)`;
  const big = `concat(${whole}, 'e', ${exponent})`;
  return `CASE WHEN ${sql} IS NULL THEN NULL WHEN isnan(${sql}) THEN 'NaN' WHEN isinf(${sql}) THEN CASE WHEN ${sql} > 0 THEN 'inf' ELSE '-inf' END WHEN ${size} >= ${plainFrom} AND contains(${text}, 'e-') THEN ${small} WHEN contains(${text}, 'e') THEN ${short} WHEN ${size} >= ${bigFrom} THEN ${big} ELSE ${text} END`;
}

/** `2021-05-06T07:08:09.250`: no fraction if it is zero, else the fewest of 3, 6 and 9 digits. */
export function timestampText(sql: string, unit: TimeUnit): string {
  const base = `strftime(${toMicros(sql, unit)}, '%Y-%m-%dT%H:%M:%S')`;
  if (unit === "s") return base;
  const scale = unit === "ms" ? 1_000 : unit === "us" ? 1_000_000 : 1_000_000_000;
  const width = { ms: 3, us: 6, ns: 9 }[unit];
  const ticks = ticksOf(sql, unit);
  const fraction = `((${ticks} % ${scale} + ${scale}) % ${scale})`;
  const digits = (n: number) =>
    `lpad(CAST(${fraction} // ${10 ** (width - n)} AS VARCHAR), ${n}, '0')`;
  let cases = `WHEN ${fraction} = 0 THEN ''`;
  for (const n of [3, 6])
    if (n < width) cases += ` WHEN ${fraction} % ${10 ** (width - n)} = 0 THEN '.' || ${digits(n)}`;
  return `(${base} || CASE ${cases} ELSE '.' || ${digits(width)} END)`;
}

/** `13 mons 2 days 1 hours 3 mins 4.500000000 secs`; parts of zero are left out. */
export function intervalText(sql: string): string {
  const micros = `(epoch_us(${sql} - to_months(datepart('year', ${sql}) * 12 + datepart('month', ${sql})) - to_days(CAST(datepart('day', ${sql}) AS INTEGER))))`;
  const part = (value: string, word: string) =>
    `CASE WHEN ${value} <> 0 THEN CAST(${value} AS VARCHAR) || ' ${word}' END`;
  const months = `(datepart('year', ${sql}) * 12 + datepart('month', ${sql}))`;
  const seconds = `CASE WHEN ${micros} % 60000000 <> 0 THEN CASE WHEN ${micros} < 0 THEN '-' ELSE '' END || CAST(abs(${micros} % 60000000) // 1000000 AS VARCHAR) || '.' || lpad(CAST(abs(${micros}) % 1000000 AS VARCHAR), 6, '0') || '000 secs' END`;
  return `CASE WHEN ${sql} IS NULL THEN NULL ELSE concat_ws(' ', ${part(months, "mons")}, ${part(`datepart('day', ${sql})`, "days")}, ${part(`(${micros} // 3600000000)`, "hours")}, ${part(`(${micros} // 60000000 % 60)`, "mins")}, ${seconds}) END`;
}
