/** `lp-series`: the ingestion benchmark's line protocol at 100 K and 1 M series. */
import { SERIES_TABLE } from "../lp/series.ts";
import { findPeers } from "../peers/install.ts";
import { DATABASE, type WrittenTable } from "../peers/peer.ts";
import { Tidemark } from "../peers/tidemark.ts";
import { bytesText, digits, short } from "../report/numbers.ts";
import type { Budget } from "../report/report.ts";
import { barChart, lineChart } from "../report/svg.ts";
import type { BenchContext } from "./context.ts";
import {
  disturbedNotes,
  loadPeer,
  PEER_COLUMNS,
  type PeerResult,
  peerRow,
  RATIO_NOTE,
  rateChart,
} from "./peer_load.ts";

export interface LpSeriesOptions {
  readonly rows: number;
  /** Comma list, each a multiple of 1,000. */
  readonly series: string;
  readonly seed: number;
  readonly batch: number;
  readonly workers: number;
  readonly warmup: number;
  readonly peers: string;
  readonly secondsMax: number;
}

export const LP_SERIES_DEFAULTS: LpSeriesOptions = {
  rows: 10_000_000,
  series: "100000,1000000",
  seed: 42,
  batch: 1000,
  workers: 5,
  warmup: 10,
  peers: "ours,influxdb,victoria",
  secondsMax: 60,
};

const ROWS_PER_S_MIN = 500_000;
/** "Within 10 % of each other." */
const SPREAD_MAX = 0.1;
const RSS_BYTES_MAX = 3 * 1024 ** 3;
const MANY_SERIES = 1_000_000;
const START_NS = 1_704_067_200_000_000_000n; // 2024-01-01T00:00:00Z, see lp/series.ts

interface SeriesResult extends PeerResult {
  readonly series: number;
}

export async function runLpSeries(context: BenchContext, options: LpSeriesOptions): Promise<void> {
  const { peers, missing } = findPeers(options.peers);
  const results: SeriesResult[] = [];
  const counts = options.series.split(",").map(Number);
  for (const series of counts) {
    const workload = { kind: "series" as const, series, rows: options.rows, seed: options.seed };
    const file = await context.batchFile(workload, options.batch);
    const written: WrittenTable = {
      table: SERIES_TABLE,
      fields: ["cpu", "disk_util", "memory", "net_in", "net_out"],
      firstNs: START_NS,
      lastNs: START_NS + BigInt(options.rows - 1) * 1_000_000n,
    };
    for (const peer of peers) {
      context.say(`${peer.title}, ${short(series)} series`);
      const result = await loadPeer(context, peer, {
        file,
        rowsTotal: options.rows,
        written,
        workers: options.workers,
        warmupBatches: options.warmup,
        secondsMax: options.secondsMax,
        target: (server) =>
          server instanceof Tidemark
            ? server.targetAt(`/v1/influxdb/api/v2/write?bucket=${DATABASE}&org=&precision=ns`)
            : server.target,
      });
      if (result !== null) results.push({ ...result, series });
    }
  }
  const cut = results.filter((r) => r.load.cutShort);
  context.publish({
    name: "lp-series",
    title: "Line protocol with many series",
    summary: `${short(options.rows)} rows of 4 tags and 5 random doubles, ${options.workers} workers, batches of ${options.batch}, nanoseconds; each number of series on an empty database.`,
    settings: { ...options },
    tables: counts.map((series) => {
      const some = results.filter((r) => r.series === series);
      const ours = some.find((r) => r.key === "ours");
      return {
        title: `${short(series)} series`,
        columns: PEER_COLUMNS,
        rows: some.map((r) => peerRow(r, ours)),
      };
    }),
    budgets: seriesBudgets(results.filter((r) => r.key === "ours")),
    charts: [
      {
        file: "rows_per_s.svg",
        title: "Line protocol with many series",
        svg: barChart({
          title: "Line protocol with many series",
          subtitle: "rows per second, more is better",
          bars: results.map((r) => ({
            label: `${r.title}, ${short(r.series)}`,
            value: r.load.rowsPerS,
            ours: r.key === "ours",
          })),
          budget: { value: ROWS_PER_S_MIN, label: `budget ${short(ROWS_PER_S_MIN)}` },
        }),
      },
      ...counts.map((series) => ({
        file: `rate_${series}.svg`,
        title: `Rate at ${short(series)} series`,
        svg: lineChart(
          rateChart(
            `Rate at ${short(series)} series`,
            results.filter((r) => r.series === series),
          ),
        ),
      })),
    ],
    notes: [
      RATIO_NOTE,
      ...disturbedNotes(results),
      ...missing,
      ...cut.map(
        (r) =>
          `${r.title} at ${short(r.series)} series was cut after ${options.secondsMax} s; it got the first ${short(r.load.rowsAcknowledged)} rows.`,
      ),
      `The first ${options.warmup} batches are not measured.`,
    ],
    results,
  });
}

function seriesBudgets(ours: readonly SeriesResult[]): Budget[] {
  const budgets: Budget[] = ours.map((r) => ({
    what: `rows/s at ${short(r.series)} series`,
    budget: `≥ ${short(ROWS_PER_S_MIN)}`,
    measured: short(r.load.rowsPerS),
    met: r.load.rowsPerS >= ROWS_PER_S_MIN,
  }));
  const rates = ours.map((r) => r.load.rowsPerS);
  const spread = rates.length < 2 ? Number.NaN : 1 - Math.min(...rates) / Math.max(...rates);
  budgets.push({
    what: "difference between the numbers of series",
    budget: `≤ ${SPREAD_MAX * 100} %`,
    measured: `${digits(spread * 100)} %`,
    met: Number.isNaN(spread) ? null : spread <= SPREAD_MAX,
  });
  const many = ours.find((r) => r.series === MANY_SERIES);
  if (many !== undefined)
    budgets.push({
      what: `peak RSS at ${short(MANY_SERIES)} series`,
      budget: `≤ ${bytesText(RSS_BYTES_MAX)}`,
      measured: bytesText(many.rssBytesPeak),
      met: many.rssBytesPeak <= RSS_BYTES_MAX,
    });
  return budgets;
}
