/** Constants → bound expressions with DuckDB literals. Every literal carries its type. */
import { type ColumnType, T, type TimeUnit, UNIT_NANOS } from "../../types/mod.ts";
import { formatDate } from "../time/civil.ts";
import { debugInterval, type Interval } from "../time/interval.ts";
import type { Bound, Constant } from "./bound.ts";
import { executionError, planError } from "./errors.ts";

const INT64_MIN = -(1n << 63n);
const INT64_MAX = (1n << 63n) - 1n;
const UINT64_MAX = (1n << 64n) - 1n;

/** Ticks that DuckDB can make a timestamp of: microseconds of 64 bits, except that nanoseconds have their own. */
export const TICKS_MAX: Readonly<Record<TimeUnit, bigint>> = Object.freeze({
  ns: INT64_MAX,
  us: INT64_MAX,
  ms: INT64_MAX / 1_000n,
  s: INT64_MAX / 1_000_000n,
});

/** A string of DuckDB. The characters 0 and 1 go through chr(): 1 marks relations in a plan's text. */
export function stringSql(value: string): string {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  if (!value.includes("\u0000") && !value.includes("\u0001")) return quote(value);
  const parts: string[] = [];
  let plain = "";
  for (const char of value) {
    if (char !== "\u0000" && char !== "\u0001") {
      plain += char;
      continue;
    }
    parts.push(quote(plain), `chr(${char.charCodeAt(0)})`);
    plain = "";
  }
  return `concat(${[...parts, quote(plain)].join(", ")})`;
}

/** A finite double keeps all its digits: `1.5e0`. */
export function floatSql(value: number): string {
  if (Number.isNaN(value)) return "'nan'::DOUBLE";
  if (!Number.isFinite(value)) return value > 0 ? "'inf'::DOUBLE" : "'-inf'::DOUBLE";
  const text = String(value);
  const typed = /e/.test(text) ? text : `${text}e0`;
  return value < 0 || Object.is(value, -0) ? `(-${typed.replace(/^-/, "")})` : typed;
}

/** An integer without a type; negative ones in parentheses. */
export function digitsSql(value: bigint): string {
  return value < 0n ? `(${value})` : `${value}`;
}

/** A timestamp literal that DuckDB folds into a constant of the column's own type, so that it prunes. */
export function timestampSql(ticks: bigint, unit: TimeUnit): string {
  switch (unit) {
    case "ns":
      return `make_timestamp_ns(${ticks})`;
    case "us":
      return `make_timestamp(${ticks})`;
    case "ms":
      return `make_timestamp_ms(${ticks})::TIMESTAMP_MS`;
    case "s":
      return `make_timestamp(${ticks * 1_000_000n})::TIMESTAMP_S`;
  }
}

export function intervalSql(i: Interval): string {
  const micros = i.nanos / 1_000n;
  return `INTERVAL '${i.months} months ${i.days} days ${micros} microseconds'`;
}

const bound = (sql: string, type: ColumnType, name: string, constant: Constant): Bound => ({
  sql,
  type,
  name,
  constant,
});

export const nullLiteral: Bound = Object.freeze(
  bound("NULL::INTEGER", T.null, "NULL", { kind: "null" }),
);

export function boolLiteral(value: boolean): Bound {
  return bound(value ? "TRUE" : "FALSE", T.bool, `Boolean(${value})`, { kind: "bool", value });
}

export function stringLiteral(value: string): Bound {
  return {
    ...bound(stringSql(value), T.string, `Utf8("${value}")`, { kind: "string", value }),
    untyped: true,
  };
}

/** An integer literal: Int64, above it UInt64, beyond it Float64. */
export function intLiteral(value: bigint): Bound {
  if (value >= INT64_MIN && value <= INT64_MAX)
    return bound(`${digitsSql(value)}::BIGINT`, T.int64, `Int64(${value})`, { kind: "int", value });
  if (value > INT64_MAX && value <= UINT64_MAX)
    return bound(`${value}::UBIGINT`, T.uint64, `UInt64(${value})`, { kind: "int", value });
  return floatLiteral(Number(value));
}

export function floatLiteral(value: number): Bound {
  const constant: Constant = { kind: "float", value };
  return bound(floatSql(value), T.float64, `Float64(${displayFloat(value)})`, constant);
}

export function hexLiteral(digits: string): Bound {
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  const escaped = even.replace(/../g, (pair) => `\\x${pair}`);
  return { sql: `'${escaped}'::BLOB`, type: T.binary, name: `Binary("${even.toLowerCase()}")` };
}

export function intervalLiteral(value: Interval): Bound {
  return bound(intervalSql(value), T.interval, `IntervalMonthDayNano("${debugInterval(value)}")`, {
    kind: "interval",
    value,
  });
}

/** `name` is what the expression was, e.g. `now()`: timestamps have no literal of their own. */
export function timestampConstant(ticks: bigint, unit: TimeUnit, name: string): Bound {
  if (ticks < -TICKS_MAX[unit] || ticks > TICKS_MAX[unit])
    throw executionError(`Arithmetic overflow: timestamp ${ticks} is out of the range of its unit`);
  const type: ColumnType = { kind: "timestamp", unit };
  return bound(timestampSql(ticks, unit), type, name, { kind: "timestamp", ticks, unit });
}

export function dateConstant(days: number, name: string): Bound {
  // Dates that DuckDB's literal cannot spell are reached by counting.
  const sql =
    Math.abs(days) < 2_000_000 ? `DATE '${formatDate(days).replace(/^\+/, "")}'` : undefined;
  return bound(sql ?? `(DATE '1970-01-01' + ${digitsSql(BigInt(days))}::INTEGER)`, T.date, name, {
    kind: "date",
    days,
  });
}

/** A number as written, sign not included. */
export function numberLiteral(text: string): Bound {
  if (/^\d+$/.test(text)) return intLiteral(BigInt(text));
  const value = Number(text);
  if (Number.isNaN(value)) throw planError(`Cannot parse ${text} as f64`);
  return floatLiteral(value);
}

/** Plain digits without an exponent: 1e20 → 100000000000000000000. */
export function displayFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const text = String(value);
  if (!text.includes("e")) return Object.is(value, -0) ? "-0" : text;
  const [mantissa, exponent] = text.split("e") as [string, string];
  const negative = mantissa.startsWith("-");
  const [whole, fraction = ""] = mantissa.replace("-", "").split(".") as [string, string?];
  const shift = Number(exponent);
  const digits = whole + fraction;
  const point = whole.length + shift;
  const plain =
    point <= 0
      ? `0.${"0".repeat(-point)}${digits}`
      : `${digits.padEnd(point, "0").slice(0, point)}${digits.length > point ? `.${digits.slice(point)}` : ""}`;
  return (negative ? "-" : "") + plain;
}

/** Ticks of one unit in another, cut toward zero as the reference's casts do. */
export function convertTicks(ticks: bigint, from: TimeUnit, to: TimeUnit): bigint {
  const a = UNIT_NANOS[from];
  const b = UNIT_NANOS[to];
  return a >= b ? ticks * (a / b) : ticks / (b / a);
}
