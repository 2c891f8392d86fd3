/**
 * Content-Encoding undone: gzip, deflate (zlib or raw), br, zstd, and chains of them. Every decoder counts what comes out
 * and stops at the cap, so a small body cannot become a large one (zip bomb → payload_too_large).
 * Bytes in, pieces out; knows no requests.
 */
import { once } from "node:events";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { DbError } from "../base/mod.ts";
import { damaged, type Encoding, type Inflater, type Take, tooLarge } from "./inflate_api.ts";
import { ZstdInflater } from "./zstd.ts";

/** More than two encodings on top of each other is an attack, not a client. */
const CHAIN_MAX = 2;

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
