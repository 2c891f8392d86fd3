/**
 * Columns of rows on their way into or out of the engine. No I/O and no per-row objects here.
 *
 * Shapes: a column of `n` rows has a typed array of length ≥ n (fixed width), or `offsets` of length n + 1
 * into `bytes` (variable width). `validity` is a bitmap, bit i of byte i >> 3 (LSB first) is 1 when row i
 * is not NULL; absent means that no row is NULL. Values under a NULL are unspecified but readable.
 */
import type { ColumnType } from "./column_type.ts";

export type FixedArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

export interface FixedColumn {
  readonly type: ColumnType;
  /** Length ≥ rows. bool: Uint8Array of 0/1. date: Int32Array of days. timestamp: BigInt64Array of ticks.
   * decimal: BigInt64Array of 2 × rows, low word then high word of the scaled integer. */
  readonly values: FixedArray;
  readonly validity?: Uint8Array | undefined;
}

export interface VarColumn {
  readonly type: ColumnType;
  /** Length rows + 1, ascending, into `bytes`. */
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
  readonly validity?: Uint8Array | undefined;
}

export type Column = FixedColumn | VarColumn;

export function isVar(column: Column): column is VarColumn {
  return "offsets" in column;
}

export function isNull(column: Column, row: number): boolean {
  return column.validity !== undefined && ((column.validity[row >> 3]! >> (row & 7)) & 1) === 0;
}

/** Rows of one region whose tags are already a series id. The unit that storage, WAL and memtable share. */
export interface RegionBatch {
  readonly rows: number;
  /** Length rows: dense id of the series within the region. */
  readonly sids: Uint32Array;
  /** Length rows: ticks of the time index's unit. */
  readonly times: BigInt64Array;
  /** Fields present in the batch, by column id. A field of the table that is absent is NULL in every row. */
  readonly fields: readonly { readonly id: number; readonly column: Column }[];
}

/** Approximate bytes of a column, for the memory budget. */
export function columnBytes(column: Column): number {
  const nulls = column.validity?.byteLength ?? 0;
  return isVar(column)
    ? column.offsets.byteLength + column.bytes.byteLength + nulls
    : column.values.byteLength + nulls;
}

export function batchBytes(batch: RegionBatch): number {
  let bytes = batch.sids.byteLength + batch.times.byteLength;
  for (const field of batch.fields) bytes += columnBytes(field.column);
  return bytes;
}

/** Rows of one table with named columns, from SQL INSERT and later protocols. */
export interface NamedRows {
  readonly db: string;
  readonly table: string;
  readonly rows: number;
  readonly columns: readonly {
    readonly name: string;
    readonly role: "tag" | "field" | "time";
    readonly type: ColumnType;
    readonly column: Column;
  }[];
}
