/**
 * Comparisons. The point: the column stays bare and the constant takes the column's type, so that DuckDB can
 * prune by it. Timestamps meet constants of any precision exactly.
 */
import {
  type ColumnType,
  sameType,
  T,
  type TimeUnit,
  typeName,
  UNIT_NANOS,
} from "../../types/mod.ts";
import { ceilDiv, floorDiv } from "../time/civil.ts";
import { parseTimestamp } from "../time/timestamp.ts";
import { type Bound, flagsOf, isNullConstant, made } from "./bound.ts";
import { castTo, nullOf } from "./cast.ts";
import { planError } from "./errors.ts";
import { boolLiteral, digitsSql, floatSql, stringSql, TICKS_MAX, timestampSql } from "./literal.ts";
import {
  commonNumeric,
  commonType,
  integerRange,
  isFloat,
  isInteger,
  isNumeric,
} from "./numeric.ts";
import { scaleTicks, ticksOf } from "./ticks.ts";

export type CompareOp =
  | "="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">="
  | "IS DISTINCT FROM"
  | "IS NOT DISTINCT FROM";

const FLIPPED: Readonly<Record<CompareOp, CompareOp>> = {
  "=": "=",
  "!=": "!=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
  "IS DISTINCT FROM": "IS DISTINCT FROM",
  "IS NOT DISTINCT FROM": "IS NOT DISTINCT FROM",
};

/** Doubles hold every integer up to here. */
const EXACT_MAX = 1n << 53n;

/** `zone` reads strings beside timestamps. */
export function compare(op: CompareOp, left: Bound, right: Bound, zone: string): Bound {
  const name = `${left.name} ${op} ${right.name}`;
  const parts = [left, right];
  if (isNullConstant(left) || isNullConstant(right)) {
    const [l, r] = nullsTyped(left, right);
    return made(`(${l.sql} ${op} ${r.sql})`, T.bool, name, parts);
  }
  if (right.constant !== undefined) {
    const sql = againstConstant(op, left, right, zone);
    if (sql !== undefined) return made(sql, T.bool, name, parts);
  }
  if (left.constant !== undefined) {
    const sql = againstConstant(FLIPPED[op], right, left, zone);
    if (sql !== undefined) return made(sql, T.bool, name, parts);
  }
  const [l, r] = sameKind(left, right, op);
  return made(`(${l} ${op} ${r})`, T.bool, name, parts);
}

function nullsTyped(left: Bound, right: Bound): [Bound, Bound] {
  const typed = (bound: Bound, other: Bound) =>
    isNullConstant(bound) && other.type.kind !== "null" ? nullOf(other.type) : bound;
  return [typed(left, right), typed(right, left)];
}

/** `column op constant`, if the constant can take the column's type. */
function againstConstant(
  op: CompareOp,
  left: Bound,
  right: Bound,
  zone: string,
): string | undefined {
  const { constant } = right;
  const { sql, type } = left;
  switch (type.kind) {
    case "timestamp": {
      const ns = nanosOf(right, type.unit, zone);
      return ns === undefined ? undefined : timestampAgainst(op, sql, type.unit, ns);
    }
    case "string":
      if (constant?.kind === "string") return `(${sql} ${op} ${stringSql(constant.value)})`;
      // A number beside a string is compared as text.
      if (constant?.kind === "int") return `(${sql} ${op} '${constant.value}')`;
      return undefined;
    case "bool":
      if (constant?.kind === "bool") return `(${sql} ${op} ${constant.value ? "TRUE" : "FALSE"})`;
      if (right.untyped && constant?.kind === "string") {
        const word = constant.value.toLowerCase();
        if (word !== "true" && word !== "false")
          throw planError(`Cannot cast string '${constant.value}' to value of Boolean type`);
        return `(${sql} ${op} ${word.toUpperCase()})`;
      }
      return undefined;
    case "date": {
      if (!right.untyped) return undefined;
      const date = castTo(right, T.date, { safe: true });
      if (date.constant?.kind === "date") return `(${sql} ${op} ${date.sql})`;
      throw planError(`Cannot cast string '${textOf(right)}' to value of Date32 type`);
    }
    case "interval":
      if (right.untyped) return `(${sql} ${op} ${castTo(right, T.interval).sql})`;
      return undefined;
  }
  if (isInteger(type)) return integerAgainst(op, left, right);
  if (isFloat(type)) return floatAgainst(op, left, right);
  return undefined;
}

