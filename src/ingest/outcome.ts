/** What became of each table of a request, and the one answer that the request gets. */
import { DbError } from "../base/mod.ts";

export interface TableOutcome {
  readonly table: string;
  readonly rowsWritten: number;
  /** The table went away under its rows: they have to be decoded again. */
  readonly stale: boolean;
  /** The kernel may have learnt names that the catalog has not. */
  readonly strays: boolean;
  /** Why nothing of the table was stored, though its rows are good. */
  readonly failure?: DbError;
}

/**
 * Throws when rows that are good were not stored. With several tables it says which were, so that the caller knows what a
 * retry will write twice.
 */
export function throwFailures(outcomes: readonly TableOutcome[]): void {
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const first = failed[0]?.failure;
  if (first === undefined) return;
  if (outcomes.length === 1) throw first;
  const stored = outcomes.filter(({ rowsWritten }) => rowsWritten > 0);
  const parts = failed.map(({ table, failure }) => `${table}: ${failure!.message}`);
  parts.push(
    stored.length === 0
      ? "no table was stored"
      : `stored: ${stored.map(({ table, rowsWritten }) => `${table} (${rowsWritten} rows)`).join(", ")}`,
  );
  // A failure that may pass decides: the whole request is sent again, and the rest fails then by itself.
  const lead = failed.find(({ failure }) => failure!.answer.retry)?.failure ?? first;
  throw new DbError(lead.code, parts.join("; "), { ...lead.options, cause: lead });
}

/** Is it the rows' fault? Then they are refused, and the request goes on. */
export function isRefusal(error: unknown): error is DbError {
  return error instanceof DbError && error.answer.http >= 400 && error.answer.http < 429;
}
