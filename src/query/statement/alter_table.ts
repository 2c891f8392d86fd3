/** ALTER TABLE: operations → steps of the catalog, applied together or not at all. */
import { DbError } from "../../base/mod.ts";
import type { AlterStep, TableInfo } from "../../catalog/mod.ts";
import type { AlterOperation, ObjectName } from "../../sql/mod.ts";
import { type ColumnSchema, columnByName, type Output } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { tableName, writableTable } from "../names.ts";
import { checkTableChanges } from "../options.ts";
import { affected } from "../records.ts";
import { columnType, indexOptions, newColumn } from "./column_def.ts";
import { defaultValue } from "./default_value.ts";

export async function runAlterTable(
  ctx: StatementContext,
  statement: { readonly name: ObjectName; readonly operations: readonly AlterOperation[] },
): Promise<Output> {
  const table = writableTable(ctx.catalog, tableName(statement.name, ctx.session));
  const steps = statement.operations.map((op) => alterStep(op, table, ctx.session.timezone));
  await ctx.catalog.alterTable(table.db, table.name, steps);
  return affected(0);
}

function alterStep(operation: AlterOperation, table: TableInfo, timezone: string): AlterStep {
  const label = `${table.db}.${table.name}`;
  switch (operation.kind) {
    case "add_column": {
      const isTag = operation.column.options.some((option) => option.kind === "primary_key");
      if (operation.column.options.some((option) => option.kind === "time_index"))
        throw new DbError("invalid_arguments", `Not allowed to add a time index to table ${label}`);
      const position = operation.position;
      return {
        kind: "add_column",
        column: newColumn(operation.column, isTag ? "tag" : "field", label, timezone),
        ifNotExists: operation.ifNotExists,
        position: typeof position === "object" ? { after: position.after.name } : position,
      };
    }
    case "drop_column":
      return { kind: "drop_column", name: operation.column.name };
    case "modify_type":
      return {
        kind: "modify_type",
        name: operation.column.name,
        type: columnType(operation.type),
      };
    case "set_default": {
      const column = find(table, operation.column.name);
      return {
        kind: "set_default",
        name: column.name,
        value: defaultValue(operation.value, column, label, timezone),
      };
    }
    case "drop_default":
      return { kind: "set_default", name: operation.column.name, value: undefined };
    case "set_index": {
      const column = find(table, operation.column.name);
      return {
        kind: "set_index",
        name: column.name,
        index: operation.index,
        options: indexOptions(operation.index, operation.options, column.name, column.type),
      };
    }
    case "unset_index":
      return {
        kind: "set_index",
        name: operation.column.name,
        index: operation.index,
        options: undefined,
      };
    case "rename":
      return { kind: "rename", to: operation.to.name };
    case "set_options": {
      const given = Object.entries(operation.options).map(([k, v]) => [k, v ?? undefined] as const);
      return { kind: "set_options", options: checkTableChanges(Object.fromEntries(given)) };
    }
    case "unset_options":
      return {
        kind: "set_options",
        options: checkTableChanges(
          Object.fromEntries(operation.keys.map((key) => [key, undefined])),
        ),
      };
  }
}

function find(table: TableInfo, name: string): ColumnSchema {
  const column = columnByName(table.schema, name);
  if (column === undefined)
    throw new DbError("column_not_found", `Column ${name} not exists in table ${table.name}`);
  return column;
}
