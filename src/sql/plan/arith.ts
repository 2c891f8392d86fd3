/** Arithmetic: result types of the dialect, integer division, decimals, timestamps and intervals. */
import { type ColumnType, sameType, T, typeName, UNIT_NANOS } from "../../types/mod.ts";
import { addMonths, floorDiv } from "../time/civil.ts";
import type { Interval } from "../time/interval.ts";
import { type Bound, made } from "./bound.ts";
import { castTo } from "./cast.ts";
import { executionError, planError } from "./errors.ts";
import { floatLiteral, intervalLiteral, intLiteral, timestampConstant } from "./literal.ts";
import { commonNumeric, decimalOf, isInteger, isNumeric } from "./numeric.ts";
import { fromTicks, scaleTicks, ticksOf, toMicros } from "./ticks.ts";

export type ArithOp = "+" | "-" | "*" | "/" | "%";

const DIVIDE_BY_ZERO = "Divide by zero error";

export function arithmetic(op: ArithOp, left: Bound, right: Bound): Bound {
  const name = `${left.name} ${op} ${right.name}`;
  const folded = foldNumbers(op, left, right, name);
  if (folded !== undefined) return folded;
  const temporal = temporalArithmetic(op, left, right, name);
  if (temporal !== undefined) return temporal;
  // A string beside a number is read as that number; NULL is a number of the other's type.
  const l = numberBeside(left, right, op);
  const r = numberBeside(right, left, op);
  const type = commonNumeric(l.type, r.type)!;
  if (type.kind === "decimal") return decimalArithmetic(op, l, r, name);
  const a = operand(l, type);
  const b = operand(r, type);
  if (!isInteger(type) || (op !== "/" && op !== "%"))
    return made(`(${a} ${op} ${b})`, type, name, [l, r]);
  const word = op === "/" ? "//" : "%";
  if (r.constant?.kind === "int") {
    if (r.constant.value === 0n) throw executionError(DIVIDE_BY_ZERO);
    return made(`(${a} ${word} ${b})`, type, name, [l, r]);
  }
  return made(
    `CASE WHEN ${b} = 0 THEN error('${DIVIDE_BY_ZERO}') ELSE (${a} ${word} ${b}) END`,
    type,
    name,
    [l, r],
  );
}

/** A number in the type of the operation. */
function operand(bound: Bound, type: ColumnType): string {
  return castTo(bound, type).sql;
}

function numberBeside(bound: Bound, other: Bound, op: ArithOp): Bound {
  if (isNumeric(bound.type)) return bound;
  const otherType = isNumeric(other.type) ? other.type : T.int64;
  if (bound.type.kind === "null" && (isNumeric(other.type) || other.type.kind === "null"))
    return castTo(bound, otherType);
  if (bound.type.kind === "string" && isNumeric(other.type)) return castTo(bound, otherType);
  throw planError(
    `Cannot coerce arithmetic expression ${typeName(bound.type)} ${op} ${typeName(other.type)} to valid types`,
  );
}

/** Integers fold so that computed bounds of time ranges are known while planning. */
function foldNumbers(op: ArithOp, l: Bound, r: Bound, name: string): Bound | undefined {
  const a = l.constant;
  const b = r.constant;
  if (
    a?.kind === "int" &&
    b?.kind === "int" &&
    l.type.kind === "int64" &&
    r.type.kind === "int64"
  ) {
    if ((op === "/" || op === "%") && b.value === 0n) throw executionError(DIVIDE_BY_ZERO);
    const value = INT_OPS[op](a.value, b.value);
    // 64-bit arithmetic wraps around.
    return { ...intLiteral(BigInt.asIntN(64, value)), name };
  }
  if (a?.kind !== "float" && b?.kind !== "float") return undefined;
  if ((a?.kind === "float" || a?.kind === "int") && (b?.kind === "float" || b?.kind === "int"))
    return { ...floatLiteral(FLOAT_OPS[op](Number(a.value), Number(b.value))), name };
  return undefined;
}

const INT_OPS: Readonly<Record<ArithOp, (a: bigint, b: bigint) => bigint>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};
const FLOAT_OPS: Readonly<Record<ArithOp, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

