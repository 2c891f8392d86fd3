/** Rows of a batch taken out by number: what is left when some rows are refused. Copies; used only then. */
import { type Column, type FixedArray, isNull, isVar, type RegionBatch } from "../types/mod.ts";

/** The rows `keep` (ascending row numbers) of a column. */
export function pickRows(column: Column, keep: Uint32Array): Column {
  const rows = keep.length;
  const validity = column.validity === undefined ? undefined : new Uint8Array((rows + 7) >> 3);
  if (validity !== undefined)
    for (let to = 0; to < rows; to++)
      if (!isNull(column, keep[to]!)) validity[to >> 3]! |= 1 << (to & 7);
  if (!isVar(column)) return { type: column.type, values: pickValues(column, keep), validity };
  const offsets = new Uint32Array(rows + 1);
  for (let to = 0; to < rows; to++) {
    const from = keep[to]!;
    offsets[to + 1] = offsets[to]! + column.offsets[from + 1]! - column.offsets[from]!;
  }
  const bytes = new Uint8Array(offsets[rows]!);
  for (let to = 0; to < rows; to++) {
    const from = keep[to]!;
    bytes.set(column.bytes.subarray(column.offsets[from]!, column.offsets[from + 1]!), offsets[to]);
  }
  return { type: column.type, offsets, bytes, validity };
}

function pickValues(column: { values: FixedArray; type: Column["type"] }, keep: Uint32Array) {
  const { values } = column;
  // A decimal is two words a row.
  const width = column.type.kind === "decimal" ? 2 : 1;
  const Values = values.constructor as new (length: number) => FixedArray;
  const out = new Values(keep.length * width) as Float64Array;
  for (let to = 0; to < keep.length; to++)
    for (let word = 0; word < width; word++)
      out[to * width + word] = (values as Float64Array)[keep[to]! * width + word]!;
  return out as FixedArray;
}

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
