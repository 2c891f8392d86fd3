/** Aggregate functions: result types of the dialect, DuckDB's text for plain and for window use. */
import { type ColumnType, duckTypeName, T, typeName } from "../../types/mod.ts";
import { type Bound, isNullConstant } from "../plan/bound.ts";
import type { BoundOrder } from "../plan/calls.ts";
import { castTo, nullOf } from "../plan/cast.ts";
import { planError } from "../plan/errors.ts";
import { isFloat, isInteger, isNumeric, isUnsigned } from "../plan/numeric.ts";

export interface AggregateCall {
  readonly name: string;
  readonly args: readonly Bound[];
  readonly star: boolean;
  readonly distinct: boolean;
  readonly orderBy: readonly BoundOrder[];
  readonly withinGroup: readonly BoundOrder[];
  readonly filter?: Bound | undefined;
  readonly nulls?: "ignore" | "respect" | undefined;
  /** What stands in OVER (…); undefined for a plain aggregate. */
  readonly over?: string | undefined;
}

export interface AggregateResult {
  readonly sql: string;
  readonly type: ColumnType;
}

export type AggregateRule = (call: AggregateCall) => AggregateResult;

/** DuckDB's aggregates whose answer depends on the order of the rows. */
const ORDERED = new Set(["first", "last", "array_agg", "string_agg"]);

/** `name(DISTINCT args ORDER BY …) FILTER (WHERE …) OVER (…)`. */
function text(call: AggregateCall, name: string, args: string, extraFilter?: string): string {
  const orderBy = ORDERED.has(name) ? call.orderBy : [];
  if (call.distinct && orderBy.some((o) => !call.args.some((arg) => arg.sql === o.bound.sql)))
    throw planError(
      "In an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
    );
  const order = orderBy
    .map(
      (o) =>
        `${o.bound.sql}${o.descending ? " DESC" : ""} NULLS ${o.nullsFirst ? "FIRST" : "LAST"}`,
    )
    .join(", ");
  const filters = [call.filter?.sql, extraFilter].filter((f) => f !== undefined);
  return (
    `${name}(${call.distinct ? "DISTINCT " : ""}${args}${order === "" ? "" : ` ORDER BY ${order}`})` +
    (filters.length === 0 ? "" : ` FILTER (WHERE ${filters.join(" AND ")})`) +
    (call.over === undefined ? "" : ` OVER (${call.over})`)
  );
}

function arity(call: AggregateCall, min: number, max = min): void {
  if (call.args.length < min || call.args.length > max)
    throw planError(
      `Function '${call.name}' expects ${min === max ? min : `${min} to ${max}`} argument(s) but received ${call.args.length}`,
    );
}

/** A number; anything else is refused. NULL is a number. */
function numeric(call: AggregateCall, at = 0): Bound {
  const arg = call.args[at]!;
  if (isNullConstant(arg)) return nullOf(T.float64);
  if (!isNumeric(arg.type))
    throw planError(
      `Function '${call.name}' expects NativeType::Numeric but received NativeType::${typeName(arg.type)}`,
    );
  return arg;
}

function sum(call: AggregateCall): AggregateResult {
  arity(call, 1);
  const x = numeric(call);
  if (isInteger(x.type)) {
    const type = isUnsigned(x.type) ? T.uint64 : T.int64;
    return { sql: `CAST(${text(call, "sum", x.sql)} AS ${duckTypeName(type)})`, type };
  }
  if (x.type.kind === "decimal") {
    const type: ColumnType = { ...x.type, precision: Math.min(38, x.type.precision + 10) };
    return { sql: `CAST(${text(call, "sum", x.sql)} AS ${duckTypeName(type)})`, type };
  }
  return { sql: text(call, "sum", x.sql), type: T.float64 };
}

function avg(call: AggregateCall): AggregateResult {
  arity(call, 1);
  const x = numeric(call);
  if (x.type.kind === "decimal") {
    const type: ColumnType = {
      kind: "decimal",
      precision: Math.min(38, x.type.precision + 4),
      scale: Math.min(38, x.type.scale + 4),
    };
    return { sql: `CAST(${text(call, "avg", x.sql)} AS ${duckTypeName(type)})`, type };
  }
  return { sql: text(call, "avg", x.sql), type: T.float64 };
}

