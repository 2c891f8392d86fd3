/** One request as a handler sees it. Holds no limits of its own; made and finished by the server in this folder. */
import type { IncomingMessage } from "node:http";
import type { User } from "../auth/api.ts";
import { type Clock, DbError, parseDuration } from "../base/mod.ts";
import type { WriteHints } from "../ingest/api.ts";
import type { Session } from "../query/api.ts";
import type { BodyOptions, Ctx, Headers, HttpLimits, ResponseWriter } from "./api.ts";
import { readBody } from "./body.ts";
import { writeHintsOf } from "./hints.ts";
import type { Lease } from "./in_flight.ts";
import { encodingsOf } from "./inflate.ts";
import type { Responder } from "./response.ts";

const DEFAULT_DB = "public";
const CATALOG_PREFIX = "greptime-";

export interface ContextParts {
  readonly request: IncomingMessage;
  readonly responder: Responder;
  readonly limits: HttpLimits;
  readonly lease: Lease;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timezone: string;
  readonly proceed: () => void;
}

export class Context implements Ctx {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  params: Readonly<Record<string, string>> = {};
  user: User = { name: "", permission: "read" };
  readonly #startMs: number;
  #bodyTaken = false;

  constructor(private readonly parts: ContextParts) {
    this.#startMs = parts.clock.monotonicMs();
    this.method = parts.request.method ?? "GET";
    const { path, query } = splitUrl(parts.request.url ?? "/");
    this.path = path;
    this.query = new URLSearchParams(query);
  }

  get signal(): AbortSignal {
    return this.parts.signal;
  }

  header(name: string): string | undefined {
    const value = this.parts.request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value?.trim();
  }

  headerNames(): string[] {
    return Object.keys(this.parts.request.headers);
  }

  get contentType(): string {
    return (this.header("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
  }

  elapsedMs(): number {
    return this.parts.clock.monotonicMs() - this.#startMs;
  }

  database(fallback?: string | null): string {
    const name =
      this.header("x-greptime-db-name") || this.query.get("db") || fallback || DEFAULT_DB;
    return name.startsWith(CATALOG_PREFIX) ? name.slice(CATALOG_PREFIX.length) : name;
  }

  session(db?: string): Session {
    return {
      db: db ?? this.database(),
      timezone: zoneOf(this.header("x-greptime-timezone")) ?? this.parts.timezone,
      user: this.user.name,
      permission: this.user.permission,
      protocol: "http",
      dialect: "greptime",
      timeoutMs: this.#timeoutMs(),
    };
  }

  writeHints(): WriteHints {
    return writeHintsOf((name) => this.header(name), this.headerNames());
  }

  async body(options: BodyOptions = {}): Promise<Uint8Array[]> {
    if (this.#bodyTaken) return [];
    this.#bodyTaken = true;
    const { request, limits, lease, signal, proceed } = this.parts;
    const encodings =
      options.encoding === "raw" ? [] : encodingsOf(request.headers["content-encoding"]);
    try {
      return await readBody(request, {
        encodings,
        bytesMax: Math.min(options.bytesMax ?? limits.bodyBytesMax, limits.bodyBytesMax),
        timeoutMs: limits.bodyTimeoutMs,
        lease,
        signal,
        proceed,
      });
    } catch (error) {
      // Half a body is left on the connection: nothing can follow it.
      if (!request.complete) this.parts.responder.lastOnConnection = true;
      throw error;
    }
  }

  async text(options?: BodyOptions): Promise<string> {
    const pieces = await this.body(options);
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
    } catch {
      throw new DbError("invalid_arguments", "the body is not valid UTF-8");
    }
  }

  async form(options?: BodyOptions): Promise<URLSearchParams> {
    if (this.contentType !== "application/x-www-form-urlencoded") return new URLSearchParams();
    return new URLSearchParams(await this.text(options));
  }

  send(status: number, body: string | Uint8Array = "", headers: Headers = {}): Promise<void> {
    return this.parts.responder.send(status, body, headers);
  }

  json(status: number, value: unknown, headers: Headers = {}): Promise<void> {
    return this.send(status, JSON.stringify(value), {
      "content-type": "application/json",
      ...headers,
    });
  }

  stream(status: number, headers: Headers = {}): ResponseWriter {
    return this.parts.responder.stream(status, headers);
  }

  #timeoutMs(): number {
    const text = this.header("x-greptime-timeout");
    if (text === undefined || text === "") return 0;
    // Whole milliseconds, at least one: 0 would mean the server's own limit.
    return Math.max(1, Number(parseDuration(text) / 1_000_000n));
  }
}

/** Splits a request target; the absolute form (`GET http://host/path`) counts as its path. */
function splitUrl(target: string): { path: string; query: string } {
  const local = /^https?:\/\/[^/?]*(.*)$/i.exec(target)?.[1] ?? target;
  const mark = local.indexOf("?");
  const path = mark < 0 ? local : local.slice(0, mark);
  return { path: path === "" ? "/" : path, query: mark < 0 ? "" : local.slice(mark + 1) };
}

/** A zone the runtime knows, or an offset; anything else falls back, as in the reference. */
function zoneOf(name: string | undefined): string | undefined {
  if (name === undefined || name === "") return undefined;
  const offset = /^([+-])(\d{1,2}):(\d{2})$/.exec(name);
  if (offset !== null) {
    const hours = Number(offset[2]);
    if (hours > 14 || Number(offset[3]) > 59) return undefined;
    return `${offset[1]}${offset[2]!.padStart(2, "0")}:${offset[3]}`;
  }
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return name;
  } catch {
    return undefined;
  }
}
