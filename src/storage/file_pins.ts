/** Which SSTs readers still hold. A file is deleted when no manifest names it and the last reader has let go. */
import type { Logger } from "../base/mod.ts";
import type { ObjectStore } from "../disk/mod.ts";
import type { SstMeta } from "./manifest.ts";

export class FilePins {
  readonly #pins = new Map<string, number>();
  readonly #obsolete = new Map<string, SstMeta>();
  /** Those that hold any or no file. */
  #readers = 0;
  #onIdle: (() => void)[] = [];

  constructor(
    readonly store: ObjectStore,
    readonly log: Logger,
  ) {}

  /** A reader comes; it may hold no file at all. */
  pin(files: readonly SstMeta[]): void {
    this.#readers++;
    for (const file of files) this.#pins.set(file.id, (this.#pins.get(file.id) ?? 0) + 1);
  }

  unpin(files: readonly SstMeta[]): void {
    this.#readers--;
    const free: SstMeta[] = [];
    for (const file of files) {
      const pins = (this.#pins.get(file.id) ?? 0) - 1;
      if (pins > 0) this.#pins.set(file.id, pins);
      else {
        this.#pins.delete(file.id);
        if (this.#obsolete.has(file.id)) free.push(file);
      }
    }
    if (free.length > 0) void this.#delete(free);
    if (this.#readers === 0) for (const wake of this.#onIdle.splice(0)) wake();
  }

  /** These files are in no manifest any more. */
  async retire(files: readonly SstMeta[]): Promise<void> {
    for (const file of files) this.#obsolete.set(file.id, file);
    await this.#delete(files.filter((f) => !this.#pins.has(f.id)));
  }

  /** Resolves when all readers have left. */
  async idle(): Promise<void> {
    while (this.#readers > 0) await new Promise<void>((wake) => this.#onIdle.push(wake));
  }

  /** A file that cannot be deleted now is an orphan, removed at the next start. */
  async #delete(files: readonly SstMeta[]): Promise<void> {
    for (const file of files) {
      this.#obsolete.delete(file.id);
      try {
        await this.store.delete(file.name);
      } catch (error) {
        this.log.warn({ error, file: file.name }, "an obsolete file could not be deleted");
      }
    }
  }
}
