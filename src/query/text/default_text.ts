/** A column's DEFAULT as texts: bare for DESC and information_schema, as SQL for SHOW CREATE TABLE. Pure. */
import type { ColumnType, DefaultValue } from "../../types/mod.ts";
import { zonedText } from "./timestamp_text.ts";

/** `5`, `abc`, `current_timestamp()`, `NULL`. */
export function defaultText(value: DefaultValue, type: ColumnType): string {
  if (value.kind === "now") return "current_timestamp()";
  const literal = value.value;
  if (literal === null) return "NULL";
  if (type.kind === "timestamp" && (typeof literal === "bigint" || typeof literal === "number"))
    return zonedText(BigInt(literal), type.unit);
  if (
    typeof literal === "number" &&
    Number.isInteger(literal) &&
    (type.kind === "float32" || type.kind === "float64")
  )
    return literal.toFixed(1);
  return String(literal);
}

const unquotedKinds = new Set([
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "float32",
  "float64",
  "bool",
  "decimal",
]);

/** What stands after DEFAULT in SHOW CREATE TABLE; reading it back gives the same default. */
export function defaultSql(value: DefaultValue, type: ColumnType): string {
  const text = defaultText(value, type);
  if (value.kind === "now" || value.value === null || unquotedKinds.has(type.kind)) return text;
  return `'${text.replaceAll("'", "''")}'`;
}
