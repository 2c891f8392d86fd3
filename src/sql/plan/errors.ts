/** The texts of planning errors. All are the caller's: DbError of kind plan_query unless said otherwise. */
import { DbError } from "../../base/mod.ts";

/** A mistake against the schema: "No field named …", "Ambiguous reference …". */
export function schemaError(message: string): DbError {
  return new DbError("plan_query", `Failed to plan SQL: ${message}`);
}

/** Everything else that planning refuses. */
export function planError(message: string): DbError {
  return schemaError(`Error during planning: ${message}`);
}

/** What the dialect has and we do not, yet. */
export function notSupported(what: string): DbError {
  return new DbError("unsupported", `${what} is not supported yet`);
}

/** What would fail when executed, found while folding constants. */
export function executionError(message: string): DbError {
  return new DbError("execute_query", message);
}

/** Edits between two words, for "Did you mean". */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(
        next[j - 1]! + 1,
        row[j]! + 1,
        row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    row = next;
  }
  return row[b.length]!;
}

/** The candidate with the fewest edits; of equals, the one that shares most of its beginning. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const cost = editDistance(word, candidate) - commonPrefix(word, candidate) / 1_000;
    if (cost >= least) continue;
    best = candidate;
    least = cost;
  }
  return best;
}

function commonPrefix(a: string, b: string): number {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
}

/** 1 for equal words, 0 for words with nothing in common. */
export function similarity(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  return longest === 0 ? 1 : 1 - editDistance(a, b) / longest;
}
