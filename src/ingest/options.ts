/** Options of tables that a write creates: from the request's hints, the database and the server's settings. */
import type { WriteHints } from "./api.ts";

type Options = Readonly<Record<string, string>>;

/** Hints that are options of a table; others steer something else, or nothing. */
const TABLE_HINTS: ReadonlySet<string> = new Set([
  "ttl",
  "append_mode",
  "merge_mode",
  "skip_wal",
  "sst_format",
  "write_buffer_size",
  "storage",
  "comment",
  "compaction.twcs.time_window",
]);

const COMMENT = "Created on insertion";

/**
 * `mergeMode` is what the protocol wants when neither hints nor database say anything: line protocol writes the fields of a
 * row one by one and wants them merged.
 */
export function createOptions(
  hints: WriteHints,
  database: Options,
  mergeMode: "last_non_null" | "last_row" | undefined,
): Options {
  const options: Record<string, string> = { comment: COMMENT };
  for (const [key, value] of Object.entries(hints.options))
    if (TABLE_HINTS.has(key)) options[key] = value;
  if (options.append_mode === "true") options.merge_mode = "last_row";
  const silent = database.append_mode === undefined && database.merge_mode === undefined;
  if (mergeMode !== undefined && silent) options.merge_mode ??= mergeMode;
  return options;
}
