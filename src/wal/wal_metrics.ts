/** The log's metrics. `greptime_logstore_*` are the reference's names, so that its dashboards show them. */
import { Metrics } from "../base/mod.ts";

export class WalMetrics {
  readonly #elapsed;
  readonly #opBytes;
  readonly #groupRecords;
  readonly #failures;
  readonly #damages;

  /** `bytes` reads the size of all segments. Without a registry the numbers go nowhere. */
  constructor(metrics: Metrics = new Metrics(), bytes: () => number) {
    this.#elapsed = metrics.histogram(
      "greptime_logstore_op_elapsed",
      "Seconds per operation of the log: append (wait included), write, sync.",
      ["optype"],
    );
    this.#opBytes = metrics.counter(
      "greptime_logstore_op_bytes_total",
      "Bytes written to and read from the log.",
      ["optype"],
    );
    this.#groupRecords = metrics.histogram(
      "tidemark_wal_group_records",
      "Records that share one write and one sync.",
      [],
      [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    );
    this.#failures = metrics.counter(
      "tidemark_wal_failures_total",
      "Failed steps of the log, by step: write, sync, roll, cut, trim.",
      ["step"],
    );
    this.#damages = metrics.counter(
      "tidemark_wal_damages_total",
      "Damaged stretches found at replay and set aside.",
    );
    metrics.gauge("tidemark_wal_bytes", "Bytes in all segments of the log.", [], function () {
      this.set(bytes());
    });
  }

  elapsed(op: "append" | "write" | "sync", ms: number): void {
    this.#elapsed.observe({ optype: op }, ms / 1000);
  }

  group(records: number, bytes: number): void {
    this.#groupRecords.observe(records);
    this.#opBytes.inc({ optype: "append" }, bytes);
  }

  replayed(bytes: number): void {
    this.#opBytes.inc({ optype: "read" }, bytes);
  }

  failed(step: "write" | "sync" | "roll" | "cut" | "trim"): void {
    this.#failures.inc({ step });
  }

  damaged(): void {
    this.#damages.inc();
  }
}
