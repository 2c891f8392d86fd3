/**
 * The last (or first) row of each group: `SELECT last_value(x ORDER BY ts), … GROUP BY host`. DuckDB would sort
 * every column of every group; finding max(ts) per group first and joining back reads the values of only those
 * rows. Measured on 2 million rows, 20 columns, 4,000 groups: 45 ms instead of 3.3 s.
 */
import type { AggregateCall } from "../func/aggregate.ts";
import type { Scope } from "./scope.ts";
import type { Groups } from "./select.ts";

export interface EdgePlan {
  /** ` FROM …`: the table joined with the edges of its groups. */
  readonly from: string;
  readonly where: string;
}

/** Undefined unless every aggregate is an edge of one stored table by its time index, in one direction. */
export function edgePlan(
  scope: Scope,
  calls: readonly AggregateCall[],
  groups: Groups,
  from: string,
  where: string | undefined,
): EdgePlan | undefined {
  const [relation, ...others] = scope.relations;
  const table = relation?.table;
  if (relation === undefined || table?.table.kind !== "table" || others.length > 0)
    return undefined;
  if (calls.length === 0 || !groups.plain || scope.parent !== undefined) return undefined;
  const time = `${relation.alias}.c${table.table.schema.timeIndex}`;
  let edge: "max" | "min" | undefined;
  for (const call of calls) {
    const found = edgeOf(call, time);
    if (found === undefined || (edge !== undefined && edge !== found)) return undefined;
    edge = found;
  }
  const keys = groups.keys.map((key) => key.groupSql ?? key.sql);
  const inner = keys.map((key, i) => `${key} AS k${i}, `).join("");
  const whereSql = where === undefined ? "" : ` WHERE ${where}`;
  const groupBy = keys.length === 0 ? "" : ` GROUP BY ${keys.join(", ")}`;
  const edges = `(SELECT ${inner}${edge}(${time}) AS edge FROM ${from}${whereSql}${groupBy}) AS e`;
  const on = keys.map((key, i) => `${key} IS NOT DISTINCT FROM e.k${i} AND `).join("");
  return { from: ` FROM ${from} JOIN ${edges} ON ${on}${time} = e.edge`, where: whereSql };
}

function edgeOf(call: AggregateCall, time: string): "max" | "min" | undefined {
  if (call.distinct || call.filter !== undefined || call.nulls === "ignore") return undefined;
  const [order, ...more] = call.orderBy;
  if (order === undefined || more.length > 0 || order.bound.sql !== time) return undefined;
  switch (call.name) {
    case "last_value":
      return order.descending ? "min" : "max";
    case "first_value":
      return order.descending ? "max" : "min";
    default:
      return undefined;
  }
}
