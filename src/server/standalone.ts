/**
 * The composition root: every part made once, in order, handed only what it needs, and closed in the opposite order.
 *
 * Start: memory → lock → disk → kernel → DuckDB → log → storage → catalog → recovery → ingest → query → routes → listen. The server
 * listens only when everything acknowledged before is there again. Stop: no new requests → drain → flush → close → unlock.
 */
import { hostname, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { openUserProvider, parseProviderSpec, type UserProvider } from "../auth/mod.ts";
import {
  type Clock,
  DbError,
  Fatal,
  formatBytes,
  type Logger,
  MemoryBudget,
  Metrics,
  messageOf,
} from "../base/mod.ts";
import { type Catalog, openCatalog } from "../catalog/mod.ts";
import { lockDataHome, type ObjectStore, openLocalStore, openLogFolder } from "../disk/mod.ts";
import { Duck } from "../duck/mod.ts";
import { createIngestor } from "../ingest/mod.ts";
import { type Kernel, loadKernel } from "../kernel/mod.ts";
import type { Authenticator, Route } from "../net/mod.ts";
import { dashboardRoutes, opsRoutes, sqlRoutes } from "../protocol/http/mod.ts";
import { influxRoutes } from "../protocol/influx/mod.ts";
import { createQueryEngine, type QueryEngine } from "../query/mod.ts";
import {
  defaultStorageLimits,
  openStorage,
  type StorageEngine,
  type StorageLimits,
  storageMetrics,
} from "../storage/mod.ts";
import { openWal } from "../wal/mod.ts";
import { type LoadedConfig, showConfig } from "./config.ts";
import { type BuildInfo, readPage, textFile } from "./files.ts";
import { openHttp } from "./http_listener.ts";
import { type MemoryPlan, planMemory } from "./memory_plan.ts";
import { processMetrics } from "./process_metrics.ts";
import type { Config } from "./settings.ts";

export interface StandaloneOptions {
  readonly loaded: LoadedConfig;
  readonly build: BuildInfo;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly cores: number;
  /** A part found the disk or itself broken: the process has to end. */
  readonly onFatal: (error: Fatal) => void;
}

/** Folder of the catalog in the data home. */
const CATALOG = "metadata/";
/** Statements at once for each core: two run while the others wait for the disk. */
const QUERIES_PER_CORE = 4;

type Closer = { readonly what: string; close(): Promise<unknown> | unknown };

export class Standalone {
  readonly #closers: Closer[] = [];
  readonly #config: Config;
  readonly #memory: MemoryPlan;
  readonly #budget: MemoryBudget;
  readonly #metrics = new Metrics();
  readonly #logger: Logger;
  readonly #startedAtMs: number;
  url = "";

  private constructor(private readonly options: StandaloneOptions) {
    this.#config = options.loaded.config;
    this.#logger = options.logger;
    this.#startedAtMs = Number(options.clock.nowNs() / 1_000_000n);
    this.#memory = planMemory(this.#config.memory_budget, machineBytes());
    this.#budget = new MemoryBudget(this.#memory.totalBytes);
  }

  /** Resolves when the server answers. What was opened before a failure is closed again. Throws Fatal. */
  static async start(options: StandaloneOptions): Promise<Standalone> {
    const server = new Standalone(options);
    try {
      await server.#open();
      return server;
    } catch (error) {
      await server.#close();
      throw error;
    }
  }

  /** Takes no new requests, lets running ones finish, flushes, closes. */
  async stop(): Promise<void> {
    await this.#close();
  }

  async #open(): Promise<void> {
    const config = this.#config;
    const startMs = this.options.clock.monotonicMs();
    const provider = await this.#users();
    const dataHome = resolve(config["storage.data_home"]);
    const lock = await lockDataHome(dataHome);
    this.#onClose("data home lock", () => lock.release());
    const core = await this.#openCore(dataHome);
    const engine = this.#createQueryEngine(core);
    const routes = await this.#routes(core, engine);
    await this.#listen(routes, provider);
    this.#logger.info(
      {
        url: this.url,
        data_home: dataHome,
        memory_budget: formatBytes(this.#memory.totalBytes),
        tables: core.catalog.databases().flatMap((db) => core.catalog.tables(db.name)).length,
        start_ms: Math.round(this.options.clock.monotonicMs() - startMs),
      },
      `tidemark ${this.options.build.version} is ready`,
    );
  }

  async #users(): Promise<UserProvider | undefined> {
    const spec = this.#config.user_provider;
    if (spec === undefined) return undefined;
    const provider = await openUserProvider(parseProviderSpec(spec), textFile, this.#logger);
    this.#onClose("user provider", () => provider.close());
    return provider;
  }

  /** Disk to ingest: everything that holds data. */
  async #openCore(dataHome: string): Promise<Core> {
    const config = this.#config;
    const { clock, cores } = this.options;
    const log = this.#logger;
    const store = await openLocalStore(dataHome);
    await refuseLostCatalog(store, dataHome);
    const swept = await store.sweep();
    if (swept > 0) log.info({ files: swept }, "removed temporary files of a former process");
    const kernel = await loadKernel({
      seriesMax: config.max_series,
      // It counts tags and fields; every table has a time as well.
      columnsMax: Math.max(config.max_columns - 1, 1),
      memoryBytesMax: this.#memory.kernelBytes,
    });
    const duck = await Duck.open({
      memoryBytesMax: this.#memory.duckBytes,
      threads: config["query.parallelism"] || cores,
      tempDir: join(dataHome, "tmp", "duckdb"),
      log,
    });
    this.#onClose("DuckDB", () => duck.close());
    const wal = await openWal(await openLogFolder(join(dataHome, "wal")), {
      sync: config["wal.sync"],
      intervalMs: config["wal.sync_period"],
      segmentBytesMax: config["wal.file_size"],
      clock,
      log,
      metrics: this.#metrics,
    });
    this.#onClose("write-ahead log", () => wal.close());
    // Storage asks for a table's TTL long before and after the catalog is there.
    let catalog: Catalog | undefined;
    const storage = openStorage({
      duck,
      store,
      wal,
      kernel,
      clock,
      log,
      budget: this.#budget,
      limits: this.#storageLimits(),
      metrics: storageMetrics(this.#metrics),
      ttlNs: (schema) => {
        const table = catalog?.tableById(schema.tableId);
        return table === undefined ? undefined : catalog?.ttlNs(table);
      },
    });
    this.#onClose("storage", () => storage.close());
    const opened = await openCatalog({
      store,
      storage,
      kernel,
      clock,
      log,
      prefix: CATALOG,
      columnsMax: config.max_columns,
    });
    catalog = opened;
    await storage.recover(progressLog(log, clock));
    const ingestor = createIngestor({
      catalog: opened,
      storage,
      kernel,
      clock,
      metrics: this.#metrics,
      budget: this.#budget,
      autoCreateTable: config.auto_create_table,
      lineMergeMode: config["influxdb.default_merge_mode"],
    });
    return { kernel, duck, storage, catalog: opened, ingestor };
  }

  #storageLimits(): StorageLimits {
    const config = this.#config;
    const writeBufferBytes =
      config["region_engine.mito.global_write_buffer_size"] || this.#memory.writeBufferBytes;
    return {
      ...defaultStorageLimits,
      writeBufferBytes,
      // Two regions can fill up while a third is being sorted.
      regionFlushBytes: Math.min(defaultStorageLimits.regionFlushBytes, writeBufferBytes / 3),
      autoFlushMs: config["region_engine.mito.auto_flush_interval"],
      walBytesMax: config["wal.purge_threshold"],
    };
  }

  #createQueryEngine({ catalog, storage, duck, ingestor }: Core): QueryEngine {
    const config = this.#config;
    const { build, clock, cores } = this.options;
    const { host, port } = config["http.addr"];
    return createQueryEngine({
      catalog,
      storage,
      engine: duck,
      rows: ingestor,
      clock,
      log: this.#logger,
      metrics: this.#metrics,
      limits: {
        timeoutMs: config["query.timeout"],
        concurrencyMax: config.max_concurrent_queries || QUERIES_PER_CORE * cores,
        queueMax: config.max_waiting_queries,
      },
      server: {
        version: build.version,
        gitCommit: build.commit,
        gitBranch: build.branch,
        hostname: hostname(),
        address: `${host}:${port}`,
        timezone: config.default_timezone,
        startedAtMs: this.#startedAtMs,
        cpuCount: cores,
        memoryBytes: this.#memory.totalBytes,
      },
    });
  }

  async #routes(core: Core, engine: QueryEngine): Promise<Route[]> {
    const { build, loaded } = this.options;
    const metrics = this.#metrics;
    processMetrics(metrics, {
      build,
      cores: this.options.cores,
      budget: this.#budget,
      kernel: core.kernel,
      catalog: core.catalog,
      storage: core.storage,
    });
    const elapsed = metrics.histogram(
      "greptime_servers_http_sql_elapsed",
      "Seconds from the head of a /v1/sql request to the end of its answer",
      ["db"],
    );
    const routes = [
      ...opsRoutes({
        metrics,
        logger: this.#logger,
        ...build,
        hostname: hostname(),
        config: showConfig(loaded.raw),
      }),
      ...sqlRoutes({ engine, catalog: core.catalog, elapsed }),
      ...dashboardRoutes(await readPage()),
    ];
    if (this.#config["influxdb.enable"])
      routes.push(
        ...influxRoutes({ ingestor: core.ingestor, engine, metrics, version: build.version }),
      );
    return routes;
  }

  async #listen(routes: readonly Route[], provider: UserProvider | undefined): Promise<void> {
    const http = await openHttp(this.#config, {
      routes,
      authenticator: authenticatorOf(provider),
      inFlightBytesMax: this.#memory.inFlightBytes,
      budget: this.#budget,
      metrics: this.#metrics,
      logger: this.#logger,
      clock: this.options.clock,
      onFatal: this.options.onFatal,
    });
    this.#onClose("http", () => http.close());
    this.url = http.url;
  }

  #onClose(what: string, close: Closer["close"]): void {
    this.#closers.push({ what, close });
  }

  /** Last opened, first closed. A part that fails to close does not keep the others open; the first failure is thrown. */
  async #close(): Promise<void> {
    let failure: unknown;
    for (const { what, close } of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        this.#logger.error({ error: messageOf(error) }, `closing: ${what}`);
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  }
}

