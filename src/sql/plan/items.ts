/** Select items: wildcards become columns, every item gets its heading. */
import type { Expr, Ident, SelectItem } from "../ast.ts";
import type { Bound } from "./bound.ts";
import { planError } from "./errors.ts";
import type { Relation, Scope, ScopeColumn } from "./scope.ts";

export interface NamedItem {
  readonly expr: Expr;
  /** Written alias; for the columns of a wildcard undefined. */
  readonly alias: string | undefined;
  /** The column itself, for those of a wildcard: their names need not be unique. */
  readonly column?: ScopeColumn | undefined;
}

export function expandItems(scope: Scope, items: readonly SelectItem[]): NamedItem[] {
  const out: NamedItem[] = [];
  for (const item of items) {
    if (item.kind === "expr") out.push({ expr: item.expr, alias: item.alias?.name });
    else out.push(...expandWildcard(scope, item));
  }
  return out;
}

function expandWildcard(
  scope: Scope,
  item: Extract<SelectItem, { kind: "wildcard" }>,
): NamedItem[] {
  const columns =
    item.qualifier.length === 0 ? allColumns(scope) : qualified(scope, item.qualifier);
  const excluded = new Set(item.exclude.map((name) => name.name));
  for (const name of [...excluded, ...item.replace.map((r) => r.name.name)])
    if (!columns.some((column) => column.name === name))
      throw planError(
        `EXCLUDE, EXCEPT or REPLACE contains column '${name}', which is not in the wildcard`,
      );
  const out: NamedItem[] = [];
  for (const column of columns) {
    if (excluded.has(column.name)) continue;
    const replaced = item.replace.find((r) => r.name.name === column.name);
    if (replaced !== undefined) out.push({ expr: replaced.expr, alias: column.name });
    else out.push({ expr: columnExpr(column), alias: undefined, column });
  }
  return out;
}

/** The column by its own name: with its relation where that has a name. */
function columnExpr(column: ScopeColumn): Expr {
  const { qualifier, db } = column.relation;
  const parts = [column.name];
  if (qualifier !== undefined) parts.unshift(qualifier);
  if (qualifier !== undefined && db !== undefined) parts.unshift(db);
  return { kind: "column", name: parts.map((name): Ident => ({ name, quoted: true })) };
}

function qualified(scope: Scope, qualifier: readonly Ident[]): readonly ScopeColumn[] {
  const parts = qualifier.map((part) => part.name);
  const relation = scope.relation(parts);
  if (relation === undefined) throw planError(`Invalid qualifier ${parts.join(".")}`);
  return relation.columns;
}

/**
 * `*`. Of a pair that USING or NATURAL joined, one column is shown: the one whose relation's name sorts first,
 * where that relation stands.
 */
function allColumns(scope: Scope): readonly ScopeColumn[] {
  if (scope.relations.length === 0)
    throw planError("SELECT * with no tables specified is not valid");
  const hidden = new Set<ScopeColumn>();
  for (const { left, right } of scope.merged) {
    const first = order(left.relation) <= order(right.relation) ? left : right;
    hidden.add(original(first === left ? right : left));
  }
  return scope.relations.flatMap((relation) =>
    relation.columns.filter((column) => !hidden.has(column)),
  );
}

const order = (relation: Relation) => relation.qualifier ?? "";

/** The relation's own object of a column: merged columns of merged columns are copies. */
function original(column: ScopeColumn): ScopeColumn {
  return column.relation.byName.get(column.name) ?? column;
}

export function outputName(item: NamedItem, bound: Bound): string {
  if (item.alias !== undefined) return item.alias;
  return bound.column?.name ?? bound.name;
}
