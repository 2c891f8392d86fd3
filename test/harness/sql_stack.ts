/**
 * The whole stack below the protocols in one process, over a temporary folder, for tests: storage, catalog, ingest, query.
 * Time is a ManualClock, so that answers with times in them are the same on every run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ManualClock,
  MemoryBudget,
  Metrics,
  silentLogger,
  systemClock,
} from "../../src/base/mod.ts";
import { type Catalog, openCatalog, type SlotKeeper } from "../../src/catalog/mod.ts";
import { openLocalStore, openLogFolder } from "../../src/disk/mod.ts";
import { Duck } from "../../src/duck/mod.ts";
import { createIngestor, type Ingestor } from "../../src/ingest/mod.ts";
import { loadKernel } from "../../src/kernel/mod.ts";
import { table as tableFormat } from "../../src/protocol/http/format/table.ts";
import {
  createQueryEngine,
  type QueryEngine,
  type QueryLimits,
  type Session,
} from "../../src/query/mod.ts";
import {
  defaultStorageLimits,
  openStorage,
  type StorageEngine,
  storageMetrics,
} from "../../src/storage/mod.ts";
import { isTyped, type Output, resultValue } from "../../src/types/mod.ts";
import { type LogStore, openWal } from "../../src/wal/mod.ts";

/** As many as any test needs; the real limits are tested elsewhere. */
const seriesMax = 100_000;
const columnsMax = 1_000;

export interface Records {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly affected: number | undefined;
}

export class SqlStack {
  readonly clock = new ManualClock();
  readonly metrics = new Metrics();
  catalog!: Catalog & SlotKeeper;
  storage!: StorageEngine;
  ingest!: Ingestor;
  query!: QueryEngine;
  duck!: Duck;
  wal!: LogStore;
  readonly session: Session = session();

  private constructor(
    readonly home: string,
    readonly limits: QueryLimits,
  ) {}

  static async start(limits: Partial<QueryLimits> = {}): Promise<SqlStack> {
    const home = await mkdtemp(join(tmpdir(), "tidemark-sql-"));
    const all = { timeoutMs: 30_000, concurrencyMax: 4, queueMax: 100, ...limits };
    const stack = new SqlStack(home, all);
    await stack.#open();
    return stack;
  }

  async #open(): Promise<void> {
    const { clock, metrics, home } = this;
    const log = silentLogger;
    const kernel = await loadKernel({ seriesMax, columnsMax });
    const store = await openLocalStore(home);
    this.duck = await Duck.open({
      memoryBytesMax: 512 << 20,
      threads: 2,
      tempDir: join(home, "tmp-duck"),
      log,
    });
    this.wal = await openWal(await openLogFolder(join(home, "wal")), {
      segmentBytesMax: 4 << 20,
      sync: "none",
      intervalMs: 100,
      clock: systemClock,
      log,
    });
    const budget = new MemoryBudget(1 << 30);
    this.storage = openStorage({
      duck: this.duck,
      store,
      wal: this.wal,
      kernel,
      clock,
      log,
      budget,
      limits: defaultStorageLimits,
      metrics: storageMetrics(metrics),
      ttlNs: (schema) => {
        const table = this.catalog.tableById(schema.tableId);
        return table && this.catalog.ttlNs(table);
      },
    });
    const parts = { store, storage: this.storage, kernel, clock, log };
    this.catalog = await openCatalog({ ...parts, prefix: "catalog/", columnsMax });
    await this.storage.recover();
    this.ingest = createIngestor({
      catalog: this.catalog,
      storage: this.storage,
      kernel,
      clock,
      metrics,
      budget,
      autoCreateTable: true,
      lineMergeMode: "last_non_null",
    });
    this.query = createQueryEngine({
      catalog: this.catalog,
      storage: this.storage,
      engine: this.duck,
      rows: this.ingest,
      clock,
      log,
      metrics,
      limits: this.limits,
      server: {
        version: "0.1.0",
        gitCommit: "0123456789abcdef",
        gitBranch: "main",
        hostname: "test",
        address: "127.0.0.1:4000",
        timezone: "UTC",
        startedAtMs: 1_700_000_000_000,
        cpuCount: 2,
        memoryBytes: 1 << 30,
      },
    });
  }

  /** Runs statements and returns what the last of them answered. */
  async run(sql: string, on: Session = this.session, signal?: AbortSignal): Promise<Records> {
    let last: Records = { names: [], rows: [], affected: undefined };
    for await (const output of this.query.execute(sql, on, signal)) last = await drain(output);
    return last;
  }

  /** Rows of the last statement. */
  async rows(sql: string, on: Session = this.session): Promise<readonly (readonly unknown[])[]> {
    return (await this.run(sql, on)).rows;
  }

  /** The pretty tables of all statements. */
  async text(sql: string, on: Session = this.session): Promise<string> {
    let text = "";
    const outputs = this.query.execute(sql, on);
    for await (const piece of tableFormat.encode(outputs, { elapsedMs: () => 0 })) text += piece;
    return text;
  }

  async stop(): Promise<void> {
    await this.storage.close();
    await this.wal.close();
    this.duck.close();
    await rm(this.home, { recursive: true, force: true });
  }
}

export function session(rest: Partial<Session> = {}): Session {
  return {
    db: "public",
    timezone: "UTC",
    user: "greptime",
    permission: "read_write",
    protocol: "http",
    dialect: "greptime",
    timeoutMs: 0,
    ...rest,
  };
}

async function drain(output: Output): Promise<Records> {
  if (output.kind === "affected") return { names: [], rows: [], affected: output.rows };
  const rows: unknown[][] = [];
  for await (const chunk of output.chunks)
    for (let row = 0; row < chunk.rows; row++)
      rows.push(chunk.columns.map((c) => (isTyped(c) ? resultValue(c, row) : c[row])));
  return { names: output.fields.map((field) => field.name), rows, affected: undefined };
}