function decimalArithmetic(op: ArithOp, l: Bound, r: Bound, name: string): Bound {
  const a = decimalOf(l.type);
  const b = decimalOf(r.type);
  let precision: number;
  let scale: number;
  switch (op) {
    case "*":
      precision = a.precision + b.precision + 1;
      scale = a.scale + b.scale;
      break;
    case "/":
      scale = Math.min(38, a.scale + 4);
      precision = scale + (a.precision - a.scale + b.scale);
      break;
    default:
      scale = Math.max(a.scale, b.scale);
      precision = Math.max(a.precision - a.scale, b.precision - b.scale) + scale + 1;
  }
  if (scale > 38)
    throw planError(
      `Output scale of ${typeName(l.type)} ${op} ${typeName(r.type)} would exceed max scale of 38`,
    );
  const type: ColumnType = { kind: "decimal", precision: Math.min(38, precision), scale };
  const duck = `DECIMAL(${type.precision},${type.scale})`;
  let sql: string;
  if (op === "/") {
    // DuckDB divides decimals as doubles; scaled integers keep every digit.
    const shift = scale - a.scale + b.scale;
    const top = `(CAST(${l.sql} AS DECIMAL(38,${a.scale})) * ${10n ** BigInt(a.scale)})`;
    const bottom = `(CAST(${r.sql} AS DECIMAL(38,${b.scale})) * ${10n ** BigInt(b.scale)})`;
    const quotient = `(CAST(${top} AS HUGEINT) * ${10n ** BigInt(shift)} // CAST(${bottom} AS HUGEINT))`;
    sql = `CASE WHEN ${r.sql} = 0 THEN error('${DIVIDE_BY_ZERO}') ELSE CAST(${scaleDown(quotient, scale)} AS ${duck}) END`;
  } else if (op === "%") {
    sql = `CASE WHEN ${r.sql} = 0 THEN error('${DIVIDE_BY_ZERO}') ELSE CAST((${l.sql} % ${r.sql}) AS ${duck}) END`;
  } else {
    sql = `CAST((${l.sql} ${op} ${r.sql}) AS ${duck})`;
  }
  return made(sql, type, name, [l, r]);
}

/** An integer that counts 10^-scale → a decimal of that scale. */
function scaleDown(integer: string, scale: number): string {
  return scale === 0
    ? integer
    : `(CAST(${integer} AS DECIMAL(38,0)) * CAST(1e-${scale} AS DECIMAL(38,${scale})))`;
}

function temporalArithmetic(op: ArithOp, l: Bound, r: Bound, name: string): Bound | undefined {
  const a = l.type.kind;
  const b = r.type.kind;
  const isTemporal = (kind: string) =>
    kind === "timestamp" || kind === "date" || kind === "interval" || kind === "duration";
  if (!isTemporal(a) && !isTemporal(b)) return undefined;
  const refuse = () =>
    planError(
      `Cannot coerce arithmetic expression ${typeName(l.type)} ${op} ${typeName(r.type)} to valid types`,
    );
  if (op !== "+" && op !== "-") throw refuse();
  if (a === "interval" && (b === "timestamp" || b === "date") && op === "+")
    return shift(r, l, 1, name);
  if ((a === "timestamp" || a === "date") && b === "interval")
    return shift(l, r, op === "+" ? 1 : -1, name);
  if ((a === "timestamp" || a === "date") && r.untyped) {
    // `ts - '1 day'`: the string is an interval, unless it is a time to subtract.
    const interval = castTo(r, T.interval, { safe: true });
    if (interval.constant?.kind === "interval")
      return shift(l, interval, op === "+" ? 1 : -1, name);
    if (op === "-" && a === "timestamp") return difference(l, castTo(r, l.type), name);
    throw refuse();
  }
  if (a === "timestamp" && b === "timestamp" && op === "-") return difference(l, r, name);
  if (a === "timestamp" && b === "date" && op === "-")
    return difference(l, castTo(r, l.type), name);
  if (a === "date" && b === "timestamp" && op === "-")
    return difference(castTo(l, r.type), r, name);
  if (a === "date" && b === "date" && op === "-")
    return made(`CAST((${l.sql} - ${r.sql}) AS BIGINT)`, T.int64, name, [l, r]);
  if (a === "date" && isInteger(r.type))
    return made(`(${l.sql} ${op} CAST(${r.sql} AS INTEGER))`, T.date, name, [l, r]);
  if (a === "interval" && b === "interval") return intervals(op, l, r, name);
  if (a === "duration" && b === "duration" && sameType(l.type, r.type))
    return made(`(${l.sql} ${op} ${r.sql})`, l.type, name, [l, r]);
  if (
    a === "timestamp" &&
    b === "duration" &&
    r.type.kind === "duration" &&
    l.type.kind === "timestamp"
  ) {
    const ticks = scaleTicks(r.sql, r.type.unit, l.type.unit);
    return made(
      fromTicks(`(${ticksOf(l.sql, l.type.unit)} ${op} ${ticks})`, l.type.unit),
      l.type,
      name,
      [l, r],
    );
  }
  if (l.type.kind === "null" || r.type.kind === "null") {
    const [type, other] = l.type.kind === "null" ? [r.type, r] : [l.type, l];
    return made(
      castTo({ ...other, sql: "NULL::INTEGER", type: T.null, constant: { kind: "null" } }, type)
        .sql,
      type,
      name,
      [l, r],
    );
  }
  throw refuse();
}

/** Difference of two timestamps: ticks of the finer unit. */
function difference(l: Bound, r: Bound, name: string): Bound {
  if (l.type.kind !== "timestamp" || r.type.kind !== "timestamp")
    throw planError("a difference needs two timestamps");
  const unit = UNIT_NANOS[l.type.unit] <= UNIT_NANOS[r.type.unit] ? l.type.unit : r.type.unit;
  const a = scaleTicks(ticksOf(l.sql, l.type.unit), l.type.unit, unit);
  const b = scaleTicks(ticksOf(r.sql, r.type.unit), r.type.unit, unit);
  return made(`(${a} - ${b})`, { kind: "duration", unit }, name, [l, r]);
}

