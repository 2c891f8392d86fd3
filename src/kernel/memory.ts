/**
 * The kernels' linear memory from outside: views that are renewed when the memory has grown, and copies in both directions. Views
 * never leave this folder, because the next call may detach them; what is handed out is a copy.
 */
import { assert, Bug, DbError } from "../base/mod.ts";
import type { RawKernel } from "./exports.ts";

/** Behind what the kernels read 16 bytes at a time, or write 8 at a time. */
export const SLACK = 16;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

export class KernelMemory {
  readonly #raw: RawKernel;
  #buffer: ArrayBuffer | SharedArrayBuffer;
  #bytes: Uint8Array;
  #words: Uint32Array;

  constructor(raw: RawKernel) {
    this.#raw = raw;
    this.#buffer = raw.memory.buffer;
    this.#bytes = new Uint8Array(this.#buffer);
    this.#words = new Uint32Array(this.#buffer);
  }

  /** The whole memory as bytes; valid until the next call into the kernels. */
  get bytes(): Uint8Array {
    if (this.#buffer !== this.#raw.memory.buffer) this.#renew();
    return this.#bytes;
  }

  /** The whole memory as little-endian words: index = address / 4. */
  get words(): Uint32Array {
    if (this.#buffer !== this.#raw.memory.buffer) this.#renew();
    return this.#words;
  }

  #renew(): void {
    this.#buffer = this.#raw.memory.buffer;
    this.#bytes = new Uint8Array(this.#buffer);
    this.#words = new Uint32Array(this.#buffer);
  }

  /** Word at an aligned address. */
  word(at: number): number {
    return this.words[at >>> 2]!;
  }

  copyBytes(at: number, length: number): Uint8Array {
    return this.bytes.slice(at >>> 0, (at >>> 0) + length);
  }

  copyWords(at: number, count: number): Uint32Array {
    return this.words.slice(at >>> 2, (at >>> 2) + count);
  }

  /** Copies `length` bytes into the front of any typed array. */
  copyInto(target: ArrayBufferView, at: number, length: number): void {
    const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
    bytes.set(this.bytes.subarray(at >>> 0, (at >>> 0) + length));
  }

  text(at: number, length: number): string {
    return decoder.decode(this.bytes.subarray(at >>> 0, (at >>> 0) + length));
  }

  /** Writes the first `length` bytes of any typed array. */
  write(at: number, source: ArrayBufferView, length = source.byteLength): void {
    assert(length <= source.byteLength, "a column has all its rows");
    this.bytes.set(new Uint8Array(source.buffer, source.byteOffset, length), at);
  }

  /** A block of kernel memory with SLACK behind it while `use` runs. Throws resources_exhausted when there is none. */
  withBlock<R>(bytes: number, use: (at: number) => R): R {
    const size = bytes + SLACK;
    const at = size > 0xffff_0000 ? 0 : this.#raw.take(size) >>> 0;
    if (at === 0) throw outOfMemory();
    try {
      return use(at);
    } finally {
      this.#raw.give(at, size);
    }
  }

  /** The same, filled with the text's UTF-8. */
  withText<R>(text: string, use: (at: number, length: number) => R): R {
    const bytes = encoder.encode(text);
    return this.withBlock(bytes.length, (at) => {
      this.write(at, bytes);
      return use(at, bytes.length);
    });
  }

  /** Reads the out block of the series functions and gives it back. */
  takeOut<R>(read: (at: number, length: number) => R): R {
    const at = this.#raw.outAt.value >>> 0;
    try {
      return read(at, this.#raw.outLength.value >>> 0);
    } finally {
      this.#raw.give(at, this.#raw.outCapacity.value >>> 0);
    }
  }
}

/** The kernels' memory is at its limit. */
export function outOfMemory(): DbError {
  return new DbError("resources_exhausted", "the decoding kernels are out of memory", {
    retryAfterSec: 1,
  });
}

export function noSlot(slot: number): Bug {
  return new Bug(`kernel slot ${slot} exists`);
}
