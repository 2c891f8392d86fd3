/** The region engine as catalog, ingest and query see it. */
import type { RegionBatch, TableSchema } from "../types/mod.ts";

/** What to read. Times are ticks of the time index, [min, max]; undefined is open. */
export interface ScanRequest {
  /** Column ids the caller needs (time index and tags included where needed). */
  readonly columns: readonly number[];
  readonly timeMin?: bigint | undefined;
  readonly timeMax?: bigint | undefined;
  /** Tags known to be one of these values (null = absent): prunes, and need not be exact. */
  readonly tagIn?:
    | readonly { readonly id: number; readonly values: readonly (string | null)[] }[]
    | undefined;
}

/**
 * A snapshot, as a DuckDB relation: `relation` goes into FROM, with columns named `c<id>` of duckTypeName(type).
 * Deduplicated and free of deleted rows; filters of the caller go outside (DuckDB pushes them as far as they may go).
 * Time bounds of the request are applied inside. Call `release` exactly once, after the last chunk was read.
 */
export interface Scan {
  readonly relation: string;
  /** For EXPLAIN: sources, pruning, merge decision. */
  readonly notes: readonly string[];
  /** After the engine failed on the relation with this text: looks whether files are damaged; throws a DbError that names one. */
  check(error: string): Promise<void>;
  release(): void;
}

export interface RegionStats {
  readonly regionId: bigint;
  /** Upper bound: versions not yet merged count. */
  readonly rows: number;
  readonly memtableBytes: number;
  readonly memtableRows: number;
  readonly sstBytes: number;
  readonly sstFiles: number;
  readonly sstRows: number;
  readonly manifestBytes: number;
  readonly series: number;
  readonly committedSequence: bigint;
  readonly flushedSequence: bigint;
  readonly manifestVersion: number;
}

export interface SstInfo {
  readonly fileId: string;
  readonly path: string;
  readonly bytes: number;
  readonly rows: number;
  readonly level: 0 | 1;
  readonly late: boolean;
  readonly minTime: bigint;
  readonly maxTime: bigint;
  readonly maxSequence: bigint;
}

export interface Region {
  readonly id: bigint;
  readonly schema: TableSchema;
  /** The kernel slot that holds this region's series dictionary. */
  readonly slot: number;
  /**
   * Validated rows: logged, applied, visible, in that order, before it resolves. Column ids and types must be those of the
   * region's schema (a concurrent change is fine: unknown ids are refused as Bug, dropped ids are ignored).
   * Throws rate_limited / resources_exhausted under back-pressure that does not end, storage_unavailable when the disk refuses.
   */
  write(batch: RegionBatch): Promise<void>;
  /** Tombstones for (sid, time) pairs. Refused in append mode (invalid_arguments). */
  delete(sids: Uint32Array, times: BigInt64Array): Promise<void>;
  /**
   * The region writes and reads by the schema from here on. `commit` makes the change durable in the catalog; it runs when everything of
   * another kind is in files and before the first row of the new kind is logged, so that a crash at any moment finds log and catalog in
   * step. When it throws, or flushing before it, nothing has changed.
   */
  setSchema(schema: TableSchema, commit?: () => Promise<void>): Promise<void>;
  truncate(): Promise<void>;
  /** Writes the memtable to SSTs. Resolves when the manifest has them. */
  flush(reason: string): Promise<void>;
  compact(options?: {
    readonly strictWindow?: boolean;
    readonly windowSec?: number;
  }): Promise<void>;
  scan(request: ScanRequest): Promise<Scan>;
  stats(): RegionStats;
  files(): SstInfo[];
}

export interface StorageEngine {
  /** Makes a new, empty region durable. `slot` is the kernel slot, bound to the schema by the caller of `openTable` helpers in storage. */
  createRegion(
    db: { readonly handle: number; readonly name: string },
    table: string,
    schema: TableSchema,
    regionNumber: number,
  ): Promise<Region>;
  /** Opens what a former process left. Call for every region of the catalog, then `recover`. */
  openRegion(
    db: { readonly handle: number; readonly name: string },
    table: string,
    schema: TableSchema,
    regionNumber: number,
  ): Promise<Region>;
  /** Replays the log into the opened regions, removes orphan files and regions, starts background work. */
  recover(progress?: (doneBytes: number, totalBytes: number) => void): Promise<void>;
  dropRegion(id: bigint): Promise<void>;
  region(id: bigint): Region | undefined;
  regions(): Iterable<Region>;
  /** Refuses new writes, flushes everything, stops. */
  close(): Promise<void>;
}
