/**
 * What names mean inside a query: relations with their columns, one scope per SELECT, parents for correlated
 * sub-queries. Names are matched exactly: folding happened in the lexer.
 */
import type { ColumnType } from "../../types/mod.ts";
import { schemaError, similarity } from "./errors.ts";
import type { TableBuilder } from "./table_builder.ts";

export interface ScopeColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** `t0.c5`. */
  readonly sql: string;
  readonly relation: Relation;
  /** Column id, for columns of tables. */
  readonly id?: number | undefined;
  /** For columns of sub-queries: the table's column that it is, row by row. */
  readonly origin?: ColumnOrigin | undefined;
}

export interface ColumnOrigin {
  readonly table: TableBuilder;
  readonly id: number;
}

export interface Relation {
  /** Alias in the generated text: `t0`. */
  readonly alias: string;
  /** Alias or table name, by which columns are qualified; undefined for a sub-query without alias. */
  readonly qualifier: string | undefined;
  /** Database of an unaliased table, for `db.table.column`. */
  readonly db: string | undefined;
  readonly columns: readonly ScopeColumn[];
  /** Columns by name; the first of equals. */
  readonly byName: ReadonlyMap<string, ScopeColumn>;
  /** Set for tables: told which columns are used. */
  readonly table?: TableBuilder | undefined;
}

/** A column of USING or NATURAL: one name for the pair. */
export interface MergedColumn {
  readonly name: string;
  readonly left: ScopeColumn;
  readonly right: ScopeColumn;
  /** What an unqualified reference reads. */
  readonly sql: string;
}

/** A common table expression that FROM may name. */
export interface CteEntry {
  readonly name: string;
  readonly sqlName: string;
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
}

/** The CTEs in sight, newest first. */
export interface CteScope {
  readonly entry: CteEntry;
  readonly outer: CteScope | undefined;
}

export function findCte(ctes: CteScope | undefined, name: string): CteEntry | undefined {
  for (let scope = ctes; scope !== undefined; scope = scope.outer)
    if (scope.entry.name === name) return scope.entry;
  return undefined;
}

export class Scope {
  readonly relations: Relation[] = [];
  readonly merged: MergedColumn[] = [];

  constructor(
    readonly parent: Scope | undefined,
    readonly ctes: CteScope | undefined,
  ) {}

  /** Column of a name of one to four parts. Throws plan_query. */
  resolve(parts: readonly string[]): ScopeColumn {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const found = scope.#find(parts);
      if (found !== undefined) {
        found.relation.table?.use(found.id!);
        return found;
      }
    }
    throw this.#noField(parts);
  }

  /** As resolve, undefined when there is no such column. */
  tryResolve(parts: readonly string[]): ScopeColumn | undefined {
    const found = this.#find(parts);
    if (found !== undefined) found.relation.table?.use(found.id!);
    return found;
  }

  /** Relations that `qualifier.*` may mean. */
  relation(parts: readonly string[]): Relation | undefined {
    return this.relations.find((relation) => matches(relation, parts));
  }

  #find(parts: readonly string[]): ScopeColumn | undefined {
    const name = parts.at(-1)!;
    if (parts.length === 1) {
      const merged = this.merged.find((column) => column.name === name);
      if (merged !== undefined) {
        merged.left.relation.table?.use(merged.left.id!);
        merged.right.relation.table?.use(merged.right.id!);
        return { ...merged.left, sql: merged.sql };
      }
      let found: ScopeColumn | undefined;
      for (const relation of this.relations) {
        const column = relation.byName.get(name);
        if (column === undefined) continue;
        if (found !== undefined)
          throw schemaError(`Ambiguous reference to unqualified field ${name}`);
        found = column;
      }
      return found;
    }
    const qualifier = parts.slice(0, -1);
    for (const relation of this.relations) {
      if (!matches(relation, qualifier)) continue;
      const column = relation.byName.get(name);
      if (column !== undefined) return column;
    }
    return undefined;
  }

  #noField(parts: readonly string[]): Error {
    const valid: string[] = [];
    for (const relation of this.relations)
      for (const column of relation.columns) valid.push(displayName(column));
    let message = `No field named ${parts.map(quoteIfNeeded).join(".")}`;
    const similar = valid.find((name) => similarity(name, parts.at(-1)!) >= 0.5);
    if (similar !== undefined) message += `. Did you mean '${similar}'?`;
    else if (valid.length > 0) message += `. Valid fields are ${valid.join(", ")}`;
    return schemaError(`${message}.`);
  }
}

/** `t.host`, or `host` of a relation without a name. */
export function displayName(column: ScopeColumn): string {
  const { qualifier } = column.relation;
  return qualifier === undefined ? column.name : `${qualifier}.${column.name}`;
}

function quoteIfNeeded(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** Does a qualifier of one to three parts (catalog, database, table) name the relation? */
function matches(relation: Relation, qualifier: readonly string[]): boolean {
  if (qualifier.at(-1) !== relation.qualifier) return false;
  if (qualifier.length === 1) return true;
  return qualifier.at(-2) === relation.db;
}

/** A relation over columns; `sqlName` gives the name of each in the generated text. */
export function makeRelation(
  alias: string,
  qualifier: string | undefined,
  db: string | undefined,
  columns: readonly {
    readonly name: string;
    readonly type: ColumnType;
    readonly sqlName: string;
    readonly id?: number | undefined;
    readonly origin?: ColumnOrigin | undefined;
  }[],
  table?: TableBuilder,
): Relation {
  const list: ScopeColumn[] = [];
  const byName = new Map<string, ScopeColumn>();
  const relation: Relation = { alias, qualifier, db, columns: list, byName, table };
  for (const { name, type, sqlName, id, origin } of columns) {
    const column: ScopeColumn = { name, type, sql: `${alias}.${sqlName}`, relation, id, origin };
    list.push(column);
    if (!byName.has(name)) byName.set(name, column);
  }
  return relation;
}
