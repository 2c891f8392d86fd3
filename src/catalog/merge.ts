/** The schema merge as a pure step: what a write needs, added to what is there; what disagrees, reported. */
import { DbError } from "../base/mod.ts";
import { type ColumnSchema, sameType, type TableSchema } from "../types/mod.ts";
import type { MergeResult, NewColumn, SchemaWish } from "./api.ts";
import { newColumn, nextSchema } from "./columns.ts";
import { buildSchema } from "./create.ts";
import { checkTableName } from "./names.ts";
import type { Options } from "./options.ts";

export interface MergePlan {
  /** The same object when the table already has everything. */
  readonly schema: TableSchema;
  readonly conflicts: MergeResult["conflicts"];
}

/**
 * Adds the columns of the wish that the schema lacks, nullable, in the wish's order; new tags go to the end of the
 * primary key. A time column is never added: a table has its own, whatever the writer calls it.
 */
export function planMerge(
  schema: TableSchema,
  columns: readonly NewColumn[],
  columnsMax: number,
): MergePlan {
  const known = new Map<string, ColumnSchema>(schema.columns.map((c) => [c.name, c]));
  const conflicts: MergeResult["conflicts"][number][] = [];
  const added: ColumnSchema[] = [];
  for (const wished of columns) {
    if (wished.role === "time") continue;
    const existing = known.get(wished.name);
    if (existing === undefined) {
      const column = newColumn(wished, schema.nextColumnId + added.length);
      known.set(column.name, column);
      added.push(column);
    } else if (existing.role !== wished.role || !sameType(existing.type, wished.type))
      conflicts.push({ name: wished.name, existing, wished });
  }
  if (added.length === 0) return { schema, conflicts };
  if (known.size > columnsMax)
    throw new DbError(
      "invalid_arguments",
      `a table has at most ${columnsMax} columns, ${added[0]!.name} would be one more`,
    );
  const tags = added.filter((column) => column.role === "tag").map((column) => column.id);
  return {
    schema: nextSchema(schema, {
      columns: [...schema.columns, ...added],
      primaryKey: [...schema.primaryKey, ...tags],
      nextColumnId: schema.nextColumnId + added.length,
    }),
    conflicts,
  };
}

/** The wish as a new table: a name wished twice keeps its first form, the others are conflicts. */
function splitWish(wish: SchemaWish): {
  readonly columns: readonly NewColumn[];
  readonly primaryKey: readonly string[];
} {
  const first = new Map<string, NewColumn>();
  for (const column of wish.columns) if (!first.has(column.name)) first.set(column.name, column);
  const columns = [...first.values()];
  return {
    columns,
    primaryKey: columns.filter((column) => column.role === "tag").map((column) => column.name),
  };
}

/** The schema of the table that a first write makes. Throws table_not_found where first writes make none. */
export function wishedSchema(
  wish: SchemaWish,
  tableId: number,
  databaseOptions: Options,
  columnsMax: number,
): TableSchema {
  if (!wish.autoCreate)
    throw new DbError(
      "table_not_found",
      `Table \`${wish.table}\` does not exist, and auto-create table is disabled`,
    );
  checkTableName(wish.table);
  const table = { ...splitWish(wish), options: wish.createOptions };
  return buildSchema(table, tableId, databaseOptions, columnsMax);
}
