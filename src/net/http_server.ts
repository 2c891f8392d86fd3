/**
 * The HTTP server: sockets in, routes called, answers out. Order of a request: drain check, route, request slot,
 * authentication, permission, handler. A request that fails anywhere is answered by the route's own error form.
 * Knows no configuration files, no catalog and no SQL.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import {
  Bug,
  type Clock,
  DbError,
  Fatal,
  type Logger,
  type MemoryBudget,
  type Metrics,
  messageOf,
} from "../base/mod.ts";
import type { Authenticator, HttpLimits, Route, TlsFiles } from "./api.ts";
import { Context } from "./context.ts";
import { credentialsOf } from "./credentials.ts";
import { InFlight } from "./in_flight.ts";
import { HttpMetrics } from "./metrics.ts";
import { completeAnswer, publicMessage, renderGreptimeError, toDbError } from "./render.ts";
import { Responder } from "./response.ts";
import { Router } from "./router.ts";

/** Request head, bytes. SQL in a query string may be long; 64 KiB is what common proxies let through. */
const HEAD_BYTES_MAX = 64 * 1024;
/** How often slow heads are looked for. */
const CHECK_INTERVAL_MS = 1_000;
/** After the drain's patience, the time aborted handlers get to answer before their sockets are closed. */
const ABORT_GRACE_MS = 500;

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly limits: HttpLimits;
  readonly authenticator: Authenticator;
  readonly budget: MemoryBudget;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Session time zone where the request names none. */
  readonly timezone: string;
  /** Origins that pages may call from: "*" for any, a list, or none. */
  readonly corsOrigins: "*" | readonly string[];
  readonly tls?: TlsFiles | undefined;
  /** A Fatal came out of a handler: the process has to stop. */
  readonly onFatal: (error: Fatal) => void;
}

export class HttpServer {
  readonly #router: Router;
  readonly #server: Server | TlsServer;
  readonly #inFlight: InFlight;
  readonly #metrics: HttpMetrics;
  readonly #running = new Map<Context, AbortController>();
  #draining = false;
  #idle: (() => void) | undefined;

