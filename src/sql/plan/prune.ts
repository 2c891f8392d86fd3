/**
 * What a condition says about the rows of a table: bounds of the time index, values of tags. Only the
 * conjuncts of the top level count. Conservative: what is not understood restricts nothing.
 */

import { type ColumnType, UNIT_NANOS } from "../../types/mod.ts";
import type { Expr } from "../ast.ts";
import { ceilDiv, floorDiv } from "../time/civil.ts";
import { parseTimestamp } from "../time/timestamp.ts";
import type { Binder } from "./binder.ts";
import type { Bound } from "./bound.ts";
import type { TableBuilder } from "./table_builder.ts";

/** A condition that every row of the result satisfies restricts the scans of the tables it is about. */
export function restrict(binder: Binder, condition: Expr): void {
  const pending: Expr[] = [condition];
  for (let expr = pending.pop(); expr !== undefined; expr = pending.pop()) {
    if (expr.kind === "binary" && expr.op === "and") pending.push(expr.left, expr.right);
    else restrictBy(binder, expr);
  }
}

function restrictBy(binder: Binder, expr: Expr): void {
  switch (expr.kind) {
    case "binary":
      if (expr.op === "or") restrictByAlternatives(binder, expr);
      else restrictByComparison(binder, expr);
      break;
    case "between": {
      const column = tableColumn(binder, expr.expr);
      if (column === undefined || expr.negated) break;
      const low = nanos(binder, column, expr.low);
      const high = nanos(binder, column, expr.high);
      if (low !== undefined) restrictTime(column, ">=", low);
      if (high !== undefined) restrictTime(column, "<=", high);
      break;
    }
    case "in_list":
    case "is": {
      const values = tagValues(binder, expr);
      if (values !== undefined) values.table.restrictTag(values.id, values.values);
      break;
    }
  }
}

interface TableColumn {
  readonly type: ColumnType;
  readonly table: TableBuilder;
  readonly id: number;
}

/** A bare column of a stored table in this SELECT's own FROM, or of a sub-query there that passes it through. */
function tableColumn(binder: Binder, expr: Expr): TableColumn | undefined {
  if (expr.kind !== "column") return undefined;
  const column = binder.scope.tryResolve(expr.name.map((part) => part.name));
  if (column === undefined) return undefined;
  const table = column.relation.table ?? column.origin?.table;
  const id = column.id ?? column.origin?.id;
  if (table === undefined || id === undefined || table.table.kind !== "table") return undefined;
  return { type: column.type, table, id };
}

const FLIPPED: Readonly<Record<string, string>> = {
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
  "=": "=",
};

function restrictByComparison(binder: Binder, expr: Extract<Expr, { kind: "binary" }>): void {
  const flipped = FLIPPED[expr.op];
  if (flipped === undefined) return;
  let op: string = expr.op;
  let column = tableColumn(binder, expr.left);
  let other = expr.right;
  if (column === undefined) {
    column = tableColumn(binder, expr.right);
    if (column === undefined) return;
    other = expr.left;
    op = flipped;
  }
  const ns = nanos(binder, column, other);
  if (ns !== undefined) {
    restrictTime(column, op, ns);
    return;
  }
  const values = tagValues(binder, expr);
  if (values !== undefined) values.table.restrictTag(values.id, values.values);
}

/** The instant of a constant beside the time index; undefined if it is none, or the column another. */
function nanos(binder: Binder, { table, id, type }: TableColumn, expr: Expr): bigint | undefined {
  if (!table.isTimeIndex(id) || type.kind !== "timestamp") return undefined;
  const bound = constantOf(binder, expr);
  switch (bound?.constant?.kind) {
    case "timestamp":
      return bound.constant.ticks * UNIT_NANOS[bound.constant.unit];
    case "int":
      return bound.constant.value * UNIT_NANOS[type.unit];
    case "date":
      return BigInt(bound.constant.days) * 86_400_000_000_000n;
    case "string":
      return parseTimestamp(bound.constant.value, binder.env.timezone)?.ns;
    default:
      return undefined;
  }
}

/** Binds only what cannot name a column, so that nothing is marked as used by looking at it. */
function constantOf(binder: Binder, expr: Expr): Bound | undefined {
  switch (expr.kind) {
    case "column":
    case "subquery":
    case "exists":
    case "in_query":
      return undefined;
    default:
      return binder.bind(expr);
  }
}

function restrictTime({ type, table }: TableColumn, op: string, ns: bigint): void {
  if (type.kind !== "timestamp") return;
  const size = UNIT_NANOS[type.unit];
  switch (op) {
    case ">=":
      table.restrictTime(ceilDiv(ns, size), undefined);
      break;
    case ">":
      table.restrictTime(floorDiv(ns, size) + 1n, undefined);
      break;
    case "<=":
      table.restrictTime(undefined, floorDiv(ns, size));
      break;
    case "<":
      table.restrictTime(undefined, ceilDiv(ns, size) - 1n);
      break;
    case "=":
      table.restrictTime(ceilDiv(ns, size), floorDiv(ns, size));
      break;
  }
}

function isSingleTable({ scope }: Binder): boolean {
  return scope.relations.length === 1 && scope.relations[0]!.table !== undefined;
}

interface TagValues {
  readonly table: TableBuilder;
  readonly id: number;
  readonly values: readonly (string | null)[];
}

/** `tag = 'x'`, `tag IN ('x', 'y')`, `tag IS NULL`. */
function tagValues(binder: Binder, expr: Expr): TagValues | undefined {
  let columnExpr: Expr;
  let items: readonly Expr[];
  switch (expr.kind) {
    case "is":
      // Beside other relations NULL may mean that an outer join found no partner.
      if (expr.test !== "null" || expr.negated || !isSingleTable(binder)) return undefined;
      columnExpr = expr.expr;
      items = [{ kind: "null" }];
      break;
    case "in_list":
      if (expr.negated) return undefined;
      columnExpr = expr.expr;
      items = expr.list.filter((item) => item.kind !== "null");
      break;
    case "binary":
      if (expr.op !== "=") return undefined;
      [columnExpr, items] =
        expr.left.kind === "column" ? [expr.left, [expr.right]] : [expr.right, [expr.left]];
      break;
    default:
      return undefined;
  }
  const found = tableColumn(binder, columnExpr);
  if (found === undefined || found.type.kind !== "string") return undefined;
  const { id } = found;
  if (found.table.column(id)?.role !== "tag") return undefined;
  const values: (string | null)[] = [];
  for (const item of items) {
    if (item.kind === "string") values.push(item.value);
    else if (item.kind === "null" && expr.kind === "is") values.push(null);
    else return undefined;
  }
  return { table: found.table, id, values };
}

/** `tag = 'a' OR tag = 'b' OR …`: one tag of one table in every alternative. */
function restrictByAlternatives(binder: Binder, expr: Expr): void {
  let found: { table: TableBuilder; id: number; values: (string | null)[] } | undefined;
  const pending: Expr[] = [expr];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.kind === "binary" && next.op === "or") {
      pending.push(next.left, next.right);
      continue;
    }
    const values = tagValues(binder, next);
    if (values === undefined) return;
    found ??= { table: values.table, id: values.id, values: [] };
    if (found.table !== values.table || found.id !== values.id) return;
    found.values.push(...values.values);
  }
  if (found !== undefined) found.table.restrictTag(found.id, found.values);
}
