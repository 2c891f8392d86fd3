/** A wished column → a column of a schema. Pure; every object that leaves is frozen. */
import { DbError } from "../base/mod.ts";
import {
  type ColumnSchema,
  type ColumnType,
  type DefaultValue,
  isTagType,
  type TableSchema,
  typeName,
} from "../types/mod.ts";
import type { NewColumn } from "./api.ts";
import { checkColumnName } from "./names.ts";

/** Checks name and type and gives the id. Throws invalid_arguments. */
export function newColumn(wished: NewColumn, id: number): ColumnSchema {
  checkColumnName(wished.name);
  checkStorable(wished);
  return Object.freeze({
    id,
    name: wished.name,
    type: Object.freeze({ ...wished.type }),
    role: wished.role,
    nullable: wished.role !== "time" && (wished.nullable ?? true),
    ...(wished.default === undefined ? {} : { default: Object.freeze({ ...wished.default }) }),
    ...(wished.comment === undefined ? {} : { comment: wished.comment }),
    ...(wished.indexes === undefined ? {} : { indexes: Object.freeze({ ...wished.indexes }) }),
  });
}

function checkStorable({ name, type, role }: NewColumn): void {
  switch (type.kind) {
    case "interval":
      throw new DbError(
        "invalid_arguments",
        `column name \`${name}\` is interval type, which is not supported`,
      );
    case "null":
    case "time":
    case "duration":
    case "list":
    case "struct":
      throw new DbError(
        "invalid_arguments",
        `column \`${name}\` cannot be of type ${typeName(type)}`,
      );
    default:
  }
  if (role === "time" && type.kind !== "timestamp")
    throw new DbError("invalid_arguments", "time index column data type should be timestamp");
  if (role === "tag" && !isTagType(type))
    throw new DbError(
      "invalid_arguments",
      `column \`${name}\` of type ${typeName(type)} cannot be in the primary key`,
    );
}

/** The next version of a schema, frozen. */
export function nextSchema(
  schema: TableSchema,
  change: Partial<Omit<TableSchema, "tableId" | "version">>,
): TableSchema {
  return freezeSchema({ ...schema, ...change, version: schema.version + 1 });
}

export function freezeSchema(schema: TableSchema): TableSchema {
  return Object.freeze({
    ...schema,
    columns: Object.freeze([...schema.columns]),
    primaryKey: Object.freeze([...schema.primaryKey]),
    options: Object.freeze({ ...schema.options }),
  });
}

/** Can a DEFAULT be a value of this type? Only what can be told from the literal's kind. */
export function defaultFits(value: DefaultValue, type: ColumnType): boolean {
  if (value.kind === "now") return type.kind === "timestamp";
  const literal = value.value;
  if (literal === null) return true;
  switch (type.kind) {
    case "bool":
      return typeof literal === "boolean";
    case "string":
    case "json":
    case "binary":
    case "date":
    case "vector":
      return typeof literal === "string";
    case "decimal":
    case "timestamp":
      return typeof literal !== "boolean";
    default:
      return typeof literal === "number" || typeof literal === "bigint";
  }
}

/** Does an automatic cast exist between the types? Values that do not fit become NULL. */
export function isCastable(from: ColumnType, to: ColumnType): boolean {
  const a = family(from);
  const b = family(to);
  if (a === "other" || b === "other") return typeName(from) === typeName(to);
  if (a === "text" || b === "text") return true;
  if (a === b) return true;
  const pair = new Set([a, b]);
  return (
    (pair.has("number") && pair.has("bool")) ||
    (pair.has("time") && pair.has("date")) ||
    (pair.has("time") && (from.kind === "int64" || to.kind === "int64"))
  );
}

function family(type: ColumnType): "number" | "bool" | "text" | "time" | "date" | "other" {
  switch (type.kind) {
    case "bool":
      return "bool";
    case "string":
      return "text";
    case "timestamp":
      return "time";
    case "date":
      return "date";
    case "binary":
    case "json":
    case "vector":
    case "interval":
    case "null":
    case "time":
    case "duration":
    case "list":
    case "struct":
      return "other";
    default:
      return "number";
  }
}