function count(call: AggregateCall): AggregateResult {
  if (call.star) return { sql: text(call, "count", "*"), type: T.int64 };
  if (call.args.length !== 1) {
    if (call.args.length === 0) throw planError("count() needs an argument; count(*) counts rows");
    throw planError("count with several arguments is not supported");
  }
  return { sql: text(call, "count", call.args[0]!.sql), type: T.int64 };
}

const sameType =
  (duck: string): AggregateRule =>
  (call) => {
    arity(call, 1);
    const x = call.args[0]!;
    return { sql: text(call, duck, x.sql), type: x.type };
  };

/** First and last keep NULLs unless told otherwise. */
const edge =
  (duck: "first" | "last"): AggregateRule =>
  (call) => {
    arity(call, 1);
    const x = call.args[0]!;
    const filter = call.nulls === "ignore" ? `${x.sql} IS NOT NULL` : undefined;
    return { sql: text(call, duck, x.sql, filter), type: x.type };
  };

/** Aggregates of doubles that are a double. */
const doubles =
  (duck: string, args = 1): AggregateRule =>
  (call) => {
    arity(call, args);
    const list = call.args.map((_, i) => castTo(numeric(call, i), T.float64).sql).join(", ");
    return { sql: text(call, duck, list), type: T.float64 };
  };

/** Where DuckDB says NaN for too few points, the dialect says NULL. */
const doublesOrNull =
  (duck: string): AggregateRule =>
  (call) => {
    const { sql, type } = doubles(duck, 2)(call);
    return { sql: `nullif(${sql}, 'nan'::DOUBLE)`, type };
  };

/** A quantile of integers is an integer, cut off. */
function ofArgumentType(x: Bound, sql: string): AggregateResult {
  if (isInteger(x.type) || x.type.kind === "decimal" || x.type.kind === "float32") {
    const whole = isInteger(x.type) ? `trunc(${sql})` : sql;
    return { sql: `CAST(${whole} AS ${duckTypeName(x.type)})`, type: x.type };
  }
  return { sql, type: x.type };
}

const median =
  (duck: "median" | "approx"): AggregateRule =>
  (call) => {
    arity(call, 1);
    const x = numeric(call);
    const value = isFloat(x.type) ? x.sql : castTo(x, T.float64).sql;
    const sql =
      duck === "median"
        ? text(call, "median", value)
        : text(call, "approx_quantile", `${value}, 0.5`);
    return ofArgumentType(x, sql);
  };

/** f(x, q), or f(q) WITHIN GROUP (ORDER BY x [DESC]). */
const quantile =
  (duck: string): AggregateRule =>
  (call) => {
    const order = call.withinGroup[0];
    const [x, q] = order === undefined ? [call.args[0], call.args[1]] : [order.bound, call.args[0]];
    if (x === undefined || q === undefined)
      throw planError(`Function '${call.name}' expects a value and a percentile`);
    const { constant } = q;
    if (constant?.kind !== "float" && constant?.kind !== "int")
      throw planError(`Percentile value for '${call.name}' must be a literal`);
    const share = Number(constant.value);
    if (!(share >= 0 && share <= 1))
      throw planError(
        `Percentile value must be between 0.0 and 1.0 inclusive, ${share} is invalid`,
      );
    if (!isNumeric(x.type)) throw planError(`Function '${call.name}' expects a number`);
    const wanted = order?.descending ? 1 - share : share;
    const value = castTo(x, T.float64).sql;
    return ofArgumentType(x, text(call, duck, `${value}, ${wanted}`));
  };

function stringAgg(call: AggregateCall): AggregateResult {
  arity(call, 1, 2);
  const x = castTo(call.args[0]!, T.string).sql;
  const separator = call.args[1];
  if (separator !== undefined && separator.constant === undefined)
    throw planError("The separator of string_agg must be a literal");
  const sep =
    separator === undefined || isNullConstant(separator) ? "''" : castTo(separator, T.string).sql;
  return { sql: text(call, "string_agg", `${x}, ${sep}`), type: T.string };
}

