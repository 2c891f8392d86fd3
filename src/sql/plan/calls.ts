/** Calls: which kind of function a name is (scalar, aggregate, window), and the text of the call. */
import { duckTypeName } from "../../types/mod.ts";
import type { Expr, FunctionCall, OrderItem } from "../ast.ts";
import { AGGREGATES, type AggregateCall } from "../func/aggregate.ts";
import { functionNames, LATER, scalarFunction } from "../func/mod.ts";
import { WINDOW_FUNCTIONS } from "../func/window.ts";
import type { Binder } from "./binder.ts";
import { type Bound, flagsOf, isNullConstant } from "./bound.ts";
import { closest, notSupported, planError } from "./errors.ts";
import { nullLiteral } from "./literal.ts";
import { bindOver } from "./window.ts";

export function bindCall(binder: Binder, call: FunctionCall): Bound {
  const name = call.name.at(-1)!.name;
  if (call.over !== undefined) return bindWindowCall(binder, name, call, call.over);
  const aggregate = AGGREGATES.get(name);
  if (aggregate !== undefined) {
    const bound = binder.insideAggregate(name, () => bindAggregateCall(binder, name, call));
    return { ...bound, loose: undefined, hasAggregate: true };
  }
  if (WINDOW_FUNCTIONS.has(name)) throw planError(`Window function '${name}' needs an OVER clause`);
  if (call.distinct || call.orderBy.length > 0 || call.filter !== undefined)
    throw planError(`DISTINCT, ORDER BY and FILTER are only for aggregates, not for '${name}'`);
  const args = call.args.map((arg) => {
    if (arg.kind === "star") throw planError(`'*' is not an argument of '${name}'`);
    return binder.bind(arg);
  });
  return bindNamed(binder, name, args);
}

/** A scalar function by name, with its arguments bound. */
export function bindNamed(binder: Binder, name: string, args: readonly Bound[]): Bound {
  const definition = scalarFunction(name);
  if (definition === undefined) throw unknownFunction(name);
  if (args.length < definition.min || args.length > definition.max)
    throw planError(
      `Function '${name}' expects ${argumentCount(definition.min, definition.max)} but received ${args.length}`,
    );
  const result = definition.bind(args, binder);
  const shown = definition.shown ?? name;
  // DuckDB folds some calls with a NULL literal into a NULL without a type.
  const sql = args.some(isNullConstant)
    ? `CAST(${result.sql} AS ${duckTypeName(result.type)})`
    : result.sql;
  return {
    sql,
    type: result.type,
    constant: result.constant,
    groupSql: result.groupSql,
    name: result.name ?? `${shown}(${args.map((arg) => arg.name).join(",")})`,
    ...flagsOf(args),
  };
}

function argumentCount(min: number, max: number): string {
  if (min === max) return `${min} argument${min === 1 ? "" : "s"}`;
  return max === Number.POSITIVE_INFINITY
    ? `at least ${min} arguments`
    : `${min} to ${max} arguments`;
}

function unknownFunction(name: string): Error {
  if (LATER.has(name)) return notSupported(`Function '${name}'`);
  const known = [...functionNames(), ...AGGREGATES.keys(), ...WINDOW_FUNCTIONS.keys()];
  return planError(`Invalid function '${name}'.\nDid you mean '${closest(name, known)}'?`);
}

/** The parts of an aggregate call, bound; shared by plain and window aggregates. */
export function aggregateParts(binder: Binder, name: string, call: FunctionCall): AggregateCall {
  const isStar = call.args.length === 1 && call.args[0]!.kind === "star";
  if (isStar && name !== "count") throw planError(`'*' is not an argument of '${name}'`);
  const args = isStar ? [] : call.args.map((arg) => binder.bind(arg as Expr));
  return {
    name,
    args,
    star: isStar,
    distinct: call.distinct,
    orderBy: bindOrder(binder, call.orderBy),
    withinGroup: bindOrder(binder, call.withinGroup),
    filter: call.filter === undefined ? undefined : binder.bindCondition(call.filter),
    nulls: call.nulls,
  };
}

