/**
 * A workload by name and numbers: what can be sent to the loader's process, named in a file name and
 * made again on another machine, byte for byte.
 */
import { SeriesGenerator, type SeriesOptions } from "../lp/series.ts";
import { CpuOnlyGenerator, type CpuOnlyOptions, epochsOf } from "../tsbs/cpu_only.ts";
import type { LineGenerator } from "./source.ts";

export type Workload =
  | ({ readonly kind: "cpu-only" } & CpuOnlyOptions)
  | ({ readonly kind: "series" } & SeriesOptions);

/** The generator of a workload's lines, at its start. */
export function linesOf(workload: Workload): LineGenerator {
  switch (workload.kind) {
    case "cpu-only":
      return new CpuOnlyGenerator(workload);
    case "series":
      return new SeriesGenerator(workload);
  }
}

/** A file name that says everything the bytes depend on. */
export function workloadFileName(workload: Workload, batchRows: number): string {
  switch (workload.kind) {
    case "cpu-only": {
      const start = workload.startNs / 1_000_000_000n;
      const interval = workload.intervalNs / 1_000_000n;
      return `cpu-only-${workload.scale}x${epochsOf(workload)}-seed${workload.seed}-from${start}s-each${interval}ms-b${batchRows}.batches`;
    }
    case "series":
      return `series-${workload.series}x${workload.rows}-t${workload.tables ?? 1}-seed${workload.seed}-b${batchRows}.batches`;
  }
}
