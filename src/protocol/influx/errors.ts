/** Errors as InfluxDB's clients read them: version 1 looks for `error`, version 2 for `code` (a word) and `message`. */
import type { DbError } from "../../base/mod.ts";
import { type Answer, type Ctx, headerText, renderGreptimeError } from "../../net/mod.ts";

/** `{"error":"…"}`. Refused logins have the form that all endpoints share. */
export function renderV1Error(error: DbError, message: string, ctx: Ctx): Answer {
  return render(error, message, ctx, { error: message });
}

/** `{"code":"invalid","message":"…","error":"…"}`: Telegraf and the version 2 SDKs cannot read a numeric code. */
export function renderV2Error(error: DbError, message: string, ctx: Ctx): Answer {
  return render(error, message, ctx, { code: word(error.answer.http), message, error: message });
}

function render(error: DbError, message: string, ctx: Ctx, body: object): Answer {
  const common = renderGreptimeError(error, message, ctx);
  const { http } = error.answer;
  if (http === 401 || http === 403) return common;
  return {
    status: http,
    headers: { ...common.headers, "x-influxdb-error": headerText(message) },
    body: `${JSON.stringify(body)}\n`,
  };
}

/** The error codes of InfluxDB's version 2 API. */
function word(status: number): string {
  switch (status) {
    case 404:
      return "not found";
    case 405:
      return "method not allowed";
    case 413:
      return "request too large";
    case 415:
      return "unsupported media type";
    case 429:
      return "too many requests";
    case 503:
      return "unavailable";
    default:
      return status >= 500 ? "internal error" : "invalid";
  }
}
