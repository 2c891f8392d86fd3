/**
 * The answer to one request: whole or streamed, with back-pressure, cut off when the client does not read.
 * When a refused request still sends its body, the answer goes out first and the rest is read and dropped for a while,
 * because a socket closed with unread bytes loses the answer too.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Bug, DbError } from "../base/mod.ts";
import type { Headers, ResponseWriter } from "./api.ts";

/** An unread body up to this size is dropped and the connection kept; a larger one closes it. */
const DROP_BYTES_MAX = 256 * 1024;
/** How long, and how much of, an unread body is dropped before the connection is closed: enough for a client to notice. */
const LINGER_MS = 2_000;
const LINGER_BYTES_MAX = 256 * 1024 * 1024;

export class Responder {
  #started = false;
  /** The client was not told to go on (Expect: 100-continue), so whether its body follows is unknown. */
  awaitsContinue = false;
  /** The server is stopping: this connection takes no further request. */
  lastOnConnection = false;
  /** Headers of every answer (CORS). */
  readonly extra: Record<string, string> = {};

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly sendTimeoutMs: number,
  ) {}

  get started(): boolean {
    return this.#started;
  }
  get status(): number {
    return this.response.statusCode;
  }
  get finished(): boolean {
    return this.response.writableFinished;
  }

  async send(status: number, body: string | Uint8Array, headers: Headers): Promise<void> {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const length: Headers =
      status === 204 || status === 304 ? {} : { "content-length": String(bytes.length) };
    const linger = this.#head(status, { ...headers, ...length });
    if (!linger) {
      this.response.end(bytes);
      return;
    }
    this.response.write(bytes);
    await this.#dropBody();
    this.response.end();
  }

  stream(status: number, headers: Headers): ResponseWriter {
    const linger = this.#head(status, headers);
    const response = this.response;
    return {
      write: async (chunk) => {
        if (response.destroyed) throw gone();
        if (!response.write(chunk)) await this.#drained();
      },
      end: async () => {
        if (linger) await this.#dropBody();
        response.end();
      },
    };
  }

  /** The answer cannot be finished: the client must see that it is cut, not a short but proper end. */
  cut(): void {
    this.response.destroy();
  }

  /** Returns whether the body must be drained before the end. */
  #head(status: number, headers: Headers): boolean {
    if (this.#started) throw new Bug("one answer to a request");
    this.#started = true;
    const unread = this.#unreadBytes();
    const close = this.lastOnConnection || this.awaitsContinue || unread > DROP_BYTES_MAX;
    this.response.writeHead(status, {
      ...this.extra,
      ...headers,
      ...(close ? { connection: "close" } : {}),
    });
    return unread > DROP_BYTES_MAX && !this.awaitsContinue;
  }

  #unreadBytes(): number {
    if (this.request.complete) return 0;
    if (this.request.headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
    return Number(this.request.headers["content-length"] ?? 0);
  }

  #dropBody(): Promise<void> {
    return new Promise((resolve) => {
      let bytes = 0;
      const request = this.request;
      const done = () => {
        clearTimeout(timer);
        request.off("data", onData).off("end", done).off("close", done);
        resolve();
      };
      const onData = (chunk: Uint8Array) => {
        bytes += chunk.length;
        if (bytes > LINGER_BYTES_MAX) done();
      };
      const timer = setTimeout(done, LINGER_MS);
      request.on("data", onData).on("end", done).on("close", done);
      request.resume();
      if (request.readableEnded || request.destroyed) done();
    });
  }

  #drained(): Promise<void> {
    const response = this.response;
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        response.off("drain", onDrain).off("close", onClose);
      };
      const onDrain = () => {
        settle();
        resolve();
      };
      const onClose = () => {
        settle();
        reject(gone());
      };
      const timer = setTimeout(() => {
        response.destroy();
      }, this.sendTimeoutMs);
      response.on("drain", onDrain).on("close", onClose);
      if (response.destroyed) onClose();
    });
  }
}

function gone(): DbError {
  return new DbError("cancelled", "the client went away before the answer was complete");
}
