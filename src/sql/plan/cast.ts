/**
 * Casts: `castTo` gives the text that DuckDB computes as the dialect's CAST. Headings are kept: casts are
 * invisible in them. Constants are folded, with the errors that they would raise when executed.
 */
import {
  type ColumnType,
  duckTypeName,
  sameType,
  T,
  typeName,
  UNIT_NANOS,
} from "../../types/mod.ts";
import { floorDiv } from "../time/civil.ts";
import { parseInterval } from "../time/interval.ts";
import { parseDate, parseTimestamp } from "../time/timestamp.ts";
import type { Bound, Constant } from "./bound.ts";
import { executionError, planError } from "./errors.ts";
import {
  boolLiteral,
  convertTicks,
  dateConstant,
  digitsSql,
  floatLiteral,
  intervalLiteral,
  stringLiteral,
  timestampConstant,
} from "./literal.ts";
import { integerRange, isFloat, isInteger, isNumeric } from "./numeric.ts";
import { floatText, intervalText, timestampText } from "./text.ts";
import { fromTicks, scaleTicks, ticksOf, toMicros } from "./ticks.ts";

export interface CastOptions {
  /** TRY_CAST: NULL instead of an error. */
  readonly safe?: boolean;
  /** Zone of strings without an offset. Explicit casts read them as UTC, targets of INSERT in the session's. */
  readonly zone?: string;
}

export function castTo(from: Bound, target: ColumnType, options: CastOptions = {}): Bound {
  if (sameType(from.type, target)) return from;
  if (from.constant !== undefined) {
    const folded = foldCast(from.constant, from, target, options);
    if (folded !== undefined) return { ...folded, name: from.name };
  }
  return {
    ...from,
    sql: castSql(from, target, options),
    type: target,
    constant: undefined,
    untyped: undefined,
    column: undefined,
    groupSql: undefined,
  };
}

/** NULL of a type. */
export function nullOf(type: ColumnType, name = "NULL"): Bound {
  return { sql: `NULL::${duckTypeName(type)}`, type, name, constant: { kind: "null" } };
}

function foldCast(
  constant: Constant,
  from: Bound,
  target: ColumnType,
  options: CastOptions,
): Bound | undefined {
  const failed = (message: string): Bound => {
    if (options.safe) return nullOf(target);
    throw executionError(message);
  };
  switch (constant.kind) {
    case "null":
      return nullOf(target);
    case "string":
      return foldString(constant.value, target, options, failed);
    case "int":
    case "float":
      return foldNumber(constant, target, failed);
    case "timestamp":
      if (target.kind === "timestamp")
        return timestampConstant(
          convertTicks(constant.ticks, constant.unit, target.unit),
          target.unit,
          from.name,
        );
      if (target.kind === "date") {
        const dayTicks = 86_400_000_000_000n / UNIT_NANOS[constant.unit];
        return dateConstant(Number(floorDiv(constant.ticks, dayTicks)), from.name);
      }
      return target.kind === "int64" ? typedInt(constant.ticks, target) : undefined;
    case "date":
      if (target.kind === "timestamp") {
        const ns = BigInt(constant.days) * 86_400_000_000_000n;
        return timestampConstant(ns / UNIT_NANOS[target.unit], target.unit, from.name);
      }
      return undefined;
    case "bool":
      if (isInteger(target)) return typedInt(constant.value ? 1n : 0n, target);
      return target.kind === "string" ? typedString(String(constant.value)) : undefined;
    case "interval":
      return undefined;
  }
}

function typedInt(value: bigint, type: ColumnType): Bound {
  const sql = `${digitsSql(value)}::${duckTypeName(type)}`;
  return { sql, type, name: "", constant: { kind: "int", value } };
}

/** A string that is no longer free to take another type. */
function typedString(value: string): Bound {
  return { ...stringLiteral(value), untyped: undefined };
}

type Failed = (message: string) => Bound;

