/** The front of ingest: wires the writers of lines and of named columns to one set of table bindings. */
import type { Clock, MemoryBudget, Metrics } from "../base/mod.ts";
import type { Catalog, SlotKeeper } from "../catalog/mod.ts";
import type { Kernel } from "../kernel/mod.ts";
import type { StorageEngine } from "../storage/mod.ts";
import type { Ingestor } from "./api.ts";
import { Binder } from "./binder.ts";
import { LineWriter } from "./line_writer.ts";
import { ingestMetrics } from "./metrics.ts";
import { NamedWriter } from "./named_writer.ts";

export interface IngestOptions {
  readonly catalog: Catalog & SlotKeeper;
  readonly storage: StorageEngine;
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly budget: MemoryBudget;
  /** May writes create tables (`auto_create_table`)? A hint can only forbid. */
  readonly autoCreateTable: boolean;
  /** Of tables that line protocol creates (`influxdb.default_merge_mode`). */
  readonly lineMergeMode: "last_non_null" | "last_row";
}

export function createIngestor(options: IngestOptions): Ingestor {
  const metrics = ingestMetrics(options.metrics);
  const binder = new Binder(options);
  const lines = new LineWriter({ ...options, binder, metrics });
  const named = new NamedWriter({ ...options, binder, metrics });
  return {
    writeLines: (write) => lines.write(write),
    insertRows: (rows) => named.insertRows(rows),
    mergeRows: (rows, hints, source) => named.mergeRows(rows, hints, source),
  };
}
