/** Structured logs (pino). A logger is passed in, never imported as a global. */
import { type Logger as PinoLogger, pino } from "pino";

export type Logger = Pick<
  PinoLogger,
  "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "child" | "level" | "flush"
>;

export function createLogger(
  options: { level?: string; destination?: NodeJS.WritableStream } = {},
): Logger {
  const config = {
    level: options.level ?? "info",
    base: null,
    // Under either name an Error keeps its message and stack; texts pass as they are.
    serializers: { err: shown, error: shown },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return options.destination
    ? pino(config, options.destination)
    : pino(config, pino.destination(2));
}

function shown(error: unknown): unknown {
  return error instanceof Error ? pino.stdSerializers.err(error) : error;
}

/** A logger that says nothing, for tests. */
export const silentLogger: Logger = pino({ level: "silent" });
