/**
 * Text → instants, exact to the nanosecond and beyond the range of 64-bit nanoseconds.
 * One reading for INSERT, comparisons and casts; what differs (bare dates, the zone of naive texts) is asked for.
 */
import { daysFromCivil, daysInMonth } from "./civil.ts";
import { parseTimezone, wallToUtcMs } from "./zone.ts";

export interface TimestampText {
  /** Nanoseconds since the epoch; unbounded. Extra digits of the fraction are cut off. */
  readonly ns: bigint;
  /** The text was a date without a time. */
  readonly dateOnly: boolean;
}

const FORM =
  /^\s*([+-]?\d{4,6})-(\d{2})-(\d{2})(?:(?:T|\s+)(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?|[A-Za-z]+(?:\/[A-Za-z_+-]+)*)?\s*$/;

/**
 * `YYYY-MM-DD[(T| )HH:MM[:SS[.frac]]][ ][Z|±hh[:mm]|Zone]` → instant; without an offset it is read in `zone`.
 * Undefined if the text is no timestamp.
 */
export function parseTimestamp(text: string, zone: string): TimestampText | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  const hour = Number(match[4] ?? 0);
  const minute = Number(match[5] ?? 0);
  const second = Number(match[6] ?? 0);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const wallMs =
    daysFromCivil(year, month, day) * 86_400_000 + ((hour * 60 + minute) * 60 + second) * 1_000;
  const suffix = match[8];
  let utcMs: number;
  if (suffix === undefined) {
    utcMs = wallToUtcMs(zone, wallMs);
  } else {
    const named = parseTimezone(suffix);
    if (named === undefined) return undefined;
    utcMs = wallToUtcMs(named, wallMs);
  }
  const fraction = BigInt((match[7] ?? "").slice(0, 9).padEnd(9, "0"));
  return { ns: BigInt(utcMs) * 1_000_000n + fraction, dateOnly: match[4] === undefined };
}

/** `YYYY-MM-DD` → days since the epoch; undefined if it is none. */
export function parseDate(text: string): number | undefined {
  const match = /^\s*([+-]?\d{4,6})-(\d{1,2})-(\d{1,2})\s*$/.exec(text);
  if (match === null) return undefined;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  return daysFromCivil(year, month, day);
}
