/**
 * The three kinds of failure, never mixed: Bug (ours), Fatal (the machine's), DbError (the caller's).
 * ANSWERS is the one table that maps a DbError to every protocol; protocols never invent a status.
 * Source of the codes: the status codes of GreptimeDB, so that existing clients understand them.
 */

/** Our mistake: an invariant is broken. The process stops and prints it. */
export class Bug extends Error {
  override name = "Bug";
}

/** The disk's or the configuration's fault: the process stops and leaves the evidence in place. */
export class Fatal extends Error {
  override name = "Fatal";
}

interface Answer {
  /** Numeric status code, as clients of GreptimeDB know it. */
  readonly code: number;
  /** Name of the code, as printed in MySQL messages. */
  readonly name: string;
  readonly http: number;
  readonly grpc: number;
  readonly mysql: number;
  readonly pg: string;
  /** May the same request succeed later, unchanged? */
  readonly retry: boolean;
}

const answer = (
  code: number,
  name: string,
  http: number,
  grpc: number,
  mysql: number,
  pg: string,
  retry = false,
): Answer => Object.freeze({ code, name, http, grpc, mysql, pg, retry });

export const ANSWERS = Object.freeze({
  unsupported: answer(1001, "Unsupported", 400, 12, 1235, "0A000"),
  unexpected: answer(1002, "Unexpected", 500, 13, 1815, "XX000"),
  internal: answer(1003, "Internal", 500, 13, 1815, "XX000"),
  invalid_arguments: answer(1004, "InvalidArguments", 400, 3, 1210, "22023"),
  cancelled: answer(1005, "Cancelled", 504, 1, 1317, "57014"),
  deadline_exceeded: answer(1008, "DeadlineExceeded", 504, 4, 1317, "57014"),
  /** The caller was too slow to send its request. */
  request_timeout: answer(1008, "DeadlineExceeded", 408, 4, 1317, "57014"),
  suspended: answer(1009, "Suspended", 503, 14, 1053, "57P03", true),
  invalid_syntax: answer(2000, "InvalidSyntax", 400, 3, 1149, "42601"),
  plan_query: answer(3000, "PlanQuery", 400, 3, 1815, "P0000"),
  execute_query: answer(3001, "EngineExecuteQuery", 500, 13, 1815, "P0000"),
  table_already_exists: answer(4000, "TableAlreadyExists", 400, 6, 1050, "42P07"),
  table_not_found: answer(4001, "TableNotFound", 400, 5, 1146, "42P01"),
  column_not_found: answer(4002, "TableColumnNotFound", 400, 3, 1054, "42703"),
  column_exists: answer(4003, "TableColumnExists", 400, 3, 1060, "42701"),
  database_not_found: answer(4004, "DatabaseNotFound", 400, 5, 1102, "42704"),
  region_not_found: answer(4005, "RegionNotFound", 400, 5, 1815, "42P01"),
  region_not_ready: answer(4008, "RegionNotReady", 503, 14, 1815, "55000", true),
  region_busy: answer(4009, "RegionBusy", 503, 14, 1815, "55000", true),
  database_already_exists: answer(4011, "DatabaseAlreadyExists", 400, 6, 1007, "42P04"),
  /** The disk is full or failing: writes are refused, reads go on. */
  storage_unavailable: answer(5000, "StorageUnavailable", 503, 14, 1815, "XX000", true),
  resources_exhausted: answer(6000, "RuntimeResourcesExhausted", 503, 8, 1041, "53000", true),
  rate_limited: answer(6001, "RateLimited", 429, 8, 1203, "54000", true),
  payload_too_large: answer(1004, "InvalidArguments", 413, 8, 1153, "54000"),
  unsupported_media_type: answer(1001, "Unsupported", 415, 3, 1235, "0A000"),
  not_found: answer(1004, "InvalidArguments", 404, 5, 1210, "22023"),
  method_not_allowed: answer(1004, "InvalidArguments", 405, 12, 1210, "22023"),
  user_not_found: answer(7000, "UserNotFound", 401, 16, 1045, "28P01"),
  password_mismatch: answer(7002, "UserPasswordMismatch", 401, 16, 1045, "28P01"),
  auth_header_not_found: answer(7003, "AuthHeaderNotFound", 401, 16, 1045, "28000"),
  invalid_auth_header: answer(7004, "InvalidAuthHeader", 401, 16, 1045, "28000"),
  access_denied: answer(7005, "AccessDenied", 403, 7, 1044, "42501"),
  permission_denied: answer(7006, "PermissionDenied", 403, 7, 1142, "42501"),
  flow_not_found: answer(8001, "FlowNotFound", 400, 5, 1146, "42P01"),
});

export type ErrorCode = keyof typeof ANSWERS;

/** The caller's: it is answered, and the server goes on. */
export class DbError extends Error {
  override name = "DbError";
  constructor(
    readonly code: ErrorCode,
    message: string,
    /** `retryAfterSec`: hint for retryable codes; protocols print it in their own way. */
    readonly options: { readonly cause?: unknown; readonly retryAfterSec?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }

  get answer(): Answer {
    return ANSWERS[this.code];
  }
}

/** Throws a Bug unless `ok`. Never for what a user can cause. */
export function assert(ok: boolean, what: string): asserts ok {
  if (!ok) throw new Bug(what);
}

/** Use in the default branch of a switch over a tagged union. */
export function unreachable(value: never): never {
  throw new Bug(`unreachable: ${JSON.stringify(value)}`);
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The errno code (`ENOSPC`, `EIO`, ...) of a system error, else undefined. */
export function errnoOf(error: unknown): string | undefined {
  if (error instanceof Error && "code" in error && typeof error.code === "string")
    return error.code;
  return undefined;
}