/** A timestamp or date moved by an interval; it keeps its unit. */
function shift(time: Bound, by: Bound, sign: 1 | -1, name: string): Bound {
  const interval = by.constant?.kind === "interval" ? by.constant.value : undefined;
  if (time.type.kind === "date") {
    const sql = `CAST((${time.sql} ${sign === 1 ? "+" : "-"} ${by.sql}) AS DATE)`;
    return made(sql, T.date, name, [time, by]);
  }
  if (time.type.kind !== "timestamp") throw planError("only times can be moved by an interval");
  const { unit } = time.type;
  if (interval === undefined) {
    const moved = `(${toMicros(time.sql, unit)} ${sign === 1 ? "+" : "-"} ${by.sql})`;
    return made(withRest(time.sql, moved, unit), time.type, name, [time, by]);
  }
  if (time.constant?.kind === "timestamp") {
    const ticks = shiftTicks(time.constant.ticks, UNIT_NANOS[unit], interval, sign);
    return timestampConstant(ticks, unit, name);
  }
  const nanos = BigInt(sign) * (BigInt(interval.days) * 86_400_000_000_000n + interval.nanos);
  const ticks = nanos / UNIT_NANOS[unit];
  if (interval.months === 0) {
    const sum = `(${ticksOf(time.sql, unit)} ${ticks < 0n ? "-" : "+"} ${ticks < 0n ? -ticks : ticks})`;
    return made(fromTicks(sum, unit), time.type, name, [time, by]);
  }
  const moved = `(${toMicros(time.sql, unit)} ${sign === 1 ? "+" : "-"} INTERVAL '${interval.months} months')`;
  const months = withRest(time.sql, moved, unit);
  if (ticks === 0n) return made(months, time.type, name, [time, by]);
  const sql = fromTicks(`(${ticksOf(months, unit)} + (${ticks}))`, unit);
  return made(sql, time.type, name, [time, by]);
}

/** A moved microsecond timestamp in `unit`, with the nanoseconds that DuckDB cut off. */
function withRest(original: string, moved: string, unit: "s" | "ms" | "us" | "ns"): string {
  switch (unit) {
    case "us":
      return moved;
    case "ns":
      return `make_timestamp_ns(epoch_us(${moved}) * 1000 + (epoch_ns(${original}) - epoch_us(${original}) * 1000))`;
    default:
      return fromTicks(ticksOf(moved, unit), unit);
  }
}

function shiftTicks(ticks: bigint, unitNanos: bigint, interval: Interval, sign: 1 | -1): bigint {
  const perDay = 86_400_000_000_000n / unitNanos;
  let moved = ticks;
  if (interval.months !== 0) {
    const day = floorDiv(ticks, perDay);
    moved =
      BigInt(addMonths(Number(day), sign * interval.months)) * perDay + (ticks - day * perDay);
  }
  const nanos = BigInt(sign) * (BigInt(interval.days) * 86_400_000_000_000n + interval.nanos);
  return moved + nanos / unitNanos;
}

function intervals(op: "+" | "-", l: Bound, r: Bound, name: string): Bound {
  const a = l.constant;
  const b = r.constant;
  if (a?.kind === "interval" && b?.kind === "interval") {
    const s = op === "+" ? 1 : -1;
    return {
      ...intervalLiteral({
        months: a.value.months + s * b.value.months,
        days: a.value.days + s * b.value.days,
        nanos: a.value.nanos + BigInt(s) * b.value.nanos,
      }),
      name,
    };
  }
  return made(`(${l.sql} ${op} ${r.sql})`, T.interval, name, [l, r]);
}

export function negate(operandBound: Bound): Bound {
  const { constant, type } = operandBound;
  const name = `(- ${operandBound.name})`;
  // A literal takes its sign into its own heading; what was computed or cast does not.
  if (constant?.kind === "int" && (type.kind === "int64" || type.kind === "uint64")) {
    const negative = intLiteral(-constant.value);
    if (operandBound.name === intLiteral(constant.value).name) return negative;
    if (type.kind === "int64") return { ...negative, name };
  }
  if (constant?.kind === "float" && type.kind === "float64") {
    const negative = floatLiteral(-constant.value);
    return operandBound.name === floatLiteral(constant.value).name
      ? negative
      : { ...negative, name };
  }
  if (constant?.kind === "interval") {
    const { months, days, nanos } = constant.value;
    return { ...intervalLiteral({ months: -months, days: -days, nanos: -nanos }), name };
  }
  if (type.kind === "null") return { ...operandBound, name };
  if (!isNumeric(type) && type.kind !== "interval" && type.kind !== "duration")
    throw planError(
      `Negation only supports numeric, interval and timestamp types, got ${typeName(type)}`,
    );
  if (type.kind.startsWith("uint")) {
    const signed = castTo(operandBound, commonNumeric(type, T.int8)!);
    return made(`(-${signed.sql})`, signed.type, name, [operandBound]);
  }
  return made(`(-${operandBound.sql})`, type, name, [operandBound]);
}
