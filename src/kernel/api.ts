/**
 * What the WASM kernels offer to TypeScript. One instance, one linear memory; calls are synchronous and
 * never re-entrant. Everything returned is a copy owned by the caller, unless it says "view".
 *
 * A **slot** is the kernel's handle for one table's first region (u32, never reused within a process): it knows the
 * table's tags and fields by dense index, in the order they were bound or first seen, and owns the region's
 * series dictionary (tag values → dense sid) and the last time written per series.
 */
import type { Column, RegionBatch } from "../types/mod.ts";
import type { RowEncoder } from "./row_encoder_api.ts";

export type Precision = "ns" | "us" | "ms" | "s" | "m" | "h";

/** Kinds of field the kernel decodes. Other column types reach storage through other paths. */
export type KernelKind = "float64" | "int64" | "uint64" | "bool" | "string";

/** Why a line was refused. TypeScript turns it into a message with names. */
export interface LineError {
  /** 1-based line in the body. */
  readonly line: number;
  /** 1-based byte within the line. */
  readonly column: number;
  readonly code:
    | "no_measurement"
    | "bad_tag"
    | "empty_tag_value"
    | "no_fields"
    | "bad_field"
    | "bad_number"
    | "bad_bool"
    | "unterminated_string"
    | "bad_timestamp"
    | "timestamp_out_of_range"
    | "type_conflict"
    | "tag_is_field"
    | "field_is_tag"
    | "trailing_backslash"
    | "bad_utf8"
    | "series_limit"
    | "duplicate_field"
    | "name_too_long"
    | "too_many_columns"
    | "memory";
  /** The measurement, when the line got that far. */
  readonly table?: string;
  /** The slot, unless the line alone would have made it; the column the error is about; the kinds of a conflict. */
  readonly slot?: number;
  readonly name?: string;
  readonly expected?: KernelKind | "tag";
  readonly found?: KernelKind | "tag";
}

/** Rows of one table, decoded from one request. */
export interface ParsedTable {
  readonly slot: number;
  readonly table: string;
  readonly rows: number;
  readonly sids: Uint32Array;
  /** Nanoseconds, whatever the precision of the request. */
  readonly timesNs: BigInt64Array;
  /** `index` is the slot's field index. Only fields that at least one row carries. */
  readonly fields: readonly {
    readonly index: number;
    readonly name: string;
    readonly kind: KernelKind;
    readonly column: Column;
  }[];
  /** 1-based line of each row, for errors found after parsing. Length rows. */
  readonly lines: Uint32Array;
}

export interface ParsedBody {
  readonly tables: readonly ParsedTable[];
  /** At most 100; `errorCount` has the total. */
  readonly errors: readonly LineError[];
  readonly errorCount: number;
  /** Non-blank, non-comment lines seen. */
  readonly lines: number;
}

/** Names of a slot's columns, by index, with what is bound to the catalog. */
export interface SlotInfo {
  readonly table: string;
  readonly tags: readonly string[];
  /** An unbound column keeps its place, with the name "". */
  readonly fields: readonly { readonly name: string; readonly kind: KernelKind | "opaque" }[];
  readonly series: number;
}

/** One series' tag values, by the slot's tag index; absent tags are left out. */
export interface SeriesTags {
  readonly sid: number;
  readonly tags: readonly { readonly index: number; readonly value: string }[];
}

export interface Kernel {
  /**
   * Decodes a line protocol body for database `db` (any small integer handle). `chunks` are copied into the kernel.
   * `nowNs` stamps rows without a time (truncated to the precision). A bad line is refused alone.
   * New measurements get a slot, new tag and field names an index, new series a sid, at once.
   */
  parseLines(
    db: number,
    chunks: readonly Uint8Array[],
    precision: Precision,
    nowNs: bigint,
  ): ParsedBody;

  /** The slot of a table, created when absent. */
  slot(db: number, table: string): number;
  /** The slot of a table if there is one. */
  findSlot(db: number, table: string): number | undefined;
  slotInfo(slot: number): SlotInfo;
  /** Declares a tag; returns its index. Idempotent. */
  bindTag(slot: number, name: string): number;
  /**
   * Declares a field with the catalog's kind ("opaque" when the kernel cannot decode the column's type: a line
   * that writes it is a type_conflict); returns its index. Rebinding replaces the kind.
   */
  bindField(slot: number, name: string, kind: KernelKind | "opaque"): number;
  /** A field or tag was dropped or renamed: forget the name (its index is never reused). */
  unbind(slot: number, name: string): void;
  /** Forgets a table: its name leads to a new slot from now on; its dictionary is freed or reused. */
  closeSlot(slot: number): void;
  /** The table got another name. */
  renameSlot(slot: number, table: string): void;

  /**
   * Sid of each row from tag columns (utf-8 VarColumns by tag index, NULL = tag absent), for writers that are not line protocol.
   * An empty string value counts as absent. Throws DbError resources_exhausted at the series limit.
   */
  seriesOf(
    slot: number,
    tags: readonly { readonly index: number; readonly column: Column }[],
    rows: number,
  ): Uint32Array;
  seriesCount(slot: number): number;
  /** Tags of the series [from, to), for the WAL, the series files and the DuckDB series table. */
  seriesTags(slot: number, from: number, to: number): SeriesTags[];
  /** The same in the compact bytes of docs/format/series.md, keyed by `columnIds[tag index]`; and back (sids must be the next ones or equal; returns how many were new). */
  encodeSeries(slot: number, from: number, to: number, columnIds: Uint32Array): Uint8Array;
  decodeSeries(
    slot: number,
    bytes: Uint8Array,
    indexOfColumnId: (id: number) => number | undefined,
  ): number;
  /** Series as columns, one utf-8 VarColumn per tag index, rows = to - from: feeds DuckDB without strings in between. */
  seriesColumns(slot: number, from: number, to: number): Column[];

  /**
   * Splits rows into in-order ones (newer than the last time of their series and than everything before them in this
   * call) and late ones, and advances the last times. Returns the row numbers of the late rows, ascending (usually empty).
   */
  splitLate(slot: number, sids: Uint32Array, times: BigInt64Array, rows: number): Uint32Array;
  /** Series with sid < seriesBelow count as last written at `time` at the earliest (after a restart). */
  raiseLastTimes(slot: number, seriesBelow: number, time: bigint): void;
  /** TRUNCATE: nothing was ever written. */
  clearLastTimes(slot: number): void;
  /** Last time of each series [0, seriesCount), min i64 when never written. A copy. */
  lastTimes(slot: number): BigInt64Array;

  /** Compact WAL form of a batch (docs/format/wal.md, "columns"), and back. */
  encodeBatch(batch: RegionBatch): Uint8Array;
  decodeBatch(bytes: Uint8Array): RegionBatch;

  /** Encodes columns of rows for a Parquet file, `order` telling the row of each output row; at most `chunkRowsMax` rows at a time. */
  encodeRows(order: Uint32Array, chunkRowsMax: number): RowEncoder;

  crc32c(bytes: Uint8Array, seed?: number): number;
  /** Bytes of linear memory, and of it in use by dictionaries. */
  memoryBytes(): { readonly total: number; readonly dictionaries: number };
}

export interface KernelLimits {
  /** Over all slots; past it a new series is refused with `series_limit`. */
  readonly seriesMax: number;
  /** Per table. */
  readonly columnsMax: number;
  /** Most bytes of linear memory; past it rows are refused with `memory`, other calls throw resources_exhausted. Default 4 GiB. */
  readonly memoryBytesMax?: number;
}
