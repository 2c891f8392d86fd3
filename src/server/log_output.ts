/** Where log lines go and how they look: pino's JSON as it is, or one line of text for people. Always standard error. */
import { Writable } from "node:stream";
import { createLogger, type Logger } from "../base/mod.ts";

const NAMES: Readonly<Record<number, string>> = {
  10: "TRACE",
  20: "DEBUG",
  30: "INFO",
  40: "WARN",
  50: "ERROR",
  60: "FATAL",
};

export function openLog(level: string, format: "text" | "json"): Logger {
  if (format === "json") return createLogger({ level });
  const lines = new Writable({
    // Straight through, so that the last line before an exit is not left behind.
    write(chunk: Buffer, _encoding, done) {
      process.stderr.write(chunk.toString().split("\n").filter(Boolean).map(logLine).join(""));
      done();
    },
  });
  return createLogger({ level, destination: lines });
}

/** `2026-01-01T00:00:00.000Z INFO  listening port=4000`; a stack follows on lines of its own. */
export function logLine(json: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(json);
  } catch {
    return `${json}\n`;
  }
  const { level, time, msg, stack, err, ...rest } = entry;
  const error = [err, rest.error].find(isError);
  const fields = Object.entries(rest).map(
    ([name, value]) => ` ${name}=${shown(isError(value) ? value.message : value)}`,
  );
  const trace = stack ?? error?.stack;
  return [
    `${time} ${(NAMES[level as number] ?? String(level)).padEnd(5)} ${msg ?? error?.message ?? ""}${fields.join("")}\n`,
    typeof trace === "string" ? trace.replace(/^/gm, "    ").concat("\n") : "",
  ].join("");
}

interface LoggedError {
  readonly message: string;
  readonly stack: string;
}

function isError(value: unknown): value is LoggedError {
  return typeof value === "object" && value !== null && "stack" in value && "message" in value;
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
