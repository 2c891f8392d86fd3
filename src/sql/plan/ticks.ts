/**
 * Timestamps as integers and back, in DuckDB's text. DuckDB's own timestamp functions fall back to
 * microseconds; integers keep the column's unit, and are faster.
 */
import type { TimeUnit } from "../../types/mod.ts";
import { UNIT_NANOS } from "../../types/mod.ts";

/** A timestamp of `unit` → its ticks, BIGINT. */
export function ticksOf(sql: string, unit: TimeUnit): string {
  switch (unit) {
    case "ns":
      return `epoch_ns(${sql})`;
    case "us":
      return `epoch_us(${sql})`;
    case "ms":
      return `epoch_ms(${sql})`;
    case "s":
      return `(epoch_ms(${sql}) // 1000)`;
  }
}

/** Ticks (BIGINT) → a timestamp of `unit`. */
export function fromTicks(sql: string, unit: TimeUnit): string {
  switch (unit) {
    case "ns":
      return `make_timestamp_ns(${sql})`;
    case "us":
      return `make_timestamp(${sql})`;
    case "ms":
      return `make_timestamp_ms(${sql})::TIMESTAMP_MS`;
    case "s":
      return `make_timestamp((${sql}) * 1000000)::TIMESTAMP_S`;
  }
}

/** Ticks of one unit → ticks of another, cut toward zero. */
export function scaleTicks(sql: string, from: TimeUnit, to: TimeUnit): string {
  const a = UNIT_NANOS[from];
  const b = UNIT_NANOS[to];
  if (a === b) return sql;
  return a > b ? `(${sql} * ${a / b})` : `(${sql} // ${b / a})`;
}

/** A timestamp → DuckDB's microsecond TIMESTAMP, for functions that know nothing finer. */
export function toMicros(sql: string, unit: TimeUnit): string {
  return unit === "us" ? sql : `CAST(${sql} AS TIMESTAMP)`;
}

/** A microsecond TIMESTAMP → `unit`, cut down. */
export function fromMicros(sql: string, unit: TimeUnit): string {
  switch (unit) {
    case "ns":
      return `make_timestamp_ns(epoch_us(${sql}) * 1000)`;
    case "us":
      return sql;
    case "ms":
      return `make_timestamp_ms(epoch_ms(${sql}))::TIMESTAMP_MS`;
    case "s":
      return `date_trunc('second', ${sql})::TIMESTAMP_S`;
  }
}

/** floor(ticks / size), an integer to group by; `nonNegative` when the ticks are known to be. */
export function bucketKey(ticks: string, size: bigint, nonNegative: boolean): string {
  // DuckDB divides toward zero: below the epoch that is one too many unless it divides evenly.
  const quotient = `(${ticks} // ${size})`;
  return nonNegative ? quotient : `(${quotient} - CAST((${ticks} % ${size}) < 0 AS BIGINT))`;
}