  constructor(private readonly options: HttpServerOptions) {
    const { limits } = options;
    this.#router = new Router(options.routes);
    this.#inFlight = new InFlight(limits.inFlightBytesMax, limits.inFlightWaitMs, options.budget);
    this.#metrics = new HttpMetrics(options.metrics, this.#inFlight, () => this.#running.size);
    const settings = {
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: limits.headTimeoutMs,
      // Bodies have their own timer, which can answer in the protocol's form.
      requestTimeout: 0,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      keepAliveTimeout: limits.keepAliveMs,
      noDelay: true,
    };
    this.#server =
      options.tls === undefined
        ? createServer(settings)
        : createTlsServer({ ...settings, ...tlsOptions(options.tls) });
    this.#server.maxConnections = limits.connectionsMax;
    this.#server
      .on("request", (request, response) => void this.#serve(request, response, false))
      .on("checkContinue", (request, response) => void this.#serve(request, response, true))
      .on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
        answerBrokenRequest(error, socket),
      )
      .on("drop", () => this.#metrics.dropped.inc());
  }

  /** Listens; resolves with the address in use. Throws Fatal when it cannot. */
  listen(host: string, port: number): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", (error) =>
        reject(
          new Fatal(`cannot listen on ${host}:${port}: ${messageOf(error)}`, { cause: error }),
        ),
      );
      this.#server.listen(port, host, () => {
        this.#server.removeAllListeners("error");
        this.#server.on("error", (error) =>
          this.options.logger.error({ error: messageOf(error) }, "http server"),
        );
        resolve(this.#server.address() as AddressInfo);
      });
    });
  }

  /** New certificate for new connections. Throws when the files do not fit; the old ones stay in use then. */
  setTls(tls: TlsFiles): void {
    if (!("setSecureContext" in this.#server)) throw new Bug("TLS was on from the start");
    this.#server.setSecureContext(tlsOptions(tls));
  }

  /** Takes no new connection or request, lets running ones finish for `drainMs`, then aborts them. */
  async stop(drainMs: number): Promise<void> {
    this.#draining = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    await this.#whenIdle(drainMs);
    if (this.#running.size > 0) {
      this.options.logger.warn({ requests: this.#running.size }, "aborting requests to stop");
      for (const abort of this.#running.values())
        abort.abort(new DbError("suspended", "the server is stopping"));
      await this.#whenIdle(ABORT_GRACE_MS);
    }
    this.#server.closeAllConnections();
    await closed;
  }

  #whenIdle(patienceMs: number): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    awaitsContinue: boolean,
  ): Promise<void> {
    const abort = new AbortController();
    const responder = new Responder(request, response, this.options.limits.sendTimeoutMs);
    responder.awaitsContinue = awaitsContinue;
    this.#cors(request, responder);
    const lease = this.#inFlight.lease();
    const context = new Context({
      request,
      responder,
      lease,
      limits: this.options.limits,
      clock: this.options.clock,
      signal: abort.signal,
      timezone: this.options.timezone,
      proceed: () => {
        if (!responder.awaitsContinue) return;
        responder.awaitsContinue = false;
        response.writeContinue();
      },
    });
    request.on("error", () => {});
    response.on("error", () => {});
    response.on("close", () => {
      if (!response.writableFinished) abort.abort(new DbError("cancelled", "the client went away"));
    });
    this.#running.set(context, abort);
    const timer = this.#requestTimer(abort);
    let route: Route | undefined;
    try {
      route = await this.#dispatch(context, responder);
    } finally {
      clearTimeout(timer);
      lease.release();
      this.#running.delete(context);
      this.#metrics.observe(context.method, route?.path, responder.status, context.elapsedMs());
      if (this.#running.size === 0) this.#idle?.();
    }
  }

  /** Never throws: whatever happens becomes an answer, or a cut connection. */
  async #dispatch(context: Context, responder: Responder): Promise<Route | undefined> {
    let route: Route | undefined;
    try {
      const match = this.#router.match(context.method, context.path);
      if (match.kind === "none") {
        if (context.method === "OPTIONS") return await this.#preflight(responder, []);
        throw new DbError("not_found", `no such path: ${context.path}`);
      }
      if (match.kind === "wrong_method") {
        if (context.method === "OPTIONS") return await this.#preflight(responder, match.allow);
        responder.extra.allow = match.allow.join(", ");
        throw new DbError(
          "method_not_allowed",
          `${context.method} is not allowed here, only ${match.allow.join(", ")}`,
        );
      }
      route = match.route;
      context.params = match.params;
      this.#admit(route, responder);
      await this.#authenticate(route, context);
      await route.handler(context);
      if (!responder.started) throw new Bug(`${route.path} gave no answer`);
    } catch (error) {
      await this.#fail(error, route, context, responder);
    }
    return route;
  }

  #admit(route: Route, responder: Responder): void {
    if (route.probe === true) return;
    if (this.#draining) {
      responder.lastOnConnection = true;
      throw new DbError("suspended", "the server is stopping", { retryAfterSec: 5 });
    }
    if (this.#running.size > this.options.limits.requestsMax)
      throw new DbError(
        "resources_exhausted",
        `more than ${this.options.limits.requestsMax} requests at once (http.max_requests)`,
        { retryAfterSec: 1 },
      );
  }

  async #authenticate(route: Route, context: Context): Promise<void> {
    const { authenticator } = this.options;
    if (authenticator.anonymous !== undefined) context.user = authenticator.anonymous;
    else if (route.access === "auth") {
      const { name, password } = credentialsOf(context, route.scheme ?? "basic");
      context.user = await authenticator.authenticate(name, password);
    } else return;
    const { permission } = context.user;
    if (
      route.permission !== undefined &&
      permission !== "read_write" &&
      permission !== route.permission
    )
      throw new DbError(
        "permission_denied",
        `User ${context.user.name} is not allowed to ${route.permission}`,
      );
  }

  async #fail(
    thrown: unknown,
    route: Route | undefined,
    context: Context,
    responder: Responder,
  ): Promise<void> {
    // An aborted request fails in many ways; the reason of the abort is the one to tell.
    const error = toDbError(context.signal.aborted ? context.signal.reason : thrown);
    if (error.answer.http === 401) this.#metrics.authFailures.inc({ code: error.answer.name });
    this.#log(error, thrown, context);
    if (thrown instanceof Fatal) this.options.onFatal(thrown);
    if (responder.started) {
      if (!responder.finished) responder.cut();
      return;
    }
    try {
      const render = route?.renderError ?? renderGreptimeError;
      const answer = completeAnswer(render(error, publicMessage(error), context), error, context);
      await responder.send(answer.status, answer.body ?? "", answer.headers ?? {});
    } catch (failure) {
      this.options.logger.error({ error: messageOf(failure) }, "answering an error failed");
      responder.cut();
    }
  }

  #log(error: DbError, thrown: unknown, context: Context): void {
    const where = { method: context.method, path: context.path, code: error.answer.name };
    if (error.code !== "internal") {
      this.options.logger.debug({ ...where, error: error.message }, "request refused");
      return;
    }
    this.#metrics.failures.inc();
    if (thrown instanceof Bug) this.#metrics.bugs.inc();
    const stack = thrown instanceof Error ? thrown.stack : undefined;
    this.options.logger.error({ ...where, error: error.message, stack }, "request failed");
  }

  #requestTimer(abort: AbortController): NodeJS.Timeout | undefined {
    const limitMs = this.options.limits.requestTimeoutMs;
    if (limitMs === 0) return undefined;
    return setTimeout(
      () =>
        abort.abort(
          new DbError("request_timeout", `the request took more than ${limitMs} ms (http.timeout)`),
        ),
      limitMs,
    );
  }

  #cors(request: IncomingMessage, responder: Responder): void {
    const origin = request.headers.origin;
    if (origin === undefined) return;
    const { corsOrigins } = this.options;
    if (corsOrigins === "*") responder.extra["access-control-allow-origin"] = "*";
    else if (corsOrigins.includes(origin)) {
      responder.extra["access-control-allow-origin"] = origin;
      responder.extra.vary = "origin";
    }
  }

  async #preflight(responder: Responder, allow: readonly string[]): Promise<undefined> {
    const methods = allow.length === 0 ? "GET, HEAD, POST, PUT, DELETE, OPTIONS" : allow.join(", ");
    await responder.send(204, "", {
      allow: methods,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": "*, authorization",
      "access-control-max-age": "86400",
    });
    return undefined;
  }
}

function tlsOptions(tls: TlsFiles): { cert: Buffer; key: Buffer } {
  return { cert: Buffer.from(tls.cert), key: Buffer.from(tls.key) };
}

/** A request that is not HTTP, or whose head is too slow or too large: there is no context to answer in. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [status, text] =
    error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? ["408 Request Timeout", "the request did not arrive in time"]
      : error.code === "HPE_HEADER_OVERFLOW"
        ? [
            "431 Request Header Fields Too Large",
            `the request head is larger than ${HEAD_BYTES_MAX} bytes`,
          ]
        : ["400 Bad Request", "not a valid HTTP request"];
  const body = JSON.stringify({ code: 1004, error: text, execution_time_ms: 0 });
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