function foldNumber(
  constant: Extract<Constant, { kind: "int" | "float" }>,
  target: ColumnType,
  failed: Failed,
): Bound | undefined {
  const { value } = constant;
  const isWhole = isInteger(target) || target.kind === "timestamp";
  if (isWhole && typeof value === "number" && !Number.isFinite(value))
    return failed(`Cast error: Can't cast value ${value} to type ${typeName(target)}`);
  if (isInteger(target)) {
    const whole = typeof value === "bigint" ? value : BigInt(Math.trunc(value));
    const [min, max] = integerRange(target);
    if (whole < min || whole > max)
      return failed(`Cast error: Can't cast value ${value} to type ${typeName(target)}`);
    return typedInt(whole, target);
  }
  if (target.kind === "float64") return floatLiteral(Number(value));
  if (target.kind === "bool") return boolLiteral(Number(value) !== 0);
  if (target.kind === "string" && constant.kind === "int") return typedString(String(value));
  if (target.kind === "timestamp") {
    const ticks = typeof value === "bigint" ? value : BigInt(Math.trunc(value));
    return timestampConstant(ticks, target.unit, "");
  }
  return undefined;
}

const TRUE = new Set(["true", "t", "yes", "y", "1", "on"]);
const FALSE = new Set(["false", "f", "no", "n", "0", "off"]);

function foldString(
  value: string,
  target: ColumnType,
  options: CastOptions,
  failed: Failed,
): Bound | undefined {
  const cannot = () =>
    failed(`Cast error: Cannot cast string '${value}' to value of ${typeName(target)} type`);
  switch (target.kind) {
    case "timestamp": {
      const parsed = parseTimestamp(value, options.zone ?? "UTC");
      if (parsed === undefined)
        return failed(`Parser error: Error parsing timestamp from '${value}': error parsing date`);
      const ticks = floorDiv(parsed.ns, UNIT_NANOS[target.unit]);
      return timestampConstant(ticks, target.unit, "");
    }
    case "date": {
      const days = parseDate(value) ?? dateOfTimestamp(value);
      return days === undefined ? cannot() : dateConstant(days, "");
    }
    case "interval": {
      const interval = parseInterval(value);
      if (interval === undefined)
        return failed(`Parser error: Invalid input syntax for type interval: "${value}"`);
      return intervalLiteral(interval);
    }
    case "float64": {
      const number = parseFloatText(value);
      return number === undefined ? cannot() : floatLiteral(number);
    }
    case "bool": {
      const word = value.trim().toLowerCase();
      if (TRUE.has(word)) return boolLiteral(true);
      return FALSE.has(word) ? boolLiteral(false) : cannot();
    }
    case "json":
      return { ...typedString(value), type: T.json };
  }
  if (isInteger(target)) {
    if (!/^\s*[+-]?\d+\s*$/.test(value)) return cannot();
    const number = BigInt(value.trim().replace(/^\+/, ""));
    const [min, max] = integerRange(target);
    return number < min || number > max ? cannot() : typedInt(number, target);
  }
  return undefined;
}

function dateOfTimestamp(value: string): number | undefined {
  const parsed = parseTimestamp(value, "UTC");
  return parsed === undefined ? undefined : Number(floorDiv(parsed.ns, 86_400_000_000_000n));
}

