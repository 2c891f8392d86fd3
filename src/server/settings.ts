/**
 * Every setting of the server: one line each, with its key in the file, its kind, default, flag and meaning. The command line,
 * the environment, the file, `/config` and docs/config.md are all derived from this table; nothing else names a setting.
 */
import type { z } from "zod";
import {
  address,
  bool,
  choice,
  durationMs,
  list,
  size,
  sizeOrShare,
  text,
  waitPolicyMs,
  whole,
} from "./setting_types.ts";

export interface Setting<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  /** As it would stand in the file. undefined: not set. */
  readonly default: unknown;
  /** For commander: "--http-addr <HOST:PORT>". */
  readonly flag?: string | undefined;
  readonly help: string;
  /** Holds a password or the like: never shown. */
  readonly secret?: boolean | undefined;
}

const setting = <S extends z.ZodType>(
  schema: S,
  fallback: unknown,
  help: string,
  more: { flag?: string; secret?: boolean } = {},
): Setting<S> => ({ schema, default: fallback, help, ...more });

export const SETTINGS = {
  default_timezone: setting(
    text,
    "UTC",
    "Time zone of sessions that name none: an IANA name or an offset such as +08:00",
  ),
  user_provider: setting(
    text.optional(),
    undefined,
    "Who may log in: static_user_provider:file:PATH, static_user_provider:cmd:USER=PASSWORD[,…] or watch_file_user_provider:PATH; unset, anyone may do anything",
    { flag: "--user-provider <SPEC>", secret: true },
  ),
  memory_budget: setting(
    sizeOrShare.optional(),
    undefined,
    "Memory for everything together: memtables, buffers, DuckDB, caches, requests. A size or a share of RAM such as 50%; unset, half of RAM and at most 8GiB",
    { flag: "--memory-budget <SIZE>" },
  ),
  auto_create_table: setting(bool, true, "Create a table at its first write"),
  max_series: setting(
    whole(1, 4_000_000_000),
    10_000_000,
    "Series over all tables; a write that needs one more is refused",
  ),
  max_columns: setting(whole(1, 32_767), 4_096, "Columns of one table"),
  max_in_flight_write_bytes: setting(
    size,
    0,
    "Bytes of request bodies held at once; 0 = an eighth of memory_budget",
  ),
  write_bytes_exhausted_policy: setting(
    waitPolicyMs,
    "wait",
    "A body that finds no room there: wait (10s), wait(DURATION), or fail (HTTP 429 at once)",
  ),
  max_concurrent_queries: setting(
    whole(0, 10_000),
    0,
    "Statements that read at once; 0 = 4 for each core",
  ),
  max_waiting_queries: setting(
    whole(0, 1_000_000),
    1_000,
    "Statements that may wait for their turn; past it HTTP 503 with Retry-After",
  ),
  "http.addr": setting(address, "127.0.0.1:4000", "Address of the HTTP API", {
    flag: "--http-addr <HOST:PORT>",
  }),
  "http.timeout": setting(durationMs, "0s", "Time limit of a whole request; 0s = none", {
    flag: "--http-timeout <SECONDS>",
  }),
  "http.body_limit": setting(size, "64MB", "Largest request body, as sent and inflated"),
  "http.enable_cors": setting(bool, true, "Let pages of other origins call the API"),
  "http.cors_allowed_origins": setting(list, [], "Which origins; none named = any"),
  "http.max_connections": setting(whole(1, 1_000_000), 4_096, "Open connections"),
  "http.max_requests": setting(
    whole(1, 1_000_000),
    1_024,
    "Requests handled at once; past it HTTP 503 with Retry-After",
  ),
  "http.header_timeout": setting(durationMs, "10s", "A request's head must arrive within"),
  "http.body_timeout": setting(durationMs, "60s", "A request's body must arrive within"),
  "http.send_timeout": setting(
    durationMs,
    "60s",
    "A client that reads nothing of its answer is cut off after",
  ),
  "http.keep_alive_timeout": setting(durationMs, "75s", "An idle connection is closed after"),
  "http.shutdown_timeout": setting(
    durationMs,
    "10s",
    "At a stop, running requests may finish for so long",
  ),
  "http.tls.mode": setting(
    choice("disable", "require").optional(),
    undefined,
    "require = HTTPS only; unset, require when a certificate is given",
    { flag: "--tls-mode <MODE>" },
  ),
  "http.tls.cert_path": setting(text.optional(), undefined, "Certificate chain, PEM", {
    flag: "--tls-cert-path <FILE>",
  }),
  "http.tls.key_path": setting(text.optional(), undefined, "Private key, PEM", {
    flag: "--tls-key-path <FILE>",
  }),
  "http.tls.watch": setting(bool, false, "Read certificate and key again when they change", {
    flag: "--tls-watch",
  }),
  "influxdb.enable": setting(bool, true, "Serve /v1/influxdb", {
    flag: "-i, --influxdb-enable",
  }),
  "influxdb.default_merge_mode": setting(
    choice("last_non_null", "last_row"),
    "last_non_null",
    "merge_mode of tables that line protocol creates",
  ),
  "storage.type": setting(choice("file"), "File", "Where data is kept: the local disk"),
  "storage.data_home": setting(text, "./tidemark_data", "Folder of all data", {
    flag: "--data-home <DIR>",
  }),
  "wal.sync": setting(
    choice("always", "interval", "none"),
    "always",
    "When a write is acknowledged: always = after fdatasync (shared by concurrent writes), interval = after write, with fdatasync every wal.sync_period, none = after write",
  ),
  "wal.sync_period": setting(durationMs, "1s", "For wal.sync = interval"),
  "wal.file_size": setting(size, "128MB", "A log segment is closed at this size"),
  "wal.purge_threshold": setting(
    size,
    "1GB",
    "Log size at which the oldest memtables are flushed, so that it can be trimmed",
  ),
  "region_engine.mito.global_write_buffer_size": setting(
    size,
    0,
    "Memtables together: past half of it the largest is flushed, past it writes wait, past twice it they are refused; 0 = a fifth of memory_budget",
  ),
  "region_engine.mito.auto_flush_interval": setting(
    durationMs,
    "1h",
    "A memtable older than this is flushed",
  ),
  "query.parallelism": setting(whole(0, 1_024), 0, "DuckDB threads; 0 = one for each core"),
  "query.timeout": setting(durationMs, "5m", "Time limit of a statement; 0s = none"),
  "logging.level": setting(
    choice("trace", "debug", "info", "warn", "error"),
    "info",
    "Least severe log line that is written",
    { flag: "--log-level <LEVEL>" },
  ),
  "logging.log_format": setting(
    choice("text", "json"),
    "text",
    "Log lines for people (text) or machines (json), on standard error",
    { flag: "--log-format <FORMAT>" },
  ),
} as const satisfies Record<string, Setting>;

export type SettingKey = keyof typeof SETTINGS;
export type Config = { readonly [K in SettingKey]: z.output<(typeof SETTINGS)[K]["schema"]> };

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

/** The environment variable of a key, without the prefix: "http.addr" → "HTTP__ADDR". */
export function envName(key: SettingKey): string {
  return key.replaceAll(".", "__").toUpperCase();
}