function arrayAgg(call: AggregateCall): AggregateResult {
  arity(call, 1);
  const x = call.args[0]!;
  return { sql: text(call, "array_agg", x.sql), type: { kind: "list", item: x.type } };
}

function nthValue(call: AggregateCall): AggregateResult {
  arity(call, 2);
  const [x, n] = call.args as [Bound, Bound];
  if (n.constant?.kind !== "int")
    throw planError("The position of nth_value must be an integer literal");
  const list = text(call, "array_agg", x.sql);
  return { sql: `list_extract(${list}, ${castTo(n, T.int64).sql})`, type: x.type };
}

const bits =
  (duck: string): AggregateRule =>
  (call) => {
    arity(call, 1);
    const x = call.args[0]!;
    if (!isInteger(x.type)) throw planError(`Function '${call.name}' expects an integer`);
    return { sql: text(call, duck, x.sql), type: x.type };
  };

const bools =
  (duck: string): AggregateRule =>
  (call) => {
    arity(call, 1);
    const x = call.args[0]!;
    if (x.type.kind !== "bool" && !isNullConstant(x))
      throw planError(`Function '${call.name}' expects a boolean`);
    return { sql: text(call, duck, castTo(x, T.bool).sql), type: T.bool };
  };

function approxDistinct(call: AggregateCall): AggregateResult {
  arity(call, 1);
  const sql = text(call, "approx_count_distinct", call.args[0]!.sql);
  return { sql: `CAST(${sql} AS UBIGINT)`, type: T.uint64 };
}

function grouping(call: AggregateCall): AggregateResult {
  const list = call.args.map((arg) => arg.sql).join(", ");
  return { sql: `CAST(grouping(${list}) AS INTEGER)`, type: T.int32 };
}

export const AGGREGATES: ReadonlyMap<string, AggregateRule> = new Map<string, AggregateRule>([
  ["approx_distinct", approxDistinct],
  ["approx_median", median("approx")],
  ["approx_percentile_cont", quantile("approx_quantile")],
  ["array_agg", arrayAgg],
  ["avg", avg],
  ["bit_and", bits("bit_and")],
  ["bit_or", bits("bit_or")],
  ["bit_xor", bits("bit_xor")],
  ["bool_and", bools("bool_and")],
  ["bool_or", bools("bool_or")],
  ["corr", doublesOrNull("corr")],
  ["count", count],
  ["count_hash", (call) => count({ ...call, distinct: true })],
  ["covar", doublesOrNull("covar_samp")],
  ["covar_pop", doublesOrNull("covar_pop")],
  ["covar_samp", doublesOrNull("covar_samp")],
  ["first_value", edge("first")],
  ["grouping", grouping],
  ["last_value", edge("last")],
  ["max", sameType("max")],
  ["mean", avg],
  ["median", median("median")],
  ["min", sameType("min")],
  ["nth_value", nthValue],
  ["percentile_cont", quantile("quantile_cont")],
  ["quantile_cont", quantile("quantile_cont")],
  ...["avgx", "avgy", "intercept", "r2", "slope", "sxx", "sxy", "syy"].map(
    (name): [string, AggregateRule] => [`regr_${name}`, doublesOrNull(`regr_${name}`)],
  ),
  [
    "regr_count",
    (call) => ({ sql: `CAST(${doubles("regr_count", 2)(call).sql} AS UBIGINT)`, type: T.uint64 }),
  ],
  ["std", doubles("stddev_pop")],
  ["stddev", doubles("stddev_samp")],
  ["stddev_pop", doubles("stddev_pop")],
  ["stddev_samp", doubles("stddev_samp")],
  ["string_agg", stringAgg],
  ["sum", sum],
  ["var", doubles("var_samp")],
  ["var_pop", doubles("var_pop")],
  ["var_population", doubles("var_pop")],
  ["var_samp", doubles("var_samp")],
  ["var_sample", doubles("var_samp")],
  ["variance", doubles("var_pop")],
]);
