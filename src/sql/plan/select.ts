/** SELECT: items, grouping, aggregates, windows, DISTINCT, ORDER BY, and the implicit order of plain scans. */
import { timeColumn } from "../../types/mod.ts";
import type { Expr, GroupItem, OrderItem, Select } from "../ast.ts";
import { Binder, type Place } from "./binder.ts";
import type { Bound } from "./bound.ts";
import { edgePlan } from "./edge.ts";
import { notSupported, planError } from "./errors.ts";
import { bindFrom } from "./from.ts";
import { expandItems, type NamedItem, outputName } from "./items.ts";
import type { ImplicitOrder, PlannedQuery, Planner } from "./planner.ts";
import { restrict } from "./prune.ts";
import { displayName, type Scope } from "./scope.ts";

/** What follows the body of a query. */
export interface Tail {
  readonly orderBy: readonly OrderItem[];
  /** ` LIMIT n OFFSET m`, or nothing. */
  readonly limit: string;
}

const SELECT: Place = { clause: "SELECT", aggregates: true, windows: true };

export function planSelect(
  planner: Planner,
  select: Select,
  tail: Tail,
  scope: Scope,
  top: boolean,
): PlannedQuery {
  if (select.align !== undefined) throw notSupported("RANGE … ALIGN");
  const from = select.from.map((ref) => bindFrom(planner, ref, scope)).join(", ");
  const binder = new Binder(planner, scope, SELECT);
  binder.windows = new Map(select.windows.map(({ name, spec }) => [name.name, spec]));
  const where = bindWhere(binder, select.where);
  const items = expandItems(scope, select.items);
  const groups = bindGroups(binder, select.groupBy, items);
  binder.groupKeys = new Set(groups.keys.map((key) => key.sql));
  binder.place = SELECT;
  let bound = bindItems(binder, select, items, tail);
  const grouped =
    select.groupBy.length > 0 ||
    bound.having !== undefined ||
    bound.all.some((b) => b.hasAggregate);
  if (grouped) for (const part of bound.all) checkGrouped(part, groups.keys);
  let source = from === "" ? "" : ` FROM ${from}`;
  let whereSql = where === undefined ? "" : ` WHERE ${where}`;
  const edge = grouped ? edgePlan(scope, binder.aggregateCalls, groups, from, where) : undefined;
  if (edge !== undefined) {
    binder.edgeRows = true;
    bound = bindItems(binder, select, items, tail);
    source = edge.from;
    whereSql = edge.where;
  }
  const columns = bound.items.map((item, i) => `${item.bound.sql} AS c${i}`);
  let sql = `SELECT ${bound.distinct}${columns.join(", ")}${source}${whereSql}`;
  if (groups.sql !== "") sql += ` GROUP BY ${groups.sql}`;
  if (bound.having !== undefined) sql += ` HAVING ${bound.having.sql}`;
  if (bound.qualify !== undefined) sql += ` QUALIFY ${bound.qualify.sql}`;
  const fields = bound.items.map(({ name, bound: b }) => ({ name, type: b.type }));
  const implicit =
    top && !grouped && isPlainScan(select, bound) && tail.orderBy.length === 0
      ? implicitOrder(scope, tail.limit)
      : undefined;
  if (implicit !== undefined) return { sql, fields, implicitOrder: implicit };
  const origins = grouped || tail.limit !== "" ? undefined : originsOf(scope, select, bound);
  return { sql: `${sql}${bound.orderBy}${tail.limit}`, fields, origins };
}

/** Bare columns, if every row of the result comes from one row of each table. */
function originsOf(scope: Scope, select: Select, bound: BoundItems): PlannedQuery["origins"] {
  if (select.distinct !== undefined || bound.qualify !== undefined) return undefined;
  if (bound.items.some((item) => item.bound.hasWindow)) return undefined;
  return bound.items.map(({ bound: { column } }) => {
    if (column === undefined || !scope.relations.includes(column.relation)) return undefined;
    const { table } = column.relation;
    return table === undefined || column.id === undefined
      ? column.origin
      : { table, id: column.id };
  });
}

function bindWhere(binder: Binder, where: Expr | undefined): string | undefined {
  if (where === undefined) return undefined;
  binder.place = { clause: "WHERE", aggregates: false, windows: false };
  const { sql } = binder.bindCondition(where);
  restrict(binder, where);
  return sql;
}

export interface Groups {
  /** Every key expression, once. */
  readonly keys: readonly Bound[];
  /** What stands after GROUP BY; empty if there is nothing to group by. */
  readonly sql: string;
  /** Keys only, no ROLLUP and the like. */
  readonly plain: boolean;
}

