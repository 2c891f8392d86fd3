/** CREATE TABLE as a pure step: a checked, frozen schema, or a DbError that names the fault. */
import { DbError } from "../base/mod.ts";
import type { TableSchema } from "../types/mod.ts";
import type { NewTable } from "./api.ts";
import { freezeSchema, newColumn } from "./columns.ts";
import { normalizeTableOptions, type Options, withDatabaseDefaults } from "./options.ts";

/** Only this engine stores rows here; others belong to later layers. */
export const ENGINE = "mito";

/** Throws invalid_syntax (time index), invalid_arguments, unsupported (engine). */
export function buildSchema(
  table: Pick<NewTable, "columns" | "primaryKey" | "options" | "engine">,
  tableId: number,
  databaseOptions: Options,
  columnsMax: number,
): TableSchema {
  if ((table.engine ?? ENGINE) !== ENGINE)
    throw new DbError("unsupported", `table engine ${table.engine} is not supported`);
  if (table.columns.length > columnsMax)
    throw new DbError(
      "invalid_arguments",
      `a table has at most ${columnsMax} columns, got ${table.columns.length}`,
    );
  const columns = table.columns.map((column, id) => newColumn(column, id));
  const byName = new Map(columns.map((column) => [column.name, column]));
  if (byName.size !== columns.length) {
    const twice = columns.find((column) => byName.get(column.name) !== column);
    throw new DbError("invalid_arguments", `column name \`${twice?.name}\` is duplicated`);
  }
  const times = columns.filter((column) => column.role === "time");
  if (times.length === 0) throw new DbError("invalid_syntax", "Missing time index constraint");
  if (times.length > 1)
    throw new DbError(
      "invalid_syntax",
      `Invalid time index: expected only one time index constraint but actual ${times.length}`,
    );
  const primaryKey = table.primaryKey.map((name) => {
    const column = byName.get(name);
    if (column === undefined)
      throw new DbError("invalid_arguments", `Cannot find column by name: ${name}`);
    if (column.role !== "tag")
      throw new DbError("invalid_arguments", `column \`${name}\` cannot be in the primary key`);
    return column.id;
  });
  const tags = columns.filter((column) => column.role === "tag");
  if (new Set(primaryKey).size !== primaryKey.length || primaryKey.length !== tags.length)
    throw new DbError(
      "invalid_arguments",
      "the primary key must list each of its columns exactly once",
    );
  return freezeSchema({
    tableId,
    version: 0,
    columns,
    primaryKey,
    timeIndex: times[0]!.id,
    nextColumnId: columns.length,
    options: normalizeTableOptions(withDatabaseDefaults(table.options, databaseOptions)),
  });
}
