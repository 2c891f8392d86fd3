/** Intervals: months, days and nanoseconds side by side, as one packed integer and as text. Pure. */

export interface Interval {
  readonly months: number;
  readonly days: number;
  readonly nanos: bigint;
}

export function isInterval(value: unknown): value is Interval {
  return typeof value === "object" && value !== null && "months" in value && "nanos" in value;
}

/** The 128-bit integer of the reference: months in the high 32 bits, then days, then 64 bits of nanoseconds. */
export function packedInterval(value: Interval): bigint {
  return BigInt.asIntN(
    128,
    (BigInt(value.months) << 96n) |
      (BigInt.asUintN(32, BigInt(value.days)) << 64n) |
      BigInt.asUintN(64, value.nanos),
  );
}

const NANOS_PER_SECOND = 1_000_000_000n;

/** `13 mons 2 days 1 hours 3 mins 4.500000000 secs`; parts that are zero are left out, all of them zero is `0 secs`. */
export function intervalText(value: Interval): string {
  const parts: string[] = [];
  if (value.months !== 0) parts.push(`${value.months} mons`);
  if (value.days !== 0) parts.push(`${value.days} days`);
  const seconds = value.nanos / NANOS_PER_SECOND;
  const hours = seconds / 3_600n;
  const minutes = (seconds / 60n) % 60n;
  if (hours !== 0n) parts.push(`${hours} hours`);
  if (minutes !== 0n) parts.push(`${minutes} mins`);
  const rest = value.nanos % (60n * NANOS_PER_SECOND);
  if (rest !== 0n) {
    const size = rest < 0n ? -rest : rest;
    const fraction = (size % NANOS_PER_SECOND).toString().padStart(9, "0");
    parts.push(`${rest < 0n ? "-" : ""}${size / NANOS_PER_SECOND}.${fraction} secs`);
  }
  return parts.length === 0 ? "0 secs" : parts.join(" ");
}
