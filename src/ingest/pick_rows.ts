/** Rows of a batch taken out by number: what is left when some rows are refused. Copies; used only then. */
import { pickRows, type RegionBatch } from "../types/mod.ts";

/** The batch without the rows marked in `refused` (one byte a row). */
export function withoutRows(batch: RegionBatch, refused: Uint8Array): RegionBatch {
  const keep = Uint32Array.from({ length: batch.rows }, (_, row) => row).filter(
    (row) => refused[row] === 0,
  );
  if (keep.length === batch.rows) return batch;
  const sids = new Uint32Array(keep.length);
  const times = new BigInt64Array(keep.length);
  for (let to = 0; to < keep.length; to++) {
    sids[to] = batch.sids[keep[to]!]!;
    times[to] = batch.times[keep[to]!]!;
  }
  const fields = batch.fields.map(({ id, column }) => ({ id, column: pickRows(column, keep) }));
  return { rows: keep.length, sids, times, fields };
}
