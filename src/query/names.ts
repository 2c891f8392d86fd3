/**
 * Names in statements → databases and tables of the catalog: current database, catalog prefix, system schemas.
 * Never creates anything.
 */
import { DbError } from "../base/mod.ts";
import {
  CATALOG_NAME,
  type Catalog,
  databaseNotFound,
  isVirtualDatabase,
  type TableInfo,
  tableNotFound,
} from "../catalog/mod.ts";
import type { ObjectName } from "../sql/mod.ts";
import type { Session } from "./api.ts";

export const INFORMATION_SCHEMA = "information_schema";

export interface TableName {
  readonly db: string;
  readonly table: string;
}

/** `[catalog.][database.]table` → database and table. Throws table_not_found for another catalog. */
export function tableName(name: ObjectName, session: Session): TableName {
  const parts = name.map((part) => part.name);
  const table = parts.at(-1) ?? "";
  const db = parts.at(-2) ?? session.db;
  const catalog = parts.at(-3) ?? CATALOG_NAME;
  if (parts.length > 3 || catalog !== CATALOG_NAME)
    throw new DbError("table_not_found", `Table not found: ${parts.join(".")}`);
  return { db, table };
}

/** A table of the catalog. Throws table_not_found. */
export function existingTable(catalog: Catalog, name: TableName): TableInfo {
  const table = catalog.table(name.db, name.table);
  if (table === undefined) throw tableNotFound(name.db, name.table);
  return table;
}

/** A table that a statement is about to change. Throws unsupported (system schema) or table_not_found. */
export function writableTable(catalog: Catalog, name: TableName): TableInfo {
  if (isVirtualDatabase(name.db))
    throw new DbError("unsupported", `Schema \`${name.db}\` is read-only`);
  return existingTable(catalog, name);
}

/** Is there such a database, stored or virtual, for this server's sessions? */
export function databaseExists(catalog: Catalog, db: string): boolean {
  return db === INFORMATION_SCHEMA || catalog.database(db) !== undefined;
}

/** Throws database_not_found unless the database exists. */
export function checkDatabase(catalog: Catalog, db: string): void {
  if (!databaseExists(catalog, db)) throw databaseNotFound(db);
}
