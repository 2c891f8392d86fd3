/**
 * Reads one segment front to back: records, damaged stretches, and the bad tail if there is one. Memory: two pieces, or
 * records where those are larger. Decides nothing about damage and changes no file.
 */
import { crc32c } from "../codec/mod.ts";
import type { LogFolder } from "../disk/mod.ts";
import {
  asBuffer,
  type Decoded,
  decodeRecordHeader,
  decodeSegmentHeader,
  findRecordHeader,
  hex,
  RECORD_HEADER_BYTES,
  type RecordHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
} from "./format.ts";

/** Large enough to read at the disk's speed, small enough that a few records in memory cost nothing. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** A record that starts in the last 64 KiB of a piece is whole in the next one; larger records widen this. */
const OVERLAP_BYTES_MIN = 64 * 1024;

export type SegmentItem =
  | {
      readonly type: "record";
      readonly offset: number;
      /** Offset after the record. */
      readonly end: number;
      readonly header: RecordHeader;
      /** undefined when `wanted` said no: then the payload was neither read nor checked. */
      readonly payload: Uint8Array | undefined;
    }
  /** [offset, end) is not valid; a valid record follows at `end`. */
  | { readonly type: "damage"; readonly offset: number; readonly end: number; readonly why: string }
  /** [offset, end) is not valid and nothing valid follows. */
  | {
      readonly type: "bad_tail";
      readonly offset: number;
      readonly end: number;
      readonly why: string;
    };

/** Reads only the header; `version` is set when it is sound but of another format. */
export async function readSegmentHeader(
  folder: LogFolder,
  name: string,
  number: bigint,
): Promise<Decoded<SegmentHeader> & { version?: number }> {
  return checkHeader(await folder.read(name, 0, SEGMENT_HEADER_BYTES), number);
}

function checkHeader(
  bytes: Uint8Array,
  number: bigint,
): Decoded<SegmentHeader> & { version?: number } {
  const decoded = decodeSegmentHeader(bytes);
  if (decoded.ok && decoded.value.number !== number)
    return { ok: false, why: `header of segment ${decoded.value.number}` };
  return decoded;
}

interface Found {
  readonly header: RecordHeader;
  readonly payload: Uint8Array | undefined;
}

export class SegmentReader {
  readonly #folder: LogFolder;
  readonly #name: string;
  readonly #number: bigint;
  readonly #end: number;
  #piece: { readonly at: number; readonly bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) };
  /** The piece after this one, on its way while this one is worked on. */
  #ahead: { at: number; length: number; read: Promise<Buffer> } | undefined;

  /** Reads [0, end) of the file; `number` is the one in its name. */
  constructor(folder: LogFolder, name: string, number: bigint, end: number) {
    this.#folder = folder;
    this.#name = name;
    this.#number = number;
    this.#end = end;
  }