export interface BoundOrder {
  readonly bound: Bound;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

export function bindOrder(binder: Binder, items: readonly OrderItem[]): BoundOrder[] {
  return items.map((item) => ({
    bound: binder.bind(item.expr),
    descending: item.descending,
    nullsFirst: item.nulls === undefined ? item.descending : item.nulls === "first",
  }));
}

export function orderSql(items: readonly BoundOrder[]): string {
  return items
    .map(
      ({ bound, descending, nullsFirst }) =>
        `${bound.sql}${descending ? " DESC" : ""} NULLS ${nullsFirst ? "FIRST" : "LAST"}`,
    )
    .join(", ");
}

/** `t.x DESC NULLS FIRST, …`, as headings show it. */
export function orderName(items: readonly BoundOrder[]): string {
  return items
    .map(
      ({ bound, descending, nullsFirst }) =>
        `${bound.name} ${descending ? "DESC" : "ASC"} NULLS ${nullsFirst ? "FIRST" : "LAST"}`,
    )
    .join(", ");
}

function bindAggregateCall(binder: Binder, name: string, call: FunctionCall): Bound {
  const parts = aggregateParts(binder, name, call);
  if (name === "grouping" && parts.args.some((arg) => !binder.groupKeys.has(arg.sql)))
    throw planError("arguments of grouping() must be expressions of GROUP BY");
  binder.aggregateCalls.push(parts);
  // In a plan of edge rows the order has done its work.
  const effective = binder.edgeRows ? { ...parts, name: "first_value", orderBy: [] } : parts;
  const { sql, type } = AGGREGATES.get(effective.name)!(effective);
  return { sql, type, name: aggregateName(parts) };
}

/** `sum(t.a) FILTER (WHERE …) ORDER BY [t.b ASC NULLS LAST]`. */
export function aggregateName(call: AggregateCall): string {
  const shown = SHOWN_AS[call.name] ?? call.name;
  const args = call.star ? "*" : call.args.map((arg) => arg.name).join(",");
  let text = `${shown}(${call.distinct ? "DISTINCT " : ""}${args})`;
  if (call.nulls === "ignore") text += " IGNORE NULLS";
  if (call.filter !== undefined) text += ` FILTER (WHERE ${call.filter.name})`;
  if (call.orderBy.length > 0) text += ` ORDER BY [${orderName(call.orderBy)}]`;
  if (call.withinGroup.length > 0) text += ` WITHIN GROUP [${orderName(call.withinGroup)}]`;
  return text;
}

const SHOWN_AS: Readonly<Record<string, string>> = { mean: "avg", covar: "covar_samp" };

function bindWindowCall(
  binder: Binder,
  name: string,
  call: FunctionCall,
  over: NonNullable<FunctionCall["over"]>,
): Bound {
  const rule = WINDOW_FUNCTIONS.get(name);
  const aggregate = AGGREGATES.get(name);
  if (rule === undefined && aggregate === undefined) {
    if (scalarFunction(name) === undefined) throw unknownFunction(name);
    throw planError(`'${name}' is neither a window function nor an aggregate`);
  }
  return binder.insideWindow(name, () => {
    const parts = aggregateParts(binder, name, call);
    const window = bindOver(binder, over);
    const { sql, type } =
      rule !== undefined ? rule(parts, window) : aggregate!({ ...parts, over: window.sql });
    const all = [...parts.args, ...parts.orderBy.map((o) => o.bound), ...window.parts];
    if (parts.filter !== undefined) all.push(parts.filter);
    const flags = flagsOf(all.length === 0 ? [nullLiteral] : all);
    return { sql, type, name: `${aggregateName(parts)}${window.name}`, ...flags, hasWindow: true };
  });
}
