/** Cells as texts for people, and as numbers for the chart. */
import type { Cell } from "./api.ts";

const UNITS: Readonly<Record<string, bigint>> = {
  TimestampSecond: 1_000_000_000n,
  TimestampMillisecond: 1_000_000n,
  TimestampMicrosecond: 1_000n,
  TimestampNanosecond: 1n,
};

export function isTime(type: string): boolean {
  return type in UNITS;
}

export function isNumber(type: string): boolean {
  return /^(U?Int|Float|Decimal)/.test(type);
}

function bigOf(cell: Cell): bigint | undefined {
  try {
    return typeof cell === "number" || typeof cell === "string" ? BigInt(cell) : undefined;
  } catch {
    return undefined;
  }
}

/** Milliseconds since 1970, for the chart: fractions are kept, digits beyond a double are not. */
export function timeMs(cell: Cell, type: string): number | undefined {
  const ticks = bigOf(cell);
  const unit = UNITS[type];
  if (ticks === undefined || unit === undefined) return undefined;
  const ns = ticks * unit;
  return Number(ns / 1_000_000n) + Number(ns % 1_000_000n) / 1e6;
}

export function numberOf(cell: Cell): number | undefined {
  if (cell === null || cell === "" || typeof cell === "object") return undefined;
  const n = Number(cell);
  return Number.isFinite(n) ? n : undefined;
}

/** `2024-01-02 03:04:05.000000001`, in UTC, with every digit. */
export function timeText(cell: Cell, type: string): string {
  const ticks = bigOf(cell);
  const unit = UNITS[type];
  if (ticks === undefined || unit === undefined) return String(cell);
  const ns = ticks * unit;
  let seconds = ns / 1_000_000_000n;
  let rest = ns % 1_000_000_000n;
  if (rest < 0n) {
    rest += 1_000_000_000n;
    seconds -= 1n;
  }
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return String(cell);
  const fraction = rest
    .toString()
    .padStart(9, "0")
    .replace(/(000){1,3}$/, "");
  const text = date.toISOString().slice(0, -5).replace("T", " ");
  return fraction === "" ? text : `${text}.${fraction}`;
}

export function cellText(cell: Cell, type: string): string {
  if (cell === null) return "NULL";
  if (isTime(type)) return timeText(cell, type);
  if (type === "Date" && typeof cell === "number")
    return new Date(cell * 86_400_000).toISOString().slice(0, 10);
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}
