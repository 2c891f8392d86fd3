/**
 * ALTER TABLE as a pure step: old schema and steps → new schema, or a DbError and no change at all.
 * Ids of dropped columns are never given out again. RENAME is not of the schema; the catalog does it.
 */
import { DbError, unreachable } from "../base/mod.ts";
import {
  type ColumnSchema,
  columnByName,
  sameType,
  type TableSchema,
  typeName,
} from "../types/mod.ts";
import type { AlterStep } from "./api.ts";
import { defaultFits, isCastable, newColumn, nextSchema } from "./columns.ts";
import { columnNotFound } from "./names.ts";
import { changeTableOptions } from "./options.ts";

/** Applies the steps in order. `table` is the name for messages. Returns the same object when nothing changes. */
export function alterSchema(
  schema: TableSchema,
  table: string,
  steps: readonly AlterStep[],
  columnsMax: number,
): TableSchema {
  let next = schema;
  for (const step of steps) next = alterStep(next, table, step);
  const grew = next.columns.length > schema.columns.length;
  if (grew && next.columns.length > columnsMax)
    throw new DbError(
      "invalid_arguments",
      `a table has at most ${columnsMax} columns, ${table} would have ${next.columns.length}`,
    );
  // One statement is one change, however many steps it has.
  return next === schema ? schema : nextSchema(schema, next);
}

function alterStep(schema: TableSchema, table: string, step: AlterStep): TableSchema {
  switch (step.kind) {
    case "add_column":
      return addColumn(schema, table, step);
    case "drop_column":
      return dropColumn(schema, table, step.name);
    case "modify_type":
      return modifyType(schema, table, step);
    case "set_default":
      return setDefault(schema, table, step);
    case "set_index":
      return setIndex(schema, table, step);
    case "set_comment":
      return setComment(schema, table, step);
    case "set_options":
      return nextSchema(schema, { options: changeTableOptions(schema.options, step.options) });
    case "rename":
      return schema;
    default:
      return unreachable(step);
  }
}

function find(schema: TableSchema, table: string, name: string): ColumnSchema {
  const column = columnByName(schema, name);
  if (column === undefined) throw columnNotFound(name, table);
  return column;
}

function replaced(schema: TableSchema, column: ColumnSchema): TableSchema {
  const frozen = Object.freeze(column);
  return nextSchema(schema, {
    columns: schema.columns.map((old) => (old.id === frozen.id ? frozen : old)),
  });
}

function addColumn(
  schema: TableSchema,
  table: string,
  step: Extract<AlterStep, { kind: "add_column" }>,
): TableSchema {
  const { column: wished, position } = step;
  if (columnByName(schema, wished.name) !== undefined) {
    if (step.ifNotExists) return schema;
    throw new DbError("column_exists", `Column ${wished.name} already exists in table ${table}`);
  }
  if (wished.role === "time")
    throw new DbError("invalid_arguments", `Not allowed to add a time index to table ${table}`);
  const nullDefault =
    wished.default === undefined ||
    (wished.default.kind === "literal" && wished.default.value === null);
  if (wished.nullable === false && nullDefault)
    throw new DbError("invalid_arguments", `no default value for column ${wished.name}`);
  const column = newColumn(wished, schema.nextColumnId);
  const columns = [...schema.columns];
  if (position === undefined) columns.push(column);
  else if (position === "first") columns.unshift(column);
  else columns.splice(columns.indexOf(find(schema, table, position.after)) + 1, 0, column);
  return nextSchema(schema, {
    columns,
    primaryKey: column.role === "tag" ? [...schema.primaryKey, column.id] : schema.primaryKey,
    nextColumnId: schema.nextColumnId + 1,
  });
}

function dropColumn(schema: TableSchema, table: string, name: string): TableSchema {
  const column = find(schema, table, name);
  if (column.role !== "field")
    throw new DbError(
      "invalid_arguments",
      `Not allowed to remove index column ${name} from table ${table}`,
    );
  return nextSchema(schema, { columns: schema.columns.filter((old) => old !== column) });
}

function modifyType(
  schema: TableSchema,
  table: string,
  { name, type }: Extract<AlterStep, { kind: "modify_type" }>,
): TableSchema {
  const column = find(schema, table, name);
  const refuse = (why: string): never => {
    throw new DbError("invalid_arguments", `Invalid alter table(${table}) request: ${why}`);
  };
  if (column.role === "time") refuse(`Not allowed to change time index column '${name}' datatype`);
  if (column.role === "tag") refuse(`Not allowed to change primary key index column '${name}'`);
  if (sameType(column.type, type)) return schema;
  if (!column.nullable) refuse(`column '${name}' must be nullable to ensure safe conversion.`);
  if (!isCastable(column.type, type))
    refuse(`column '${name}' cannot be cast automatically to type '${typeName(type)}'`);
  if (column.default !== undefined && !defaultFits(column.default, type))
    refuse(`the default value of column '${name}' does not fit type '${typeName(type)}'`);
  // The same checks as for a new column; the id stays, and files remember the type they were written with.
  return replaced(schema, newColumn({ ...column, type }, column.id));
}

function setDefault(
  schema: TableSchema,
  table: string,
  { name, value }: Extract<AlterStep, { kind: "set_default" }>,
): TableSchema {
  const column = find(schema, table, name);
  if (value !== undefined && !defaultFits(value, column.type))
    throw new DbError(
      "invalid_arguments",
      `the default value of column '${name}' does not fit type '${typeName(column.type)}'`,
    );
  const { default: _, ...rest } = column;
  return replaced(schema, value === undefined ? rest : { ...rest, default: Object.freeze(value) });
}

function setIndex(
  schema: TableSchema,
  table: string,
  { name, index, options }: Extract<AlterStep, { kind: "set_index" }>,
): TableSchema {
  const column = find(schema, table, name);
  const { indexes: old, ...rest } = column;
  const indexes = { ...old };
  if (options === undefined) delete indexes[index];
  else indexes[index] = Object.freeze({ ...options });
  return replaced(
    schema,
    Object.keys(indexes).length === 0 ? rest : { ...rest, indexes: Object.freeze(indexes) },
  );
}

/** Without a column name: of the table, kept as its `comment` option. */
function setComment(
  schema: TableSchema,
  table: string,
  { name, comment }: Extract<AlterStep, { kind: "set_comment" }>,
): TableSchema {
  if (name === undefined)
    return nextSchema(schema, { options: changeTableOptions(schema.options, { comment }) });
  const { comment: _, ...rest } = find(schema, table, name);
  return replaced(schema, comment === undefined ? rest : { ...rest, comment });
}
