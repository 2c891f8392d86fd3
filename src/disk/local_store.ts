/**
 * An ObjectStore on a folder of the local disk.
 * An object is written in `.tmp/`, synced, renamed to its name, and the folder synced: after a crash it is whole or absent.
 * Renames stay on one file system: do not mount another one below the root.
 */
import { randomBytes } from "node:crypto";
import {
  type FileHandle,
  link,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { assert, DbError, errnoOf } from "../base/mod.ts";
import type { ObjectInfo, ObjectStore, StagedObject } from "./api.ts";
import { makeFolder, quietly, readRange, syncFolder, unlessAbsent, writeParts } from "./file_io.ts";
import { byName, checkObjectName, checkPrefix, TEMPORARY_FOLDER } from "./names.ts";

/** What a file system without hard links answers to link(2). */
const NO_HARD_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Opens (and creates) the folder. The caller holds the lock of the data home. */
export async function openLocalStore(root: string): Promise<ObjectStore> {
  const path = resolve(root);
  await makeFolder(join(path, TEMPORARY_FOLDER));
  return new LocalStore(path);
}

class LocalStore implements ObjectStore {
  readonly #root: string;
  /** Folders known to exist durably: one mkdir each, not one per put. */
  readonly #folders = new Set<string>();
  /** Makes the names of temporaries differ from those of other stores on the same root. */
  readonly #stamp = randomBytes(6).toString("hex");
  #temporaries = 0;

  constructor(root: string) {
    this.#root = root;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const temporary = await this.#writeTemporary(name, bytes);
    await this.#install(temporary, name);
  }

  async putNew(name: string, bytes: Uint8Array): Promise<void> {
    const target = this.localPath(name);
    const temporary = await this.#writeTemporary(name, bytes);
    try {
      await this.#makeParent(target);
      await linkNew(temporary, target);
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
      throw new DbError("internal", `object ${name} exists already`, { cause: error });
    } finally {
      await quietly(rm(temporary, { force: true }));
    }
    await syncFolder(dirname(target));
  }

  async get(name: string): Promise<Uint8Array> {
    return await readFile(this.localPath(name));
  }

  async getRange(name: string, offset: number, length: number): Promise<Uint8Array> {
    return await readRange(this.localPath(name), offset, length);
  }

  async head(name: string): Promise<ObjectInfo | undefined> {
    const info = await unlessAbsent(stat(this.localPath(name)));
    return info?.isFile() ? { name, bytes: info.size } : undefined;
  }

  async list(prefix: string): Promise<ObjectInfo[]> {
    checkPrefix(prefix);
    const found: ObjectInfo[] = [];
    await this.#walk(prefix.slice(0, prefix.lastIndexOf("/") + 1), prefix, found);
    return found.sort(byName);
  }

  async delete(name: string): Promise<void> {
    await unlessAbsent(unlink(this.localPath(name)));
  }

  async deletePrefix(prefix: string): Promise<void> {
    assert(prefix === "" || prefix.endsWith("/"), `${prefix} names a folder`);
    for (const { name } of await this.list(prefix)) await this.delete(name);
    this.#folders.clear();
    if (prefix !== "") await this.#removeEmptyFolders(join(this.#root, prefix));
  }

  async stage(name: string): Promise<StagedObject> {
    checkObjectName(name);
    const path = this.#temporaryPath(name);
    return {
      path,
      commit: async () => {
        const handle = await open(path, "r+");
        let bytes: number;
        try {
          await handle.sync();
          bytes = (await handle.stat()).size;
        } finally {
          await handle.close();
        }
        await this.#install(path, name);
        return bytes;
      },
      abort: () => rm(path, { force: true }),
    };
  }

  localPath(name: string): string {
    return join(this.#root, checkObjectName(name));
  }

  async sweep(): Promise<number> {
    const folder = join(this.#root, TEMPORARY_FOLDER);
    const left = await readdir(folder);
    for (const name of left) await rm(join(folder, name), { recursive: true, force: true });
    return left.length;
  }

  #temporaryPath(name: string): string {
    const number = this.#temporaries++;
    return join(this.#root, TEMPORARY_FOLDER, `${this.#stamp}-${number}-${basename(name)}`);
  }

  async #writeTemporary(name: string, bytes: Uint8Array): Promise<string> {
    checkObjectName(name);
    const path = this.#temporaryPath(name);
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, "wx");
      await writeParts(handle, [bytes]);
      await handle.sync();
      await handle.close();
      return path;
    } catch (error) {
      if (handle) await quietly(handle.close());
      await quietly(rm(path, { force: true }));
      throw error;
    }
  }

  /** The temporary becomes the object, or is removed. */
  async #install(temporary: string, name: string): Promise<void> {
    const target = this.localPath(name);
    try {
      await this.#makeParent(target);
      await rename(temporary, target);
    } catch (error) {
      await quietly(rm(temporary, { force: true }));
      throw error;
    }
    await syncFolder(dirname(target));
  }

  async #makeParent(target: string): Promise<void> {
    const folder = dirname(target);
    if (this.#folders.has(folder)) return;
    await makeFolder(folder);
    this.#folders.add(folder);
  }

  /** `folder` is "" or ends in `/`. */
  async #walk(folder: string, prefix: string, found: ObjectInfo[]): Promise<void> {
    const entries = await unlessAbsent(readdir(join(this.#root, folder), { withFileTypes: true }));
    for (const entry of entries ?? []) {
      if (entry.name.startsWith(".")) continue;
      const name = folder + entry.name;
      if (entry.isDirectory()) {
        const below = `${name}/`;
        if (below.startsWith(prefix) || prefix.startsWith(below))
          await this.#walk(below, prefix, found);
      } else if (entry.isFile() && name.startsWith(prefix)) {
        const info = await unlessAbsent(stat(join(this.#root, name)));
        if (info) found.push({ name, bytes: info.size });
      }
    }
  }

  /** A folder that someone has put an object into meanwhile stays. */
  async #removeEmptyFolders(path: string): Promise<void> {
    const entries = await unlessAbsent(readdir(path, { withFileTypes: true }));
    if (!entries) return;
    for (const entry of entries)
      if (entry.isDirectory()) await this.#removeEmptyFolders(join(path, entry.name));
    await quietly(rmdir(path));
  }
}

/** Gives the file a second name, which must be new: EEXIST otherwise, decided by the file system in one step. */
async function linkNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!NO_HARD_LINKS.has(errnoOf(error) ?? "")) throw error;
    // Without hard links: look, then rename. Enough for one process, and the lock of the data home allows only one.
    if (await unlessAbsent(stat(to)))
      throw Object.assign(new Error(`EEXIST: file already exists, rename '${from}' -> '${to}'`), {
        code: "EEXIST",
      });
    await rename(from, to);
  }
}
