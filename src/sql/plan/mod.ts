/** Queries → plans. The front door of the planner. */
import { tagColumns, timeColumn } from "../../types/mod.ts";
import type { Expr, Ident, Query, SelectItem } from "../ast.ts";
import type { InsertTarget, PlanEnv, SelectPlan } from "./api.ts";
import type { BoundQuery } from "./binder.ts";
import { planError } from "./errors.ts";
import { forInsert } from "./insert.ts";
import { type PlannedQuery, Planner } from "./planner.ts";
import { fillRelations } from "./text_parts.ts";

/** Throws plan_query, table_not_found, unsupported; execute_query for constants that cannot be computed. */
export function planSelect(query: Query, env: PlanEnv): SelectPlan {
  const planner = new Planner(env);
  return finish(planner, planner.query(query, undefined, undefined, true));
}

/**
 * As planSelect, with the columns cast to the targets' types by position; DEFAULT in VALUES is the target's
 * default. Plain strings that feed a timestamp are read in the session's zone.
 * Throws plan_query when the counts differ.
 */
export function planInsert(
  query: Query,
  targets: readonly InsertTarget[],
  env: PlanEnv,
): SelectPlan {
  const planner = new Planner(env);
  const planned = planner.query(forInsert(query, targets, env), undefined, undefined);
  if (planned.fields.length !== targets.length)
    throw planError("Column count doesn't match insert query!");
  const cast = planner.castColumns(
    planned,
    targets.map((target) => target.type),
  );
  const fields = targets.map(({ name, type }) => ({ name, type }));
  return finish(planner, { ...cast, fields });
}

/** Tags in key order, then the time index, of the rows of `table` under `where`. */
export function planDelete(
  table: { readonly db: string; readonly name: string },
  where: Expr | undefined,
  env: PlanEnv,
): SelectPlan {
  const ident = (name: string): Ident => ({ name, quoted: true });
  const resolved = env.resolveTable(table.db, table.name);
  if (resolved !== undefined && resolved.kind !== "table")
    throw planError(`${table.name} is a system table: its rows cannot be deleted`);
  const columns =
    resolved === undefined ? [] : [...tagColumns(resolved.schema), timeColumn(resolved.schema)];
  const items = columns.map(
    (column): SelectItem => ({
      kind: "expr",
      expr: { kind: "column", name: [ident(column.name)] },
    }),
  );
  const query: Query = {
    body: {
      kind: "select",
      items,
      from: [{ kind: "table", name: [ident(table.db), ident(table.name)] }],
      where,
      groupBy: [],
      windows: [],
    },
    orderBy: [],
  };
  const planner = new Planner(env);
  return finish(planner, planner.query(query, undefined, undefined));
}

function finish(planner: Planner, planned: PlannedQuery): SelectPlan {
  const { implicitOrder } = planned;
  if (implicitOrder === undefined) return planOf(planner, planned, planned.sql);
  const unordered = planOf(planner, planned, planned.sql + implicitOrder.limit);
  return {
    ...planOf(
      planner,
      planned,
      planned.sql + implicitOrder.orderBy + implicitOrder.limit,
      implicitOrder.columns,
    ),
    implicitOrder: true,
    unordered,
  };
}

function planOf(
  planner: Planner,
  { fields }: BoundQuery,
  text: string,
  extra: readonly number[] = [],
): SelectPlan {
  return {
    fields,
    // An implicit order is only of plans with one table.
    tables: planner.tables.map((table) => table.build(extra)),
    sql: (relations) => fillRelations(text, relations),
    implicitOrder: false,
  };
}
