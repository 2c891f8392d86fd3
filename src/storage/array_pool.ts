/**
 * Large typed arrays for memtable pieces, used again instead of collected: each fresh one counts as external memory, and V8 answers
 * 64 MB of that with a full collection, several times a second under load. Contents are unspecified.
 */
import type { FixedArray } from "../types/mod.ts";

/** Small arrays are cheaper to collect than to keep. */
const pooledBytesMin = 64 * 1024;

type Make<A extends FixedArray> = new (length: number) => A;

export class ArrayPool {
  readonly #free = new Map<string, FixedArray[]>();
  #bytes = 0;

  /** `bytesMax`: what may lie idle. */
  constructor(readonly bytesMax: number) {}

  take<A extends FixedArray>(make: Make<A>, length: number): A {
    const array = this.#free.get(`${make.name} ${length}`)?.pop();
    if (array === undefined) return new make(length);
    this.#bytes -= array.byteLength;
    return array as A;
  }

  /** The caller must hold no view of it any more. */
  give(array: FixedArray): void {
    if (array.byteLength < pooledBytesMin || this.#bytes + array.byteLength > this.bytesMax) return;
    const key = `${array.constructor.name} ${array.length}`;
    const list = this.#free.get(key);
    if (list === undefined) this.#free.set(key, [array]);
    else list.push(array);
    this.#bytes += array.byteLength;
  }
}

/** One pool for all memtables of the process: two pieces of 50 columns. */
export const pieceArrays = new ArrayPool(128 * 1024 * 1024);
