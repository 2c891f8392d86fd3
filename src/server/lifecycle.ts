/**
 * The end of the process: softly at the first SIGTERM or SIGINT, at once at the second, and at once with a non-zero code when
 * something of ours is broken. After a hard end the log replays what was acknowledged.
 */
import { type Logger, messageOf } from "../base/mod.ts";

/** Exit code of a process that stopped because something was wrong. */
const EXIT_FAILED = 1;
/** Shells report 128 + the signal's number; 130 is SIGINT's. */
const EXIT_INTERRUPTED = 130;
/** A soft end that hangs is ended: drain and flush are bounded by less. */
const STOP_MS_MAX = 120_000;

export interface Stoppable {
  stop(): Promise<void>;
}

export class Lifecycle {
  #stopping = false;
  #running: Stoppable | undefined;

  constructor(private readonly logger: Logger) {
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.on(signal, () => this.#onSignal(signal));
    process.on("uncaughtException", (error) => this.fail(error));
    process.on("unhandledRejection", (reason) => this.fail(reason));
  }

  /** From here on a signal stops this softly. Before, during the start, it ends the process: nothing was acknowledged yet. */
  run(server: Stoppable): void {
    this.#running = server;
  }

  /** Stops the process with the evidence left in place: nothing is flushed, nothing is closed. */
  fail(error: unknown): never {
    const stack = error instanceof Error ? error.stack : undefined;
    this.logger.fatal({ stack }, `stopping: ${messageOf(error)}`);
    this.logger.flush();
    process.exit(EXIT_FAILED);
  }

  #onSignal(signal: string): void {
    if (this.#stopping) {
      this.logger.warn(`second ${signal}: stopping at once`);
      process.exit(EXIT_INTERRUPTED);
    }
    if (this.#running === undefined) {
      this.logger.info(`${signal} during the start`);
      process.exit(EXIT_INTERRUPTED);
    }
    this.#stopping = true;
    this.logger.info(`${signal}: draining and flushing; again to stop at once`);
    void this.#stop(this.#running);
  }

  async #stop(server: Stoppable): Promise<void> {
    setTimeout(() => {
      this.logger.error(`not stopped after ${STOP_MS_MAX} ms: stopping at once`);
      process.exit(EXIT_FAILED);
    }, STOP_MS_MAX).unref();
    try {
      await server.stop();
      this.logger.info("stopped");
      process.exit(0);
    } catch (error) {
      this.fail(error);
    }
  }
}
