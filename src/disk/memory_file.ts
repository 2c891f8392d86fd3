/**
 * One append-only file of MemoryDisk: what a reader sees now, and what a power loss would leave of it.
 * Bytes below `stable` are on the platter; above it any sector may be missing, and the size may be any in between.
 */

/** What a disk writes or does not write as a whole. */
const SECTOR_BYTES = 512;

/** Numbers in [0, 1), seeded. */
export type Random = () => number;

/** mulberry32: small, seedable, good enough to pick faults. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function randomBelow(random: Random, max: number): number {
  return Math.floor(random() * max);
}

export class MemoryFile {
  #bytes: Uint8Array<ArrayBuffer>;
  #size: number;
  /** Bytes from the start that are durable as they are visible. */
  #stable: number;
  /** Bytes beyond `#stable` that may be on the platter still: a truncate without sync took them from sight only. */
  #hidden: Uint8Array = new Uint8Array(0);
  /** Ranges whose sync failed: they look written, but no later sync writes them. */
  #lost: { from: number; to: number }[] = [];

  /** A file whose content is durable: as read back after a power loss, or as installed by an atomic put. */
  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.#bytes = bytes.slice();
    this.#size = bytes.length;
    this.#stable = bytes.length;
  }

  get size(): number {
    return this.#size;
  }

  read(offset: number, length: number): Uint8Array {
    return this.#bytes.slice(offset, Math.max(offset, Math.min(this.#size, offset + length)));
  }

  append(bytes: Uint8Array): void {
    if (this.#size + bytes.length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(1024, 2 * (this.#size + bytes.length)));
      grown.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  truncate(size: number): void {
    // Bytes that were never synced may have been written as well: the kernel does so when it likes.
    const visible = this.#hidden.length === 0 ? this.#size : this.#stable;
    if (size < visible)
      this.#hidden = Buffer.concat([this.#bytes.subarray(size, visible), this.#hidden]);
    this.#stable = Math.min(this.#stable, size);
    this.#size = size;
    this.#lost = this.#lost
      .map(({ from, to }) => ({ from, to: Math.min(to, size) }))
      .filter(({ from, to }) => from < to);
  }

  sync(): void {
    this.#stable = this.#size;
    this.#hidden = new Uint8Array(0);
  }

  /** The kernel forgets that the pages are dirty: they stay in sight, and are gone after a power loss. */
  syncFailed(): void {
    if (this.#stable < this.#size) this.#lost.push({ from: this.#stable, to: this.#size });
  }

  /** What is on the disk when the power comes back. */
  afterPowerLoss(random: Random): Uint8Array {
    if (this.#hidden.length > 0 && random() < 0.5)
      return Buffer.concat([this.#bytes.subarray(0, this.#stable), this.#hidden]);
    const size = this.#stable + randomBelow(random, this.#size - this.#stable + 1);
    const left = this.#bytes.slice(0, size);
    // Half of the time the tail is a clean cut, half of the time sectors are written in any order.
    if (random() < 0.5) zeroSectors(left, this.#stable, size, random);
    for (const { from, to } of this.#lost) zeroSectors(left, from, Math.min(to, size), random);
    return left;
  }
}

function zeroSectors(bytes: Uint8Array, from: number, to: number, random: Random): void {
  for (let at = from; at < to; ) {
    const end = Math.min(to, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES);
    if (random() < 0.5) bytes.fill(0, at, end);
    at = end;
  }
}
