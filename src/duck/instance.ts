/**
 * The one DuckDB instance and its connections. A connection runs one statement at a time (concurrent statements
 * on one connection crash the library), so connections are pooled and lent out. Knows nothing of tables or regions.
 */
import binding, { type Connection, type Database } from "@duckdb/node-bindings";
import { DbError, Fatal, type Logger, messageOf } from "../base/mod.ts";
import { type ResultChunk, type ResultField, resultValue } from "../types/mod.ts";
import { decodeChunk } from "./decode.ts";

export interface DuckOptions {
  /** DuckDB's own limit; past it DuckDB spills to `tempDir`, then fails the query. */
  readonly memoryBytesMax: number;
  readonly threads: number;
  /** A folder on the local disk for spilled data; it may be wiped at any start. */
  readonly tempDir: string;
  readonly log: Logger;
}

/** Connections kept open when idle; more are opened under load and closed afterwards. */
const idleConnectionsMax = 16;

/** Between two interrupts of a statement that was cancelled. */
const interruptEveryMs = 10;

export class Duck {
  readonly #database: Database;
  readonly #idle: Connection[] = [];
  readonly #busy = new Set<Connection>();
  #closed = false;
  /** For appends only: they are synchronous, so one connection is enough and never waits. */
  readonly #appendConnection: Connection;

  private constructor(database: Database, appendConnection: Connection) {
    this.#database = database;
    this.#appendConnection = appendConnection;
  }

  static async open(options: DuckOptions): Promise<Duck> {
    const config: Record<string, string> = {
      threads: String(options.threads),
      memory_limit: `${Math.floor(options.memoryBytesMax / 1024)}KiB`,
      temp_directory: options.tempDir,
      preserve_insertion_order: "true",
      // Nothing may be fetched from the network behind the user's back.
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      allocator_background_threads: "true",
    };
    try {
      const native = binding.create_config();
      for (const [name, value] of Object.entries(config)) binding.set_config(native, name, value);
      const database = await binding.open(":memory:", native);
      const connection = await binding.connect(database);
      const duck = new Duck(database, connection);
      await duck.run(
        "SET TimeZone = 'UTC'; SET enable_progress_bar = false; SET parquet_metadata_cache = true",
      );
      return duck;
    } catch (cause) {
      throw new Fatal(`DuckDB did not open: ${messageOf(cause)}`, { cause });
    }
  }

  get appendConnection(): Connection {
    return this.#appendConnection;
  }

  /** Connections lent out right now. */
  get busy(): number {
    return this.#busy.size;
  }

  /** Runs statements whose result nobody reads. Throws DuckDB's error as it is. */
  async run(sql: string): Promise<void> {
    await this.#lend(async (connection) => {
      await binding.query(connection, sql);
    });
  }

  /** Runs one statement and returns all rows as arrays of values, for small internal answers. */
  async rows(sql: string, fields: readonly ResultField[]): Promise<unknown[][]> {
    const rows: unknown[][] = [];
    for await (const chunk of this.stream(sql, fields)) {
      for (let row = 0; row < chunk.rows; row++)
        rows.push(chunk.columns.map((column) => resultValue(column, row)));
    }
    return rows;
  }

  /**
   * Streams the result of one statement as chunks of at most 2,048 rows, decoded as `fields` say. The connection is
   * held until the iteration ends or is left. `signal` interrupts: DbError cancelled, or the signal's reason if that is a DbError.
   */
  async *stream(
    sql: string,
    fields: readonly ResultField[],
    signal?: AbortSignal,
  ): AsyncGenerator<ResultChunk, void, void> {
    if (signal?.aborted) throw cancelled(signal);
    const connection = await this.#take();
    // DuckDB forgets an interrupt that comes before the statement has begun, so it is repeated until the statement has ended.
    let again: NodeJS.Timeout | undefined;
    const onAbort = () => {
      binding.interrupt(connection);
      again = setInterval(() => binding.interrupt(connection), interruptEveryMs);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const statement = await binding.prepare(connection, sql);
      if (signal?.aborted) throw cancelled(signal);
      const result = await binding.execute_prepared_streaming(statement);
      binding.destroy_prepare_sync(statement);
      for (;;) {
        const chunk = await binding.fetch_chunk(result);
        if (signal?.aborted) throw cancelled(signal);
        if (chunk === null) return;
        const rows = binding.data_chunk_get_size(chunk);
        if (rows === 0) return;
        yield decodeChunk(chunk, rows, fields);
      }
    } catch (cause) {
      if (signal?.aborted) throw cancelled(signal, cause);
      throw fatalIfDead(cause);
    } finally {
      signal?.removeEventListener("abort", onAbort);
      clearInterval(again);
      this.#giveBack(connection);
    }
  }

  /** Stops all running statements and closes. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#busy) binding.interrupt(connection);
    for (const connection of this.#idle.splice(0)) binding.disconnect_sync(connection);
    binding.disconnect_sync(this.#appendConnection);
    if (this.#busy.size === 0) binding.close_sync(this.#database);
  }

  async #lend<R>(use: (connection: Connection) => Promise<R>): Promise<R> {
    const connection = await this.#take();
    try {
      return await use(connection);
    } catch (cause) {
      throw fatalIfDead(cause);
    } finally {
      this.#giveBack(connection);
    }
  }

  async #take(): Promise<Connection> {
    if (this.#closed)
      throw new DbError("suspended", "the server is stopping", { retryAfterSec: 5 });
    const connection = this.#idle.pop() ?? (await binding.connect(this.#database));
    this.#busy.add(connection);
    return connection;
  }

  #giveBack(connection: Connection): void {
    this.#busy.delete(connection);
    if (!this.#closed && this.#idle.length < idleConnectionsMax) this.#idle.push(connection);
    else {
      binding.disconnect_sync(connection);
      if (this.#closed && this.#busy.size === 0) binding.close_sync(this.#database);
    }
  }
}

/** After an internal error DuckDB refuses every statement until it is opened anew, and the memtables in it are gone: only a restart helps. */
function fatalIfDead(cause: unknown): unknown {
  if (!/database has been invalidated/i.test(messageOf(cause))) return cause;
  return new Fatal(`DuckDB gave up: ${messageOf(cause)}`, { cause });
}

/** Is it DuckDB's memory limit that was reached? */
export function isOutOfMemory(error: unknown): boolean {
  return (
    (error instanceof DbError && error.code === "resources_exhausted") ||
    /Out of Memory Error|could not allocate block|failed to (pin|offload)/i.test(messageOf(error))
  );
}

function cancelled(signal: AbortSignal, cause?: unknown): DbError {
  return signal.reason instanceof DbError
    ? signal.reason
    : new DbError("cancelled", "query was cancelled", { cause });
}

/** Opens the in-memory instance. Throws Fatal. */
export function openDuck(options: DuckOptions): Promise<Duck> {
  return Duck.open(options);
}

/** A name as a quoted DuckDB identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as a DuckDB string literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