function bindGroups(
  binder: Binder,
  groupBy: readonly GroupItem[],
  items: readonly NamedItem[],
): Groups {
  binder.place = { clause: "GROUP BY", aggregates: false, windows: false };
  const keys: Bound[] = [];
  const key = (expr: Expr): string => {
    const bound = binder.bind(groupExpr(binder, expr, items));
    keys.push(bound);
    return bound.groupSql ?? bound.sql;
  };
  const texts = groupBy.map((item) => {
    if (item.kind === "expr") return key(item.expr);
    const sets = item.sets.map((set) => `(${set.map(key).join(", ")})`).join(", ");
    return `${item.kind === "grouping_sets" ? "GROUPING SETS" : item.kind.toUpperCase()} (${sets})`;
  });
  return { keys, sql: texts.join(", "), plain: groupBy.every((item) => item.kind === "expr") };
}

/** An ordinal or an alias of GROUP BY stands for the select item; a column beats an alias. */
function groupExpr(binder: Binder, expr: Expr, items: readonly NamedItem[]): Expr {
  if (expr.kind === "number" && /^\d+$/.test(expr.text)) {
    const item = items[Number(expr.text) - 1];
    if (item === undefined)
      throw planError(
        `Cannot find column with position ${expr.text} in SELECT clause. Valid columns: 1 to ${items.length}`,
      );
    return item.expr;
  }
  if (expr.kind !== "column" || expr.name.length !== 1) return expr;
  const { name } = expr.name[0]!;
  if (binder.scope.tryResolve([name]) !== undefined) return expr;
  return items.find((item) => item.alias === name)?.expr ?? expr;
}

interface BoundItems {
  readonly items: readonly { readonly name: string; readonly bound: Bound }[];
  readonly having: Bound | undefined;
  readonly qualify: Bound | undefined;
  readonly distinct: string;
  readonly orderBy: string;
  /** Everything that must be grouped if the query is. */
  readonly all: readonly Bound[];
}

function bindItems(
  binder: Binder,
  select: Select,
  named: readonly NamedItem[],
  tail: Tail,
): BoundItems {
  binder.place = SELECT;
  const items = named.map((item) => {
    const bound = item.column === undefined ? binder.bind(item.expr) : binder.column(item.column);
    return {
      name: outputName(item, bound),
      bound,
      qualified: qualifiedName(item, bound),
      alias: item.alias !== undefined,
    };
  });
  checkUnique(items);
  const aliases = new Map<string, Bound>();
  named.forEach((item, i) => {
    if (item.alias !== undefined) aliases.set(item.alias, items[i]!.bound);
  });
  binder.aliases = aliases;
  binder.place = { clause: "HAVING", aggregates: true, windows: false };
  const having = select.having === undefined ? undefined : binder.bindCondition(select.having);
  binder.place = { clause: "QUALIFY", aggregates: true, windows: true };
  const qualify = select.qualify === undefined ? undefined : binder.bindCondition(select.qualify);
  binder.place = { clause: "ORDER BY", aggregates: true, windows: true };
  const order = bindOrderBy(binder, tail.orderBy, items, select.distinct?.kind === "distinct");
  let distinct = "";
  const all = [...items.map((item) => item.bound), ...order.bounds];
  if (select.distinct?.kind === "distinct") {
    distinct = "DISTINCT ";
  } else if (select.distinct?.kind === "on") {
    const on = binder.bindAll(select.distinct.exprs);
    all.push(...on);
    distinct = `DISTINCT ON (${on.map((b) => b.sql).join(", ")}) `;
  }
  binder.aliases = new Map();
  if (having !== undefined) all.push(having);
  if (qualify !== undefined) all.push(qualify);
  return { items, having, qualify, distinct, orderBy: order.sql, all };
}

/** What a heading is known by when two of them must differ: columns with their relation. */
function qualifiedName(item: NamedItem, bound: Bound): string {
  if (item.alias !== undefined) return item.alias;
  return bound.column === undefined ? bound.name : displayName(bound.column);
}

/** The same expression twice, or the same alias, is refused; a cast of a column beside it is not. */
function checkUnique(
  items: readonly { readonly qualified: string; readonly bound: Bound; readonly alias: boolean }[],
): void {
  const seen = new Map<string, number>();
  items.forEach(({ qualified, bound, alias }, i) => {
    const first = seen.get(qualified);
    if (first === undefined) {
      seen.set(qualified, i);
      return;
    }
    const other = items[first]!;
    if (other.bound.sql !== bound.sql && !(alias && other.alias)) return;
    throw planError(
      `Projections require unique expression names but the expression "${qualified}" at position ${first} and "${qualified}" at position ${i} have the same name. Consider aliasing ("AS") one of them.`,
    );
  });
}

