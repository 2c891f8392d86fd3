/** Lets many writers pass, or one exclusive operation once all of them have left. */

export class Gate {
  #inside = 0;
  #closed: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  /** Waits while an exclusive operation runs. Call `leave` exactly once after it. */
  enter(): Promise<void> | undefined {
    if (this.#closed === undefined) {
      this.#inside++;
      return undefined;
    }
    return this.#enterLater();
  }

  leave(): void {
    this.#inside--;
    if (this.#inside === 0) this.#onEmpty?.();
  }

  /** Runs `task` while nobody is inside. Exclusive operations run one after the other. */
  async exclusive<R>(task: () => Promise<R>): Promise<R> {
    while (this.#closed !== undefined) await this.#closed;
    let open: () => void = () => undefined;
    this.#closed = new Promise<void>((resolve) => {
      open = resolve;
    });
    try {
      if (this.#inside > 0)
        await new Promise<void>((resolve) => {
          this.#onEmpty = resolve;
        });
      this.#onEmpty = undefined;
      return await task();
    } finally {
      this.#closed = undefined;
      open();
    }
  }

  async #enterLater(): Promise<void> {
    while (this.#closed !== undefined) await this.#closed;
    this.#inside++;
  }
}
