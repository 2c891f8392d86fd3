/**
 * Options of tables and databases, as far as they change answers: ttl, append_mode, merge_mode. The SQL layer checks which
 * keys exist; here every path (SQL, hints of a write) is held to options that make sense together.
 */
import { DbError, formatDuration, parseDuration } from "../base/mod.ts";

export type Options = Readonly<Record<string, string>>;
/** undefined removes a key. */
export type OptionChanges = Readonly<Record<string, string | undefined>>;

const invalid = (message: string) => new DbError("invalid_arguments", message);

/** Options as they are kept: durations humanised, flags in lower case. Throws invalid_arguments. */
export function normalizeTableOptions(options: Options): Options {
  const out: Record<string, string> = {};
  for (const [key, value] of Object.entries(options)) out[key] = normalizeValue(key, value);
  checkTogether(out);
  return Object.freeze(out);
}

/** The same for a database. Throws invalid_arguments. */
export function normalizeDatabaseOptions(options: Options): Options {
  const out: Record<string, string> = {};
  for (const [key, value] of Object.entries(options)) out[key] = normalizeValue(key, value);
  // A database has no rows to forward, so "store nothing" can only be said of a table.
  if (out.ttl === "instant") throw invalid("Invalid set database option, key: ttl, value: instant");
  checkTogether(out);
  return Object.freeze(out);
}

/**
 * Options of a new table: its own, else those of its database that are copied at creation. ttl and compaction stay
 * behind: tables without their own look them up in the database each time.
 */
export function withDatabaseDefaults(own: Options, database: Options): Options {
  const out: Record<string, string> = { ...own };
  for (const [key, value] of Object.entries(database)) {
    const live = key === "ttl" || key.startsWith("compaction.");
    // append_mode and last_non_null exclude each other; what the table says wins.
    const clash =
      (key === "merge_mode" && out.append_mode === "true") ||
      (key === "append_mode" && out.merge_mode !== undefined);
    if (!live && !clash && out[key] === undefined) out[key] = value;
  }
  return out;
}

/** The options after ALTER … SET / UNSET. Throws invalid_arguments. */
export function changeTableOptions(current: Options, changes: OptionChanges): Options {
  const out: Record<string, string> = { ...current };
  for (const [key, value] of Object.entries(changes)) {
    if (key === "append_mode" && current.append_mode === "true" && value !== "true")
      throw invalid("Only allow changing append_mode from false to true");
    if (value === undefined) delete out[key];
    else out[key] = value;
  }
  return normalizeTableOptions(out);
}

/** Throws invalid_arguments. */
export function changeDatabaseOptions(current: Options, changes: OptionChanges): Options {
  const out: Record<string, string> = { ...current };
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) delete out[key];
    else out[key] = value;
  }
  return normalizeDatabaseOptions(out);
}

/** ttl text → nanoseconds: 0n for 'instant', undefined for 'forever', zero and none. */
export function ttlOf(options: Options): bigint | undefined {
  const text = options.ttl;
  if (text === undefined || text === "forever") return undefined;
  if (text === "instant") return 0n;
  const ns = parseDuration(text);
  return ns === 0n ? undefined : ns;
}

function normalizeValue(key: string, value: string): string {
  switch (key) {
    case "ttl": {
      const lower = value.trim().toLowerCase();
      if (lower === "forever" || lower === "instant") return lower;
      const ns = parseDuration(value);
      // Zero means "never expires" in the reference.
      return ns === 0n ? "forever" : formatDuration(ns);
    }
    case "append_mode":
      return oneOf(key, value, ["true", "false"]);
    case "merge_mode":
      return oneOf(key, value, ["last_row", "last_non_null"]);
    default:
      return value;
  }
}

function oneOf(key: string, value: string, allowed: readonly string[]): string {
  const lower = value.toLowerCase();
  if (!allowed.includes(lower))
    throw invalid(
      `Invalid table option, key: ${key}, value: ${value}: expected one of ${allowed.join(", ")}`,
    );
  return lower;
}

function checkTogether(options: Options): void {
  if (options.append_mode === "true" && options.merge_mode === "last_non_null")
    throw invalid(
      "Invalid region options, only last_row merge_mode is allowed when append_mode is enabled",
    );
}
