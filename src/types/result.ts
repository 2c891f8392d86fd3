/** Results of a statement: affected rows, or records as a stream of column chunks. */
import type { ColumnType } from "./column_type.ts";

/**
 * One column of a result chunk, decoded from the engine: index by row, NULL is null.
 * bool → boolean; int8..int32, uint8..uint32, date (days) → number; int64, uint64, timestamp, duration, time
 * (ticks) → bigint; float → number (NaN and infinities included); string, json → string; binary, vector →
 * Uint8Array; decimal → string with its scale; interval → { months, days, nanos }; list → array; struct → object.
 */
export type ResultColumn = readonly unknown[] | ResultTypedColumn;

/** Fixed-width column without a copy: `values[row]`, NULL where the validity bit is 0. */
export interface ResultTypedColumn {
  readonly values: ArrayLike<number> | ArrayLike<bigint>;
  readonly validity?: Uint8Array | undefined;
}

export interface ResultChunk {
  readonly rows: number;
  readonly columns: readonly ResultColumn[];
}

export interface ResultField {
  readonly name: string;
  readonly type: ColumnType;
}

export type Output =
  | { readonly kind: "affected"; readonly rows: number }
  | {
      readonly kind: "records";
      readonly fields: readonly ResultField[];
      /** Consume to the end or call `return()`: it holds a snapshot and a connection. */
      readonly chunks: AsyncIterable<ResultChunk>;
    };

export function isTyped(column: ResultColumn): column is ResultTypedColumn {
  return !Array.isArray(column);
}

/** Value of a result column at a row, null when NULL. bool columns come as booleans only from array columns. */
export function resultValue(column: ResultColumn, row: number): unknown {
  if (!isTyped(column)) return column[row];
  if (column.validity !== undefined && ((column.validity[row >> 3]! >> (row & 7)) & 1) === 0)
    return null;
  return column.values[row];
}

/** Wraps rows that are already in memory (SHOW, DESC, information_schema) as a result. */
export function recordsOf(
  fields: readonly ResultField[],
  rows: readonly (readonly unknown[])[],
): Output {
  async function* chunks(): AsyncIterable<ResultChunk> {
    if (rows.length === 0) return;
    yield { rows: rows.length, columns: fields.map((_, i) => rows.map((row) => row[i])) };
  }
  return { kind: "records", fields, chunks: chunks() };
}
