/** `DEFAULT x` of a column definition → the value that the catalog keeps, checked against the column's type. */
import { DbError } from "../../base/mod.ts";
import { decimalText } from "../../duck/mod.ts";
import type { Expr } from "../../sql/mod.ts";
import { type ColumnSchema, type ColumnType, type DefaultValue, isVar } from "../../types/mod.ts";
import { ColumnWriter } from "../convert/column_writer.ts";
import { LiteralReader } from "../convert/literal_reader.ts";

/** A string for a timestamp is read in the zone of the session that creates the column. */
export function defaultValue(
  expr: Expr,
  column: { readonly name: string; readonly type: ColumnType; readonly nullable: boolean },
  table: string,
  timezone: string,
): DefaultValue {
  if (column.type.kind === "json" && expr.kind !== "null")
    throw new DbError(
      "invalid_arguments",
      `json column \`${column.name}\` cannot have a default value`,
    );
  if (expr.kind === "function") {
    const name = expr.name.map((part) => part.name).join(".");
    if ((name !== "now" && name !== "current_timestamp") || expr.args.length > 0)
      throw unsupported(column.name);
    if (column.type.kind !== "timestamp")
      throw new DbError(
        "invalid_arguments",
        `default value ${name}() of column ${column.name} needs a timestamp column`,
      );
    return { kind: "now" };
  }
  if (expr.kind === "null") {
    if (!column.nullable)
      throw new DbError(
        "invalid_arguments",
        `Default value should not be null for non null column: ${column.name}`,
      );
    return { kind: "literal", value: null };
  }
  return { kind: "literal", value: literalOf(expr, column, table, timezone) };
}

type Literal = string | number | bigint | boolean;

function literalOf(
  expr: Expr,
  { name, type }: { readonly name: string; readonly type: ColumnType },
  table: string,
  timezone: string,
): Literal {
  const schema: ColumnSchema = { id: 0, name, type, role: "field", nullable: false };
  const writer = new ColumnWriter(type, 1);
  const rules = { table, timezone, nowNs: 0n, numericText: false };
  const reader = new LiteralReader(schema, writer, rules);
  reader.row = -1; // No row: the place of the error is the column.
  read(reader, expr, false);
  const column = writer.finish();
  if (isVar(column)) return Buffer.from(column.bytes).toString("utf8");
  const value = column.values[0]!;
  if (type.kind === "decimal") {
    const high = column.values[1] as bigint;
    return decimalText((high << 64n) | BigInt.asUintN(64, value as bigint), type.scale);
  }
  if (type.kind === "bool") return value === 1;
  if (type.kind === "date" && expr.kind === "string") return expr.value;
  if (type.kind === "timestamp" || typeof value === "number") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function read(reader: LiteralReader, expr: Expr, minus: boolean): void {
  switch (expr.kind) {
    case "number": {
      const text = minus ? `-${expr.text}` : expr.text;
      if (/^-?\d+$/.test(text)) reader.integer(text);
      else reader.decimal(text);
      return;
    }
    case "unary":
      if (expr.op !== "-" && expr.op !== "+") throw unsupported(reader.column.name);
      read(reader, expr.expr, expr.op === "-" ? !minus : minus);
      return;
    case "string":
      if (minus) throw unsupported(reader.column.name);
      reader.text(expr.value);
      return;
    case "bool":
      if (minus) throw unsupported(reader.column.name);
      reader.bool(expr.value);
      return;
    default:
      throw unsupported(reader.column.name);
  }
}

function unsupported(column: string): DbError {
  return new DbError(
    "unsupported",
    `Unsupported default value of column ${column}: expected a literal, now() or current_timestamp()`,
  );
}
