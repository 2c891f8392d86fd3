/**
 * Content-Encoding undone: gzip, deflate (zlib or raw), br, zstd, and chains of them. Every decoder counts what comes out
 * and stops at the cap, so a small body cannot become a large one (zip bomb → payload_too_large).
 * Bytes in, pieces out; knows no requests.
 */
import { once } from "node:events";
import type { Transform } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { Decompress } from "fzstd";
import { DbError, formatBytes, messageOf } from "../base/mod.ts";

export type Encoding = "gzip" | "deflate" | "br" | "zstd";

/** More than two encodings on top of each other is an attack, not a client. */
const CHAIN_MAX = 2;

/** Takes each piece as it comes out; a promise means "wait for it". */
export type Take = (piece: Uint8Array) => Promise<void> | undefined;

/** A decoder: fed in order, then ended. Both throw DbError for damaged or oversized data. */
export interface Inflater {
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<void>;
  /** Frees it early; further calls are not allowed. */
  destroy(): void;
}

/** The encodings to undo, outermost first. Throws unsupported_media_type for one that is not known. */
export function encodingsOf(header: string | undefined): Encoding[] {
  const encodings: Encoding[] = [];
  for (const word of (header ?? "").split(",")) {
    const name = word.trim().toLowerCase();
    if (name === "" || name === "identity") continue;
    if (name === "gzip" || name === "x-gzip") encodings.push("gzip");
    else if (name === "deflate" || name === "br" || name === "zstd") encodings.push(name);
    else
      throw new DbError(
        "unsupported_media_type",
        `content encoding ${JSON.stringify(name.slice(0, 32))} is not supported: use gzip, deflate, br or zstd`,
      );
  }
  if (encodings.length > CHAIN_MAX)
    throw new DbError("unsupported_media_type", "too many content encodings on top of each other");
  return encodings.reverse();
}

/** A chain of decoders that ends in `take`; each stage's output is capped at `bytesMax`. */
export function createInflater(
  encodings: readonly Encoding[],
  bytesMax: number,
  take: Take,
): Inflater {
  const [first, ...inner] = encodings;
  if (first === undefined) throw new DbError("unexpected", "no encoding to undo");
  if (inner.length === 0) return single(first, bytesMax, take);
  const next = createInflater(inner, bytesMax, take);
  const outer = single(first, bytesMax, (piece) => next.write(piece));
  return {
    write: (chunk) => outer.write(chunk),
    end: async () => {
      await outer.end();
      await next.end();
    },
    destroy: () => {
      outer.destroy();
      next.destroy();
    },
  };
}

function single(encoding: Encoding, bytesMax: number, take: Take): Inflater {
  return encoding === "zstd"
    ? new ZstdInflater(bytesMax, take)
    : new ZlibInflater(encoding, bytesMax, take);
}

function tooLarge(encoding: Encoding, bytesMax: number): DbError {
  return new DbError(
    "payload_too_large",
    `the ${encoding} body inflates to more than ${formatBytes(bytesMax)}`,
  );
}

function damaged(encoding: Encoding, error: unknown): DbError {
  return new DbError("invalid_arguments", `the ${encoding} body is damaged: ${messageOf(error)}`);
}

/** gzip, deflate and br by node:zlib, which works off the main thread. */
class ZlibInflater implements Inflater {
  #stream: Transform | undefined;
  #done: Promise<void> | undefined;
  #failure: unknown;
  #bytes = 0;

  constructor(
    private readonly encoding: Exclude<Encoding, "zstd">,
    private readonly bytesMax: number,
    private readonly take: Take,
  ) {}

