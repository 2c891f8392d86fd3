/** Decoded rows → schema merge → region write. The only place that adds columns on its own. */
import type { Precision } from "../kernel/mod.ts";
import type { NamedRows } from "../types/mod.ts";

export interface WriteHints {
  readonly autoCreateTable?: boolean;
  /** Table options for auto-created tables: ttl, append_mode, merge_mode, ... */
  readonly options: Readonly<Record<string, string>>;
}

export interface LineWrite {
  readonly db: string;
  readonly precision: Precision;
  /** The body, already inflated, in pieces. */
  readonly body: readonly Uint8Array[];
  readonly hints: WriteHints;
}

/** What became of a request: rows stored, and rows refused with a message each (first 100). */
export interface WriteReport {
  readonly rowsWritten: number;
  readonly rowsRefused: number;
  /** "line 2, column 7: cpu.usage is Float64, got String \"x\"" */
  readonly refusals: readonly string[];
  /** Of the refused rows: those for which only room was missing (series limit, memory), which may pass later. */
  readonly rowsOverLimit?: number;
}

export interface Ingestor {
  writeLines(write: LineWrite): Promise<WriteReport>;
  /** Existing table only (SQL INSERT): columns already converted to the table's types; missing ones take their default or NULL. */
  insertRows(rows: NamedRows): Promise<number>;
  /** Creates the table and adds columns as needed (later protocols). */
  mergeRows(rows: NamedRows, hints: WriteHints, source: string): Promise<WriteReport>;
}
