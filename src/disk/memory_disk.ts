/**
 * A disk in memory for tests, with power loss: what was not synced is dropped, cut at a random byte or full of holes, and
 * names change in the order they were made up to a random point. Seeded: the same steps and seed leave the same disk.
 * Wrap its views in faultyStore and faultyLogFolder for ENOSPC and EIO.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { assert, DbError } from "../base/mod.ts";
import type { LogFile, LogFolder, ObjectInfo, ObjectStore, StagedObject } from "./api.ts";
import type { SyncFailureAware } from "./faulty_log.ts";
import { MemoryFile, type Random, randomBelow, seeded } from "./memory_file.ts";
import { byName, checkFileName, checkObjectName, checkPrefix } from "./names.ts";

export interface MemoryDiskOptions {
  readonly seed: number;
  /** A folder of the real disk for what an engine writes and reads by path. Without it `stage` and `localPath` are Bugs. */
  readonly scratchDir?: string;
}

export class MemoryDisk {
  readonly scratchDir: string | undefined;
  readonly #random: Random;
  readonly #folders = new Map<string, Names>();
  #epoch = 0;
  #steps = 0;
  #cutAt = Number.POSITIVE_INFINITY;

  constructor(options: MemoryDiskOptions) {
    this.#random = seeded(options.seed);
    this.scratchDir = options.scratchDir;
  }

