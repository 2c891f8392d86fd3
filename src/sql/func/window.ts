/** Functions that exist only with OVER, and those that mean something else with it. */
import { type ColumnType, duckTypeName, T } from "../../types/mod.ts";
import { castTo } from "../plan/cast.ts";
import { planError } from "../plan/errors.ts";
import type { BoundWindow } from "../plan/window.ts";
import type { AggregateCall, AggregateResult } from "./aggregate.ts";

export type WindowRule = (call: AggregateCall, window: BoundWindow) => AggregateResult;

const over = (sql: string, window: BoundWindow) => `${sql} OVER (${window.sql})`;

/** Ranks are unsigned. */
const ranking =
  (name: string, type: ColumnType): WindowRule =>
  (call, window) => {
    if (call.args.length !== 0) throw planError(`Function '${name}' has no arguments`);
    const sql = over(`${name}()`, window);
    return { sql: type.kind === "float64" ? sql : `CAST(${sql} AS ${duckTypeName(type)})`, type };
  };

const ntile: WindowRule = (call, window) => {
  const n = call.args[0];
  if (n === undefined) throw planError("Function 'ntile' expects 1 argument");
  const sql = over(`ntile(${castTo(n, T.int64).sql})`, window);
  return { sql: `CAST(${sql} AS UBIGINT)`, type: T.uint64 };
};

const nullsOf = (call: AggregateCall) => (call.nulls === "ignore" ? " IGNORE NULLS" : "");

/** lag, lead (value, distance, default). */
const neighbour =
  (name: string): WindowRule =>
  (call, window) => {
    const [x, distance, otherwise] = call.args;
    if (x === undefined) throw planError(`Function '${name}' expects 1 to 3 arguments`);
    const args = [x.sql];
    if (distance !== undefined) args.push(castTo(distance, T.int64).sql);
    if (otherwise !== undefined) args.push(castTo(otherwise, x.type).sql);
    return { sql: over(`${name}(${args.join(", ")}${nullsOf(call)})`, window), type: x.type };
  };

const value =
  (name: string): WindowRule =>
  (call, window) => {
    const [x, n] = call.args;
    if (x === undefined || (name === "nth_value") !== (n !== undefined))
      throw planError(`Function '${name}' expects ${name === "nth_value" ? 2 : 1} argument(s)`);
    const args = n === undefined ? x.sql : `${x.sql}, ${castTo(n, T.int64).sql}`;
    return { sql: over(`${name}(${args}${nullsOf(call)})`, window), type: x.type };
  };

export const WINDOW_FUNCTIONS: ReadonlyMap<string, WindowRule> = new Map<string, WindowRule>([
  ["cume_dist", ranking("cume_dist", T.float64)],
  ["dense_rank", ranking("dense_rank", T.uint64)],
  ["first_value", value("first_value")],
  ["lag", neighbour("lag")],
  ["last_value", value("last_value")],
  ["lead", neighbour("lead")],
  ["nth_value", value("nth_value")],
  ["ntile", ntile],
  ["percent_rank", ranking("percent_rank", T.float64)],
  ["rank", ranking("rank", T.uint64)],
  ["row_number", ranking("row_number", T.uint64)],
]);
