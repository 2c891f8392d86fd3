/** FROM: tables, CTEs, derived tables, table functions and joins become relations of the scope and text. */
import { DbError } from "../../base/mod.ts";
import type { ColumnType } from "../../types/mod.ts";
import { T } from "../../types/mod.ts";
import type { JoinConstraint, ObjectName, TableAlias, TableRef } from "../ast.ts";
import { Binder } from "./binder.ts";
import { compare } from "./compare.ts";
import { notSupported, planError, schemaError } from "./errors.ts";
import type { Planner } from "./planner.ts";
import { restrict } from "./prune.ts";
import {
  findCte,
  type MergedColumn,
  makeRelation,
  type Relation,
  Scope,
  type ScopeColumn,
} from "./scope.ts";
import { relationMark } from "./text_parts.ts";

/** Adds the relations of `ref` to the scope; answers the text to stand in FROM. */
export function bindFrom(planner: Planner, ref: TableRef, scope: Scope): string {
  switch (ref.kind) {
    case "table":
      return bindTable(planner, ref.name, ref.alias, scope);
    case "derived": {
      // Only a LATERAL sub-query sees the relations before it.
      const parent = ref.lateral ? scope : scope.parent;
      const query = planner.query(ref.query, parent, scope.ctes);
      const names = aliasNames(ref.alias, query.fields.length);
      const relation = planner.derived(query, ref.alias?.name.name, names);
      addRelation(scope, relation);
      return `${ref.lateral ? "LATERAL " : ""}(${query.sql}) AS ${relation.alias}`;
    }
    case "table_function":
      return bindTableFunction(planner, ref, scope);
    case "join":
      return bindJoin(planner, ref, scope);
  }
}

function addRelation(scope: Scope, relation: Relation): void {
  const { qualifier, db } = relation;
  if (qualifier !== undefined)
    for (const other of scope.relations)
      if (other.qualifier === qualifier && other.db === db)
        throw planError(`Table or alias '${qualifier}' is specified more than once`);
  scope.relations.push(relation);
}

function aliasNames(alias: TableAlias | undefined, count: number): readonly string[] | undefined {
  if (alias === undefined || alias.columns.length === 0) return undefined;
  if (alias.columns.length !== count)
    throw planError(
      `Source table contains ${count} columns but only ${alias.columns.length} names given as column alias`,
    );
  return alias.columns.map((column) => column.name);
}

function bindTable(
  planner: Planner,
  name: ObjectName,
  alias: TableAlias | undefined,
  scope: Scope,
): string {
  if (name.length === 1) {
    const cte = findCte(scope.ctes, name[0]!.name);
    if (cte !== undefined) {
      const names = aliasNames(alias, cte.columns.length);
      const relation = makeRelation(
        planner.alias(),
        alias?.name.name ?? cte.name,
        undefined,
        cte.columns.map((column, i) => ({
          name: names?.[i] ?? column.name,
          type: column.type,
          sqlName: `c${i}`,
        })),
      );
      addRelation(scope, relation);
      return `${cte.sqlName} AS ${relation.alias}`;
    }
  }
  const { env } = planner;
  const { db, table } = tableNameOf(name, env.db);
  const resolved = env.resolveTable(db, table);
  if (resolved === undefined)
    throw new DbError(
      "table_not_found",
      `Failed to plan SQL: Table not found: greptime.${db}.${table}`,
    );
  const builder = planner.addTable(resolved);
  const columns =
    resolved.kind === "table"
      ? resolved.schema.columns
      : resolved.columns.map((column, id) => ({ ...column, id }));
  const names = aliasNames(alias, columns.length);
  const relation = makeRelation(
    planner.alias(),
    alias?.name.name ?? resolved.name,
    alias === undefined ? resolved.db : undefined,
    columns.map((column, i) => ({
      name: names?.[i] ?? column.name,
      type: column.type,
      sqlName: `c${column.id}`,
      id: column.id,
    })),
    builder,
  );
  addRelation(scope, relation);
  return `${relationMark(builder.index)} AS ${relation.alias}`;
}

/** `[catalog.][db.]table`; the catalog is always `greptime`. */
export function tableNameOf(name: ObjectName, currentDb: string): { db: string; table: string } {
  const parts = name.map((part) => part.name);
  const table = parts.at(-1)!;
  if (parts.length === 3 && parts[0] !== "greptime")
    throw new DbError("table_not_found", `Failed to plan SQL: Table not found: ${parts.join(".")}`);
  return { db: parts.length === 1 ? currentDb : parts.at(-2)!, table };
}

