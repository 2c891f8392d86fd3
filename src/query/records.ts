/**
 * Results made in memory (SHOW, DESC, EXPLAIN) and small helpers around result chunks.
 * A result is an Output; a table of it is fields and rows.
 */
import {
  isTyped,
  type Output,
  type ResultChunk,
  type ResultField,
  resultValue,
  T,
} from "../types/mod.ts";

export interface Rows {
  readonly fields: readonly ResultField[];
  readonly rows: readonly (readonly unknown[])[];
}

export const affected = (rows: number): Output => ({ kind: "affected", rows });

/** Fields that are all strings, by heading. */
export function textFields(...headings: string[]): ResultField[] {
  return headings.map((name) => ({ name, type: T.string }));
}

/** All rows of a stream, as arrays of values. For answers that are small by nature. */
export async function collect(chunks: AsyncIterable<ResultChunk>): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const chunk of chunks)
    for (let row = 0; row < chunk.rows; row++)
      rows.push(
        chunk.columns.map((column) => (isTyped(column) ? resultValue(column, row) : column[row])),
      );
  return rows;
}
