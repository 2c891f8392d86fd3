/**
 * What the kernels offer to a writer of Parquet files: the values of column chunks, encoded. Pages, statistics and the footer around them
 * are the writer's (src/parquet). Everything returned is a copy owned by the caller.
 */
import type { Column, ColumnType } from "../types/mod.ts";

export type ChunkEncoding = "plain" | "delta" | "delta_length" | "rle" | "dictionary";

export interface EncodedPage {
  readonly rows: number;
  readonly nulls: number;
  /** Definition levels, a hybrid of width 1 (0 NULL, 1 not); empty for a required column. */
  readonly levels: Uint8Array;
  /** For "dictionary": a byte with the width of the indices, then their hybrid. */
  readonly values: Uint8Array;
  /** When `values` are compressed, as an LZ4 block: their bytes without it. */
  readonly plainBytes: number | undefined;
}

export interface EncodedChunk {
  /** "plain" when all values are NULL. */
  readonly encoding: ChunkEncoding;
  /** PLAIN, for "dictionary" only. */
  readonly dictionary: { readonly entries: number; readonly bytes: Uint8Array } | undefined;
  /** Pages of texts are encoded as they are taken, once, and before the next call of the encoder. */
  readonly pages: Iterable<EncodedPage>;
  readonly nulls: number;
  /**
   * Least and greatest value, PLAIN without length, as the column's type orders them; absent when all are NULL or one is a NaN.
   */
  readonly range: { readonly low: Uint8Array; readonly high: Uint8Array } | undefined;
}

/** How a column's values are stored: what the writer has to declare in the file's schema. */
export type Physical = "boolean" | "int32" | "int64" | "float" | "double" | "bytes" | "wide";

/**
 * Encodes columns of one set of rows, one column after the other. Calls are synchronous, but other calls of the kernel may come between
 * two of them, so that the caller can give way. Holds memory of the kernel until `free`.
 */
export interface RowEncoder {
  /** Begins a column of `rows` values, texts of at most `textBytes` together, of which pieces follow; forgets the one before. */
  begin(type: ColumnType, required: boolean, rows: number, textBytes: number): void;
  /** The next `rows` values, all NULL when `piece` is undefined. */
  add(piece: Column | undefined, rows: number): void;
  /** Encodes output rows [from, to) of a column that has a value per row. */
  rows(from: number, to: number): EncodedChunk;
  /** Encodes output rows of a column that has a value per run: value `first` + i holds for the next `counts[i]` rows. */
  runs(first: number, counts: Uint32Array): EncodedChunk;
  /** Gives all memory back. */
  free(): void;
}

/**
 * How the values of a type are stored. Decimals of up to 18 digits are integers; times in seconds and milliseconds are microseconds,
 * because Parquet has no seconds and DuckDB reads milliseconds as microseconds.
 */
export function physicalOf(type: ColumnType): Physical {
  switch (type.kind) {
    case "bool":
      return "boolean";
    case "int64":
    case "uint64":
    case "timestamp":
      return "int64";
    case "float32":
      return "float";
    case "float64":
      return "double";
    case "decimal":
      return type.precision <= 9 ? "int32" : type.precision <= 18 ? "int64" : "wide";
    case "string":
    case "json":
    case "binary":
    case "vector":
      return "bytes";
    default:
      return "int32";
  }
}
