/** The few steps that make a local file durable. Used by the stores of this folder only. */
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errnoOf } from "../base/mod.ts";

/** Makes names created, renamed or deleted in the folder durable. */
export async function syncFolder(path: string): Promise<void> {
  // Windows can neither open nor needs to sync a folder.
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates the folder and what is missing above it; durable. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  // Every new name is an entry of the folder above it: from the deepest up to the parent of the first one made.
  for (let at = path; ; at = dirname(at)) {
    await syncFolder(dirname(at));
    if (join(at) === join(first) || dirname(at) === at) return;
  }
}

/** Writes all parts at the handle's position, however many calls the system needs. */
export async function writeParts(handle: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  let rest = parts.filter((part) => part.length > 0);
  while (rest.length > 0) {
    let { bytesWritten } = await handle.writev(rest);
    let done = 0;
    while (done < rest.length && bytesWritten >= rest[done]!.length) {
      bytesWritten -= rest[done]!.length;
      done++;
    }
    rest = rest.slice(done);
    if (bytesWritten > 0) rest[0] = rest[0]!.subarray(bytesWritten);
  }
}

/** Reads [offset, offset + length), or less where the file ends. */
export async function readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
  const handle = await open(path, "r");
  try {
    // Not from the pool, which a small read would pin, and not zeroed, as all of it is overwritten or cut off.
    const buffer = Buffer.allocUnsafeSlow(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await handle.read(buffer, done, length - done, offset + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return buffer.subarray(0, done);
  } finally {
    await handle.close();
  }
}

/** Runs a clean-up whose failure must not hide the failure that made it necessary. */
export async function quietly(step: Promise<unknown>): Promise<void> {
  try {
    await step;
  } catch {
    // The error that led here is the one to report; what is left behind is swept at the next start.
  }
}

/** Passes over "no such file"; throws anything else. */
export async function unlessAbsent<T>(step: Promise<T>): Promise<T | undefined> {
  try {
    return await step;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
