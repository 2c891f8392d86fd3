/** What ingest measures: rows in and refused, and the time of each stage. Names follow the reference where it has one. */
import type { Counter, Histogram, Metrics } from "../base/mod.ts";

export type Stage = "parse" | "merge" | "write";

export interface IngestMetrics {
  readonly rows: Counter;
  readonly refused: Counter;
  readonly stage: Histogram<"stage">;
}

export function ingestMetrics(metrics: Metrics): IngestMetrics {
  return {
    rows: metrics.counter("greptime_table_operator_ingest_rows", "Rows stored, by any protocol."),
    refused: metrics.counter("tidemark_ingest_refused_rows", "Rows refused for their content."),
    stage: metrics.histogram(
      "tidemark_ingest_stage_seconds",
      "Time of a write request in each stage: parse, merge (schema), write (log and memtable).",
      ["stage"],
    ),
  };
}
