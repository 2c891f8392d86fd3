/** Intervals: months, days and nanoseconds, as Arrow's IntervalMonthDayNano. */

export interface Interval {
  readonly months: number;
  readonly days: number;
  readonly nanos: bigint;
}

const DAY_NS = 86_400_000_000_000n;

/** Months, days or nanoseconds in one unit. */
type Unit = readonly [part: "months" | "days" | "nanos", size: number];

const UNITS: Readonly<Record<string, Unit>> = {
  millennium: ["months", 12_000],
  millennia: ["months", 12_000],
  century: ["months", 1_200],
  centuries: ["months", 1_200],
  decade: ["months", 120],
  decades: ["months", 120],
  year: ["months", 12],
  years: ["months", 12],
  yr: ["months", 12],
  yrs: ["months", 12],
  y: ["months", 12],
  quarter: ["months", 3],
  quarters: ["months", 3],
  month: ["months", 1],
  months: ["months", 1],
  mon: ["months", 1],
  mons: ["months", 1],
  week: ["days", 7],
  weeks: ["days", 7],
  w: ["days", 7],
  day: ["days", 1],
  days: ["days", 1],
  d: ["days", 1],
  hour: ["nanos", 3_600e9],
  hours: ["nanos", 3_600e9],
  hr: ["nanos", 3_600e9],
  hrs: ["nanos", 3_600e9],
  h: ["nanos", 3_600e9],
  minute: ["nanos", 60e9],
  minutes: ["nanos", 60e9],
  min: ["nanos", 60e9],
  mins: ["nanos", 60e9],
  m: ["nanos", 60e9],
  second: ["nanos", 1e9],
  seconds: ["nanos", 1e9],
  sec: ["nanos", 1e9],
  secs: ["nanos", 1e9],
  s: ["nanos", 1e9],
  millisecond: ["nanos", 1e6],
  milliseconds: ["nanos", 1e6],
  millis: ["nanos", 1e6],
  msec: ["nanos", 1e6],
  msecs: ["nanos", 1e6],
  ms: ["nanos", 1e6],
  microsecond: ["nanos", 1e3],
  microseconds: ["nanos", 1e3],
  usec: ["nanos", 1e3],
  usecs: ["nanos", 1e3],
  us: ["nanos", 1e3],
  nanosecond: ["nanos", 1],
  nanoseconds: ["nanos", 1],
  nsec: ["nanos", 1],
  nsecs: ["nanos", 1],
  ns: ["nanos", 1],
};

const TERM = /^\s*([+-]?)\s*(\d+)?(?:\.(\d*))?\s*([A-Za-z]+)\s*/;
const CLOCK = /^\s*([+-]?)(\d+):(\d{2})(?::(\d{2})(?:\.(\d+))?)?\s*/;

/** "1 day 2 hours", "3y2mon4h", "01:30:00", "P1DT2H"; with `unit`, a bare number of it. Undefined if none. */
export function parseInterval(text: string, unit?: string): Interval | undefined {
  if (unit !== undefined) {
    const number = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)\s*$/.test(text);
    return number ? parseTerms(`${text.trim()} ${unit.toLowerCase()}`) : parseTerms(text);
  }
  if (/^\s*-?P/i.test(text)) return parseIso(text.trim());
  return parseTerms(text);
}

function parseTerms(text: string): Interval | undefined {
  let months = 0;
  let days = 0;
  let nanos = 0n;
  let rest = text;
  if (rest.trim() === "") return undefined;
  while (rest !== "") {
    const clock = CLOCK.exec(rest);
    if (clock !== null) {
      const ns =
        (BigInt(clock[2]!) * 3600n + BigInt(clock[3]!) * 60n + BigInt(clock[4] ?? 0)) *
          1_000_000_000n +
        BigInt((clock[5] ?? "").slice(0, 9).padEnd(9, "0"));
      nanos += clock[1] === "-" ? -ns : ns;
      rest = rest.slice(clock[0].length);
      continue;
    }
    const term = TERM.exec(rest);
    if (term === null || (term[2] === undefined && !term[3])) return undefined;
    const unit = UNITS[term[4]!.toLowerCase()];
    if (unit === undefined) return undefined;
    const sign = term[1] === "-" ? -1 : 1;
    const whole = BigInt(term[2] ?? 0);
    const part = Number(`0.${term[3] || "0"}`);
    const added = spread(unit, whole, part);
    months += sign * added.months;
    days += sign * added.days;
    nanos += BigInt(sign) * added.nanos;
    rest = rest.slice(term[0].length);
  }
  return checked({ months, days, nanos });
}

/** A number of units; what is less than a month or a day goes on to the next smaller part (30 days, 24 hours). */
function spread([part, size]: Unit, whole: bigint, fraction: number): Interval {
  if (part === "nanos") {
    const nanos = whole * BigInt(size) + BigInt(Math.round(fraction * size));
    return { months: 0, days: 0, nanos };
  }
  if (part === "days") {
    const days = fraction * size;
    const rest = BigInt(Math.round((days - Math.trunc(days)) * Number(DAY_NS)));
    return { months: 0, days: Number(whole) * size + Math.trunc(days), nanos: rest };
  }
  const months = fraction * size;
  const below = spread(["days", 30], 0n, months - Math.trunc(months));
  return { ...below, months: Number(whole) * size + Math.trunc(months) };
}

/** ISO 8601 durations become milliseconds: a year is 365.25 days and a month 30.44. */
function parseIso(text: string): Interval | undefined {
  const match =
    /^(-?)P(?=.)(?:([\d.]+)Y)?(?:([\d.]+)M)?(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/i.exec(
      text,
    );
  if (match === null) return undefined;
  const sizes = [31_557_600, 2_630_016, 604_800, 86_400, 3_600, 60, 1];
  let seconds = 0;
  for (let i = 0; i < sizes.length; i++) seconds += Number(match[i + 2] ?? 0) * sizes[i]!;
  if (Number.isNaN(seconds)) return undefined;
  const nanos = BigInt(Math.round(seconds * 1_000)) * 1_000_000n;
  return { months: 0, days: 0, nanos: match[1] === "-" ? -nanos : nanos };
}

/** Months and days are 32-bit integers, nanoseconds 64-bit. */
function checked(interval: Interval): Interval | undefined {
  const int32 = (n: number) => Math.abs(n) <= 0x7fffffff;
  if (!int32(interval.months) || !int32(interval.days)) return undefined;
  return BigInt.asIntN(64, interval.nanos) === interval.nanos ? interval : undefined;
}

/** As the headers of results print it. */
export function debugInterval(i: Interval): string {
  return `IntervalMonthDayNano { months: ${i.months}, days: ${i.days}, nanoseconds: ${i.nanos} }`;
}
