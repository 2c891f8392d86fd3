/**
 * A LogFolder on the local disk: append-only files, flat.
 * A LogFile never appends after bytes of a failed append: it cuts them first, or refuses.
 */
import { type FileHandle, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { LogFile, LogFolder, ObjectInfo } from "./api.ts";
import { makeFolder, quietly, readRange, syncFolder, unlessAbsent, writeParts } from "./file_io.ts";
import { byName, checkFileName } from "./names.ts";

/** Opens (and creates) the folder. The caller holds the lock of the data home. */
export async function openLogFolder(dir: string): Promise<LogFolder> {
  const path = resolve(dir);
  await makeFolder(path);
  return new LocalLogFolder(path);
}

class LocalLogFolder implements LogFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async list(): Promise<ObjectInfo[]> {
    const found: ObjectInfo[] = [];
    for (const entry of await readdir(this.#path, { withFileTypes: true })) {
      if (!entry.isFile() || entry.name.startsWith(".")) continue;
      const info = await unlessAbsent(stat(join(this.#path, entry.name)));
      if (info) found.push({ name: entry.name, bytes: info.size });
    }
    return found.sort(byName);
  }

  async open(name: string): Promise<LogFile> {
    const handle = await open(this.#file(name), "a");
    try {
      // Always, not only when new: a former process may have died between the creation and its sync.
      await syncFolder(this.#path);
      return new LocalLogFile(handle, (await handle.stat()).size);
    } catch (error) {
      await quietly(handle.close());
      throw error;
    }
  }

  async read(name: string, offset: number, length: number): Promise<Uint8Array> {
    return await readRange(this.#file(name), offset, length);
  }

  async delete(name: string): Promise<void> {
    // Synced, so that deletes survive in the order they were made.
    await unlessAbsent(unlink(this.#file(name)));
    await syncFolder(this.#path);
  }

  async rename(from: string, to: string): Promise<void> {
    await rename(this.#file(from), this.#file(to));
    await syncFolder(this.#path);
  }

  #file(name: string): string {
    return join(this.#path, checkFileName(name));
  }
}

class LocalLogFile implements LogFile {
  readonly #handle: FileHandle;
  #size: number;
  /** A failed append could not be taken back: bytes beyond `#size` may exist. */
  #tailUnknown = false;

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  async append(parts: readonly Uint8Array[]): Promise<void> {
    if (this.#tailUnknown) await this.truncate(this.#size);
    try {
      await writeParts(this.#handle, parts);
    } catch (error) {
      this.#tailUnknown = true;
      await quietly(this.truncate(this.#size));
      throw error;
    }
    for (const part of parts) this.#size += part.length;
  }

  async sync(): Promise<void> {
    await this.#handle.datasync();
  }

  async truncate(size: number): Promise<void> {
    await this.#handle.truncate(size);
    this.#size = size;
    this.#tailUnknown = false;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
