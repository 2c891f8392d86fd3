/**
 * Errors as answers: the JSON form that GreptimeDB's clients know, and what every protocol adds to its own form.
 */
import { DbError, messageOf } from "../base/mod.ts";
import type { Answer, Ctx, ErrorRenderer } from "./api.ts";

/** `{"code":1004,"error":"…","execution_time_ms":3}` and the `x-greptime-err-*` headers. */
export const renderGreptimeError: ErrorRenderer = (error, message, ctx) => {
  const { code, http } = error.answer;
  return {
    status: http,
    headers: {
      "content-type": "application/json",
      "x-greptime-err-code": String(code),
      "x-greptime-err-msg": headerText(message),
    },
    body: JSON.stringify({
      code,
      error: message,
      execution_time_ms: Math.round(ctx.elapsedMs()),
    }),
  };
};

/** Anything thrown, as what the caller is told. Our own failures keep their details for the log. */
export function toDbError(error: unknown): DbError {
  if (error instanceof DbError) return error;
  return new DbError("internal", messageOf(error), { cause: error });
}

/** The message of an error for the outside: internals are masked, as in the reference. */
export function publicMessage(error: DbError): string {
  return error.code === "internal" ? `Internal error: ${error.answer.code}` : error.message;
}

/** An answer with the headers that belong to its status, whatever the protocol. */
export function completeAnswer(answer: Answer, error: DbError, ctx: Ctx): Answer {
  const headers: Record<string, string> = { ...answer.headers };
  if (error.answer.retry || error.options.retryAfterSec !== undefined)
    headers["retry-after"] ??= String(error.options.retryAfterSec ?? 1);
  // A page's own request (fetch) handles 401 by itself; only others get the browser's or client's dialog.
  if (answer.status === 401 && ctx.header("x-requested-with") === undefined)
    headers["www-authenticate"] ??= 'Basic realm="tidemark", charset="UTF-8"';
  return { ...answer, headers };
}

/** Header values hold visible ASCII only; anything else becomes a space or "?", and long messages are cut. */
export function headerText(text: string): string {
  return text
    .slice(0, 1024)
    .replace(/\s+/g, " ")
    .replace(/[^ -~]/g, "?")
    .trim();
}
