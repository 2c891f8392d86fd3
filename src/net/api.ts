/**
 * HTTP as the protocols see it: a protocol gives a list of `Route`s, a route's handler gets a `Ctx`.
 * The plumbing behind it owns sockets, limits, authentication, inflating, time-outs and back-pressure;
 * a handler owns only "bytes of this protocol ↔ Batch / Query / DbError".
 */
import type { User } from "../auth/api.ts";
import type { DbError } from "../base/mod.ts";
import type { WriteHints } from "../ingest/api.ts";
import type { Permission, Session } from "../query/api.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE" | "HEAD" | "OPTIONS";

export type Headers = Readonly<Record<string, string>>;

export interface Route {
  /** HEAD is answered wherever GET is; OPTIONS (CORS) everywhere. */
  readonly methods: readonly Method[];
  /**
   * Absolute path: literal segments, `:name` for one segment (percent-decoded into `params`), and `*` as the last segment
   * for the rest (`params["*"]`, possibly empty). A literal beats a `:name`, which beats `*`.
   */
  readonly path: string;
  /** "open" is never authenticated; "auth" is, when a user provider is configured. */
  readonly access: "open" | "auth";
  /**
   * Where the credentials stand. "basic": `x-greptime-auth`, then `Authorization`. "influx": the same, and `Token user:password`
   * (scheme in any case, not base64), and the query parameters `u` and `p`. Default "basic".
   */
  readonly scheme?: "basic" | "influx";
  /** What the user must be allowed to do; left out where the handler asks for itself (SQL: by statement). */
  readonly permission?: Exclude<Permission, "read_write">;
  /** A request that only asks how the server is: served while it drains, and not counted against `max_requests`. */
  readonly probe?: boolean;
  /** Finishes the answer before it resolves. What it throws is rendered by `renderError`. */
  handler(ctx: Ctx): Promise<void>;
  /** How this protocol writes an error. Default: `renderGreptimeError`. */
  readonly renderError?: ErrorRenderer;
}

/** An answer that is small enough to be held whole. */
export interface Answer {
  readonly status: number;
  readonly headers?: Headers;
  readonly body?: string | Uint8Array;
}

/**
 * Turns a DbError into an answer. The status comes from `error.answer.http` unless the protocol's clients need another.
 * `Retry-After` and `WWW-Authenticate` are added by the plumbing. `message` is the text to show (internal errors are masked).
 */
export type ErrorRenderer = (error: DbError, message: string, ctx: Ctx) => Answer;

export interface BodyOptions {
  /** Cap in bytes, on the wire and inflated. Default (and most): `http.body_limit`. */
  readonly bytesMax?: number;
  /** "inflate" (default) undoes Content-Encoding; "raw" hands the bytes out as they came, for protocols with their own rule. */
  readonly encoding?: "inflate" | "raw";
}

/** One request and the answer to it. Exactly one of send, json, stream is called. */
export interface Ctx {
  readonly method: string;
  /** Path without the query, still percent-encoded. */
  readonly path: string;
  /** Decoded segments of the route's pattern. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters, percent- and plus-decoded. */
  readonly query: URLSearchParams;
  /** A request header by lower-case name, trimmed; repeated ones joined by ", ". */
  header(name: string): string | undefined;
  /** All header names, lower case. */
  headerNames(): string[];
  /** Content-Type without its parameters, lower case; "" when absent. */
  readonly contentType: string;

  /** Who asks. Without a user provider: the built-in user who may do everything. */
  readonly user: User;
  /** Aborted when the client goes away, at the time limit of the request, and when a drain runs out of patience. */
  readonly signal: AbortSignal;
  /** Milliseconds since the head of the request was read. */
  elapsedMs(): number;

  /**
   * `x-greptime-db-name`, else `?db=`, else `fallback`, else "public". `greptime-x` means database `x` of the default catalog.
   * Does not check that it exists.
   */
  database(fallback?: string | null): string;
  /** A session of this request: database as above (or given), `x-greptime-timezone`, user, `x-greptime-timeout`. */
  session(db?: string): Session;
  /** `x-greptime-hints: k=v,k=v`, else `x-greptime-hint-<name>` headers. Throws invalid_arguments. */
  writeHints(): WriteHints;

  /** Reads the whole body, in pieces, inflated. Throws payload_too_large, unsupported_media_type, request_timeout, rate_limited, cancelled. */
  body(options?: BodyOptions): Promise<Uint8Array[]>;
  /** The body as UTF-8. Throws invalid_arguments at bytes that are not. */
  text(options?: BodyOptions): Promise<string>;
  /** Fields of an `application/x-www-form-urlencoded` body; none for any other content type. */
  form(options?: BodyOptions): Promise<URLSearchParams>;

  send(status: number, body?: string | Uint8Array, headers?: Headers): Promise<void>;
  /** JSON.stringify: not for bigint; big results use `stream`. */
  json(status: number, value: unknown, headers?: Headers): Promise<void>;
  stream(status: number, headers?: Headers): ResponseWriter;
}

/** A body of unknown length. */
export interface ResponseWriter {
  /** Resolves when more may be written (back-pressure). Throws cancelled when the client is gone or does not read. */
  write(chunk: string | Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** What a request without credentials is, and how credentials are checked. */
export interface Authenticator {
  /** The user of requests when nothing has to be checked; undefined when credentials are required. */
  readonly anonymous: User | undefined;
  /** Throws user_not_found / password_mismatch. */
  authenticate(name: string, password: string): Promise<User>;
}

export interface HttpLimits {
  /** Largest body, on the wire and inflated, bytes. */
  readonly bodyBytesMax: number;
  /** Bodies held at once over all requests, bytes; 0 = no limit of its own. */
  readonly inFlightBytesMax: number;
  /** How long a body waits for room in that budget before rate_limited; 0 = not at all. */
  readonly inFlightWaitMs: number;
  readonly connectionsMax: number;
  /** Requests being handled at once; past it resources_exhausted. */
  readonly requestsMax: number;
  /** Whole request head. */
  readonly headTimeoutMs: number;
  /** Whole body, from its first byte asked for to its last. */
  readonly bodyTimeoutMs: number;
  /** A client that reads nothing of its answer for so long is cut off. */
  readonly sendTimeoutMs: number;
  /** An idle connection is kept so long. */
  readonly keepAliveMs: number;
  /** The whole request; 0 = no limit. */
  readonly requestTimeoutMs: number;
}

export interface TlsFiles {
  readonly cert: Uint8Array;
  readonly key: Uint8Array;
}
