/** Turns "the disk is full or failing" into the answer that clients understand: refuse this write, try again later. */
import { DbError, errnoOf, messageOf } from "../base/mod.ts";

/** What a disk says that may work again later without a restart: full, over quota, failing, read-only, too many open files. */
const PASSING = new Set(["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE", "ENFILE"]);

/** Seconds after which a client may try again: a full disk is seldom freed faster. */
const RETRY_AFTER_SEC = 5;

/** Is this a state of the disk that may pass? */
export function isDiskTrouble(error: unknown): boolean {
  return PASSING.has(errnoOf(error) ?? "");
}

/** A DbError storage_unavailable for trouble with the disk, else the error itself. `what`: "append to the log". */
export function asUnavailable(error: unknown, what: string): unknown {
  if (!isDiskTrouble(error)) return error;
  return new DbError("storage_unavailable", `cannot ${what}: ${messageOf(error)}`, {
    cause: error,
    retryAfterSec: RETRY_AFTER_SEC,
  });
}
