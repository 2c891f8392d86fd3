/** Appends that wait, and the bytes of a group of them: what one write and one sync make durable together. */
import { crc32c } from "../codec/mod.ts";
import type { LogRecord } from "./api.ts";
import { encodeRecordHeader, RECORD_HEADER_BYTES } from "./format.ts";

/** A group ends above this, so that an append never waits for more than some tens of milliseconds of writing. */
const GROUP_BYTES_MAX = 16 * 1024 * 1024;
/** Parts that one writev takes on Linux and macOS (IOV_MAX). */
const GROUP_PARTS_MAX = 1024;

/** One append that has not been answered. */
export interface Waiting {
  readonly record: LogRecord;
  readonly payloadBytes: number;
  readonly payloadCrc: number;
  /** Header and payload. */
  readonly bytes: number;
  /** Monotonic time of the call. */
  readonly sinceMs: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function waiting(
  record: LogRecord,
  sinceMs: number,
  resolve: () => void,
  reject: (error: unknown) => void,
): Waiting {
  let payloadBytes = 0;
  let payloadCrc = 0;
  for (const part of record.payload) {
    payloadBytes += part.length;
    payloadCrc = crc32c(part, payloadCrc);
  }
  const bytes = RECORD_HEADER_BYTES + payloadBytes;
  return { record, payloadBytes, payloadCrc, bytes, sinceMs, resolve, reject };
}

/** Takes from the front of the queue what is written together: at least one. */
export function takeGroup(queue: Waiting[]): Waiting[] {
  let bytes = 0;
  let parts = 0;
  let taken = 0;
  for (const item of queue) {
    bytes += item.bytes;
    parts += 1 + item.record.payload.length;
    if (taken > 0 && (bytes > GROUP_BYTES_MAX || parts > GROUP_PARTS_MAX)) break;
    taken++;
  }
  return queue.splice(0, taken);
}

/** Headers and payloads in order, as they go into the file at `offset`. Payloads are not copied. */
export function groupParts(
  group: readonly Waiting[],
  segment: bigint,
  offset: number,
): Uint8Array[] {
  const headers = Buffer.allocUnsafe(group.length * RECORD_HEADER_BYTES);
  const parts: Uint8Array[] = [];
  let at = offset;
  for (const [index, { record, payloadBytes, payloadCrc, bytes }] of group.entries()) {
    const start = index * RECORD_HEADER_BYTES;
    encodeRecordHeader(headers, start, record, payloadBytes, payloadCrc, { segment, offset: at });
    parts.push(headers.subarray(start, start + RECORD_HEADER_BYTES), ...record.payload);
    at += bytes;
  }
  return parts;
}

export function groupBytes(group: readonly Waiting[]): number {
  return group.reduce((sum, item) => sum + item.bytes, 0);
}
