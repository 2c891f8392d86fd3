/**
 * The one memory budget: every long-lived or request-sized allocation outside DuckDB is counted here,
 * and DuckDB's own limit is carved out of the same total. It counts; it never allocates.
 */
import { assert } from "./errors.ts";

/** What the bytes are for. `duck` is a fixed share; the others move. */
export type MemoryUse = "duck" | "kernel" | "memtable" | "pending" | "in_flight" | "cache";

export class MemoryBudget {
  readonly #used = new Map<MemoryUse, number>();
  constructor(readonly bytesMax: number) {}

  add(use: MemoryUse, bytes: number): void {
    const next = this.used(use) + bytes;
    assert(next >= 0, `memory account ${use} stays at or above zero`);
    this.#used.set(use, next);
  }

  /** Sets an account that is measured rather than counted. */
  set(use: MemoryUse, bytes: number): void {
    assert(bytes >= 0, `memory account ${use} is not negative`);
    this.#used.set(use, bytes);
  }

  used(use: MemoryUse): number {
    return this.#used.get(use) ?? 0;
  }

  get total(): number {
    let sum = 0;
    for (const bytes of this.#used.values()) sum += bytes;
    return sum;
  }
}
