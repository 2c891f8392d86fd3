/** SHOW CREATE TABLE and SHOW CREATE DATABASE. */
import { DbError } from "../../base/mod.ts";
import { databaseNotFound } from "../../catalog/mod.ts";
import type { Ident, ObjectName } from "../../sql/mod.ts";
import { type Output, recordsOf } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { existingTable, INFORMATION_SCHEMA, tableName } from "../names.ts";
import { textFields } from "../records.ts";
import { createDatabaseText, createTableText, foreignTableText } from "../text/show_create.ts";

export function showCreateTable(
  ctx: StatementContext,
  name: ObjectName,
  postgresForeign: boolean,
): Output {
  const resolved = tableName(name, ctx.session);
  if (resolved.db === INFORMATION_SCHEMA)
    throw new DbError("unsupported", "Show create table only for base table");
  const table = existingTable(ctx.catalog, resolved);
  const text = postgresForeign
    ? foreignTableText(table)
    : createTableText(
        table,
        ctx.catalog.database(table.db)?.options.ttl,
        ctx.session.dialect === "mysql" ? "`" : '"',
      );
  return recordsOf(textFields("Table", "Create Table"), [[table.name, text]]);
}

export function showCreateDatabase(ctx: StatementContext, name: Ident): Output {
  const text =
    name.name === INFORMATION_SCHEMA
      ? `CREATE DATABASE IF NOT EXISTS ${INFORMATION_SCHEMA}`
      : createDatabaseText(found(ctx, name.name));
  return recordsOf(textFields("Database", "Create Database"), [[name.name, text]]);
}

function found(ctx: StatementContext, name: string) {
  const db = ctx.catalog.database(name);
  if (db === undefined) throw databaseNotFound(name);
  return db;
}
