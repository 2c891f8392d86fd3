/**
 * The query engine: statements of a text one after the other, each with its permission, its turn, its time limit, its
 * entry in the process list, and its clean-up.
 *
 * Invariants: a turn, a process entry and all scans of a statement are given back when its Output was consumed, or when the
 * caller asks for the next Output or leaves, whichever is first. Never plans and never reads: statement/ does.
 */
import { DbError, messageOf, Semaphore } from "../base/mod.ts";
import { type ParsedStatement, parseStatements } from "../sql/mod.ts";
import type { Output, ResultChunk } from "../types/mod.ts";
import type { QueryEngine, Session } from "./api.ts";
import { cancelReason, type QueryDeps, StatementContext } from "./context.ts";
import { QueryMetrics } from "./metrics.ts";
import { ProcessList } from "./process_list.ts";
import { checkPermission, needsTurn, runStatement } from "./statement/mod.ts";

export function createQueryEngine(deps: QueryDeps): QueryEngine {
  return new Engine(deps);
}

class Engine implements QueryEngine {
  readonly #turns: Semaphore;
  readonly #processes: ProcessList;
  readonly #stats: QueryMetrics;

  constructor(readonly deps: QueryDeps) {
    const { concurrencyMax, queueMax } = deps.limits;
    this.#turns = new Semaphore(concurrencyMax, queueMax, "queries");
    this.#processes = new ProcessList(deps.server.address);
    this.#stats = new QueryMetrics(
      deps.metrics,
      () => this.#processes.list().length,
      () => this.#turns.waiting,
    );
  }

  running() {
    return this.#processes.list();
  }

  kill(id: string): boolean {
    return this.#processes.kill(id);
  }

  async *execute(sql: string, session: Session, signal?: AbortSignal): AsyncGenerator<Output> {
    const started = this.deps.clock.monotonicMs();
    const statements = parseStatements(sql, session.dialect);
    this.#stats.stage("parse", this.deps.clock.monotonicMs() - started);
    for (const parsed of statements) {
      const run = new StatementRun(
        this.deps,
        this.#stats,
        this.#processes,
        session,
        parsed,
        signal,
      );
      try {
        yield await run.start(this.#turns);
      } catch (error) {
        run.failed(error);
        throw error;
      } finally {
        await run.end();
      }
    }
  }
}

/** One statement from its turn to its clean-up. */
class StatementRun {
  readonly #ctx: StatementContext;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  #outcome = "ok";
  #ended = false;

  constructor(
    readonly deps: QueryDeps,
    readonly stats: QueryMetrics,
    readonly processes: ProcessList,
    session: Session,
    readonly parsed: ParsedStatement,
    readonly signal: AbortSignal | undefined,
  ) {
    const nowNs = deps.clock.nowNs();
    const process = processes.add(parsed.text, session, Number(nowNs / 1_000_000n), () =>
      this.#stop(new DbError("cancelled", "query was killed")),
    );
    this.#ctx = new StatementContext(
      deps,
      stats,
      processes,
      session,
      parsed.text,
      this.#abort.signal,
      process.number,
      nowNs,
    );
    const timeoutMs = timeoutOf(session.timeoutMs, deps.limits.timeoutMs);
    if (timeoutMs > 0)
      this.#timer = setTimeout(
        () =>
          this.#stop(
            new DbError("deadline_exceeded", `query ran longer than its limit of ${timeoutMs} ms`),
          ),
        timeoutMs,
      );
    this.#timer?.unref();
    if (signal?.aborted) this.#onCallerAbort();
    else signal?.addEventListener("abort", this.#onCallerAbort, { once: true });
  }

  async start(turns: Semaphore): Promise<Output> {
    const { statement } = this.parsed;
    checkPermission(statement, this.#ctx.session);
    this.#ctx.checkCancelled();
    if (needsTurn(statement)) await this.#takeTurn(turns);
    const output = await runStatement(this.#ctx, statement);
    return output.kind === "records" ? { ...output, chunks: this.#guarded(output.chunks) } : output;
  }

  /** The rows, with the end of the statement tied to their end. */
  async *#guarded(chunks: AsyncIterable<ResultChunk>): AsyncGenerator<ResultChunk> {
    try {
      yield* chunks;
    } catch (error) {
      this.failed(error);
      throw error;
    } finally {
      await this.end();
    }
  }

  failed(error: unknown): void {
    if (this.#ended) return;
    this.#outcome = error instanceof DbError ? error.answer.name : "Bug";
    if (!(error instanceof DbError))
      this.deps.log.error({ err: error, sql: this.parsed.text.slice(0, 1000) }, messageOf(error));
  }

  /** Gives everything back. Idempotent. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.signal?.removeEventListener("abort", this.#onCallerAbort);
    // What still runs for an Output that nobody reads is stopped, so that closing does not wait for it.
    this.#stop(new DbError("cancelled", "the result was abandoned"));
    await this.#ctx.close();
    this.processes.remove(this.#ctx.processNumber);
    this.stats.statement(this.parsed.statement.kind, this.#outcome);
  }

  async #takeTurn(turns: Semaphore): Promise<void> {
    const started = this.deps.clock.monotonicMs();
    this.#ctx.defer(await raceAbort(turns.acquire(), this.#abort.signal));
    this.stats.stage("wait", this.deps.clock.monotonicMs() - started);
  }

  #stop(reason: DbError): void {
    if (!this.#abort.signal.aborted) this.#abort.abort(reason);
  }

  #onCallerAbort = (): void => {
    const reason: unknown = this.signal?.reason;
    this.#stop(
      reason instanceof DbError ? reason : new DbError("cancelled", "query was cancelled"),
    );
  };
}

/** Waits for a turn, or for the end of the wish for it: a turn that comes too late is given back. */
function raceAbort(turn: Promise<() => void>, signal: AbortSignal): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(cancelReason(signal));
      turn.then(
        (release) => release(),
        () => undefined,
      );
    };
    signal.addEventListener("abort", onAbort, { once: true });
    turn.then(
      (release) => {
        signal.removeEventListener("abort", onAbort);
        if (!signal.aborted) resolve(release);
      },
      (error) => {
        signal.removeEventListener("abort", onAbort);
        reject(error);
      },
    );
  });
}

/** The session's wish, never beyond the server's limit; 0 = none. */
function timeoutOf(sessionMs: number, serverMs: number): number {
  if (sessionMs <= 0) return serverMs;
  return serverMs > 0 ? Math.min(sessionMs, serverMs) : sessionMs;
}
