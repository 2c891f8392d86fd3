/** `tsbs-load`: the TSBS cpu-only load, the same file for every database. */
import { findPeers } from "../peers/install.ts";
import type { WrittenTable } from "../peers/peer.ts";
import { bytesText, digits, ratioText, secondsText, short } from "../report/numbers.ts";
import type { Budget, Chart } from "../report/report.ts";
import { barChart, lineChart, type Unit } from "../report/svg.ts";
import { CPU_FIELDS, CPU_ONLY_DEFAULTS, CpuOnlyGenerator } from "../tsbs/cpu_only.ts";
import type { BenchContext } from "./context.ts";
import {
  bytesPerRow,
  disturbedNotes,
  loadPeer,
  PEER_COLUMNS,
  type PeerResult,
  peerRow,
  RATIO_NOTE,
  rateChart,
} from "./peer_load.ts";

export interface TsbsLoadOptions {
  readonly scale: number;
  readonly hours: number;
  readonly seed: number;
  /** RFC 3339. */
  readonly start: string;
  readonly intervalS: number;
  readonly batch: number;
  readonly workers: number;
  readonly peers: string;
  readonly secondsMax: number;
}

export const TSBS_LOAD_DEFAULTS: TsbsLoadOptions = {
  scale: CPU_ONLY_DEFAULTS.scale,
  // 17.3 M rows: half a minute for ours, one to two minutes for VictoriaMetrics.
  hours: 12,
  seed: CPU_ONLY_DEFAULTS.seed,
  start: "2023-06-11T00:00:00Z",
  intervalS: 10,
  batch: 3000,
  workers: 6,
  peers: "ours,influxdb,victoria",
  secondsMax: 300,
};

const INFLUX_RATIO_MIN = 20;
const VICTORIA_RATIO_MIN = 5;
const RSS_BYTES_MAX = 1.5 * 1024 ** 3;

export async function runTsbsLoad(context: BenchContext, options: TsbsLoadOptions): Promise<void> {
  const startNs = BigInt(Date.parse(options.start)) * 1_000_000n;
  const workload = {
    kind: "cpu-only" as const,
    scale: options.scale,
    seed: options.seed,
    startNs,
    endNs: startNs + BigInt(Math.round(options.hours * 3600)) * 1_000_000_000n,
    intervalNs: BigInt(Math.round(options.intervalS * 1000)) * 1_000_000n,
  };
  const { peers, missing } = findPeers(options.peers);
  const file = await context.batchFile(workload, options.batch);
  const generator = new CpuOnlyGenerator(workload);
  const written: WrittenTable = {
    table: "cpu",
    fields: CPU_FIELDS,
    firstNs: startNs,
    lastNs: generator.lastNs,
  };
  const results: PeerResult[] = [];
  for (const peer of peers) {
    const result = await loadPeer(context, peer, {
      file,
      rowsTotal: generator.rowsTotal,
      written,
      workers: options.workers,
      warmupBatches: 0,
      secondsMax: options.secondsMax,
    });
    if (result !== null) results.push(result);
  }
  const ours = results.find((r) => r.key === "ours");
  context.publish({
    name: "tsbs-load",
    title: "TSBS cpu-only load",
    summary: `${short(generator.rowsTotal)} rows of ${options.scale} hosts every ${options.intervalS} s for ${options.hours} h (10 integer fields, 10 tags), sent as line protocol in file order by ${options.workers} workers in batches of ${options.batch}, each database at its defaults.`,
    settings: { ...options },
    tables: [
      { title: "Load", columns: PEER_COLUMNS, rows: results.map((r) => peerRow(r, ours)) },
      {
        title: "Around it",
        columns: ["database", "start", "count of all rows", "compaction", "disk", "durable"],
        rows: results.map((r) => [
          `${r.title} ${r.version}`,
          secondsText(r.readyS),
          secondsText(r.countS),
          secondsText(r.settled.seconds) + (r.settled.stable ? "" : " (not ended)"),
          bytesText(r.settled.diskBytes),
          r.durable,
        ]),
      },
    ],
    budgets: tsbsBudgets(results),
    charts: tsbsCharts(results),
    notes: [
      RATIO_NOTE,
      ...disturbedNotes(results),
      ...missing,
      ...results
        .filter((r) => r.load.cutShort)
        .map(
          (r) =>
            `${r.title} got the first ${short(r.load.rowsAcknowledged)} rows of the same file: its load was cut after ${options.secondsMax} s. Its bytes a row are not comparable with a whole load, as fixed costs weigh more.`,
        ),
      "Size on disk is the sum of file sizes after a flush and a full compaction, log and index included. InfluxDB is restarted with short cold durations for it.",
      "Every database's rows were counted after the load and after compaction, and compared with what it acknowledged.",
    ],
    results,
  });
}

/** The budgets, judged against the peers of the same run. */
export function tsbsBudgets(results: readonly PeerResult[]): Budget[] {
  const of = (key: string) => results.find((r) => r.key === key);
  const ours = of("ours");
  if (ours === undefined) return [];
  const budgets: Budget[] = [];
  for (const [key, least] of [
    ["influxdb", INFLUX_RATIO_MIN],
    ["victoria", VICTORIA_RATIO_MIN],
  ] as const) {
    const peer = of(key);
    const ratio = peer === undefined ? Number.NaN : ours.load.rowsPerS / peer.load.rowsPerS;
    budgets.push({
      what: `rows/s against ${peer?.title ?? key}`,
      budget: `≥ ${least} ×`,
      measured: ratioText(ratio),
      met: peer === undefined ? null : ratio >= least,
    });
  }
  budgets.push({
    what: "peak RSS in the load",
    budget: `≤ ${bytesText(RSS_BYTES_MAX)}`,
    measured: bytesText(ours.rssBytesPeak),
    met: ours.rssBytesPeak <= RSS_BYTES_MAX,
  });
  const victoria = of("victoria");
  const comparable = victoria !== undefined && !victoria.load.cutShort && !ours.load.cutShort;
  budgets.push({
    what: "bytes/row on disk after compaction",
    budget: victoria === undefined ? "≤ VictoriaMetrics" : `≤ ${digits(bytesPerRow(victoria))}`,
    measured: digits(bytesPerRow(ours)),
    met: comparable ? bytesPerRow(ours) <= bytesPerRow(victoria) : null,
  });
  return budgets;
}

function tsbsCharts(results: readonly PeerResult[]): Chart[] {
  const bars = (value: (r: PeerResult) => number) =>
    results.map((r) => ({ label: r.title, value: value(r), ours: r.key === "ours" }));
  const bar = (
    file: string,
    title: string,
    subtitle: string,
    value: (r: PeerResult) => number,
    unit: Unit = "number",
  ): Chart => ({
    file,
    title,
    svg: barChart({ title, subtitle, bars: bars(value), unit }),
  });
  return [
    bar(
      "rows_per_s.svg",
      "TSBS cpu-only load",
      "rows per second, more is better",
      (r) => r.load.rowsPerS,
    ),
    bar(
      "cpu_us_per_row.svg",
      "CPU of the server in the load",
      "microseconds a row, less is better",
      (r) => (r.serverCpuS / r.load.rowsAcknowledged) * 1e6,
    ),
    bar(
      "rss.svg",
      "Peak memory in the load",
      "resident bytes, less is better",
      (r) => r.rssBytesPeak,
      "bytes",
    ),
    bar("disk.svg", "Disk after compaction", "bytes a row, less is better", bytesPerRow),
    {
      file: "rate.svg",
      title: "Rate over the load",
      svg: lineChart(rateChart("Rate over the load", results)),
    },
  ];
}
