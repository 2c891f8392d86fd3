/**
 * One keep-alive connection on a bare socket: a request is one buffer, head and body together, and one
 * system call or a few; a response is read into one buffer that is never replaced. One request at a
 * time. Reconnects when the server closed in between; never repeats a request by itself.
 */
import { connect, type Socket } from "node:net";
import { type HttpResponse, HttpResponseParser } from "./http_response.ts";

/** Responses are short; a longer one comes in pieces. */
const READ_BYTES = 16 * 1024;

interface Waiting {
  resolve(response: HttpResponse): void;
  reject(error: Error): void;
}

export class HttpConnection {
  readonly #host: string;
  readonly #port: number;
  readonly #readBuffer = Buffer.allocUnsafe(READ_BYTES);
  #parser = new HttpResponseParser();
  #socket: Socket | null = null;
  #waiting: Waiting | null = null;

  constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
  }

  /** Opens the socket; throws when nobody listens. A no-op when it is open. */
  async open(): Promise<void> {
    if (this.#socket !== null) return;
    this.#parser = new HttpResponseParser();
    await new Promise<void>((resolve, reject) => {
      const socket = connect({
        host: this.#host,
        port: this.#port,
        noDelay: true,
        onread: {
          buffer: this.#readBuffer,
          callback: (n, bytes) => {
            if (this.#socket === socket)
              this.#onBytes(Buffer.from(bytes.buffer, bytes.byteOffset, n));
            return true;
          },
        },
      });
      let opened = false;
      socket.once("connect", () => {
        opened = true;
        this.#socket = socket;
        resolve();
      });
      socket.on("error", (error) => {
        if (!opened) reject(error);
        else this.#onClose(socket, error);
      });
      socket.on("end", () => this.#onClose(socket, new Error("the server closed the connection")));
      socket.on("close", () => this.#onClose(socket, new Error("the connection broke")));
    });
  }

  /**
   * Sends a whole request and waits for its response. `request` must not change until then.
   * Rejects when the connection breaks: whether the server saw the request is then unknown.
   */
  async send(request: Uint8Array): Promise<HttpResponse> {
    if (this.#socket === null) await this.open();
    return new Promise<HttpResponse>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket!.write(request);
    });
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.destroy();
  }

  #onBytes(bytes: Buffer): void {
    try {
      const response = this.#parser.push(bytes);
      if (response !== null) this.#answer(response);
    } catch (error) {
      if (this.#socket !== null) this.#onClose(this.#socket, error as Error);
    }
  }

  #answer(response: HttpResponse): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (response.closes) this.close();
    if (waiting === null) throw new Error("a response nobody asked for");
    waiting.resolve(response);
  }

  #onClose(socket: Socket, error: Error): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    socket.destroy();
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) return;
    const response = this.#parser.end();
    if (response !== null) waiting.resolve(response);
    else waiting.reject(error);
  }
}
