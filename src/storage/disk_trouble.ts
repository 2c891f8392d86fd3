/** Which failures of a flush, a compaction or a manifest are the disk's, and what the caller is told then. DuckDB reports what the system said as text only. */
import { DbError, errnoOf, messageOf } from "../base/mod.ts";
import { asUnavailable, isDiskTrouble } from "../disk/mod.ts";

/** As in unavailable.ts of the disk folder: a full disk is seldom freed faster. */
const retryAfterSec = 5;

/** Is it the disk that is full or failing? */
export function isStorageTrouble(error: unknown): boolean {
  return (
    isDiskTrouble(error) ||
    (error instanceof DbError && error.code === "storage_unavailable") ||
    /No space left on device|Input\/output error|Read-only file system|Disk quota exceeded/i.test(
      messageOf(error),
    )
  );
}

/** storage_unavailable for trouble with the disk, else the error itself. `what`: "flush". */
export function asStorageError(error: unknown, what: string): unknown {
  if (error instanceof DbError || !isStorageTrouble(error)) return error;
  if (errnoOf(error) !== undefined) return asUnavailable(error, what);
  return new DbError("storage_unavailable", `cannot ${what}: ${messageOf(error)}`, {
    cause: error,
    retryAfterSec,
  });
}

/** Runs a step that writes to the disk; what the disk refuses is thrown as storage_unavailable. */
export async function onDisk<R>(what: string, step: () => Promise<R>): Promise<R> {
  try {
    return await step();
  } catch (error) {
    throw asStorageError(error, what);
  }
}
