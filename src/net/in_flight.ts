/**
 * The bytes of request bodies held at once, over all requests, counted in the memory budget. A request that
 * finds no room waits its turn, first come first served, for a bounded time, and is then told to come back.
 */
import { DbError, formatBytes, type MemoryBudget } from "../base/mod.ts";

/** Seconds after which a refused client may try again: long enough for a flush to make room. */
const RETRY_AFTER_SEC = 1;

interface Waiter {
  readonly bytes: number;
  readonly grant: () => void;
}

export class InFlight {
  #used = 0;
  #rejected = 0;
  readonly #queue: Waiter[] = [];

  /** `bytesMax` 0 = no limit; `waitMs` 0 = refuse at once. */
  constructor(
    readonly bytesMax: number,
    readonly waitMs: number,
    private readonly budget: MemoryBudget,
  ) {}

  get used(): number {
    return this.#used;
  }
  get rejected(): number {
    return this.#rejected;
  }

  lease(): Lease {
    return new Lease(this);
  }

  /**
   * For a request that holds `held` already. undefined = granted at once. Throws or rejects with rate_limited, and payload_too_large for
   * what could never be granted: the request would wait for itself.
   */
  take(bytes: number, held: number, signal: AbortSignal): Promise<void> | undefined {
    if (this.bytesMax > 0 && held + bytes > this.bytesMax)
      throw new DbError(
        "payload_too_large",
        `${formatBytes(held + bytes)} are more than all requests together may hold (${formatBytes(this.bytesMax)})`,
      );
    if (this.#queue.length === 0 && this.#fits(bytes)) {
      this.#count(bytes);
      return undefined;
    }
    if (this.waitMs === 0) throw this.#refusal();
    return this.#wait(bytes, signal);
  }

  give(bytes: number): void {
    this.#count(-bytes);
    this.#admit();
  }

  #admit(): void {
    while (this.#queue.length > 0 && this.#fits(this.#queue[0]!.bytes))
      this.#queue.shift()!.grant();
  }

  #fits(bytes: number): boolean {
    return this.bytesMax === 0 || this.#used + bytes <= this.bytesMax;
  }

  #count(bytes: number): void {
    this.#used += bytes;
    this.budget.add("in_flight", bytes);
  }

  #refusal(): DbError {
    this.#rejected++;
    return new DbError(
      "rate_limited",
      `Request body memory limit exceeded: ${formatBytes(this.#used)} of ${formatBytes(this.bytesMax)} are in use`,
      { retryAfterSec: RETRY_AFTER_SEC },
    );
  }

  #wait(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (error: unknown) => {
        const at = this.#queue.indexOf(waiter);
        if (at < 0) return;
        this.#queue.splice(at, 1);
        settle();
        reject(error);
        // Those behind may be smaller.
        this.#admit();
      };
      const timer = setTimeout(() => leave(this.#refusal()), this.waitMs);
      const onAbort = () => leave(signal.reason);
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      const waiter: Waiter = {
        bytes,
        grant: () => {
          settle();
          this.#count(bytes);
          resolve();
        },
      };
      this.#queue.push(waiter);
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }
}

/** What one request holds. Released once, whatever happened. */
export class Lease {
  #bytes = 0;
  #released = false;
  constructor(private readonly inFlight: InFlight) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** undefined = granted at once. */
  grow(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const wait = this.inFlight.take(bytes, this.#bytes, signal);
    if (wait === undefined) {
      this.#bytes += bytes;
      return undefined;
    }
    return wait.then(() => {
      // Granted to a request that has ended meanwhile: hand it straight back.
      if (this.#released) this.inFlight.give(bytes);
      else this.#bytes += bytes;
    });
  }

  shrink(bytes: number): void {
    this.#bytes -= bytes;
    this.inFlight.give(bytes);
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    if (this.#bytes > 0) this.inFlight.give(this.#bytes);
    this.#bytes = 0;
  }
}
