/** How a file leaves the writer: small parts joined into large ones; and how often the event loop gets its turn meanwhile. */
import { type Column, columnBytes } from "../types/mod.ts";

/** Fewer, larger writes: a part of this size is written as it is. */
const writeBytes = 1 << 20;

export class Output {
  /** Bytes added so far. */
  bytes = 0;
  readonly #sink: (bytes: Uint8Array) => Promise<void>;
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(sink: (bytes: Uint8Array) => Promise<void>) {
    this.#sink = sink;
  }

  async add(part: Uint8Array): Promise<void> {
    this.#held.push(part);
    this.#heldBytes += part.length;
    this.bytes += part.length;
    if (this.#heldBytes >= writeBytes) await this.end();
  }

  /** Writes what is held. */
  async end(): Promise<void> {
    if (this.#heldBytes === 0) return;
    const joined = new Uint8Array(this.#heldBytes);
    let at = 0;
    for (const part of this.#held) {
      joined.set(part, at);
      at += part.length;
    }
    this.#held = [];
    this.#heldBytes = 0;
    await this.#sink(joined);
  }
}

/** Work between two turns of the event loop, in rows of a delta-coded column: about 4 ms. */
const turnWork = 400_000;
/** Bytes that are copied, or compressed, in the time in which one such row is encoded. */
const copiedPerRow = 16;
const encodedPerRow = 4;

/** Counts work and gives way when there was enough. There is no clock here. */
export class Turns {
  #work = 0;

  async copied(column: Column | undefined, rows: number): Promise<void> {
    await this.#add((column === undefined ? rows : columnBytes(column)) / copiedPerRow);
  }

  async encoded(rows: number, bytes: number): Promise<void> {
    await this.#add(rows + bytes / encodedPerRow);
  }

  async #add(work: number): Promise<void> {
    this.#work += work;
    if (this.#work < turnWork) return;
    this.#work = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
