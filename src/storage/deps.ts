/** What every part of the region engine is given: services, limits and metrics. Nothing here has behaviour. */
import type {
  Clock,
  Counter,
  Gauge,
  Histogram,
  Logger,
  MemoryBudget,
  Metrics,
} from "../base/mod.ts";
import type { ObjectStore } from "../disk/mod.ts";
import type { Duck } from "../duck/mod.ts";
import type { Kernel } from "../kernel/mod.ts";
import type { TableSchema } from "../types/mod.ts";
import type { LogStore } from "../wal/mod.ts";

export interface StorageLimits {
  /** A region whose memtable holds this many bytes is flushed. */
  readonly regionFlushBytes: number;
  /** Past half of it in active memtables the largest is flushed; past it writers wait; past twice it they are refused. */
  readonly writeBufferBytes: number;
  /** How long a writer waits for memory before it is refused. */
  readonly stallMs: number;
  /** A memtable older than this is flushed. */
  readonly autoFlushMs: number;
  /** Past it the regions that keep the oldest log segment alive are flushed. */
  readonly walBytesMax: number;
  /** Time between looks for background work. */
  readonly tickMs: number;
  /** Files of a window that make a compaction worth while. */
  readonly compactionTriggerFiles: number;
  /** Rows sorted at once by a compaction; bounds its memory. */
  readonly compactionSliceRows: number;
}

export const defaultStorageLimits: StorageLimits = Object.freeze({
  // About 2 M rows of 10 fields: large enough for good compression, small enough that sorting it fits beside a full memtable.
  regionFlushBytes: 192 * 1024 * 1024,
  writeBufferBytes: 512 * 1024 * 1024,
  stallMs: 10_000,
  autoFlushMs: 3_600_000,
  walBytesMax: 1024 * 1024 * 1024,
  tickMs: 1_000,
  compactionTriggerFiles: 8,
  compactionSliceRows: 2_500_000,
});

export interface StorageMetrics {
  readonly rows: Counter<"kind">;
  readonly stalls: Counter;
  readonly rejects: Counter;
  readonly flushes: Counter<"reason">;
  readonly flushSeconds: Histogram;
  readonly flushBytes: Counter;
  readonly flushFailures: Counter;
  readonly compactions: Counter;
  readonly compactionSeconds: Histogram;
  readonly compactionFailures: Counter;
  readonly walSeconds: Histogram;
  readonly applySeconds: Histogram;
  readonly scanSources: Histogram;
  readonly writeBuffer: Gauge;
  readonly damagedFiles: Gauge;
}

export function storageMetrics(metrics: Metrics): StorageMetrics {
  return {
    rows: metrics.counter("greptime_mito_write_rows_total", "Rows applied to memtables", ["kind"]),
    stalls: metrics.counter("greptime_mito_write_stall_total", "Writes that waited for memory"),
    rejects: metrics.counter(
      "greptime_mito_write_reject_total",
      "Writes refused for want of memory or disk",
    ),
    flushes: metrics.counter("greptime_mito_flush_requests_total", "Flushes by reason", ["reason"]),
    flushSeconds: metrics.histogram("greptime_mito_flush_elapsed", "Seconds of a flush"),
    flushBytes: metrics.counter(
      "greptime_mito_flush_bytes_total",
      "Bytes of SSTs written by flushes",
    ),
    flushFailures: metrics.counter("greptime_mito_flush_failure_total", "Flushes that failed"),
    compactions: metrics.counter("greptime_mito_compaction_requests_total", "Compactions started"),
    compactionSeconds: metrics.histogram(
      "greptime_mito_compaction_total_elapsed",
      "Seconds of a compaction",
    ),
    compactionFailures: metrics.counter(
      "greptime_mito_compaction_failure_total",
      "Compactions that failed",
    ),
    walSeconds: metrics.histogram(
      "tidemark_region_log_elapsed",
      "Seconds until a WAL record was durable",
    ),
    applySeconds: metrics.histogram(
      "tidemark_memtable_apply_elapsed",
      "Seconds of applying a batch to a memtable",
    ),
    scanSources: metrics.histogram(
      "tidemark_scan_sources",
      "Sources of a scan",
      [],
      [0, 1, 2, 4, 8, 16, 32, 64],
    ),
    writeBuffer: metrics.gauge("greptime_mito_write_buffer_bytes", "Bytes in memtables"),
    damagedFiles: metrics.gauge(
      "tidemark_damaged_files",
      "SSTs whose bytes are not those that were written",
    ),
  };
}

export interface StorageDeps {
  readonly duck: Duck;
  readonly store: ObjectStore;
  readonly wal: LogStore;
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Logger;
  readonly budget: MemoryBudget;
  readonly limits: StorageLimits;
  readonly metrics: StorageMetrics;
  /** Nanoseconds after which rows of a table expire, undefined for never. Asked at every scan and compaction. */
  readonly ttlNs: (schema: TableSchema) => bigint | undefined;
}