function checkGrouped(part: Bound, keys: readonly Bound[]): void {
  if (part.loose === undefined) return;
  const name = displayName(part.loose);
  const valid = keys.map((key) => `"${key.name}"`).join(", ");
  throw planError(
    `Column in SELECT must be in GROUP BY or an aggregate function: While expanding wildcard, column "${name}" must appear in the GROUP BY clause or must be part of an aggregate function, currently only ${valid === "" ? "aggregates appear" : `${valid} appears`} in the SELECT clause satisfies this requirement`,
  );
}

function bindOrderBy(
  binder: Binder,
  orderBy: readonly OrderItem[],
  items: readonly { readonly name: string; readonly bound: Bound }[],
  distinct: boolean,
): { readonly sql: string; readonly bounds: readonly Bound[] } {
  const bounds: Bound[] = [];
  const texts: string[] = [];
  for (const item of orderBy) {
    let position = ordinalOf(item.expr, items.length);
    if (position === undefined && isIgnoredKey(item.expr)) continue;
    const name = singleName(item.expr);
    if (position === undefined && name !== undefined) {
      const index = items.findIndex((output) => output.name === name);
      if (index !== -1) position = index + 1;
    }
    let sql = String(position);
    if (position === undefined) {
      const bound = binder.bind(item.expr);
      const index = items.findIndex((output) => output.bound.sql === bound.sql);
      if (index === -1) {
        if (distinct)
          throw planError(
            `For SELECT DISTINCT, ORDER BY expressions ${bound.name} must appear in select list`,
          );
        bounds.push(bound);
        sql = bound.sql;
      } else {
        sql = String(index + 1);
      }
    }
    texts.push(sql + direction(item));
  }
  return { sql: texts.length === 0 ? "" : ` ORDER BY ${texts.join(", ")}`, bounds };
}

/** ` DESC NULLS FIRST`: NULLs are greater than everything. */
function direction(item: OrderItem): string {
  const nulls = item.nulls ?? (item.descending ? "first" : "last");
  return `${item.descending ? " DESC" : ""} NULLS ${nulls.toUpperCase()}`;
}

function ordinalOf(expr: Expr, count: number): number | undefined {
  if (expr.kind !== "number" || !/^\d+$/.test(expr.text)) return undefined;
  const position = Number(expr.text);
  if (position < 1 || position > count)
    throw planError(`Order by column out of bounds, specified: ${expr.text}, max: ${count}`);
  return position;
}

/** Constants do not order anything. */
function isIgnoredKey(expr: Expr): boolean {
  if (expr.kind === "unary" && expr.op === "-") return expr.expr.kind === "number";
  return (
    expr.kind === "string" || expr.kind === "null" || expr.kind === "bool" || expr.kind === "number"
  );
}

function singleName(expr: Expr): string | undefined {
  return expr.kind === "column" && expr.name.length === 1 ? expr.name[0]!.name : undefined;
}

/** ORDER BY over the columns of a set operation or VALUES. */
export function outputOrder(binder: Binder, orderBy: readonly OrderItem[], count: number): string {
  const texts: string[] = [];
  for (const item of orderBy) {
    const position = ordinalOf(item.expr, count);
    if (position !== undefined) texts.push(position + direction(item));
    else if (!isIgnoredKey(item.expr)) texts.push(binder.bind(item.expr).sql + direction(item));
  }
  return texts.length === 0 ? "" : ` ORDER BY ${texts.join(", ")}`;
}

/** Rows as a scan gives them: nothing that reorders or invents rows. */
function isPlainScan(select: Select, bound: BoundItems): boolean {
  return (
    select.distinct === undefined &&
    select.from.length === 1 &&
    select.from[0]!.kind === "table" &&
    !bound.items.some((item) => item.bound.hasWindow)
  );
}

/** Tags in key order (NULL first), then time. Tags that the conditions fix to one value order nothing. */
function implicitOrder(scope: Scope, limit: string): ImplicitOrder | undefined {
  const relation = scope.relations[0];
  const builder = relation?.table;
  if (relation === undefined || builder === undefined || builder.table.kind !== "table")
    return undefined;
  const { schema } = builder.table;
  const tags = schema.primaryKey.filter((id) => !builder.fixedTag(id));
  const columns = [...tags, timeColumn(schema).id];
  const keys = columns.map((id) => `${relation.alias}.c${id} NULLS FIRST`);
  return { orderBy: ` ORDER BY ${keys.join(", ")}`, limit, columns };
}