const textOf = (bound: Bound) => (bound.constant?.kind === "string" ? bound.constant.value : "");

/** The instant of a constant that stands beside a timestamp of `unit`. */
function nanosOf(bound: Bound, unit: TimeUnit, zone: string): bigint | undefined {
  const { constant } = bound;
  switch (constant?.kind) {
    case "timestamp":
      return constant.ticks * UNIT_NANOS[constant.unit];
    case "int":
      return constant.value * UNIT_NANOS[unit];
    case "date":
      return BigInt(constant.days) * 86_400_000_000_000n;
    case "string": {
      const parsed = parseTimestamp(constant.value, zone);
      if (parsed !== undefined) return parsed.ns;
      if (/^\s*[+-]?\d+\s*$/.test(constant.value))
        return BigInt(constant.value.trim()) * UNIT_NANOS[unit];
      throw planError(
        `Parser error: Error parsing timestamp from '${constant.value}': error parsing date`,
      );
    }
    default:
      return undefined;
  }
}

/** Exact: a bound between two ticks moves to the tick that gives the same answer. */
function timestampAgainst(op: CompareOp, sql: string, unit: TimeUnit, ns: bigint): string {
  const size = UNIT_NANOS[unit];
  const exact = ns % size === 0n;
  let ticks: bigint;
  switch (op) {
    case "<":
    case ">=":
      ticks = ceilDiv(ns, size);
      break;
    case "<=":
    case ">":
      ticks = floorDiv(ns, size);
      break;
    default:
      if (!exact) return never(op, sql);
      ticks = ns / size;
  }
  if (ticks > TICKS_MAX[unit] || ticks < -TICKS_MAX[unit]) {
    const above = ticks > 0n;
    if (op === "<" || op === "<=") return above ? `(${sql} = ${sql})` : `(${sql} <> ${sql})`;
    if (op === ">" || op === ">=") return above ? `(${sql} <> ${sql})` : `(${sql} = ${sql})`;
    return never(op, sql);
  }
  return `(${sql} ${op} ${timestampSql(ticks, unit)})`;
}

/** Comparison with a value that nothing of the type equals: NULL stays NULL. */
function never(op: CompareOp, sql: string): string {
  switch (op) {
    case "=":
      return `(${sql} <> ${sql})`;
    case "!=":
      return `(${sql} = ${sql})`;
    case "IS DISTINCT FROM":
      return "TRUE";
    default:
      return "FALSE";
  }
}

function integerAgainst(op: CompareOp, left: Bound, right: Bound): string | undefined {
  const { constant } = right;
  const { sql, type } = left;
  if (constant?.kind === "int") {
    const [min, max] = integerRange(type);
    // A literal that does not fit would make DuckDB widen the column; that is right, if slow.
    if (constant.value >= min && constant.value <= max)
      return `(${sql} ${op} ${digitsSql(constant.value)})`;
    return `(${sql} ${op} ${digitsSql(constant.value)}::HUGEINT)`;
  }
  if (constant?.kind === "float") {
    const { value } = constant;
    if (Number.isInteger(value) && BigInt(Math.abs(value)) <= EXACT_MAX) {
      const [min, max] = integerRange(type);
      const whole = BigInt(value);
      if (whole >= min && whole <= max) return `(${sql} ${op} ${digitsSql(whole)})`;
    }
    return `(CAST(${sql} AS DOUBLE) ${op} ${floatSql(value)})`;
  }
  if (right.untyped && constant?.kind === "string") {
    // Numbers beside strings are compared as text; equality of canonical text is equality of numbers.
    const canonical = /^(0|-?[1-9]\d*)$/.test(constant.value);
    if (op === "<" || op === "<=" || op === ">" || op === ">=")
      return `(CAST(${sql} AS VARCHAR) ${op} ${stringSql(constant.value)})`;
    if (!canonical) return never(op, sql);
    const whole = BigInt(constant.value);
    const [min, max] = integerRange(type);
    return whole < min || whole > max ? never(op, sql) : `(${sql} ${op} ${digitsSql(whole)})`;
  }
  return undefined;
}

