/**
 * `table`: an ASCII frame as wide as its widest cells. Needs all rows before the first line, so it holds them, up to a limit.
 */
import { DbError, formatBytes } from "../../../base/mod.ts";
import { type ResultChunk, type ResultField, resultValue } from "../../../types/mod.ts";
import type { Format } from "./api.ts";
import { displayWidth } from "./display_width.ts";
import { prettyWriter } from "./pretty_text.ts";

/** A table that nobody can read anyway; the other formats stream. */
const CELL_BYTES_MAX = 64 * 1024 * 1024;
/** Lines joined into one piece of the answer. */
const LINES_PER_PIECE = 1_024;

export const table: Format = {
  name: "table",
  contentType: "text/plain; charset=utf-8",
  single: true,
  async *encode(outputs) {
    for await (const output of outputs) {
      if (output.kind === "affected") yield `Affected Rows: ${output.rows}\n`;
      else yield* framed(output.fields, output.chunks);
    }
  },
};

async function* framed(
  fields: readonly ResultField[],
  chunks: AsyncIterable<ResultChunk>,
): AsyncGenerator<string, void, void> {
  const writers = fields.map((field) => prettyWriter(field.type));
  const rows: string[][] = [];
  let bytes = 0;
  for await (const chunk of chunks)
    for (let row = 0; row < chunk.rows; row++) {
      const cells = writers.map((write, i) => {
        const value = resultValue(chunk.columns[i]!, row);
        return value === null || value === undefined ? "" : write(value);
      });
      for (const cell of cells) bytes += cell.length;
      if (bytes > CELL_BYTES_MAX)
        throw new DbError(
          "resources_exhausted",
          `format=table holds at most ${formatBytes(CELL_BYTES_MAX)}: use limit, or another format`,
        );
      rows.push(cells);
    }
  // No batch, no header: what the reference's printer makes of an empty result.
  if (rows.length === 0) {
    yield "++\n++\n";
    return;
  }
  const header = fields.map((field) => field.name);
  const widths = header.map((_, i) => columnWidth(header, rows, i));
  const rule = `+${widths.map((width) => "-".repeat(width + 2)).join("+")}+\n`;
  let piece = rule + line(header, widths) + rule;
  for (const [i, row] of rows.entries()) {
    piece += line(row, widths);
    if ((i + 1) % LINES_PER_PIECE !== 0) continue;
    yield piece;
    piece = "";
  }
  yield piece + rule;
}

function columnWidth(header: readonly string[], rows: readonly string[][], i: number): number {
  let width = widest(header[i]!);
  for (const row of rows) width = Math.max(width, widest(row[i]!));
  return width;
}

function widest(cell: string): number {
  if (!cell.includes("\n")) return displayWidth(cell);
  return Math.max(...cell.split("\n").map(displayWidth));
}

/** A row; a cell of several lines makes the row as high. */
function line(cells: readonly string[], widths: readonly number[]): string {
  if (!cells.some((cell) => cell.includes("\n"))) return oneLine(cells, widths);
  const split = cells.map((cell) => cell.split("\n"));
  const height = Math.max(...split.map((lines) => lines.length));
  let text = "";
  for (let i = 0; i < height; i++)
    text += oneLine(
      split.map((lines) => lines[i] ?? ""),
      widths,
    );
  return text;
}

function oneLine(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, i) => ` ${cell}${" ".repeat(widths[i]! - displayWidth(cell))} `);
  return `|${padded.join("|")}|\n`;
}
