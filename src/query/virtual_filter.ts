/**
 * Equality predicates that spare the virtual tables most of their rows: `table_schema = 'x'`, `table_name = 'y'` in
 * the top-level conjunction of a SELECT over one virtual table. Only prunes: the statement still filters.
 */
import type { Expr, Query } from "../sql/mod.ts";

export interface VirtualFilter {
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
}

export function virtualFilter(query: Query): VirtualFilter {
  const body = query.body;
  if (query.with !== undefined || body.kind !== "select" || body.from.length !== 1) return {};
  if (body.from[0]!.kind !== "table" || body.where === undefined) return {};
  const found: { schema?: string; table?: string } = {};
  visit(body.where, (column, value) => {
    if (column === "table_schema") found.schema ??= value;
    if (column === "table_name") found.table ??= value;
  });
  return found;
}

function visit(expr: Expr, found: (column: string, value: string) => void): void {
  if (expr.kind !== "binary") return;
  if (expr.op === "and") {
    visit(expr.left, found);
    visit(expr.right, found);
  } else if (expr.op === "=") {
    for (const [a, b] of [
      [expr.left, expr.right],
      [expr.right, expr.left],
    ] as const)
      if (a.kind === "column" && b.kind === "string") found(a.name.at(-1)!.name, b.value);
  }
}
