/**
 * WITH options of tables and databases: which keys exist, which values they take, which may be altered.
 * Only ttl, append_mode and merge_mode change answers, and the catalog sees that they make sense together; the others are
 * checked here, kept and shown.
 */
import { DbError, messageOf, parseDuration } from "../base/mod.ts";

export type Options = Readonly<Record<string, string>>;

/** Options that tune compaction: accepted on tables and databases, and alterable on both. */
const compactionKeys = [
  "compaction.type",
  "compaction.twcs.time_window",
  "compaction.twcs.trigger_file_num",
  "compaction.twcs.max_output_file_size",
  "compaction.twcs.fallback_to_local",
];

const databaseKeys = new Set([
  "ttl",
  "storage",
  "append_mode",
  "merge_mode",
  "skip_wal",
  "sst_format",
  "memtable.type",
  "memtable.bulk.merge_threshold",
  "memtable.bulk.encode_row_threshold",
  "memtable.bulk.encode_bytes_threshold",
  "memtable.bulk.max_merge_groups",
  ...compactionKeys,
]);

const tableKeys = new Set([
  ...databaseKeys,
  "compaction.override",
  "compaction.twcs.remote_compaction",
  "memtable.partition_tree.index_max_keys_per_shard",
  "memtable.partition_tree.data_freeze_threshold",
  "memtable.partition_tree.fork_dictionary_bytes",
  "memtable.partition_tree.primary_key_encoding",
  "write_buffer_size",
  "auto_flush_interval",
  "max_row_group_row_count",
  "index.type",
  "index.granularity",
  "index.false_positive_rate",
  "index.inverted_index.ignore_column_ids",
  "index.inverted_index.segment_row_count",
  "comment",
  "table_data_model",
  "otlp_metric_compat",
  "repartition.column.hint",
  "timeout",
  "wait",
]);

/** Options of the statement itself: obeyed or ignored, and never kept with the table. */
const statementKeys = new Set(["timeout", "wait"]);

const alterableKeys = new Set([
  "ttl",
  "append_mode",
  "skip_wal",
  "sst_format",
  "write_buffer_size",
  "auto_flush_interval",
  "max_row_group_row_count",
  ...compactionKeys,
]);

/** The values a key takes, where they are few. */
const choices: Readonly<Record<string, readonly string[]>> = {
  append_mode: ["true", "false"],
  skip_wal: ["true", "false"],
  merge_mode: ["last_row", "last_non_null"],
  "compaction.type": ["twcs"],
  sst_format: ["flat", "primary_key"],
  "memtable.type": ["time_series", "partition_tree", "bulk"],
  "index.type": ["none", "skipping"],
};

/** The reference's bound: a row group above it would not fit its page index. */
const rowGroupRowsMax = 10_485_760;

const semanticPrefix = "greptime.semantic.";

const isTableKey = (key: string) => tableKeys.has(key) || key.startsWith(semanticPrefix);

/** Options of CREATE TABLE: known keys, possible values. Throws invalid_arguments. */
export function checkTableOptions(given: Options): Options {
  const out: Record<string, string> = {};
  for (const [key, value] of Object.entries(given)) {
    if (!isTableKey(key))
      throw new DbError("invalid_arguments", `Unrecognized table option key: ${key}`);
    const why = fault(key, value);
    if (why !== undefined)
      throw new DbError(
        "invalid_arguments",
        key === "storage" ? why : `Invalid table option, key: ${key}, value: ${value}: ${why}`,
      );
    if (!statementKeys.has(key)) out[key] = value;
  }
  return out;
}

/** Options of CREATE DATABASE: known keys, possible values. Throws invalid_arguments. */
export function checkDatabaseOptions(given: Options): Options {
  for (const [key, value] of Object.entries(given)) {
    if (!databaseKeys.has(key))
      throw new DbError("invalid_arguments", `Unrecognized database option key: ${key}`);
    if (fault(key, value) !== undefined)
      throw new DbError(
        "invalid_arguments",
        `Invalid set database option, key: ${key}, value: ${value}`,
      );
  }
  if (given.append_mode?.toLowerCase() === "true" && given.merge_mode !== undefined)
    throw new DbError(
      "invalid_arguments",
      "Invalid database options, merge_mode is not allowed when append_mode is enabled",
    );
  return given;
}

/** Undefined resets a key. */
type Changes = Readonly<Record<string, string | undefined>>;

/** ALTER TABLE … SET / UNSET: NULL and '' reset a key. Throws invalid_arguments. */
export function checkTableChanges(changes: Changes): Changes {
  const keys = Object.keys(changes);
  const semantic = keys.filter((key) => key.startsWith(semanticPrefix)).length;
  if (semantic !== 0 && semantic !== keys.length)
    throw new DbError(
      "invalid_arguments",
      `Invalid set table option request: ${semanticPrefix}* options must be altered in a statement of their own`,
    );
  return checkChanges(
    changes,
    (key) => alterableKeys.has(key) || key.startsWith(semanticPrefix),
    "Invalid set table option request: Invalid set region option request",
  );
}

/** ALTER DATABASE … SET / UNSET. Throws invalid_arguments. */
export function checkDatabaseChanges(changes: Changes): Changes {
  return checkChanges(
    changes,
    (key) => key === "ttl" || compactionKeys.includes(key),
    "Invalid set database option",
  );
}

function checkChanges(
  changes: Changes,
  alterable: (key: string) => boolean,
  what: string,
): Changes {
  const out: Record<string, string | undefined> = {};
  for (const [key, value] of Object.entries(changes)) {
    const reset = value === undefined || value === "";
    // Data written without duplicates' removal cannot be told apart later: these two only go one way.
    const oneWay = key === "append_mode" || key === "skip_wal";
    if (oneWay && (reset || value.toLowerCase() === "false"))
      throw new DbError("invalid_arguments", `Only allow changing ${key} from false to true`);
    if (!alterable(key) || (!reset && fault(key, value) !== undefined))
      throw new DbError("invalid_arguments", `${what}, key: ${key}, value: ${value ?? ""}`);
    out[key] = reset ? undefined : value;
  }
  return out;
}

/** Why a key cannot have this value; undefined when it can. */
function fault(key: string, value: string): string | undefined {
  const allowed = choices[key];
  if (allowed !== undefined && !allowed.includes(value.toLowerCase()))
    return `expected one of ${allowed.join(", ")}`;
  switch (key) {
    case "ttl":
      return /^\s*(forever|instant)\s*$/i.test(value) ? undefined : durationFault(value);
    case "compaction.twcs.time_window":
    case "auto_flush_interval":
      return durationFault(value);
    case "max_row_group_row_count": {
      const rows = Number(value);
      const ok = Number.isInteger(rows) && rows >= 1 && rows <= rowGroupRowsMax;
      return ok ? undefined : `expected 1 to ${rowGroupRowsMax}`;
    }
    case "storage":
      return value === "" || value.toLowerCase() === "file"
        ? undefined
        : `Object store not found: ${value}`;
    default:
      return undefined;
  }
}

function durationFault(value: string): string | undefined {
  try {
    parseDuration(value);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