  /** The objects. Each call opens them anew, as a process that starts does. */
  openStore(): ObjectStore {
    return new MemoryStore(this, this.#names("objects"), this.#epoch);
  }

  openLogFolder(name = "log"): LogFolder {
    return new MemoryLogFolder(this, this.#names(`log ${name}`), this.#epoch);
  }

  /** Disk steps taken so far: writes, syncs, changes of names. */
  get steps(): number {
    return this.#steps;
  }

  /** How often the process died, by power loss or kill. */
  get deaths(): number {
    return this.#epoch;
  }

  /** The power fails now. Views and files opened before answer EIO from here on and change nothing. */
  powerLoss(): void {
    for (const names of this.#folders.values()) names.powerLoss(this.#random);
    this.kill();
  }

  /** The power fails at the n-th step from now, before it is taken. */
  powerLossAtStep(n: number): void {
    this.#cutAt = this.#steps + n;
  }

  /** The process dies; everything written stays. */
  kill(): void {
    this.#epoch++;
    this.#cutAt = Number.POSITIVE_INFINITY;
    if (this.scratchDir) rmSync(join(this.scratchDir, "staged"), { recursive: true, force: true });
  }

  /** Called before each step, and lets others run. Throws EIO when the view's process is dead. */
  async step(epoch: number): Promise<void> {
    await Promise.resolve();
    this.check(epoch);
    this.#steps++;
    if (this.#steps >= this.#cutAt) this.powerLoss();
    this.check(epoch);
  }

  check(epoch: number): void {
    if (epoch !== this.#epoch)
      throw Object.assign(new Error("EIO: the power is off (simulated)"), { code: "EIO" });
  }

  #names(folder: string): Names {
    const names = this.#folders.get(folder) ?? new Names();
    this.#folders.set(folder, names);
    return names;
  }
}

type Change = (names: Map<string, MemoryFile>) => void;

/** Names of one folder: as visible, as durable, and the changes between the two in order. */
class Names {
  readonly visible = new Map<string, MemoryFile>();
  #durable = new Map<string, MemoryFile>();
  #pending: Change[] = [];

  change(change: Change): void {
    change(this.visible);
    this.#pending.push(change);
  }

  sync(): void {
    for (const change of this.#pending.splice(0)) change(this.#durable);
  }

  powerLoss(random: Random): void {
    const survived = randomBelow(random, this.#pending.length + 1);
    for (const change of this.#pending.splice(0).slice(0, survived)) change(this.#durable);
    this.visible.clear();
    for (const [name, file] of this.#durable)
      this.visible.set(name, new MemoryFile(file.afterPowerLoss(random)));
    this.#durable = new Map(this.visible);
  }

  file(name: string): MemoryFile {
    const file = this.visible.get(name);
    if (file) return file;
    throw Object.assign(new Error(`ENOENT: no such file or directory, '${name}'`), {
      code: "ENOENT",
    });
  }

  list(prefix: string): ObjectInfo[] {
    const found = [...this.visible].filter(([name]) => name.startsWith(prefix));
    return found.map(([name, file]) => ({ name, bytes: file.size })).sort(byName);
  }
}

class MemoryStore implements ObjectStore {
  readonly #disk: MemoryDisk;
  readonly #names: Names;
  readonly #epoch: number;
  #staged = 0;

  constructor(disk: MemoryDisk, names: Names, epoch: number) {
    this.#disk = disk;
    this.#names = names;
    this.#epoch = epoch;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    checkObjectName(name);
    // The write and the sync of a temporary, which nobody sees.
    await this.#disk.step(this.#epoch);
    await this.#install(name, bytes);
  }

  async putNew(name: string, bytes: Uint8Array): Promise<void> {
    checkObjectName(name);
    await this.#disk.step(this.#epoch);
    await this.#install(name, bytes, () => {
      if (!this.#names.visible.has(name)) return;
      const text = `EEXIST: file already exists, '${name}'`;
      const cause = Object.assign(new Error(text), { code: "EEXIST" });
      throw new DbError("internal", `object ${name} exists already`, { cause });
    });
  }

  async get(name: string): Promise<Uint8Array> {
    this.#disk.check(this.#epoch);
    const file = this.#names.file(checkObjectName(name));
    return file.read(0, file.size);
  }

  async getRange(name: string, offset: number, length: number): Promise<Uint8Array> {
    this.#disk.check(this.#epoch);
    return this.#names.file(checkObjectName(name)).read(offset, length);
  }

  async head(name: string): Promise<ObjectInfo | undefined> {
    this.#disk.check(this.#epoch);
    const file = this.#names.visible.get(checkObjectName(name));
    return file && { name, bytes: file.size };
  }

  async list(prefix: string): Promise<ObjectInfo[]> {
    this.#disk.check(this.#epoch);
    return this.#names.list(checkPrefix(prefix));
  }

  async delete(name: string): Promise<void> {
    checkObjectName(name);
    await this.#disk.step(this.#epoch);
    this.#names.change((names) => names.delete(name));
  }

  async deletePrefix(prefix: string): Promise<void> {
    assert(prefix === "" || prefix.endsWith("/"), `${prefix} names a folder`);
    for (const { name } of this.#names.list(prefix)) await this.delete(name);
  }

  async stage(name: string): Promise<StagedObject> {
    this.#disk.check(this.#epoch);
    const folder = join(this.#scratch(), "staged");
    mkdirSync(folder, { recursive: true });
    const path = join(
      folder,
      `${this.#epoch}-${this.#staged++}-${basename(checkObjectName(name))}`,
    );
    return {
      path,
      commit: async () => {
        const bytes = readFileSync(path);
        await this.put(name, bytes);
        rmSync(path);
        return bytes.length;
      },
      abort: async () => rmSync(path, { force: true }),
    };
  }

  /** Writes the object there if it exists: call it again after the object was replaced. */
  localPath(name: string): string {
    const path = join(this.#scratch(), "objects", checkObjectName(name));
    const file = this.#names.visible.get(name);
    if (file) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, file.read(0, file.size));
    } else rmSync(path, { force: true });
    return path;
  }

  /** Temporaries die with the process here. */
  async sweep(): Promise<number> {
    return 0;
  }

  /** `check` runs in the same step as the change of the name. */
  async #install(name: string, bytes: Uint8Array, check = () => {}): Promise<void> {
    const file = new MemoryFile(bytes);
    await this.#disk.step(this.#epoch);
    check();
    this.#names.change((names) => names.set(name, file));
    await this.#disk.step(this.#epoch);
    this.#names.sync();
  }

  #scratch(): string {
    assert(this.#disk.scratchDir !== undefined, "this memory disk has a scratch folder");
    return this.#disk.scratchDir;
  }
}

class MemoryLogFolder implements LogFolder {
  readonly #disk: MemoryDisk;
  readonly #names: Names;
  readonly #epoch: number;

  constructor(disk: MemoryDisk, names: Names, epoch: number) {
    this.#disk = disk;
    this.#names = names;
    this.#epoch = epoch;
  }

  async list(): Promise<ObjectInfo[]> {
    this.#disk.check(this.#epoch);
    return this.#names.list("");
  }

  async open(name: string): Promise<LogFile> {
    checkFileName(name);
    await this.#disk.step(this.#epoch);
    const file = this.#names.visible.get(name) ?? new MemoryFile();
    if (!this.#names.visible.has(name)) this.#names.change((names) => names.set(name, file));
    await this.#disk.step(this.#epoch);
    this.#names.sync();
    return new MemoryLogFile(this.#disk, file, this.#epoch);
  }

  async read(name: string, offset: number, length: number): Promise<Uint8Array> {
    this.#disk.check(this.#epoch);
    return this.#names.file(checkFileName(name)).read(offset, length);
  }

  async delete(name: string): Promise<void> {
    checkFileName(name);
    await this.#disk.step(this.#epoch);
    this.#names.change((names) => names.delete(name));
    await this.#disk.step(this.#epoch);
    this.#names.sync();
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#disk.step(this.#epoch);
    const file = this.#names.file(checkFileName(from));
    this.#names.change((names) => {
      names.delete(from);
      names.set(checkFileName(to), file);
    });
    await this.#disk.step(this.#epoch);
    this.#names.sync();
  }
}

class MemoryLogFile implements LogFile, SyncFailureAware {
  readonly #disk: MemoryDisk;
  readonly #file: MemoryFile;
  readonly #epoch: number;

  constructor(disk: MemoryDisk, file: MemoryFile, epoch: number) {
    this.#disk = disk;
    this.#file = file;
    this.#epoch = epoch;
  }

  get size(): number {
    return this.#file.size;
  }

  async append(parts: readonly Uint8Array[]): Promise<void> {
    await this.#disk.step(this.#epoch);
    for (const part of parts) this.#file.append(part);
  }

  async sync(): Promise<void> {
    await this.#disk.step(this.#epoch);
    this.#file.sync();
  }

  async truncate(size: number): Promise<void> {
    await this.#disk.step(this.#epoch);
    this.#file.truncate(size);
  }

  async close(): Promise<void> {}

  syncFailed(): void {
    this.#file.syncFailed();
  }
}
