/**
 * Where batches come from: a generator, or a file that a generator filled before.
 * A batch is a request body of whole lines; sources hand them out in order, once.
 */

/** Lines and bytes written into the caller's buffer. */
export interface Filled {
  readonly rows: number;
  readonly bytes: number;
}

export interface LineGenerator {
  /** No line of this workload is longer, newline included. */
  readonly lineBytesMax: number;
  /** Lines in the whole workload. */
  readonly rowsTotal: number;
  /**
   * Writes the next lines, at most `rowsMax`, to `into` from `at` on; 0 rows means the end.
   * `into` must have room for `rowsMax` of the longest lines: what follows the last line written may
   * be overwritten up to there.
   */
  fill(into: Uint8Array, at: number, rowsMax: number): Filled;
}

/** What the loader sends, batch by batch. */
export interface BatchSource {
  /** No batch is longer, in bytes. */
  readonly batchBytesMax: number;
  readonly rowsTotal: number;
  readonly batchesTotal: number;
  /** Puts the next batch into `into` from `at` on; 0 rows means the end. One call at a time. */
  next(into: Uint8Array, at: number): Promise<Filled>;
  close(): Promise<void>;
}

/** Batches made on the fly; for loads whose speed is not what is measured. */
export function generated(lines: LineGenerator, batchRows: number): BatchSource {
  return {
    batchBytesMax: lines.lineBytesMax * batchRows,
    rowsTotal: lines.rowsTotal,
    batchesTotal: Math.ceil(lines.rowsTotal / batchRows),
    next: async (into, at) => lines.fill(into, at, batchRows),
    close: async () => {},
  };
}
