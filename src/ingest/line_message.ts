/** What is wrong with a line, in words: the line, the byte, the table, the column, both types. */

import type { TableInfo } from "../catalog/mod.ts";
import type { LineError, Precision } from "../kernel/mod.ts";
import { columnByName, typeName } from "../types/mod.ts";

/** Kinds as the rest of the product names types. */
const KIND_NAME: Readonly<Record<string, string>> = {
  float64: "Float64",
  int64: "Int64",
  uint64: "UInt64",
  bool: "Boolean",
  string: "String",
  tag: "a tag",
};

/** Refusals that more room would cure; the caller may come back. */
export function isOverLimit(error: LineError): boolean {
  return error.code === "series_limit" || error.code === "memory";
}

/**
 * "line 2, column 7: cpu.usage is Float64, got String". `tableOf` finds the catalog's table of a measurement: its
 * types are finer than the kernel's.
 */
export function lineMessage(
  error: LineError,
  precision: Precision,
  tableOf: (name: string) => TableInfo | undefined,
): string {
  const { table } = error;
  const name = `${table === undefined ? "" : `${table}.`}${error.name ?? "?"}`;
  const info = table === undefined ? undefined : tableOf(table);
  const what = (): string => {
    switch (error.code) {
      case "no_measurement":
        return "no measurement name";
      case "bad_tag":
        return "expected a tag: key=value";
      case "empty_tag_value":
        return "a tag value is empty";
      case "no_fields":
        return "No fields were provided";
      case "bad_field":
        return "expected a field: key=value";
      case "bad_number":
        return "not a number";
      case "bad_bool":
        return "not a boolean";
      case "unterminated_string":
        return "the string has no closing quote";
      case "bad_timestamp":
        return "not a timestamp";
      case "timestamp_out_of_range":
        return `timestamp out of range, or not in precision '${precision}'`;
      case "trailing_backslash":
        return "a backslash at the end of an element escapes nothing";
      case "bad_utf8":
        return "not valid UTF-8";
      case "series_limit":
        return `${table ?? "the server"} has as many series as it may have; a tag takes too many values`;
      case "duplicate_field":
        return `${name} is written twice`;
      case "name_too_long":
        return "a name is too long";
      case "too_many_columns":
        return `${table ?? "the table"} has as many columns as it may have, ${error.name ?? "this"} would be one more`;
      case "memory":
        return "not enough memory for this line";
      case "type_conflict":
      case "tag_is_field":
      case "field_is_tag":
        return `${name} is ${expected(error, info)}, got ${found(error)}`;
    }
  };
  return `line ${error.line}, column ${error.column}: ${what()}`;
}

function expected(error: LineError, info: TableInfo | undefined): string {
  const column = info === undefined ? undefined : columnByName(info.schema, error.name ?? "");
  if (column?.role === "time") return "the time index";
  if (column?.role === "tag" || error.expected === "tag") return "a tag";
  const type =
    column === undefined
      ? (KIND_NAME[error.expected ?? ""] ?? "of another type")
      : typeName(column.type);
  return error.found === "tag" ? `a field (${type})` : type;
}

function found(error: LineError): string {
  if (error.found === undefined) return error.expected === "tag" ? "a field" : "another type";
  const kind = KIND_NAME[error.found] ?? error.found;
  return error.expected === "tag" ? `a field (${kind})` : kind;
}
