/**
 * VersionedLog: small state that changes by actions, durable before visible. Catalog and region manifests are such logs.
 * `<prefix><version>.json` holds the actions of one version, `<prefix><version>.checkpoint` the whole state at one.
 * Invariants: versions have no gap; the state is replaced, never edited; what a commit reported as done is read back.
 * Never repairs damage: an unreadable delta stops the start with a Fatal and stays where it is. docs/format/versioned_log.md.
 */
import { assert, errnoOf, Fatal, type Logger, Mutex, messageOf } from "../base/mod.ts";
import type { ObjectStore } from "./api.ts";
import { seal } from "./sealed_json.ts";
import { asUnavailable } from "./unavailable.ts";
import { listVersions, readVersions, versionName } from "./versioned_files.ts";

export interface VersionedLogOptions<Action, State> {
  readonly empty: State;
  /** Pure: returns a new state, and throws to refuse the commit. */
  apply(state: State, action: Action): State;
  /** A checkpoint after this many deltas. Default 10. */
  readonly checkpointEvery?: number;
  /** For a state that is not plain JSON with bigints (maps, sets): to JSON and back. */
  readonly toJson?: (state: State) => unknown;
  readonly fromJson?: (json: unknown) => State;
  readonly log?: Logger;
}

export interface VersionedLog<Action, State> {
  /** Frozen (its own fields; make deep ones readonly by type). */
  readonly state: State;
  /** 0 when nothing was ever committed. */
  readonly version: number;
  /** Bytes of all its files. */
  readonly bytes: number;
  /** A refused commit could not be taken back: the next start may read it. The next commit takes it back first, or is refused. */
  readonly inDoubt: boolean;
  /**
   * Applies the actions as one version and makes it durable; resolves with the new state. Commits run one after the other.
   * On failure the state is as before: storage_unavailable when the disk refuses, whatever `apply` throws, Fatal when
   * someone else wrote this version.
   */
  commit(actions: readonly Action[]): Promise<State>;
}

/** Ten deltas of a manifest are read in a few milliseconds; fewer would write the whole state too often. */
const CHECKPOINT_EVERY = 10;

/** Reads the newest state below `prefix` (a folder ending in `/`, or the start of file names). Throws Fatal on damage. */
export async function openVersionedLog<Action, State>(
  store: ObjectStore,
  prefix: string,
  options: VersionedLogOptions<Action, State>,
): Promise<VersionedLog<Action, State>> {
  const log = new VersionedLogImpl(store, prefix, options);
  await log.read();
  return log;
}

class VersionedLogImpl<Action, State> implements VersionedLog<Action, State> {
  readonly #store: ObjectStore;
  readonly #prefix: string;
  readonly #options: VersionedLogOptions<Action, State>;
  readonly #commits = new Mutex();
  #state: State;
  #version = 0;
  /** Newest and second newest checkpoint; the second is kept in case the first gets damaged. 0 = none. */
  #checkpoint = 0;
  #checkpointBefore = 0;
  #sizes = new Map<string, number>();
  /** A failed commit may have left this file: nobody was told that it exists, so it must go before the next commit. */
  #leftover: string | undefined;

  constructor(store: ObjectStore, prefix: string, options: VersionedLogOptions<Action, State>) {
    this.#store = store;
    this.#prefix = prefix;
    this.#options = options;
    this.#state = Object.freeze(options.empty);
  }

  get state(): State {
    return this.#state;
  }

  get version(): number {
    return this.#version;
  }

  get inDoubt(): boolean {
    return this.#leftover !== undefined;
  }

