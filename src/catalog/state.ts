/**
 * What the catalog makes durable: databases and tables by name and id, changed by actions. Each action replaces or
 * removes one whole entry, so applying it twice is harmless. Bytes: docs/format/catalog.md.
 */
import { unreachable } from "../base/mod.ts";
import type { ColumnSchema, TableSchema } from "../types/mod.ts";
import type { DatabaseInfo, TableInfo } from "./api.ts";

/** Ids below are the reference's for its own tables. */
export const FIRST_TABLE_ID = 1024;

export interface StoredDatabase {
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
  readonly createdAtMs: number;
}

/** A TableInfo without what follows from it. */
export interface StoredTable {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly engine: string;
  readonly createdAtMs: number;
  readonly schema: TableSchema;
  readonly partition?: TableInfo["partition"];
}

export interface CatalogState {
  /** Above every id ever given out and committed. */
  readonly nextTableId: number;
  readonly databases: readonly StoredDatabase[];
  readonly tables: readonly StoredTable[];
}

export type CatalogAction =
  | { readonly kind: "put_database"; readonly database: StoredDatabase }
  | { readonly kind: "drop_database"; readonly name: string }
  /** CREATE, ALTER and RENAME alike: the table by its id. */
  | { readonly kind: "put_table"; readonly table: StoredTable }
  | { readonly kind: "drop_table"; readonly id: number };

export const EMPTY_STATE: CatalogState = Object.freeze({
  nextTableId: FIRST_TABLE_ID,
  databases: Object.freeze([]),
  tables: Object.freeze([]),
});

export function applyAction(state: CatalogState, action: CatalogAction): CatalogState {
  switch (action.kind) {
    case "put_database": {
      const { database } = action;
      return { ...state, databases: put(state.databases, database, (d) => d.name) };
    }
    case "drop_database":
      return { ...state, databases: state.databases.filter((d) => d.name !== action.name) };
    case "put_table":
      return {
        ...state,
        nextTableId: Math.max(state.nextTableId, action.table.id + 1),
        tables: put(state.tables, action.table, (t) => t.id),
      };
    case "drop_table":
      return { ...state, tables: state.tables.filter((t) => t.id !== action.id) };
    default:
      return unreachable(action);
  }
}

function put<T>(list: readonly T[], item: T, key: (item: T) => unknown): readonly T[] {
  const at = list.findIndex((old) => key(old) === key(item));
  return at < 0 ? [...list, item] : list.with(at, item);
}

export function storedDatabase(info: Omit<DatabaseInfo, "handle">): StoredDatabase {
  return { name: info.name, options: info.options, createdAtMs: info.createdAtMs };
}

export function storedTable(table: TableInfo): StoredTable {
  const { id, db, name, engine, createdAtMs, schema, partition } = table;
  return {
    id,
    db,
    name,
    engine,
    createdAtMs,
    schema,
    ...(partition === undefined ? {} : { partition }),
  };
}

/** The table of a stored entry, frozen. */
export function tableOfStored(stored: StoredTable, regionIds: readonly bigint[]): TableInfo {
  const schema = stored.schema;
  return Object.freeze({
    ...stored,
    schema: Object.freeze({
      ...schema,
      columns: Object.freeze(schema.columns.map((c: ColumnSchema) => Object.freeze(c))),
      primaryKey: Object.freeze(schema.primaryKey),
      options: Object.freeze(schema.options),
    }),
    regionIds: Object.freeze(regionIds),
  });
}
