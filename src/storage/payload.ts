/**
 * Payload of a WAL record (docs/format/wal.md): length of the series block u32 LE, the series block (series that this record is the
 * first to use; docs/format/series.md), then the columns of the batch (docs/format/columns.md). A delete has a batch without fields.
 */
import { DbError } from "../base/mod.ts";

const headerBytes = 4;

export function joinPayload(series: Uint8Array, batch: Uint8Array): Uint8Array[] {
  const header = new Uint8Array(headerBytes);
  new DataView(header.buffer).setUint32(0, series.byteLength, true);
  return series.byteLength === 0 ? [header, batch] : [header, series, batch];
}

/** Throws unexpected when the payload is not one of ours; the caller reports and skips the record. */
export function splitPayload(payload: Uint8Array): {
  readonly series: Uint8Array;
  readonly batch: Uint8Array;
} {
  if (payload.byteLength < headerBytes)
    throw new DbError("unexpected", "WAL payload is shorter than its header");
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const length = view.getUint32(0, true);
  if (headerBytes + length > payload.byteLength)
    throw new DbError(
      "unexpected",
      `WAL payload has ${payload.byteLength} bytes, its series block says ${length}`,
    );
  return {
    series: payload.subarray(headerBytes, headerBytes + length),
    batch: payload.subarray(headerBytes + length),
  };
}
