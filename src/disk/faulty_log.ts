/**
 * A LogFolder that fails by plan, around a real one. A failed append lands the planned share of its bytes first; it is taken
 * back as the contract says, unless the plan fails that truncate too: then the garbage stays in the file.
 */
import type { LogFile, LogFolder, ObjectInfo } from "./api.ts";
import { type FaultPlan, faultError } from "./fault_plan.ts";

/** A file that models what the kernel does after a failed fsync: the unwritten pages count as clean and are lost. */
export interface SyncFailureAware {
  syncFailed(): void;
}

export function faultyLogFolder(folder: LogFolder, plan: FaultPlan): LogFolder {
  return new FaultyLogFolder(folder, plan);
}

class FaultyLogFolder implements LogFolder {
  readonly #inner: LogFolder;
  readonly #plan: FaultPlan;

  constructor(inner: LogFolder, plan: FaultPlan) {
    this.#inner = inner;
    this.#plan = plan;
  }

  async list(): Promise<ObjectInfo[]> {
    this.#plan.step("read", "the folder");
    return await this.#inner.list();
  }

  async open(name: string): Promise<LogFile> {
    this.#plan.step("open", name);
    const file = await this.#inner.open(name);
    try {
      this.#plan.step("folder_sync", name);
    } catch (error) {
      await file.close();
      throw error;
    }
    return new FaultyLogFile(file, name, this.#plan);
  }

  async read(name: string, offset: number, length: number): Promise<Uint8Array> {
    this.#plan.step("read", name);
    return await this.#inner.read(name, offset, length);
  }

  async delete(name: string): Promise<void> {
    this.#plan.step("delete", name);
    await this.#inner.delete(name);
  }

  async rename(from: string, to: string): Promise<void> {
    this.#plan.step("rename", from);
    await this.#inner.rename(from, to);
    this.#plan.step("folder_sync", to);
  }
}

class FaultyLogFile implements LogFile {
  readonly #inner: LogFile;
  readonly #name: string;
  readonly #plan: FaultPlan;
  /** Size that the caller knows; the inner file may be longer after a failure that could not be taken back. */
  #size: number;

  constructor(inner: LogFile, name: string, plan: FaultPlan) {
    this.#inner = inner;
    this.#name = name;
    this.#plan = plan;
    this.#size = inner.size;
  }

  get size(): number {
    return this.#size;
  }

  async append(parts: readonly Uint8Array[]): Promise<void> {
    if (this.#inner.size !== this.#size) await this.truncate(this.#size);
    const fault = this.#plan.strike("write");
    if (fault) {
      const bytes = Buffer.concat(parts);
      await this.#inner.append([bytes.subarray(0, Math.floor(bytes.length * (fault.landed ?? 0)))]);
      try {
        await this.truncate(this.#size);
      } catch {
        // The plan fails the roll-back as well: the landed bytes stay.
      }
      throw faultError(fault, this.#name);
    }
    await this.#inner.append(parts);
    this.#size = this.#inner.size;
  }

  async sync(): Promise<void> {
    const fault = this.#plan.strike("sync");
    if (!fault) return await this.#inner.sync();
    if ("syncFailed" in this.#inner) (this.#inner as LogFile & SyncFailureAware).syncFailed();
    throw faultError(fault, this.#name);
  }

  async truncate(size: number): Promise<void> {
    this.#plan.step("truncate", this.#name);
    await this.#inner.truncate(size);
    this.#size = size;
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}
