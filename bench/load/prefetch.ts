/**
 * Reads batches ahead of the workers, in order, into a fixed set of buffers: reading overlaps sending
 * and no buffer is made during a load. Each buffer leaves room for the request's head in front.
 */
import type { BatchSource } from "./source.ts";

/** A request head is shorter; `requestIn` checks. */
const HEAD_ROOM_BYTES = 1024;

export class Slot {
  readonly buffer: Buffer;
  rows = 0;
  bytes = 0;

  constructor(bodyBytesMax: number) {
    this.buffer = Buffer.allocUnsafeSlow(HEAD_ROOM_BYTES + bodyBytesMax);
  }

  /** Head and body as one piece of memory: `head` is put right in front of the body. */
  requestIn(head: string): Buffer {
    if (head.length > HEAD_ROOM_BYTES)
      throw new Error(`request head over ${HEAD_ROOM_BYTES} bytes`);
    const start = HEAD_ROOM_BYTES - head.length;
    this.buffer.write(head, start, head.length, "latin1");
    return this.buffer.subarray(start, HEAD_ROOM_BYTES + this.bytes);
  }
}

export class Prefetch {
  readonly #source: BatchSource;
  readonly #empty: Slot[] = [];
  readonly #full: Slot[] = [];
  readonly #takers: ((slot: Slot | null) => void)[] = [];
  #rowsLeft: number;
  #reading = false;
  #ended = false;
  #error: Error | null = null;

  /** `slots` buffers; ends after `rowsMax` rows or a little more: batches stay whole. */
  constructor(source: BatchSource, slots: number, rowsMax: number) {
    this.#source = source;
    this.#rowsLeft = rowsMax;
    for (let i = 0; i < slots; i++) this.#empty.push(new Slot(source.batchBytesMax));
    void this.#read();
  }

  /** The next batch, or null at the end. Give it back with `give`. Throws what reading threw. */
  async take(): Promise<Slot | null> {
    const ready = this.#full.shift();
    if (ready !== undefined) return ready;
    if (this.#error !== null) throw this.#error;
    if (this.#ended) return null;
    const slot = await new Promise<Slot | null>((resolve) => this.#takers.push(resolve));
    if (slot === null && this.#error !== null) throw this.#error;
    return slot;
  }

  give(slot: Slot): void {
    this.#empty.push(slot);
    void this.#read();
  }

  /** No further batch is handed out. */
  stop(): void {
    this.#ended = true;
    this.#full.length = 0;
    for (const taker of this.#takers.splice(0)) taker(null);
  }

  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (!this.#ended && this.#rowsLeft > 0 && this.#empty.length > 0) {
        const slot = this.#empty.pop()!;
        const filled = await this.#source.next(slot.buffer, HEAD_ROOM_BYTES);
        slot.rows = filled.rows;
        slot.bytes = filled.bytes;
        this.#rowsLeft -= filled.rows;
        if (filled.rows === 0) this.#ended = true;
        else if (!this.#ended) this.#hand(slot);
      }
      if (this.#rowsLeft <= 0) this.#ended = true;
    } catch (error) {
      this.#error = error as Error;
      this.#ended = true;
    }
    this.#reading = false;
    if (this.#ended) for (const taker of this.#takers.splice(0)) taker(null);
  }

  #hand(slot: Slot): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#full.push(slot);
    else taker(slot);
  }
}
