/** Metrics of the process as a whole: version, limits, memory by use, counts of tables, and Node.js's own. */
import { collectDefaultMetrics } from "prom-client";
import type { MemoryBudget, MemoryUse, Metrics } from "../base/mod.ts";
import type { Catalog } from "../catalog/mod.ts";
import type { Kernel } from "../kernel/mod.ts";
import type { StorageEngine } from "../storage/mod.ts";
import type { BuildInfo } from "./files.ts";

export interface ProcessParts {
  readonly build: BuildInfo;
  readonly cores: number;
  readonly budget: MemoryBudget;
  readonly kernel: Kernel;
  readonly catalog: Catalog;
  readonly storage: StorageEngine;
}

const USES: readonly MemoryUse[] = ["kernel", "memtable", "pending", "in_flight", "cache"];

export function processMetrics(metrics: Metrics, parts: ProcessParts): void {
  const { build, budget, catalog, storage } = parts;
  collectDefaultMetrics({ register: metrics.registry });
  metrics
    .gauge("greptime_app_version", "1, with the version as labels", [
      "version",
      "short_version",
      "app",
    ])
    .set({ version: build.version, short_version: build.commit, app: "tidemark-standalone" }, 1);
  metrics
    .gauge("greptime_cpu_limit_in_millicores", "Cores that may be used, times 1,000")
    .set(parts.cores * 1_000);
  metrics.gauge("greptime_memory_limit_in_bytes", "The memory budget").set(budget.bytesMax);
  metrics.gauge(
    "tidemark_memory_used_bytes",
    "Memory counted in the budget, by use; DuckDB's own is bounded separately",
    ["use"],
    function () {
      budget.set("kernel", parts.kernel.memoryBytes().total);
      for (const use of USES) this.set({ use }, budget.used(use));
    },
  );
  metrics.gauge("greptime_catalog_schema_count", "Databases", [], function () {
    this.set(catalog.databases().length);
  });
  metrics.gauge("greptime_catalog_table_count", "Tables by database", ["db"], function () {
    this.reset();
    for (const { name } of catalog.databases()) this.set({ db: name }, catalog.tables(name).length);
  });
  metrics.gauge("greptime_mito_region_count", "Regions that are open", [], function () {
    this.set([...storage.regions()].length);
  });
}
