/** POST of line protocol, version 1 and 2: parameters and body → ingest → 204, or what was refused. */
import { DbError, type Histogram } from "../../base/mod.ts";
import type { Ingestor, WriteReport } from "../../ingest/mod.ts";
import type { Ctx } from "../../net/mod.ts";
import { writePrecision } from "./precision.ts";

export interface WriteDeps {
  readonly ingestor: Ingestor;
  readonly elapsed: Histogram<"db">;
}

/** A full series dictionary is not made larger within seconds; agents should not hammer. */
const LIMIT_RETRY_SEC = 30;

/**
 * Stores the body's lines. `database` is what the request names besides header and `db`. Throws DbError: invalid_arguments with a
 * "partial write" message when lines were refused, rate_limited when only room was missing, and what ingest throws.
 */
export async function handleWrite(
  deps: WriteDeps,
  ctx: Ctx,
  database: string | null,
): Promise<void> {
  const precision = writePrecision(ctx.query.get("precision"));
  const db = ctx.database(database);
  const hints = ctx.writeHints();
  const body = await ctx.body();
  const end = deps.elapsed.startTimer();
  const report = await deps.ingestor.writeLines({ db, precision, body, hints });
  // Only now is the database known to exist: a label must not be whatever a client sends.
  end({ db });
  throwRefused(report);
  await ctx.send(204);
}

/** `cpu/autogen` is database `cpu`: there is one retention per table here, and no database name has a slash. */
export function bucketDatabase(bucket: string | null): string | null {
  return bucket === null ? null : bucket.replace(/\/.*$/s, "");
}

/**
 * "partial write:" is what version 1 agents look for to drop the batch instead of sending it for ever.
 */
export function throwRefused(report: WriteReport): void {
  const { rowsWritten, rowsRefused, refusals } = report;
  if (rowsRefused === 0) return;
  const first = refusals[0] ?? "rows were refused";
  const more = rowsRefused > 1 ? ` (and ${rowsRefused - 1} more)` : "";
  const counts = `rows written=${rowsWritten} refused=${rowsRefused}`;
  if (rowsWritten === 0 && report.rowsOverLimit === rowsRefused)
    throw new DbError("rate_limited", `${first}${more}; ${counts}`, {
      retryAfterSec: LIMIT_RETRY_SEC,
    });
  throw new DbError("invalid_arguments", `partial write: ${first}${more}; ${counts}`);
}
