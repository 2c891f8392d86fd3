/** The log store: one append-only log for all regions, in order, durable before it answers. Knows no tables and no columns. */

export type SyncPolicy = "always" | "interval" | "none";

export type RecordKind = "rows" | "delete";

/** One change of one region. Sequences grow by region; a record covers [sequence, sequence + rows). */
export interface LogRecord {
  readonly region: bigint;
  readonly kind: RecordKind;
  readonly sequence: bigint;
  readonly rows: number;
  /** Opaque; written as the concatenation of the parts. */
  readonly payload: readonly Uint8Array[];
}

export interface ReplayedRecord extends Omit<LogRecord, "payload"> {
  readonly payload: Uint8Array;
}

export interface ReplayReport {
  readonly segments: number;
  readonly records: number;
  readonly bytes: number;
  /** Records not handed out because an SST already holds them. */
  readonly skipped: number;
  /** Bytes cut from the torn tail. */
  readonly tornBytes: number;
  /** Damaged stretches that were quarantined (copied aside, counted, skipped). */
  readonly damages: readonly {
    readonly segment: string;
    readonly offset: number;
    readonly why: string;
  }[];
}

export interface LogStore {
  /**
   * Resolves when durable under the policy ("always": after a group-committed fdatasync; "interval": after write; "none": after write).
   * Appends resolve in the order they were called. After a failed write (ENOSPC, EIO) rejects with DbError storage_unavailable,
   * every append queued behind it is rejected too, nothing of them is replayed later, and the store keeps working when space returns.
   */
  append(record: LogRecord): Promise<void>;
  /**
   * Reads every record once, in order; `flushed` gives the first sequence a region still needs, or undefined for a region that is gone.
   * Awaits `visit`, so memory stays bounded. Call once, before the first append.
   */
  replay(
    needed: (region: bigint) => bigint | undefined,
    visit: (record: ReplayedRecord) => Promise<void> | void,
    progress?: (doneBytes: number, totalBytes: number) => void,
  ): Promise<ReplayReport>;
  /** Deletes closed segments in which every record is below its region's first needed sequence. */
  trim(needed: (region: bigint) => bigint | undefined): Promise<number>;
  /** Bytes in all segments, for metrics and for the flush policy. */
  readonly bytes: number;
  /** The oldest segment's regions that keep it alive, for "flush this first". */
  oldestRegions(): bigint[];
  close(): Promise<void>;
}
