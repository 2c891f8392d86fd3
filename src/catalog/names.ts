/** Names of databases, tables and columns: which are allowed, which are ours, and how messages print them. */
import { DbError } from "../base/mod.ts";

/** The one catalog; messages print tables as `greptime.public.t`. */
export const CATALOG_NAME = "greptime";
export const DEFAULT_DATABASE = "public";
/** For the server's own tables (scripts, pipelines, dashboards). */
export const PRIVATE_DATABASE = "greptime_private";

/** Schemas that are computed, never stored: no table can be created in them. */
const VIRTUAL_DATABASES: ReadonlySet<string> = new Set(["information_schema", "pg_catalog"]);

/** The reference's rule, so that a name that works there works here. */
const NAME = /^[a-zA-Z_:-][a-zA-Z0-9_:\-.@#]*$/;

/** 255 bytes is what a file name of any common file system holds; nobody's metric is longer. */
const NAME_BYTES_MAX = 255;

/** Columns that storage adds to its files. */
const RESERVED_COLUMNS: ReadonlySet<string> = new Set([
  "__primary_key",
  "__sequence",
  "__op_type",
  "__tsid",
  "__table_id",
]);

export function isVirtualDatabase(name: string): boolean {
  return VIRTUAL_DATABASES.has(name);
}

/** `greptime.public.t` */
export function fullName(db: string, table: string): string {
  return `${CATALOG_NAME}.${db}.${table}`;
}

export function isTableName(name: string): boolean {
  return NAME.test(name) && name.length <= NAME_BYTES_MAX;
}

/** Throws invalid_arguments. */
export function checkTableName(name: string): void {
  if (!isTableName(name)) throw new DbError("invalid_arguments", `Invalid table name: ${name}`);
}

/** Throws invalid_arguments. */
export function checkDatabaseName(name: string): void {
  if (!NAME.test(name) || name.length > NAME_BYTES_MAX)
    throw new DbError("invalid_arguments", `Invalid database name: ${name}`);
}

/** Why a column cannot have this name; undefined when it can. */
export function columnNameFault(name: string): string | undefined {
  if (name === "") return "a column name cannot be empty";
  if (RESERVED_COLUMNS.has(name)) return `column name \`${name}\` is reserved`;
  // UTF-8 is at most three times the UTF-16 length, so the exact size is only counted when it matters.
  if (name.length * 3 > NAME_BYTES_MAX && Buffer.byteLength(name) > NAME_BYTES_MAX)
    return `column name \`${name.slice(0, 40)}…\` is longer than ${NAME_BYTES_MAX} bytes`;
  return undefined;
}

/** Throws invalid_arguments. */
export function checkColumnName(name: string): void {
  const fault = columnNameFault(name);
  if (fault !== undefined) throw new DbError("invalid_arguments", fault);
}

/** Throws unsupported for a computed schema, which no statement may change. */
export function checkWritableDatabase(name: string): void {
  if (isVirtualDatabase(name)) throw new DbError("unsupported", `Schema \`${name}\` is read-only`);
}

export function databaseNotFound(name: string): DbError {
  return new DbError(
    "database_not_found",
    `Failed to find schema, schema info: ${CATALOG_NAME}.${name}`,
  );
}

export function tableNotFound(db: string, name: string): DbError {
  return new DbError("table_not_found", `Table not found: ${fullName(db, name)}`);
}

export function columnNotFound(column: string, table: string): DbError {
  return new DbError("column_not_found", `Column ${column} not exists in table ${table}`);
}
