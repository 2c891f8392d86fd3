/**
 * `csv`, `csvWithNames`, `csvWithNamesAndTypes`: RFC 4180 with CRLF. NULL is an empty cell; an empty string is quoted, so that the two
 * can be told apart. Numbers and timestamps as in JSON, except that NaN and infinities keep their names.
 */
import {
  type ColumnType,
  floatText,
  type ResultColumn,
  type ResultField,
  resultValue,
  typeName,
} from "../../../types/mod.ts";
import type { Format } from "./api.ts";
import { jsonCells } from "./json_cells.ts";

const END = "\r\n";

function csvFormat(name: string, names: boolean, types: boolean): Format {
  return {
    name,
    contentType: "text/csv; charset=utf-8",
    single: true,
    async *encode(outputs) {
      for await (const output of outputs) {
        if (output.kind === "affected") {
          yield `${output.rows}${END}`;
          continue;
        }
        if (names) yield line(output.fields.map((field) => quoted(field.name)));
        if (types) yield line(output.fields.map((field) => quoted(typeName(field.type))));
        for await (const chunk of output.chunks) {
          const columns = output.fields.map((field, i) =>
            cells(chunk.columns[i]!, field, chunk.rows),
          );
          let text = "";
          for (let row = 0; row < chunk.rows; row++)
            text += line(columns.map((column) => column[row]!));
          if (text !== "") yield text;
        }
      }
    },
  };
}

export const csv = csvFormat("csv", false, false);
export const csvWithNames = csvFormat("csvWithNames", true, false);
export const csvWithNamesAndTypes = csvFormat("csvWithNamesAndTypes", true, true);

function line(items: readonly string[]): string {
  return items.join(",") + END;
}

function cells(column: ResultColumn, field: ResultField, rows: number): string[] {
  const text = plainText(field.type);
  if (text === undefined)
    return jsonCells(column, field.type, 0, rows).map((cell) =>
      cell === "null" ? "" : quoted(cell),
    );
  return Array.from({ length: rows }, (_, row) => {
    const value = resultValue(column, row);
    return value === null || value === undefined ? "" : text(value);
  });
}

/** Types whose cell is not their JSON. */
function plainText(type: ColumnType): ((value: unknown) => string) | undefined {
  switch (type.kind) {
    case "string":
    case "json":
    case "decimal":
      return (value) => quoted(value as string);
    case "float32":
      return (value) => floatText(value as number, 32);
    case "float64":
      return (value) => floatText(value as number);
    default:
      return undefined;
  }
}

function quoted(text: string): string {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