interface Core {
  readonly kernel: Kernel;
  readonly duck: Duck;
  readonly storage: StorageEngine;
  readonly catalog: Catalog;
  readonly ingestor: ReturnType<typeof createIngestor>;
}

/**
 * Tables without a catalog are a home that was copied or restored in part: an empty catalog would call their files
 * left-overs, and recovery would remove them. Throws Fatal, with everything left in place.
 */
async function refuseLostCatalog(store: ObjectStore, dataHome: string): Promise<void> {
  if ((await store.list(CATALOG)).length > 0) return;
  if ((await store.list("data/")).length === 0) return;
  throw new Fatal(
    `${join(dataHome, CATALOG)} is missing or empty, but there are tables in ${join(dataHome, "data")}: ` +
      "restore it from a backup; to start anew, move the whole data home away",
  );
}

/** Without users, everyone is the built-in one of the reference. */
function authenticatorOf(provider: UserProvider | undefined): Authenticator {
  if (provider !== undefined)
    return {
      anonymous: undefined,
      authenticate: (name, password) => provider.authenticate(name, password),
    };
  return {
    anonymous: { name: "greptime", permission: "read_write" },
    authenticate: () =>
      Promise.reject(new DbError("user_not_found", "there are no users on this server")),
  };
}

/** RAM, or less where a container allows less. */
function machineBytes(): number {
  const total = totalmem();
  const allowed = process.constrainedMemory();
  return allowed > 0 && allowed < total ? allowed : total;
}

/** A line now and then while the log is replayed. */
function progressLog(logger: Logger, clock: Clock) {
  const intervalMs = 1_000;
  let lastMs = clock.monotonicMs();
  return (doneBytes: number, totalBytes: number) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - lastMs < intervalMs) return;
    lastMs = nowMs;
    logger.info(`replaying the log: ${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}`);
  };
}
