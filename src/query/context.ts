/**
 * What a running statement knows: the server's parts, the session, its start, its stop signal, and what to undo.
 * Invariants: `close` runs every deferred step exactly once, last one first, and after it nothing may be deferred.
 */
import { type Clock, DbError, type Logger, type Metrics } from "../base/mod.ts";
import type { Catalog } from "../catalog/mod.ts";
import type { PlanEnv } from "../sql/mod.ts";
import type { Scan, StorageEngine } from "../storage/api.ts";
import type { RowSink, Session } from "./api.ts";
import type { EnginePort } from "./engine_port.ts";
import type { QueryMetrics } from "./metrics.ts";
import type { ProcessList } from "./process_list.ts";

/** Facts about the server that statements show. */
export interface ServerFacts {
  readonly version: string;
  readonly gitCommit: string;
  readonly gitBranch: string;
  readonly hostname: string;
  /** `host:port` of the frontend; the first part of process ids. */
  readonly address: string;
  /** Zone of `SET time_zone = 'SYSTEM'`. */
  readonly timezone: string;
  readonly startedAtMs: number;
  readonly cpuCount: number;
  readonly memoryBytes: number;
}

export interface QueryLimits {
  /** Longest a statement may run, milliseconds; 0 = no limit. */
  readonly timeoutMs: number;
  /** Statements that read at once. */
  readonly concurrencyMax: number;
  /** Statements that may wait for a turn; past it they are refused. */
  readonly queueMax: number;
}

export interface QueryDeps {
  readonly catalog: Catalog;
  readonly storage: StorageEngine;
  readonly engine: EnginePort;
  readonly rows: RowSink;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly limits: QueryLimits;
  readonly server: ServerFacts;
}

export class StatementContext {
  readonly #deferred: (() => void | Promise<void>)[] = [];
  #closed = false;
  /** Scans that the statement has opened. */
  readonly scans: Scan[] = [];

  constructor(
    readonly deps: QueryDeps,
    readonly stats: QueryMetrics,
    readonly processes: ProcessList,
    readonly session: Session,
    /** The statement as typed, without its semicolon. */
    readonly text: string,
    readonly signal: AbortSignal,
    readonly processNumber: number,
    /** Start of the statement: now() for all of it. */
    readonly nowNs: bigint,
  ) {}

  get catalog(): Catalog {
    return this.deps.catalog;
  }

  /** Registers a step of `close`. */
  defer(step: () => void | Promise<void>): void {
    this.#deferred.push(step);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const step of this.#deferred.reverse())
      try {
        await step();
      } catch (error) {
        this.deps.log.warn({ err: error }, "closing a statement");
      }
  }

  /** Throws the reason when the statement was cancelled or ran out of time. */
  checkCancelled(): void {
    if (this.signal.aborted) throw cancelReason(this.signal);
  }

  planEnv(resolveTable: PlanEnv["resolveTable"]): PlanEnv {
    return {
      db: this.session.db,
      timezone: this.session.timezone,
      nowNs: this.nowNs,
      version: this.#versionText(),
      user: this.session.user,
      connectionId: this.processNumber,
      resolveTable,
    };
  }

  /** `version()` differs by protocol, because clients look at it to choose their dialect. */
  #versionText(): string {
    const version = this.deps.server.version;
    switch (this.session.protocol) {
      case "mysql":
        return `8.4.2-GreptimeDB-${version}`;
      case "postgres":
        return `PostgreSQL 16.3 GreptimeDB ${version}`;
      default:
        return version;
    }
  }
}

/** The error with which an aborted signal ends a statement. */
export function cancelReason(signal: AbortSignal): DbError {
  return signal.reason instanceof DbError
    ? signal.reason
    : new DbError("cancelled", "query was cancelled");
}