function floatAgainst(op: CompareOp, left: Bound, right: Bound): string | undefined {
  const { constant } = right;
  const { sql, type } = left;
  if (constant?.kind !== "int" && constant?.kind !== "float") return undefined;
  const literal = floatSql(Number(constant.value));
  if (type.kind === "float64") return `(${sql} ${op} ${literal})`;
  // 32-bit floats beside integers stay as they are; beside doubles they become doubles.
  return constant.kind === "int"
    ? `(${sql} ${op} CAST(${literal} AS FLOAT))`
    : `(CAST(${sql} AS DOUBLE) ${op} ${literal})`;
}

/** Both sides in one kind, for comparisons without a usable constant. */
function sameKind(left: Bound, right: Bound, op: CompareOp): [string, string] {
  const a = left.type;
  const b = right.type;
  if (sameType(a, b)) return [left.sql, right.sql];
  const refuse = () =>
    planError(
      `Cannot infer common argument type for comparison operation ${typeName(a)} ${op} ${typeName(b)}`,
    );
  if (a.kind === "timestamp" && b.kind === "timestamp") return finerTicks(left, right);
  if (a.kind === "timestamp" && isInteger(b)) return [ticksOf(left.sql, a.unit), right.sql];
  if (b.kind === "timestamp" && isInteger(a)) return [left.sql, ticksOf(right.sql, b.unit)];
  if (a.kind === "timestamp" || b.kind === "timestamp") {
    const [time, other] = a.kind === "timestamp" ? [left, right] : [right, left];
    if (other.type.kind !== "date" && other.type.kind !== "string") throw refuse();
    const cast = castTo(other, time.type).sql;
    return a.kind === "timestamp" ? [left.sql, cast] : [cast, right.sql];
  }
  const numeric = commonNumeric(a, b);
  if (numeric !== undefined) {
    if (isInteger(a) && isInteger(b)) return [left.sql, right.sql];
    return [castTo(left, numeric).sql, castTo(right, numeric).sql];
  }
  if ((isNumeric(a) && b.kind === "string") || (a.kind === "string" && isNumeric(b)))
    return [castTo(left, T.string).sql, castTo(right, T.string).sql];
  if (a.kind === "bool" || b.kind === "bool") {
    const other = a.kind === "bool" ? right : left;
    if (other.type.kind !== "string") throw refuse();
    return [castTo(left, T.bool).sql, castTo(right, T.bool).sql];
  }
  const common = commonType(a, b) ?? binaryAndText(a, b);
  if (common === undefined) throw refuse();
  return [castTo(left, common).sql, castTo(right, common).sql];
}

function binaryAndText(a: ColumnType, b: ColumnType): ColumnType | undefined {
  const kinds = [a.kind, b.kind];
  return kinds.includes("binary") && kinds.includes("string") ? T.binary : undefined;
}

function finerTicks(left: Bound, right: Bound): [string, string] {
  if (left.type.kind !== "timestamp" || right.type.kind !== "timestamp")
    throw planError("only timestamps have ticks");
  const a = left.type.unit;
  const b = right.type.unit;
  const unit = UNIT_NANOS[a] <= UNIT_NANOS[b] ? a : b;
  return [scaleTicks(ticksOf(left.sql, a), a, unit), scaleTicks(ticksOf(right.sql, b), b, unit)];
}

/** `x [NOT] IN (a, b)`: one IN of DuckDB where every item became a literal of the column's type. */
export function inList(
  left: Bound,
  items: readonly Bound[],
  negated: boolean,
  zone: string,
): Bound {
  const name = `${left.name} ${negated ? "NOT IN" : "IN"} ${items.map((i) => i.name).join(", ")}`;
  if (items.length === 0) return { ...boolLiteral(negated), ...flagsOf([left]), name };
  const prefix = `(${left.sql} = `;
  const values: string[] = [];
  const others: string[] = [];
  for (const item of items) {
    const { sql } = compare("=", left, item, zone);
    if (sql.startsWith(prefix) && sql.endsWith(")")) values.push(sql.slice(prefix.length, -1));
    else others.push(sql);
  }
  const tests: string[] = [];
  if (values.length === 1) tests.push(`${prefix}${values[0]})`);
  else if (values.length > 1) tests.push(`(${left.sql} IN (${values.join(", ")}))`);
  tests.push(...others);
  const any = tests.length === 1 ? tests[0]! : `(${tests.join(" OR ")})`;
  return made(negated ? `(NOT ${any})` : any, T.bool, name, [left, ...items]);
}