  get bytes(): number {
    let sum = 0;
    for (const bytes of this.#sizes.values()) sum += bytes;
    return sum;
  }

  async read(): Promise<void> {
    const read = await readVersions(this.#store, this.#prefix, this.#options.log);
    this.#sizes = read.sizes;
    this.#checkpoint = read.checkpoint?.version ?? 0;
    this.#checkpointBefore = read.checkpointBefore;
    if (read.checkpoint) {
      const json = read.checkpoint.body;
      this.#state = this.#options.fromJson ? this.#options.fromJson(json) : (json as State);
    }
    this.#version = this.#checkpoint;
    for (const delta of read.deltas) {
      assert(delta.version === this.#version + 1, "deltas are read in order");
      try {
        this.#state = this.#applyAll(delta.body as Action[]);
      } catch (error) {
        throw new Fatal(
          `${versionName(this.#prefix, delta.version, "json")} cannot be applied: ${messageOf(error)}`,
          { cause: error },
        );
      }
      this.#version = delta.version;
    }
    this.#state = Object.freeze(this.#state);
  }

  commit(actions: readonly Action[]): Promise<State> {
    return this.#commits.run(async () => {
      const version = this.#version + 1;
      const next = Object.freeze(this.#applyAll(actions));
      const bytes = seal({ kind: "delta", version, body: actions });
      const name = versionName(this.#prefix, version, "json");
      await this.#write(name, bytes);
      this.#sizes.set(name, bytes.length);
      this.#state = next;
      this.#version = version;
      await this.#checkpointIfDue();
      return next;
    });
  }

  #applyAll(actions: readonly Action[]): State {
    let state = this.#state;
    for (const action of actions) state = this.#options.apply(state, action);
    return state;
  }

  /** Resolves when the new file is durable; when it rejects, no later start will read the file (as far as the disk allows). */
  async #write(name: string, bytes: Uint8Array): Promise<void> {
    await this.#removeLeftover();
    try {
      await this.#store.putNew(name, bytes);
    } catch (error) {
      if (isExists(error)) throw await this.#otherWriter(name, error);
      // The failure may have come after the rename. Then the file is visible but perhaps not durable: finish it, or remove it.
      try {
        if ((await this.#store.head(name)) === undefined) throw error;
        await this.#store.put(name, bytes);
      } catch {
        this.#leftover = name;
        await this.#removeLeftover().catch(() => undefined);
        throw asUnavailable(error, `write ${name}`);
      }
    }
  }

  async #removeLeftover(): Promise<void> {
    if (this.#leftover === undefined) return;
    try {
      await this.#store.delete(this.#leftover);
      this.#leftover = undefined;
    } catch (error) {
      throw asUnavailable(error, `remove ${this.#leftover}, left by a failed commit`);
    }
  }

  async #otherWriter(name: string, cause: unknown): Promise<Fatal> {
    const found = await this.#store.head(name).catch(() => undefined);
    return new Fatal(
      `${name} (${found?.bytes ?? "?"} bytes) was written by someone else: two processes use one data home`,
      { cause },
    );
  }

  /** Best effort: without it the next start reads more deltas, nothing else. */
  async #checkpointIfDue(): Promise<void> {
    const every = this.#options.checkpointEvery ?? CHECKPOINT_EVERY;
    if (this.#version - this.#checkpoint < every) return;
    try {
      await this.#writeCheckpoint();
    } catch (error) {
      this.#options.log?.warn(
        { prefix: this.#prefix, version: this.#version, error: messageOf(error) },
        "checkpoint failed; the next commit tries again",
      );
      return;
    }
    await this.#deleteOld();
  }

  async #writeCheckpoint(): Promise<void> {
    const version = this.#version;
    const body = this.#options.toJson ? this.#options.toJson(this.#state) : this.#state;
    const bytes = seal({ kind: "checkpoint", version, body });
    const name = versionName(this.#prefix, version, "checkpoint");
    await this.#store.put(name, bytes);
    this.#sizes.set(name, bytes.length);
    const pointer = seal({ kind: "pointer", version: 0, body: { version, bytes: bytes.length } });
    await this.#store.put(`${this.#prefix}_last_checkpoint`, pointer);
    this.#sizes.set(`${this.#prefix}_last_checkpoint`, pointer.length);
    this.#checkpointBefore = this.#checkpoint;
    this.#checkpoint = version;
  }

  /** Keeps the last two checkpoints and the deltas since the older one, so that one damaged checkpoint costs nothing. */
  async #deleteOld(): Promise<void> {
    for (const name of [...this.#sizes.keys()]) {
      const file = listVersions(this.#prefix, [name])[0];
      if (file === undefined) continue;
      const old =
        file.kind === "json"
          ? file.version <= this.#checkpointBefore
          : file.version < this.#checkpointBefore;
      if (!old) continue;
      try {
        await this.#store.delete(name);
        this.#sizes.delete(name);
      } catch {
        // Tried again after the next checkpoint.
      }
    }
  }
}

function isExists(error: unknown): boolean {
  return error instanceof Error && errnoOf(error.cause) === "EEXIST";
}
