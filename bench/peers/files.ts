/** Bytes on disk: what a database's folder holds. */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Sum of the sizes of all files under `folder`; files that vanish meanwhile count nothing. */
export function bytesUnder(folder: string): number {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return 0;
  }
  let bytes = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += bytesUnder(path);
    else {
      try {
        bytes += statSync(path).size;
      } catch {
        // Deleted between the listing and now.
      }
    }
  }
  return bytes;
}

/** Waits until `bytes()` has not changed for `quietS` seconds, at most `secondsMax`. Returns it. */
export async function whenStable(
  bytes: () => number,
  quietS: number,
  secondsMax: number,
): Promise<{ bytes: number; stable: boolean }> {
  const startMs = performance.now();
  let last = bytes();
  let sinceMs = startMs;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const nowMs = performance.now();
    const now = bytes();
    if (now !== last) {
      last = now;
      sinceMs = nowMs;
    } else if (nowMs - sinceMs >= quietS * 1000) return { bytes: now, stable: true };
    if (nowMs - startMs > secondsMax * 1000) return { bytes: now, stable: false };
  }
}