  async write(chunk: Uint8Array): Promise<void> {
    if (chunk.length === 0) return;
    const stream = this.#start(chunk);
    if (this.#failure !== undefined) throw this.#failure;
    if (stream.write(chunk)) return;
    await Promise.race([once(stream, "drain").catch(() => {}), this.#done]);
    if (this.#failure !== undefined) throw this.#failure;
  }

  async end(): Promise<void> {
    if (this.#stream === undefined) throw damaged(this.encoding, new Error("it is empty"));
    this.#stream.end();
    await this.#done;
    if (this.#failure !== undefined) throw this.#failure;
  }

  destroy(): void {
    this.#stream?.destroy();
  }

  #start(firstChunk: Uint8Array): Transform {
    if (this.#stream !== undefined) return this.#stream;
    const stream = open(this.encoding, firstChunk);
    // Failures are seen by #drain; one that comes after it has ended is of no interest.
    stream.on("error", () => {});
    this.#stream = stream;
    this.#done = this.#drain(stream);
    return stream;
  }

  async #drain(stream: Transform): Promise<void> {
    try {
      for await (const piece of stream) {
        this.#bytes += (piece as Uint8Array).length;
        if (this.#bytes > this.bytesMax) throw tooLarge(this.encoding, this.bytesMax);
        const wait = this.take(piece as Uint8Array);
        if (wait !== undefined) await wait;
      }
    } catch (error) {
      this.#failure = error instanceof DbError ? error : damaged(this.encoding, error);
      stream.destroy();
    }
  }
}

/** 64 KiB pieces: as large as a socket's reads, four times zlib's default. */
const PIECE = { chunkSize: 64 * 1024 };

function open(encoding: Exclude<Encoding, "zstd">, first: Uint8Array): Transform {
  switch (encoding) {
    case "gzip":
      return createGunzip(PIECE);
    case "br":
      return createBrotliDecompress(PIECE);
    case "deflate":
      // HTTP's deflate is zlib's format, but some clients send the bare stream: the header tells them apart.
      return hasZlibHeader(first) ? createInflate(PIECE) : createInflateRaw(PIECE);
  }
}

function hasZlibHeader(bytes: Uint8Array): boolean {
  const cmf = bytes[0]!;
  return (cmf & 0x0f) === 8 && (bytes.length < 2 || ((cmf << 8) | bytes[1]!) % 31 === 0);
}

/** The compressed bytes given to the decoder at once: bounds how long the event loop stands still. */
const ZSTD_STEP_BYTES = 16 * 1024;
/** A decoder's history buffer. 8 MiB is what RFC 8878 asks every decoder to support, and what clients use at most. */
const ZSTD_WINDOW_MAX = 8 * 1024 * 1024;

/** zstd by fzstd, on the main thread in small steps. Frame headers are read first: they size the decoder's buffers. */
class ZstdInflater implements Inflater {
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
    for (const frame of zstdFrames(wire, this.bytesMax)) await this.#frame(frame);
  }

  destroy(): void {
    this.#wire.length = 0;
  }

  async #frame(frame: Uint8Array): Promise<void> {
    let pieces: Uint8Array[] = [];
    const decoder = new Decompress((piece) => {
      this.#bytes += piece.length;
      // Thrown through the decoder, which stops it in the middle of a step.
      if (this.#bytes > this.bytesMax) throw tooLarge("zstd", this.bytesMax);
      if (piece.length > 0) pieces.push(piece);
    });
    for (let at = 0; at < frame.length; at += ZSTD_STEP_BYTES) {
      const end = Math.min(at + ZSTD_STEP_BYTES, frame.length);
      try {
        decoder.push(frame.subarray(at, end), end === frame.length);
      } catch (error) {
        throw error instanceof DbError ? error : damaged("zstd", error);
      }
      const out = pieces;
      pieces = [];
      for (const piece of out) {
        const wait = this.take(piece);
        if (wait !== undefined) await wait;
      }
      if (end < frame.length) await setImmediate();
    }
  }
}

const ZSTD_MAGIC = 0xfd2fb528;

/** Cuts a body into frames without decoding it, by the lengths of the blocks. Throws for damage and for too large a window. */
export function* zstdFrames(wire: Uint8Array, bytesMax: number): Iterable<Uint8Array> {
  const view = new DataView(wire.buffer, wire.byteOffset, wire.byteLength);
  const cut = () => damaged("zstd", new Error("it ends too early"));
  const need = (end: number) => {
    if (end > wire.length) throw cut();
  };
  let at = 0;
  if (wire.length === 0) throw cut();
  while (at < wire.length) {
    need(at + 8);
    const magic = view.getUint32(at, true);
    if ((magic & 0xfffffff0) >>> 0 === 0x184d2a50) {
      at += 8 + view.getUint32(at + 4, true);
      need(at);
      continue;
    }
    if (magic !== ZSTD_MAGIC) throw damaged("zstd", new Error("it does not start like one"));
    const start = at;
    const flags = wire[at + 4]!;
    const oneSegment = (flags & 0x20) !== 0;
    const checksum = (flags & 0x04) !== 0;
    if ((flags & 0x03) !== 0) throw damaged("zstd", new Error("it needs a dictionary"));
    const sizeFlag = flags >> 6;
    const sizeBytes = sizeFlag === 0 ? (oneSegment ? 1 : 0) : 1 << sizeFlag;
    const header = 5 + (oneSegment ? 0 : 1);
    need(start + header + sizeBytes);
    const window = oneSegment
      ? contentSize(view, start + header, sizeBytes)
      : windowSize(wire[start + 5]!);
    if (oneSegment && window > bytesMax) throw tooLarge("zstd", bytesMax);
    if (!oneSegment && window > ZSTD_WINDOW_MAX)
      throw new DbError(
        "payload_too_large",
        `the zstd body needs a window of ${formatBytes(window)}; at most ${formatBytes(ZSTD_WINDOW_MAX)} are given`,
      );
    at = start + header + sizeBytes;
    for (let last = false; !last; ) {
      need(at + 3);
      const block = view.getUint16(at, true) | (wire[at + 2]! << 16);
      last = (block & 1) !== 0;
      const kind = (block >> 1) & 3;
      if (kind === 3) throw damaged("zstd", new Error("a block of an unknown kind"));
      at += 3 + (kind === 1 ? 1 : block >> 3);
      need(at);
    }
    at += checksum ? 4 : 0;
    need(at);
    yield wire.subarray(start, at);
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
