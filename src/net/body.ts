/**
 * Reads one request body: in order, bounded in bytes and time, counted in the in-flight budget, inflated if asked.
 * Never keeps more than it has been granted: while it waits for room the socket is not read.
 */
import type { IncomingMessage } from "node:http";
import { DbError, formatBytes } from "../base/mod.ts";
import type { Lease } from "./in_flight.ts";
import { createInflater } from "./inflate.ts";
import type { Encoding, Take } from "./inflate_api.ts";

export interface BodyRules {
  readonly encodings: readonly Encoding[];
  readonly bytesMax: number;
  readonly timeoutMs: number;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  /** Called once room for the body is granted: tells a client that waits with "Expect: 100-continue" to send it. */
  readonly proceed: () => void;
}

/** The body in pieces. Throws payload_too_large, request_timeout, rate_limited, cancelled, invalid_arguments (damage). */
export async function readBody(request: IncomingMessage, rules: BodyRules): Promise<Uint8Array[]> {
  const declared = request.headers["content-length"];
  const length = declared === undefined ? undefined : Number(declared);
  if (length !== undefined && length > rules.bytesMax) throw tooLarge(rules.bytesMax);
  if (length !== undefined && length > 0) {
    const wait = rules.lease.grow(length, rules.signal);
    if (wait !== undefined) await wait;
  }
  rules.proceed();
  const pieces: Uint8Array[] = [];
  if (length === 0) return pieces;
  /** A chunked body is granted as it comes; one with a length was granted above. */
  let wireBytes = 0;
  const received = (chunk: Uint8Array): Promise<void> | undefined => {
    wireBytes += chunk.length;
    if (wireBytes > rules.bytesMax) throw tooLarge(rules.bytesMax);
    return length === undefined ? rules.lease.grow(chunk.length, rules.signal) : undefined;
  };
  if (rules.encodings.length === 0) {
    await pump(request, rules, (chunk) => {
      const wait = received(chunk);
      pieces.push(chunk);
      return wait;
    });
    return pieces;
  }
  const inflater = createInflater(rules.encodings, rules.bytesMax, (piece) => {
    pieces.push(piece);
    return rules.lease.grow(piece.length, rules.signal);
  });
  try {
    await pump(request, rules, (chunk) => {
      const wait = received(chunk);
      return wait === undefined ? inflater.write(chunk) : wait.then(() => inflater.write(chunk));
    });
    // A body of no bytes at all is empty whatever its header says: clients send such flushes.
    if (wireBytes > 0) await inflater.end();
  } finally {
    inflater.destroy();
  }
  rules.lease.shrink(wireBytes);
  return pieces;
}

function tooLarge(bytesMax: number): DbError {
  return new DbError(
    "payload_too_large",
    `the body is larger than ${formatBytes(bytesMax)} (http.body_limit)`,
  );
}

/** Feeds the request's chunks to `take`, one at a time, until its end. */
function pump(request: IncomingMessage, rules: BodyRules, take: Take): Promise<void> {
  return new Promise((resolve, reject) => {
    let busy: Promise<void> | undefined;
    const timer = setTimeout(
      () =>
        fail(
          new DbError(
            "request_timeout",
            `the body did not arrive within ${rules.timeoutMs} ms (http.body_timeout)`,
          ),
        ),
      rules.timeoutMs,
    );
    const onData = (chunk: Uint8Array) => {
      try {
        const wait = take(chunk);
        if (wait === undefined) return;
        request.pause();
        busy = wait.then(() => {
          busy = undefined;
          request.resume();
        });
        busy.catch(fail);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => {
      // The last chunk may still be on its way through the decoder.
      if (busy === undefined) succeed();
      else busy.then(succeed, fail);
    };
    const onClose = () => {
      if (!request.complete)
        fail(new DbError("cancelled", "the client went away before the body was complete"));
    };
    const onAbort = () => fail(rules.signal.reason);
    const settle = () => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("close", onClose);
      rules.signal.removeEventListener("abort", onAbort);
    };
    const succeed = () => {
      settle();
      resolve();
    };
    const fail = (error: unknown) => {
      settle();
      request.pause();
      reject(error);
    };
    rules.signal.addEventListener("abort", onAbort, { once: true });
    request.on("data", onData).on("end", onEnd).on("close", onClose);
    if (rules.signal.aborted) onAbort();
    else if (request.readableEnded) succeed();
  });
}
