/**
 * The client's half of HTTP/1.1, as little as a loader needs: one response at a time, whatever way the
 * bytes are split. Knows Content-Length, chunked bodies and bodies that end with the connection.
 * Never follows redirects, never inflates.
 */

export interface HttpResponse {
  readonly status: number;
  /** Seconds of a numeric Retry-After, or null. */
  readonly retryAfterS: number | null;
  /** The server will close the connection. */
  readonly closes: boolean;
  /** The first `BODY_BYTES_KEPT` of the body. */
  readonly body: string;
}

/** Enough of an error message to understand it; the rest of a body is skipped. */
const BODY_BYTES_KEPT = 4096;
/** No honest server needs more; a longer head is refused. */
const HEAD_BYTES_MAX = 64 * 1024;

const CR = 13;
const LF = 10;

type State =
  | "head"
  | "length"
  | "chunk-size"
  | "chunk-data"
  | "chunk-end"
  | "trailers"
  | "to-close";

export class HttpResponseParser {
  #state: State = "head";
  #head: Buffer = Buffer.allocUnsafe(1024);
  #headBytes = 0;
  #bodyLeft = 0;
  #sizeText = "";
  #trailerBytes = 0;
  #status = 0;
  #retryAfterS: number | null = null;
  #closes = false;
  #body: Buffer[] = [];
  #bodyKept = 0;

  /**
   * Takes the first `length` bytes of `bytes`; returns the response when it is complete, else null.
   * Bytes past the end of a response are an error: nothing was asked yet. Throws on broken HTTP.
   */
  push(bytes: Buffer, length: number = bytes.length): HttpResponse | null {
    let at = 0;
    while (at < length) {
      switch (this.#state) {
        case "head": {
          at = this.#takeHead(bytes, at, length);
          if (this.#state !== "head" && this.#isDone()) return this.#finish(at, length);
          break;
        }
        case "length":
        case "chunk-data": {
          const n = Math.min(this.#bodyLeft, length - at);
          this.#keep(bytes, at, n);
          at += n;
          this.#bodyLeft -= n;
          if (this.#bodyLeft > 0) break;
          if (this.#state === "length") return this.#finish(at, length);
          this.#state = "chunk-end";
          break;
        }
        case "chunk-end": {
          if (bytes[at++] === LF) this.#state = "chunk-size";
          break;
        }
        case "chunk-size": {
          const byte = bytes[at++]!;
          if (byte !== LF) {
            this.#sizeText += String.fromCharCode(byte);
            break;
          }
          const size = /^([0-9a-fA-F]{1,8})\s*(;.*)?$/.exec(this.#sizeText.trimEnd());
          if (size === null) throw new Error(`broken chunk size ${JSON.stringify(this.#sizeText)}`);
          this.#sizeText = "";
          this.#bodyLeft = Number.parseInt(size[1]!, 16);
          this.#state = this.#bodyLeft === 0 ? "trailers" : "chunk-data";
          break;
        }
        case "trailers": {
          const byte = bytes[at++]!;
          if (byte === LF) {
            if (this.#trailerBytes === 0) return this.#finish(at, length);
            this.#trailerBytes = 0;
          } else if (byte !== CR) this.#trailerBytes++;
          break;
        }
        case "to-close": {
          this.#keep(bytes, at, length - at);
          at = length;
          break;
        }
      }
    }
    return null;
  }

  /** The connection ended: the response, if its body was to end so, else null. */
  end(): HttpResponse | null {
    return this.#state === "to-close" ? this.#finish(0, 0) : null;
  }

  #takeHead(bytes: Buffer, from: number, length: number): number {
    const before = this.#headBytes;
    const room = before + length - from;
    if (room > this.#head.length) {
      if (before >= HEAD_BYTES_MAX) throw new Error("response head too long");
      const grown = Buffer.allocUnsafe(Math.max(room, this.#head.length * 2));
      this.#head.copy(grown, 0, 0, before);
      this.#head = grown;
    }
    bytes.copy(this.#head, before, from, length);
    const end = this.#head.subarray(0, room).indexOf("\r\n\r\n", Math.max(0, before - 3), "latin1");
    if (end < 0) {
      this.#headBytes = room;
      return length;
    }
    const head = this.#head.toString("latin1", 0, end);
    this.#headBytes = 0;
    this.#readHead(head);
    return from + (end + 4 - before);
  }

  #readHead(head: string): void {
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head);
    if (status === null) throw new Error(`not HTTP/1.1: ${JSON.stringify(head.slice(0, 80))}`);
    this.#status = Number(status[1]);
    if (this.#status >= 100 && this.#status < 200) return; // an interim answer; the real one follows
    const header = (name: string): string | null =>
      new RegExp(`\\r\\n${name}:[ \\t]*([^\\r]*)`, "i").exec(head)?.[1]?.trim() ?? null;
    this.#closes = /\bclose\b/i.test(header("connection") ?? "");
    const retry = header("retry-after");
    this.#retryAfterS = retry !== null && /^\d+$/.test(retry) ? Number(retry) : null;
    const length = header("content-length");
    if (this.#status === 204 || this.#status === 304) {
      this.#bodyLeft = 0;
      this.#state = "length";
    } else if (/\bchunked\b/i.test(header("transfer-encoding") ?? "")) this.#state = "chunk-size";
    else if (length !== null) {
      if (!/^\d+$/.test(length)) throw new Error(`broken Content-Length ${JSON.stringify(length)}`);
      this.#bodyLeft = Number(length);
      this.#state = "length";
    } else {
      this.#state = "to-close";
      this.#closes = true;
    }
  }

  #isDone(): boolean {
    return this.#state === "length" && this.#bodyLeft === 0;
  }

  #keep(bytes: Buffer, at: number, n: number): void {
    const kept = Math.min(n, BODY_BYTES_KEPT - this.#bodyKept);
    if (kept <= 0) return;
    this.#body.push(Buffer.from(bytes.subarray(at, at + kept)));
    this.#bodyKept += kept;
  }

  #finish(at: number, length: number): HttpResponse {
    if (at !== length) throw new Error("bytes after the end of a response");
    const response: HttpResponse = {
      status: this.#status,
      retryAfterS: this.#retryAfterS,
      closes: this.#closes,
      body: this.#bodyKept === 0 ? "" : Buffer.concat(this.#body).toString("utf8"),
    };
    this.#state = "head";
    this.#closes = false;
    this.#retryAfterS = null;
    this.#body = [];
    this.#bodyKept = 0;
    this.#trailerBytes = 0;
    return response;
  }
}
