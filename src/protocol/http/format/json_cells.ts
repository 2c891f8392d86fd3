/**
 * Cells of result columns as JSON texts, with every digit: 64-bit integers and timestamps as plain digits, floats always with a
 * fraction, NaN and infinities as null, binary as an array of bytes, Json columns nested. Pure.
 */
import {
  type ColumnType,
  floatText,
  isTyped,
  type ResultColumn,
  resultValue,
} from "../../../types/mod.ts";
import { isInterval, packedInterval } from "./interval.ts";

/** JSON texts of rows [from, to) of a column. */
export function jsonCells(
  column: ResultColumn,
  type: ColumnType,
  from: number,
  to: number,
): string[] {
  const cells: string[] = new Array(to - from);
  if (type.kind === "string" && !isTyped(column)) {
    stringCells(column, from, to, cells);
    return cells;
  }
  const write = cellWriter(type);
  for (let row = from; row < to; row++) {
    const value = resultValue(column, row);
    cells[row - from] = value === null || value === undefined ? "null" : write(value);
  }
  return cells;
}

/** Sorted tags repeat: the text of the row before is used again. */
function stringCells(column: readonly unknown[], from: number, to: number, cells: string[]): void {
  let last: unknown = null;
  let text = "null";
  for (let row = from; row < to; row++) {
    const value = column[row];
    if (value !== last) {
      last = value;
      text = value === null || value === undefined ? "null" : JSON.stringify(value);
    }
    cells[row - from] = text;
  }
}

function cellWriter(type: ColumnType): (value: unknown) => string {
  switch (type.kind) {
    case "float32":
    case "float64":
      return (value) => jsonFloat(value as number);
    case "bool":
      return (value) => (value === true || value === 1 ? "true" : "false");
    case "string":
    case "decimal":
      return (value) => JSON.stringify(value);
    case "json":
      return (value) => nestedJson(value as string);
    case "binary":
    case "vector":
      return (value) => `[${(value as Uint8Array).join(",")}]`;
    case "interval":
      return (value) => (isInterval(value) ? packedInterval(value).toString() : "null");
    case "list": {
      const item = cellWriter(type.item);
      return (value) =>
        `[${(value as readonly unknown[]).map((v) => (v === null ? "null" : item(v))).join(",")}]`;
    }
    case "struct": {
      const parts = type.fields.map(
        ([name, part]) => [name, `${JSON.stringify(name)}:`, cellWriter(part)] as const,
      );
      return (value) => {
        const fields = value as Readonly<Record<string, unknown>>;
        return `{${parts
          .map(([name, key, write]) => {
            const field = fields[name];
            return key + (field === null || field === undefined ? "null" : write(field));
          })
          .join(",")}}`;
      };
    }
    default:
      return (value) => String(value);
  }
}

/** A 32-bit float comes widened already: its 64-bit digits are shown, as in the reference. */
function jsonFloat(value: number): string {
  return Number.isFinite(value) ? floatText(value) : "null";
}

/** The text as it stands, so that its numbers keep their digits; as a string where it is not JSON after all. */
function nestedJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}
