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

/** What the kernel reads of a name in line protocol. */
const COLUMN_BYTES_MAX = 65_535;

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

/** Throws invalid_arguments. Any text can be a column's name, as line protocol allows. */
export function checkColumnName(name: string): void {
  if (name === "") throw new DbError("invalid_arguments", "a column name cannot be empty");
  if (Buffer.byteLength(name) > COLUMN_BYTES_MAX)
    throw new DbError(
      "invalid_arguments",
      `column name \`${name.slice(0, 40)}…\` is longer than ${COLUMN_BYTES_MAX} bytes`,
    );
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
