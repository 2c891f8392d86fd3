/**
 * `restart`: fill the write-ahead log with nothing flushed, kill -9 in the middle of the load, start
 * again, and time until the server is ready and counts every acknowledged row.
 */
import { join } from "node:path";
import { startLoad } from "../load/loader_process.ts";
import { seriesTable } from "../lp/series.ts";
import { bytesUnder } from "../peers/files.ts";
import { numberAt } from "../peers/http.ts";
import { Tidemark } from "../peers/tidemark.ts";
import { bytesText, secondsText, short } from "../report/numbers.ts";
import { Progress } from "../report/progress.ts";
import { barChart } from "../report/svg.ts";
import type { BenchContext } from "./context.ts";

export interface RestartOptions {
  readonly walMib: number;
  readonly series: number;
  readonly tables: number;
  readonly batch: number;
  readonly workers: number;
  readonly seed: number;
}

export const RESTART_DEFAULTS: RestartOptions = {
  walMib: 1024,
  series: 100_000,
  // A region is flushed by its own size; with this many none gets that far before the log is full.
  tables: 16,
  batch: 1000,
  workers: 5,
  seed: 42,
};

const SERVING_S_MAX = 5;
const IDLE_S_MAX = 1;
/** Far above what fits in the log: nothing may be flushed before the kill. */
const NO_FLUSH = {
  "wal.purge_threshold": "64GB",
  "region_engine.mito.global_write_buffer_size": "64GB",
  "region_engine.mito.auto_flush_interval": "24h",
};
const ROWS_MAX = 1_000_000_000;
/** A load that has not filled the log by then never will. */
const FILL_S_MAX = 900;

export async function runRestart(context: BenchContext, options: RestartOptions): Promise<void> {
  const folder = context.workFolder("restart");
  let server: Tidemark | null = null;
  try {
    server = await Tidemark.start(folder, NO_FLUSH);
    await measure(context, options, server);
  } finally {
    await server?.process.kill();
    context.release(folder);
  }
}

async function measure(
  context: BenchContext,
  options: RestartOptions,
  server: Tidemark,
): Promise<void> {
  const idleS = server.readyS;
  const acknowledged = await fillLog(context, options, server);
  const walBytes = bytesUnder(join(server.dataDir, "wal"));
  const dataBytes = bytesUnder(server.dataDir) - walBytes;
  context.say(
    `killed with ${bytesText(walBytes)} of log, ${short(acknowledged)} rows acknowledged`,
  );
  const startMs = performance.now();
  const readyS = await server.restart();
  const counted = await countAll(server, options.tables);
  const countedS = (performance.now() - startMs) / 1000;
  const usage = server.process.usage();
  // What was on its way when the server died may be there or not; more than that is invented.
  const inFlightMax = options.workers * options.batch;
  if (counted < acknowledged)
    context.problem(`${acknowledged - counted} acknowledged rows are lost after kill -9`);
  if (counted > acknowledged + inFlightMax)
    context.problem(`${counted} rows after kill -9, but only ${acknowledged} were acknowledged`);
  const rate = acknowledged / readyS;
  context.publish({
    name: "restart",
    title: "Restart after kill -9",
    summary: `Line protocol (4 tags, 5 random doubles, ${short(options.series)} series over ${options.tables} tables) until the write-ahead log held ${options.walMib} MiB and nothing was flushed; then kill -9 under load and a start on the same data.`,
    settings: { ...options },
    tables: [
      {
        title: "Restart",
        columns: ["what", "value"],
        rows: [
          ["log at the kill", bytesText(walBytes)],
          ["other files at the kill", bytesText(dataBytes)],
          ["rows acknowledged", String(acknowledged)],
          ["rows counted after the restart", String(counted)],
          ["start until ready", secondsText(readyS)],
          ["start until every row is counted", secondsText(countedS)],
          ["replay", `${short(rate)} rows/s, ${bytesText(walBytes / readyS)}/s`],
          ["CPU of the server until then", secondsText(usage.cpuS)],
          ["peak RSS until then", bytesText(usage.rssBytesPeak)],
          ["start on an empty folder until ready", secondsText(idleS)],
        ],
      },
    ],
    budgets: [
      {
        what: `serving after kill -9 with ${bytesText(walBytes)} of log`,
        budget: `≤ ${SERVING_S_MAX} s`,
        measured: secondsText(readyS),
        met: options.walMib < RESTART_DEFAULTS.walMib ? null : readyS <= SERVING_S_MAX,
      },
      {
        what: "acknowledged rows lost",
        budget: "0",
        measured: String(Math.max(0, acknowledged - counted)),
        met: counted >= acknowledged,
      },
      {
        what: "idle start until ready",
        budget: `≤ ${IDLE_S_MAX} s`,
        measured: secondsText(idleS),
        met: idleS <= IDLE_S_MAX,
      },
    ],
    charts: [
      {
        file: "restart.svg",
        title: "Restart after kill -9",
        svg: barChart({
          title: "Restart after kill -9",
          subtitle: `seconds, less is better; ${bytesText(walBytes)} of log`,
          bars: [
            { label: "until ready", value: readyS, ours: true },
            { label: "until all is counted", value: countedS, ours: true },
            { label: "empty folder", value: idleS },
          ],
          budget: { value: SERVING_S_MAX, label: `budget ${SERVING_S_MAX} s` },
        }),
      },
    ],
    notes: [
      "kill -9 leaves the page cache: reading the log costs no disk access. The write-back limits were raised so that nothing is flushed; at the defaults a log is trimmed at 1 GiB.",
      "Ready means GET /ready answers, which the server does only when everything acknowledged before is there again.",
    ],
    results: { idleS, readyS, countedS, acknowledged, counted, walBytes, dataBytes, usage },
  });
}

/** Loads until the log is full, then kills the server under load. Returns the rows acknowledged. */
async function fillLog(
  context: BenchContext,
  options: RestartOptions,
  server: Tidemark,
): Promise<number> {
  const walBytesWanted = options.walMib * 1024 * 1024;
  const walDir = join(server.dataDir, "wal");
  const { series, seed, tables } = options;
  const load = startLoad(
    server.target,
    {
      kind: "generated",
      workload: { kind: "series", series, seed, tables, rows: ROWS_MAX },
      batchRows: options.batch,
    },
    {
      workers: options.workers,
      warmupBatches: 0,
      secondsMax: FILL_S_MAX,
      rowsMax: Number.POSITIVE_INFINITY,
    },
  );
  const ended = load.result.catch((error: Error) => error);
  const bar = new Progress("fill the log", walBytesWanted, "bytes");
  let walBytes = 0;
  for (let done = false; !done; ) {
    walBytes = bytesUnder(walDir);
    bar.update(walBytes);
    if (walBytes >= walBytesWanted) break;
    done = await Promise.race([
      ended.then(() => true),
      new Promise<boolean>((resolve) => setTimeout(resolve, 100, false)),
    ]);
  }
  bar.end(walBytes);
  await server.process.kill();
  load.stop();
  const result = await load.result;
  if (walBytes < walBytesWanted)
    context.problem(
      `the load ended with ${bytesText(walBytes)} of log: ${result.errorSamples[0] ?? "no error"}`,
    );
  return result.rowsAcknowledged;
}

async function countAll(server: Tidemark, tables: number): Promise<number> {
  let rows = 0;
  for (let table = 0; table < tables; table++)
    rows += numberAt(await server.sql(`SELECT count(*) FROM ${seriesTable(table, tables)}`), 0, 0);
  return rows;
}
