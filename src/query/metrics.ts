/** Counters and histograms of the executor. One instance per engine; names follow the reference where it has one. */
import type { Counter, Histogram, Metrics } from "../base/mod.ts";

export type QueryStage = "parse" | "plan" | "scan" | "wait" | "execute";

export class QueryMetrics {
  /** Seconds per stage of a statement. */
  readonly #stage: Histogram<"stage">;
  readonly #statements: Counter<"kind" | "outcome">;
  readonly #rowsReturned: Counter;

  constructor(metrics: Metrics, running: () => number, waiting: () => number) {
    this.#stage = metrics.histogram(
      "greptime_query_stage_elapsed",
      "Seconds that statements spent in each stage",
      ["stage"],
    );
    this.#statements = metrics.counter(
      "greptime_query_statements_total",
      "Statements by kind and by outcome (ok, or the name of the error)",
      ["kind", "outcome"],
    );
    this.#rowsReturned = metrics.counter(
      "greptime_query_rows_returned_total",
      "Rows that SELECT handed to protocols",
    );
    metrics.gauge("greptime_query_running", "Statements that run now", [], function () {
      this.set(running());
    });
    metrics.gauge("greptime_query_waiting", "Statements that wait for a turn", [], function () {
      this.set(waiting());
    });
  }

  stage(stage: QueryStage, elapsedMs: number): void {
    this.#stage.observe({ stage }, elapsedMs / 1000);
  }

  statement(kind: string, outcome: string): void {
    this.#statements.inc({ kind, outcome });
  }

  rows(count: number): void {
    this.#rowsReturned.inc(count);
  }
}
