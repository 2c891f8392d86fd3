/** Two small queues for async code: a mutex (one at a time) and a semaphore (n at a time, bounded wait). */
import { DbError } from "./errors.ts";

/** Runs tasks one after the other, in the order they came. A failed task does not stop the next. */
export class Mutex {
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  run<T>(task: () => Promise<T> | T): Promise<T> {
    this.#waiting++;
    const result = this.#tail.then(task, task);
    this.#tail = result.then(
      () => this.#waiting--,
      () => this.#waiting--,
    );
    return result;
  }

  /** Tasks that run or wait. */
  get size(): number {
    return this.#waiting;
  }
}

/** At most `permitsMax` holders, at most `waitersMax` in the queue; past that `resources_exhausted`. */
export class Semaphore {
  #held = 0;
  readonly #queue: { grant: () => void }[] = [];
  constructor(
    readonly permitsMax: number,
    readonly waitersMax: number,
    readonly what: string,
  ) {}

  async acquire(): Promise<() => void> {
    if (this.#held < this.permitsMax) this.#held++;
    else {
      if (this.#queue.length >= this.waitersMax)
        throw new DbError("resources_exhausted", `too many ${this.what} are waiting`, {
          retryAfterSec: 1,
        });
      await new Promise<void>((grant) => this.#queue.push({ grant }));
    }
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = this.#queue.shift();
      if (next) next.grant();
      else this.#held--;
    };
  }

  get held(): number {
    return this.#held;
  }
  get waiting(): number {
    return this.#queue.length;
  }
}
