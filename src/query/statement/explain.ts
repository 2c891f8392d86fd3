/**
 * EXPLAIN: the statement as understood with its sources (what was pruned, what has to be merged), then the engine's plan.
 * EXPLAIN ANALYZE runs it, reads no row of it, and adds rows and time of every operator.
 */
import { DbError } from "../../base/mod.ts";
import { formatQuery, planSelect, type Statement } from "../../sql/mod.ts";
import { type Output, recordsOf, T } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { affordableOrder } from "../implicit_order.ts";
import { collect, textFields } from "../records.ts";
import { openPlan, streamRows, tableResolver } from "../select.ts";
import { planLines, planRows } from "../text/plan_tree.ts";
import { virtualFilter } from "../virtual_filter.ts";

type Explain = Extract<Statement, { kind: "explain" }>;

export async function runExplain(ctx: StatementContext, explain: Explain): Promise<Output> {
  const { statement } = explain;
  if (statement.kind === "explain")
    throw new DbError("plan_query", "Failed to plan SQL: Nested EXPLAINs are not supported");
  if (explain.verbose && explain.format !== undefined)
    throw new DbError(
      "plan_query",
      "Failed to plan SQL: EXPLAIN VERBOSE with FORMAT is not supported",
    );
  const format = explain.format ?? "TEXT";
  if (format !== "TEXT" && format !== "JSON")
    throw new DbError("unsupported", `EXPLAIN FORMAT ${format} is not supported`);
  if (statement.kind !== "query")
    throw new DbError("unsupported", "EXPLAIN is supported for queries only");
  const planned = planSelect(statement.query, ctx.planEnv(tableResolver(ctx)));
  const plan = affordableOrder(ctx, planned);
  const open = await openPlan(ctx, plan, virtualFilter(statement.query));
  const mode = explain.analyze ? "ANALYZE, FORMAT JSON" : "FORMAT JSON";
  const rows = await collect(
    await streamRows(ctx, `EXPLAIN (${mode}) ${open.sql}`, textFields("key", "value")),
  );
  const text = String(rows.at(-1)?.[1] ?? "[]");
  const physical =
    format === "JSON" ? JSON.stringify(JSON.parse(text)) : planLines(text).join("\n");
  if (explain.analyze) return analyzed(open.notes, physical, planRows(text));
  const logical = [formatQuery(statement.query), ...open.notes];
  if (planned.implicitOrder)
    logical.push(
      plan.implicitOrder ? "order: tags, time (implicit)" : "order: none (too many rows to sort)",
    );
  if (explain.verbose) logical.push(`engine SQL: ${open.sql}`);
  return recordsOf(textFields("plan_type", "plan"), [
    ["logical_plan", logical.join("\n")],
    ["physical_plan", physical],
  ]);
}

/** Stage 0 is the scans, stage 1 the engine; the last row counts what the statement would have returned. */
function analyzed(notes: readonly string[], physical: string, rows: number): Output {
  return recordsOf(
    [
      { name: "stage", type: T.uint32 },
      { name: "node", type: T.uint32 },
      { name: "plan", type: T.string },
    ],
    [
      [0, 0, notes.length === 0 ? "no table" : notes.join("\n")],
      [1, 0, physical],
      [null, null, ` Total rows: ${rows}`],
    ],
  );
}
