/**
 * The bytes of a log segment: its header and the header of a record. docs/format/wal.md draws them.
 * Pure functions. Both checksums of a record depend on where it stands (segment number and offset), so bytes that look like a
 * record but were written elsewhere, as a payload for example, never count as one.
 */
import { assert } from "../base/mod.ts";
import { crc32c } from "../codec/mod.ts";
import type { LogRecord, RecordKind } from "./api.ts";

/** Raised when a reader of the old format would misread the new one. */
export const FORMAT_VERSION = 1;

export const SEGMENT_HEADER_BYTES = 48;
export const RECORD_HEADER_BYTES = 40;

/** A length above this is damage; an append above it is refused. 256 MiB is 16 times the largest request of the defaults. */
export const PAYLOAD_BYTES_MAX = 256 * 1024 * 1024;

const SEGMENT_MAGIC = Buffer.from("TIDEWAL\n", "latin1");
/** Starts every record; the scan for the next record after damage looks for it. */
const RECORD_MAGIC = Buffer.from([0xf7, 0x54, 0x57, 0x52]);
const RECORD_MAGIC_U32 = RECORD_MAGIC.readUInt32LE(0);

const KIND_CODES: Readonly<Record<RecordKind, number>> = { rows: 1, delete: 2 };
const KINDS: readonly (RecordKind | undefined)[] = [undefined, "rows", "delete"];

export interface SegmentHeader {
  readonly number: bigint;
  /** The segment before this one, and where its good bytes end. 0n = this is the first. */
  readonly previous: bigint;
  readonly previousBytes: number;
  /** Wall clock, nanoseconds; for people only. */
  readonly createdNs: bigint;
}

export interface RecordHeader {
  readonly kind: RecordKind;
  readonly region: bigint;
  readonly sequence: bigint;
  readonly rows: number;
  readonly payloadBytes: number;
  readonly payloadCrc: number;
}

export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

const bad = (why: string): { ok: false; why: string } => ({ ok: false, why });

export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const b = Buffer.alloc(SEGMENT_HEADER_BYTES);
  SEGMENT_MAGIC.copy(b, 0);
  b.writeUInt32LE(FORMAT_VERSION, 8);
  b.writeBigUInt64LE(header.number, 16);
  b.writeBigUInt64LE(header.previous, 24);
  b.writeBigUInt64LE(BigInt(header.previousBytes), 32);
  b.writeBigInt64LE(header.createdNs, 40);
  b.writeUInt32LE(segmentCrc(b), 12);
  return b;
}

/** `version` is set when the header is sound but of another format. */
export function decodeSegmentHeader(
  bytes: Uint8Array,
): Decoded<SegmentHeader> & { version?: number } {
  const b = asBuffer(bytes);
  if (b.length < SEGMENT_HEADER_BYTES) return bad(`segment header of ${b.length} bytes`);
  if (!b.subarray(0, 8).equals(SEGMENT_MAGIC)) return bad("segment magic");
  const crc = b.readUInt32LE(12);
  if (crc !== segmentCrc(b))
    return bad(`segment header crc ${hex(crc)}, want ${hex(segmentCrc(b))}`);
  const version = b.readUInt32LE(8);
  if (version !== FORMAT_VERSION) return { ...bad(`format ${version}`), version };
  const value = {
    number: b.readBigUInt64LE(16),
    previous: b.readBigUInt64LE(24),
    previousBytes: Number(b.readBigUInt64LE(32)),
    createdNs: b.readBigInt64LE(40),
  };
  return { ok: true, value };
}

/** Over the header without its own checksum, in two pieces. */
function segmentCrc(b: Buffer): number {
  return crc32c(b.subarray(16, SEGMENT_HEADER_BYTES), crc32c(b.subarray(0, 12)));
}

/** Where a record stands; part of its checksums. */
export interface Position {
  readonly segment: bigint;
  readonly offset: number;
}

/** Writes RECORD_HEADER_BYTES at `at`. */
export function encodeRecordHeader(
  b: Buffer,
  at: number,
  record: Omit<LogRecord, "payload">,
  payloadBytes: number,
  crc: number,
  position: Position,
): void {
  assert(payloadBytes <= PAYLOAD_BYTES_MAX, "the payload is within its limit");
  RECORD_MAGIC.copy(b, at);
  b.writeUInt32LE(crc, at + 8);
  b.writeUInt32LE(payloadBytes, at + 12);
  b.writeBigUInt64LE(record.region, at + 16);
  b.writeBigUInt64LE(record.sequence, at + 24);
  b.writeUInt32LE(record.rows, at + 32);
  b.writeUInt32LE(KIND_CODES[record.kind], at + 36);
  b.writeUInt32LE(headerCrc(b, at, position), at + 4);
}

/** Checks magic, checksum, kind and length of the header at `at`; the payload is not looked at. */
export function decodeRecordHeader(
  b: Buffer,
  at: number,
  position: Position,
): Decoded<RecordHeader> {
  if (b.length < at + RECORD_HEADER_BYTES) return bad(`record header of ${b.length - at} bytes`);
  const magic = b.readUInt32LE(at);
  if (magic !== RECORD_MAGIC_U32) return bad(`record magic ${hex(magic)}`);
  const crc = b.readUInt32LE(at + 4);
  const want = headerCrc(b, at, position);
  if (crc !== want) return bad(`record header crc ${hex(crc)}, want ${hex(want)}`);
  const kind = KINDS[b.readUInt32LE(at + 36)];
  const payloadBytes = b.readUInt32LE(at + 12);
  if (kind === undefined) return bad(`record kind ${b.readUInt32LE(at + 36)}`);
  if (payloadBytes > PAYLOAD_BYTES_MAX) return bad(`record length ${payloadBytes}`);
  const value = {
    kind,
    region: b.readBigUInt64LE(at + 16),
    sequence: b.readBigUInt64LE(at + 24),
    rows: b.readUInt32LE(at + 32),
    payloadBytes,
    payloadCrc: b.readUInt32LE(at + 8),
  };
  return { ok: true, value };
}

/**
 * The first valid record header in `b` that fits whole; `position` is where `b` starts. Without one, `at` is how far the search
 * came: the bytes from there on may be the beginning of a header.
 */
export function findRecordHeader(b: Buffer, position: Position): { at: number; valid: boolean } {
  let at = 0;
  while (at + RECORD_HEADER_BYTES <= b.length) {
    at = b.indexOf(RECORD_MAGIC, at);
    if (at < 0) return { at: b.length - (RECORD_MAGIC.length - 1), valid: false };
    if (at + RECORD_HEADER_BYTES > b.length) break;
    // The cheap checks first: a stretch full of false marks must not cost a checksum each.
    const plausible =
      KINDS[b.readUInt32LE(at + 36)] !== undefined && b.readUInt32LE(at + 12) <= PAYLOAD_BYTES_MAX;
    const here = { segment: position.segment, offset: position.offset + at };
    if (plausible && decodeRecordHeader(b, at, here).ok) return { at, valid: true };
    at++;
  }
  return { at, valid: false };
}

const positionBytes = Buffer.alloc(16);

/** Over segment number, offset and the header from the payload's checksum on. */
function headerCrc(b: Buffer, at: number, position: Position): number {
  positionBytes.writeBigUInt64LE(position.segment, 0);
  positionBytes.writeBigUInt64LE(BigInt(position.offset), 8);
  return crc32c(b.subarray(at + 8, at + RECORD_HEADER_BYTES), crc32c(positionBytes));
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function hex(value: number): string {
  return value.toString(16).padStart(8, "0");
}
