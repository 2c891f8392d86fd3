/**
 * An ObjectStore that fails by plan, around a real one. Every operation keeps its promise: before `rename` fails nothing is
 * visible; when `folder_sync` fails the object is there although the caller is told otherwise.
 */
import type { ObjectInfo, ObjectStore, StagedObject } from "./api.ts";
import type { FaultPlan } from "./fault_plan.ts";

export function faultyStore(store: ObjectStore, plan: FaultPlan): ObjectStore {
  return new FaultyStore(store, plan);
}

class FaultyStore implements ObjectStore {
  readonly #inner: ObjectStore;
  readonly #plan: FaultPlan;

  constructor(inner: ObjectStore, plan: FaultPlan) {
    this.#inner = inner;
    this.#plan = plan;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#installing(name, () => this.#inner.put(name, bytes));
  }

  async putNew(name: string, bytes: Uint8Array): Promise<void> {
    await this.#installing(name, () => this.#inner.putNew(name, bytes));
  }

  async get(name: string): Promise<Uint8Array> {
    this.#plan.step("read", name);
    return await this.#inner.get(name);
  }

  async getRange(name: string, offset: number, length: number): Promise<Uint8Array> {
    this.#plan.step("read", name);
    return await this.#inner.getRange(name, offset, length);
  }

  async head(name: string): Promise<ObjectInfo | undefined> {
    this.#plan.step("read", name);
    return await this.#inner.head(name);
  }

  async list(prefix: string): Promise<ObjectInfo[]> {
    this.#plan.step("read", prefix);
    return await this.#inner.list(prefix);
  }

  async delete(name: string): Promise<void> {
    this.#plan.step("delete", name);
    await this.#inner.delete(name);
  }

  async deletePrefix(prefix: string): Promise<void> {
    this.#plan.step("delete", prefix);
    await this.#inner.deletePrefix(prefix);
  }

  /** `open` fails here; the engine's own writes cannot be reached, so `write` fails at commit. */
  async stage(name: string): Promise<StagedObject> {
    this.#plan.step("open", name);
    const staged = await this.#inner.stage(name);
    return {
      path: staged.path,
      commit: async () => {
        try {
          return await this.#installing(name, () => staged.commit());
        } catch (error) {
          await staged.abort();
          throw error;
        }
      },
      abort: () => staged.abort(),
    };
  }

  localPath(name: string): string {
    return this.#inner.localPath(name);
  }

  async sweep(): Promise<number> {
    return await this.#inner.sweep();
  }

  async #installing<T>(name: string, install: () => Promise<T>): Promise<T> {
    this.#plan.step("write", name);
    this.#plan.step("sync", name);
    this.#plan.step("rename", name);
    const result = await install();
    this.#plan.step("folder_sync", name);
    return result;
  }
}
