/** Statements in, results out. Knows sessions, time zones, limits; knows no protocol. */
import type { NamedRows, Output } from "../types/mod.ts";

export type Dialect = "greptime" | "mysql" | "postgres";
export type Permission = "read" | "write" | "read_write";

export interface Session {
  /** Current database; USE and SET change it in place. */
  db: string;
  /** IANA name or "+08:00"; default "UTC". */
  timezone: string;
  readonly user: string;
  readonly permission: Permission;
  readonly protocol: "http" | "mysql" | "postgres" | "grpc";
  readonly dialect: Dialect;
  /** Per statement, milliseconds; 0 = the server's limit. */
  timeoutMs: number;
}

export interface QueryEngine {
  /**
   * Runs the statements of `sql` one after the other; yields one Output each. The caller must consume (or return from) the chunks of an
   * Output before asking for the next. Throws DbError at the failing statement; `signal` cancels.
   */
  execute(sql: string, session: Session, signal?: AbortSignal): AsyncIterable<Output>;
  /** Running statements, for the process list and KILL. */
  running(): readonly {
    readonly id: string;
    readonly sql: string;
    readonly db: string;
    readonly startedMs: number;
  }[];
  kill(id: string): boolean;
}

/** Where INSERT sends its rows: implemented by ingest, given to the engine by the server. */
export interface RowSink {
  /** Existing table only: columns already of the table's types; missing ones take their default or NULL. */
  insertRows(rows: NamedRows): Promise<number>;
}