/** generate_series and range give numbers, unnest the elements of an array. */
function bindTableFunction(
  planner: Planner,
  ref: Extract<TableRef, { kind: "table_function" }>,
  scope: Scope,
): string {
  const name = ref.name.at(-1)!.name.toLowerCase();
  const binder = new Binder(planner, scope, {
    clause: "FROM",
    aggregates: false,
    windows: false,
  });
  const args = binder.bindAll(ref.args);
  let type: ColumnType;
  if (name === "unnest") {
    if (args.length !== 1 || args[0]!.type.kind !== "list")
      throw planError("unnest in FROM needs one array");
    type = args[0]!.type.item;
  } else if (name === "generate_series" || name === "range") {
    if (args.length < 1 || args.length > 3 || args.some((arg) => arg.type.kind !== "int64"))
      throw planError(`${name} needs 1 to 3 integers`);
    type = T.int64;
  } else {
    throw notSupported(`Table function '${name}'`);
  }
  const names = aliasNames(ref.alias, 1);
  const relation = makeRelation(planner.alias(), ref.alias?.name.name ?? name, undefined, [
    { name: names?.[0] ?? "value", type, sqlName: "c0" },
  ]);
  addRelation(scope, relation);
  const list = args.map((arg) => arg.sql).join(", ");
  const text = name === "unnest" ? `(SELECT unnest(${list}) AS c0)` : `${name}(${list})`;
  return `${text} AS ${relation.alias}(c0)`;
}

const JOIN_WORDS: Readonly<Record<Extract<TableRef, { kind: "join" }>["join"], string>> = {
  inner: "JOIN",
  left: "LEFT JOIN",
  right: "RIGHT JOIN",
  full: "FULL JOIN",
  cross: "CROSS JOIN",
  left_semi: "SEMI JOIN",
  left_anti: "ANTI JOIN",
  right_semi: "SEMI JOIN",
  right_anti: "ANTI JOIN",
};

function bindJoin(
  planner: Planner,
  ref: Extract<TableRef, { kind: "join" }>,
  scope: Scope,
): string {
  if (ref.join === "right_semi" || ref.join === "right_anti") {
    const flipped = ref.join === "right_semi" ? "left_semi" : "left_anti";
    return bindJoin(planner, { ...ref, join: flipped, left: ref.right, right: ref.left }, scope);
  }
  const left = bindFrom(planner, ref.left, scope);
  const leftCount = scope.relations.length;
  const right = bindFrom(planner, ref.right, scope);
  const rightRelations = scope.relations.slice(leftCount);
  const on = joinCondition(planner, ref, scope, rightRelations);
  // The right side of a semi or anti join is not visible behind it.
  if (ref.join === "left_semi" || ref.join === "left_anti") scope.relations.length = leftCount;
  const nested = ref.right.kind === "join" ? `(${right})` : right;
  if (ref.join === "cross" || (ref.join === "inner" && on === ""))
    return `${left} CROSS JOIN ${nested}`;
  return `${left} ${JOIN_WORDS[ref.join]} ${nested} ON ${on === "" ? "TRUE" : on}`;
}

function joinCondition(
  planner: Planner,
  ref: Extract<TableRef, { kind: "join" }>,
  scope: Scope,
  right: readonly Relation[],
): string {
  const { constraint } = ref;
  switch (constraint.kind) {
    case "none":
      return "";
    case "on": {
      const binder = new Binder(planner, scope, {
        clause: "JOIN ON",
        aggregates: false,
        windows: false,
      });
      const { sql } = binder.bindCondition(constraint.expr);
      if (ref.join === "inner") restrict(binder, constraint.expr);
      return sql;
    }
    default:
      return equalColumns(scope, ref, constraint, right, planner.env.timezone);
  }
}

/** USING and NATURAL: pairs of equal names. */
function equalColumns(
  scope: Scope,
  ref: Extract<TableRef, { kind: "join" }>,
  constraint: Extract<JoinConstraint, { kind: "using" | "natural" }>,
  right: readonly Relation[],
  zone: string,
): string {
  const leftScope = new Scope(undefined, undefined);
  leftScope.relations.push(...scope.relations.slice(0, scope.relations.length - right.length));
  leftScope.merged.push(...scope.merged);
  const rightScope = new Scope(undefined, undefined);
  rightScope.relations.push(...right);
  const names =
    constraint.kind === "using"
      ? constraint.columns.map((column) => column.name)
      : commonNames(leftScope, right);
  return names
    .map((name) => {
      const a = sideColumn(leftScope, name);
      const b = sideColumn(rightScope, name);
      const merged: MergedColumn = {
        name,
        left: a,
        right: b,
        sql: mergedSql(ref.join, a.sql, b.sql),
      };
      const known = scope.merged.findIndex((column) => column.name === name);
      if (known === -1) scope.merged.push(merged);
      else scope.merged[known] = merged;
      const left = { sql: a.sql, type: a.type, name };
      return compare("=", left, { sql: b.sql, type: b.type, name }, zone).sql;
    })
    .join(" AND ");
}

function sideColumn(scope: Scope, name: string): ScopeColumn {
  const column = scope.tryResolve([name]);
  if (column === undefined) throw schemaError(`No field named ${name}.`);
  return column;
}

function mergedSql(join: string, left: string, right: string): string {
  switch (join) {
    case "right":
      return right;
    case "full":
      return `coalesce(${left}, ${right})`;
    default:
      return left;
  }
}

function commonNames(left: Scope, right: readonly Relation[]): string[] {
  const names = new Set(left.relations.flatMap((r) => r.columns.map((c) => c.name)));
  return right.flatMap((r) => r.columns.map((c) => c.name)).filter((name) => names.has(name));
}
