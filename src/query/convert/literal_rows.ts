/**
 * The fast path of INSERT … VALUES: cells of literals → typed columns, column by column, with no object per value.
 */
import { unreachable } from "../../base/mod.ts";
import { CELL, cellText, type LiteralRows } from "../../sql/mod.ts";
import type { Column, ColumnSchema } from "../../types/mod.ts";
import { ColumnWriter } from "./column_writer.ts";
import { LiteralReader, type LiteralRules } from "./literal_reader.ts";

/** Values at `position` of every row as a column of the schema's type. Throws DbErrors that name the row. */
export function literalColumn(
  rows: LiteralRows,
  position: number,
  column: ColumnSchema,
  rules: LiteralRules,
): Column {
  const writer = new ColumnWriter(column.type, rows.rows);
  const reader = new LiteralReader(column, writer, rules);
  const { kinds, width } = rows;
  for (let row = 0, cell = position; row < rows.rows; row++, cell += width) {
    reader.row = row;
    readCell(reader, rows, cell, kinds[cell]!);
  }
  return writer.finish();
}

function readCell(reader: LiteralReader, rows: LiteralRows, cell: number, kind: number): void {
  switch (kind) {
    case CELL.null:
      reader.nothing();
      return;
    case CELL.default:
      reader.default();
      return;
    case CELL.true:
      reader.bool(true);
      return;
    case CELL.false:
      reader.bool(false);
      return;
    case CELL.integer:
      reader.integer(cellText(rows, cell));
      return;
    case CELL.decimal:
      reader.decimal(cellText(rows, cell));
      return;
    case CELL.string:
    case CELL.escaped:
      reader.text(cellText(rows, cell));
      return;
    case CELL.hex:
      reader.bytes(cellText(rows, cell));
      return;
    default:
      unreachable(kind as never);
  }
}