  /** Everything in order. `wanted` decides by the header whether the payload is read and checked. */
  async *items(wanted: (header: RecordHeader) => boolean): AsyncGenerator<SegmentItem> {
    if (this.#end === 0) return;
    let at = 0;
    const header = checkHeader(await this.#view(0, SEGMENT_HEADER_BYTES), this.#number);
    if (header.ok) at = SEGMENT_HEADER_BYTES;
    else {
      // Damage of the header alone ends where the first record stands.
      const next = await this.#findRecord(Math.min(SEGMENT_HEADER_BYTES, this.#end));
      yield this.#badStretch(0, next, header.why);
      at = next ?? this.#end;
    }
    while (at < this.#end) {
      const found = await this.#recordAt(at, wanted);
      if (found.ok) {
        const end = at + RECORD_HEADER_BYTES + found.value.header.payloadBytes;
        yield { type: "record", offset: at, end, ...found.value };
        at = end;
      } else {
        const next = await this.#findRecord(found.resumeAt);
        yield this.#badStretch(at, next, found.why);
        at = next ?? this.#end;
      }
    }
  }

  #badStretch(offset: number, next: number | undefined, why: string): SegmentItem {
    return next === undefined
      ? { type: "bad_tail", offset, end: this.#end, why }
      : { type: "damage", offset, end: next, why };
  }

  /** `resumeAt`: where a search for the next record has to start. */
  async #recordAt(
    at: number,
    wanted: (header: RecordHeader) => boolean,
  ): Promise<{ ok: true; value: Found } | { ok: false; why: string; resumeAt: number }> {
    const position = { segment: this.#number, offset: at };
    const decoded = decodeRecordHeader(await this.#view(at, RECORD_HEADER_BYTES), 0, position);
    if (!decoded.ok) return { ...decoded, resumeAt: at + 1 };
    const header = decoded.value;
    const bytes = RECORD_HEADER_BYTES + header.payloadBytes;
    if (at + bytes > this.#end)
      return {
        ok: false,
        why: `record of ${bytes} bytes, ${this.#end - at} are left`,
        resumeAt: at + RECORD_HEADER_BYTES,
      };
    if (!wanted(header)) return { ok: true, value: { header, payload: undefined } };
    const payload = (await this.#view(at, bytes)).subarray(RECORD_HEADER_BYTES, bytes);
    const crc = crc32c(payload);
    if (crc !== header.payloadCrc)
      return {
        ok: false,
        why: `payload crc ${hex(crc)}, want ${hex(header.payloadCrc)}`,
        // The header's own checksum is right, so its length is: the next record stands there.
        resumeAt: at + bytes,
      };
    return { ok: true, value: { header, payload } };
  }

  /**
   * Offset of the first valid record at or after `from`. Linear: a false mark costs at most a header's checksum, and a record
   * whose payload is damaged is passed over whole.
   */
  async #findRecord(from: number): Promise<number | undefined> {
    let at = from;
    while (at + RECORD_HEADER_BYTES <= this.#end) {
      const view = await this.#view(at, RECORD_HEADER_BYTES);
      if (view.length < RECORD_HEADER_BYTES) return undefined; // the file became shorter
      const mark = findRecordHeader(view, { segment: this.#number, offset: at });
      at += mark.at;
      if (!mark.valid) continue;
      const found = await this.#recordAt(at, () => true);
      if (found.ok) return at;
      at = found.resumeAt;
    }
    return undefined;
  }

  /** A view from `offset` on: at least `length` bytes, fewer at the end of the segment. Never overwritten later. */
  async #view(offset: number, length: number): Promise<Buffer> {
    const need = Math.min(length, this.#end - offset);
    if (!contains(this.#piece, offset, need)) {
      const ahead = this.#ahead;
      this.#piece =
        ahead !== undefined && contains(ahead, offset, need)
          ? { at: ahead.at, bytes: await ahead.read }
          : { at: offset, bytes: await this.#read(offset, Math.max(PIECE_BYTES, need)) };
      this.#readAhead(Math.min(Math.max(need, OVERLAP_BYTES_MIN), PIECE_BYTES / 2));
    }
    return this.#piece.bytes.subarray(offset - this.#piece.at);
  }

  /** Starts to read the next piece; it begins with the last `overlap` bytes of this one, where its first record may start. */
  #readAhead(overlap: number): void {
    const at = this.#piece.at + Math.max(this.#piece.bytes.length - overlap, 0);
    const length = Math.min(PIECE_BYTES, this.#end - at);
    this.#ahead = undefined;
    if (at + length <= this.#piece.at + this.#piece.bytes.length) return;
    const read = this.#read(at, length);
    // A failure is seen by whoever takes the piece; one that nobody takes has none to report.
    read.catch(() => undefined);
    this.#ahead = { at, length, read };
  }

  async #read(offset: number, length: number): Promise<Buffer> {
    const bytes = Math.min(length, this.#end - offset);
    return asBuffer(await this.#folder.read(this.#name, offset, bytes));
  }
}

/** Does [offset, offset + length) lie in the piece? */
function contains(
  piece:
    | { readonly at: number; readonly bytes: Buffer }
    | { readonly at: number; readonly length: number },
  offset: number,
  length: number,
): boolean {
  const size = "bytes" in piece ? piece.bytes.length : piece.length;
  return offset >= piece.at && offset + length <= piece.at + size;
}
