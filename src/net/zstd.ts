/**
 * zstd request bodies, by fzstd, on the main thread. The frame and block headers are read before anything is decoded: they say how
 * large the decoder's buffers would be and how much work a frame is, and a frame that asks for too much of either is refused.
 */
import { setImmediate } from "node:timers/promises";
import { Decompress, decompress } from "fzstd";
import { DbError, formatBytes } from "../base/mod.ts";
import { damaged, type Inflater, type Take, tooLarge } from "./inflate_api.ts";

/** The decoder's history. 8 MiB is what RFC 8878 asks every decoder to support, and the most that clients use. */
const WINDOW_BYTES_MAX = 8 * 1024 * 1024;
/**
 * Without a content size the decoder moves its whole history for each block, so many tiny blocks cost far more than they weigh.
 * 16 GiB of moves take about two seconds; a 64 MiB body of ordinary blocks needs 4 GiB.
 */
const MOVED_BYTES_MAX = 16 * 1024 ** 3;
/** Compressed bytes given to the decoder before other requests get their turn; fewer where blocks are expensive. */
const STEP_BYTES = 16 * 1024;
const DEAR_STEP_BYTES = 1024;
const DEAR_MOVED_BYTES = 512 * 1024 ** 2;

export class ZstdInflater implements Inflater {
  readonly #wire: Uint8Array[] = [];
  #wireBytes = 0;
  #bytes = 0;

  constructor(
    private readonly bytesMax: number,
    private readonly take: Take,
  ) {}

  async write(chunk: Uint8Array): Promise<void> {
    this.#wire.push(chunk);
    this.#wireBytes += chunk.length;
    if (this.#wireBytes > this.bytesMax) throw tooLarge("zstd", this.bytesMax);
  }

  async end(): Promise<void> {
    const wire = this.#wire.length === 1 ? this.#wire[0]! : Buffer.concat(this.#wire);
    this.#wire.length = 0;
    for (const frame of zstdFrames(wire)) {
      if (frame.contentBytes === undefined) await this.#stream(frame);
      else await this.#whole(frame.bytes, frame.contentBytes);
      await setImmediate();
    }
  }

  destroy(): void {
    this.#wire.length = 0;
  }

  /** What clients send that compress a finished buffer: the size is known, and the output is its own history. */
  async #whole(frame: Uint8Array, contentBytes: number): Promise<void> {
    this.#count(contentBytes);
    const out = new Uint8Array(contentBytes);
    guarded(() => decompress(frame, out));
    if (contentBytes > 0) await this.take(out);
  }

  async #stream({ bytes, blocks, windowBytes }: ZstdFrame): Promise<void> {
    if (windowBytes > WINDOW_BYTES_MAX)
      throw new DbError(
        "payload_too_large",
        `the zstd body needs a window of ${formatBytes(windowBytes)}; at most ${formatBytes(WINDOW_BYTES_MAX)} are given`,
      );
    const moved = blocks * windowBytes;
    if (moved > MOVED_BYTES_MAX)
      throw new DbError("payload_too_large", "the zstd body consists of too many small blocks");
    const step = moved > DEAR_MOVED_BYTES ? DEAR_STEP_BYTES : STEP_BYTES;
    let pieces: Uint8Array[] = [];
    const decoder = new Decompress((piece) => {
      // Thrown through the decoder, which stops it in the middle of a step.
      this.#count(piece.length);
      if (piece.length > 0) pieces.push(piece);
    });
    for (let at = 0; at < bytes.length; at += step) {
      const end = Math.min(at + step, bytes.length);
      guarded(() => decoder.push(bytes.subarray(at, end), end === bytes.length));
      const out = pieces;
      pieces = [];
      for (const piece of out) await this.take(piece);
      if (end < bytes.length) await setImmediate();
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.bytesMax) throw tooLarge("zstd", this.bytesMax);
  }
}

/** What the decoder throws is damage, unless we threw it through the decoder. */
function guarded(decode: () => unknown): void {
  try {
    decode();
  } catch (error) {
    throw error instanceof DbError ? error : damaged("zstd", error);
  }
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;

export interface ZstdFrame {
  /** From the magic number to the checksum. */
  readonly bytes: Uint8Array;
  /** As declared; undefined when the writer did not know. */
  readonly contentBytes: number | undefined;
  readonly windowBytes: number;
  readonly blocks: number;
}

/** Cuts a body into frames without decoding it, by the lengths of the blocks. Throws for damage. */
export function* zstdFrames(wire: Uint8Array): Iterable<ZstdFrame> {
  const view = new DataView(wire.buffer, wire.byteOffset, wire.byteLength);
  const need = (end: number) => {
    if (end > wire.length) throw damaged("zstd", "it ends too early");
  };
  need(1);
  for (let at = 0; at < wire.length; ) {
    need(at + 8);
    const magic = view.getUint32(at, true);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
      at += 8 + view.getUint32(at + 4, true);
      need(at);
      continue;
    }
    if (magic !== MAGIC) throw damaged("zstd", "it does not start like one");
    const start = at;
    const flags = wire[at + 4]!;
    if ((flags & 0x03) !== 0) throw damaged("zstd", "it needs a dictionary");
    const oneSegment = (flags & 0x20) !== 0;
    const sizeBytes = flags >> 6 === 0 ? (oneSegment ? 1 : 0) : 1 << (flags >> 6);
    const sizeAt = start + (oneSegment ? 5 : 6);
    need(sizeAt + sizeBytes);
    const contentBytes = sizeBytes === 0 ? undefined : contentSize(view, sizeAt, sizeBytes);
    const windowBytes = oneSegment ? (contentBytes ?? 0) : windowSize(wire[start + 5]!);
    at = sizeAt + sizeBytes;
    let blocks = 0;
    for (let last = false; !last; blocks++) {
      need(at + 3);
      const block = view.getUint16(at, true) | (wire[at + 2]! << 16);
      last = (block & 1) !== 0;
      const kind = (block >> 1) & 3;
      if (kind === 3) throw damaged("zstd", "a block of an unknown kind");
      // A run-length block is one byte, however long it becomes.
      at += 3 + (kind === 1 ? 1 : block >> 3);
      need(at);
    }
    at += (flags & 0x04) !== 0 ? 4 : 0;
    need(at);
    yield { bytes: wire.subarray(start, at), contentBytes, windowBytes, blocks };
  }
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function contentSize(view: DataView, at: number, bytes: number): number {
  switch (bytes) {
    case 1:
      return view.getUint8(at);
    case 2:
      return view.getUint16(at, true) + 256;
    case 4:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}
