/**
 * Durations and sizes as people write them, and back.
 * A duration is a bigint of nanoseconds, or a number of milliseconds where the name ends in `Ms`.
 */
import { DbError } from "./errors.ts";

/** Nanoseconds per unit. Month is 30.44 days and year 365.25 days, as in the reference. */
const UNIT_NS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  nsec: 1n,
  us: 1_000n,
  usec: 1_000n,
  ms: 1_000_000n,
  msec: 1_000_000n,
  millis: 1_000_000n,
  s: 1_000_000_000n,
  sec: 1_000_000_000n,
  secs: 1_000_000_000n,
  second: 1_000_000_000n,
  seconds: 1_000_000_000n,
  m: 60_000_000_000n,
  min: 60_000_000_000n,
  mins: 60_000_000_000n,
  minute: 60_000_000_000n,
  minutes: 60_000_000_000n,
  h: 3_600_000_000_000n,
  hr: 3_600_000_000_000n,
  hour: 3_600_000_000_000n,
  hours: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  day: 86_400_000_000_000n,
  days: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
  week: 604_800_000_000_000n,
  weeks: 604_800_000_000_000n,
  M: 2_630_016_000_000_000n,
  mon: 2_630_016_000_000_000n,
  month: 2_630_016_000_000_000n,
  months: 2_630_016_000_000_000n,
  y: 31_557_600_000_000_000n,
  year: 31_557_600_000_000_000n,
  years: 31_557_600_000_000_000n,
};

/** "7d", "1h 30m", "100ms" → nanoseconds. A bare number is refused. Throws invalid_arguments. */
export function parseDuration(text: string): bigint {
  let total = 0n;
  let rest = text.trim();
  if (rest === "") throw new DbError("invalid_arguments", "not a valid duration string: ''");
  while (rest !== "") {
    const match = /^(\d+)\s*([A-Za-z]+)\s*/.exec(rest);
    const unit = match === null ? undefined : UNIT_NS[match[2]!];
    if (match === null || unit === undefined)
      throw new DbError("invalid_arguments", `not a valid duration string: '${text}'`);
    total += BigInt(match[1]!) * unit;
    rest = rest.slice(match[0].length);
  }
  return total;
}

/** Nanoseconds → "7days", "1h 30m", "1day 2h": the way the reference prints durations. */
export function formatDuration(ns: bigint): string {
  if (ns === 0n) return "0s";
  const steps: readonly (readonly [string, bigint, boolean])[] = [
    ["year", UNIT_NS.y!, true],
    ["month", UNIT_NS.M!, true],
    ["day", UNIT_NS.d!, true],
    ["h", UNIT_NS.h!, false],
    ["m", UNIT_NS.m!, false],
    ["s", UNIT_NS.s!, false],
    ["ms", UNIT_NS.ms!, false],
    ["us", 1_000n, false],
    ["ns", 1n, false],
  ];
  const parts: string[] = [];
  let rest = ns;
  for (const [name, size, plural] of steps) {
    const n = rest / size;
    if (n === 0n) continue;
    parts.push(`${n}${name}${plural && n > 1n ? "s" : ""}`);
    rest -= n * size;
  }
  return parts.join(" ");
}

const SIZE: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1024,
  kb: 1024,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
  gib: 1024 ** 3,
  t: 1024 ** 4,
  tb: 1024 ** 4,
  tib: 1024 ** 4,
};

/** "64MB", "1.5GiB", "4096" → bytes. KB and KiB are both 1,024 bytes, as in the reference. */
export function parseBytes(text: string): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(text);
  const size = match === null ? undefined : SIZE[match[2]!.toLowerCase()];
  if (match === null || size === undefined)
    throw new DbError("invalid_arguments", `not a valid size: '${text}'`);
  return Math.floor(Number(match[1]) * size);
}

/** Bytes → "1.5GiB", for messages. */
export function formatBytes(bytes: number): string {
  for (const [unit, size] of [
    ["GiB", 1024 ** 3],
    ["MiB", 1024 ** 2],
    ["KiB", 1024],
  ] as const)
    if (bytes >= size) return `${Number((bytes / size).toFixed(1))}${unit}`;
  return `${bytes}B`;
}