/** As the reference reads doubles: nan, inf and infinity in any case. */
export function parseFloatText(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(trimmed)) return Number(trimmed);
  const special = /^([+-]?)(nan|inf|infinity)$/i.exec(trimmed);
  if (special === null) return undefined;
  if (special[2]!.toLowerCase() === "nan") return Number.NaN;
  return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function castSql(from: Bound, target: ColumnType, options: CastOptions): string {
  const { sql, type } = from;
  const word = options.safe ? "TRY_CAST" : "CAST";
  const plain = (inner = sql) => `${word}(${inner} AS ${duckTypeName(target)})`;
  switch (target.kind) {
    case "timestamp":
      if (type.kind === "timestamp")
        return fromTicks(scaleTicks(ticksOf(sql, type.unit), type.unit, target.unit), target.unit);
      if (type.kind === "date") {
        const perDay = 86_400_000_000_000n / UNIT_NANOS[target.unit];
        return fromTicks(`(CAST((${sql} - DATE '1970-01-01') AS BIGINT) * ${perDay})`, target.unit);
      }
      if (type.kind === "string") {
        const ns = `epoch_ns(${word}(${sql} AS TIMESTAMP_NS))`;
        return fromTicks(`(${ns} // ${UNIT_NANOS[target.unit]})`, target.unit);
      }
      if (isNumeric(type)) {
        const whole = isInteger(type) ? sql : `trunc(${sql})`;
        return fromTicks(`${word}(${whole} AS BIGINT)`, target.unit);
      }
      break;
    case "date":
      if (type.kind === "timestamp") return plain(toMicros(sql, type.unit));
      if (isInteger(type)) return `(DATE '1970-01-01' + ${word}(${sql} AS INTEGER))`;
      if (type.kind === "string") return plain();
      break;
    case "string":
      if (isFloat(type)) return floatText(sql, type.kind === "float32");
      if (type.kind === "timestamp") return timestampText(sql, type.unit);
      if (type.kind === "binary") return `decode(${sql})`;
      if (type.kind === "interval") return intervalText(sql);
      return plain();
    case "binary":
      if (type.kind === "string" || type.kind === "json") return `encode(${sql})`;
      break;
    case "bool":
      if (type.kind === "string") return stringToBool(sql, options.safe === true);
      if (isNumeric(type)) return plain();
      break;
    case "duration":
      if (type.kind === "duration") return scaleTicks(sql, type.unit, target.unit);
      if (isInteger(type)) return `${word}(${sql} AS BIGINT)`;
      break;
    case "json":
      if (type.kind === "string") return sql;
      break;
    case "time":
    case "interval":
    case "list":
    case "struct":
      if (type.kind === target.kind || type.kind === "string" || type.kind === "null")
        return plain();
      if (target.kind === "time" && type.kind === "timestamp")
        return plain(toMicros(sql, type.unit));
      break;
    default:
      if (isNumeric(target)) {
        const number = numberSql(from, target, options);
        if (number !== undefined) return number;
      }
  }
  throw planError(`Unsupported CAST from ${typeName(type)} to ${typeName(target)}`);
}

function numberSql(from: Bound, target: ColumnType, options: CastOptions): string | undefined {
  const { sql, type } = from;
  const word = options.safe ? "TRY_CAST" : "CAST";
  const plain = (inner = sql) => `${word}(${inner} AS ${duckTypeName(target)})`;
  if (isInteger(target)) {
    // DuckDB rounds; the dialect cuts off.
    if (isFloat(type) || type.kind === "decimal") return plain(`trunc(${sql})`);
    if (type.kind === "timestamp") return plain(ticksOf(sql, type.unit));
    if (type.kind === "date") return plain(`(${sql} - DATE '1970-01-01')`);
    if (type.kind === "string") {
      const otherwise = options.safe
        ? "NULL"
        : `error('Cast error: Cannot cast string ''' || ${sql} || ''' to value of ${typeName(target)} type')`;
      return `CASE WHEN regexp_full_match(${sql}, '\\s*[+-]?[0-9]+\\s*') THEN ${plain()} WHEN ${sql} IS NULL THEN NULL ELSE ${otherwise} END`;
    }
  }
  if (isNumeric(type) || type.kind === "bool" || type.kind === "string" || type.kind === "duration")
    return plain();
  return undefined;
}

function stringToBool(sql: string, safe: boolean): string {
  const list = (words: Set<string>) => [...words].map((w) => `'${w}'`).join(", ");
  const otherwise = safe
    ? "NULL"
    : `CASE WHEN ${sql} IS NULL THEN NULL ELSE error('Cast error: Cannot cast value ''' || ${sql} || ''' to value of Boolean type') END`;
  return `CASE WHEN lower(trim(${sql})) IN (${list(TRUE)}) THEN TRUE WHEN lower(trim(${sql})) IN (${list(FALSE)}) THEN FALSE ELSE ${otherwise} END`;
}
