/**
 * Rows of a query → typed columns of a table (INSERT … SELECT). The planner already cast every column to the
 * target's type, so only the container changes; NULL rules, ranges and Json are checked here.
 */
import {
  type Column,
  type ColumnSchema,
  isTyped,
  type ResultColumn,
  resultValue,
} from "../../types/mod.ts";
import { ColumnWriter } from "./column_writer.ts";
import { canonicalJson } from "./json_text.ts";
import { outOfRangeText, parseDecimal, ticksInRange } from "./limits.ts";
import { badText, nullRefused, outOfRange, type Place } from "./value_error.ts";

/** One column of several chunks, in order. */
export interface ColumnPart {
  readonly rows: number;
  readonly column: ResultColumn;
}

/** `firstRow` counts the rows of the statement that came before, for messages. */
export function resultColumn(
  parts: readonly ColumnPart[],
  column: ColumnSchema,
  table: string,
  firstRow: number,
): Column {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const writer = new ColumnWriter(column.type, rows);
  const put = putter(writer, column);
  for (const part of parts)
    for (let row = 0; row < part.rows; row++) {
      const value = isTyped(part.column) ? resultValue(part.column, row) : part.column[row];
      const place = () => ({ table, column, row: firstRow + writer.row + 1 });
      if (value !== null && value !== undefined) put(value, place);
      else if (column.nullable) writer.putNull();
      else throw nullRefused(place());
    }
  return writer.finish();
}

type Put = (value: unknown, place: () => Place) => void;

function putter(writer: ColumnWriter, column: ColumnSchema): Put {
  const type = column.type;
  switch (type.kind) {
    case "bool":
      return (value) => writer.putNumber(value === true || value === 1 ? 1 : 0);
    case "int64":
    case "uint64":
      return (value) => writer.putBigint(value as bigint);
    case "timestamp":
      return (value, place) => {
        if (!ticksInRange(value as bigint, type.unit))
          throw outOfRange(outOfRangeText(String(value), type), place());
        writer.putBigint(value as bigint);
      };
    case "decimal":
      return (value) => writer.putDecimal(parseDecimal(value as string, type.scale)!);
    case "string":
      return (value) => writer.putText(value as string);
    case "json":
      return (value, place) => {
        const text = canonicalJson(value as string);
        if (text === undefined) throw badText(value as string, "Json", place());
        writer.putText(text);
      };
    case "vector":
      return (value, place) => {
        const bytes = value as Uint8Array;
        if (bytes.length !== type.dim * 4)
          throw badText(`${bytes.length} bytes`, `Vector(${type.dim})`, place());
        writer.putBytes(bytes);
      };
    case "binary":
      return (value) => writer.putBytes(value as Uint8Array);
    default:
      return (value) => writer.putNumber(value as number);
  }
}
