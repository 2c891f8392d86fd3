/**
 * `soak`: minutes of mixed load on one table: rows in order, late rows, rewrites, queries, flushes and
 * compactions; every answer is compared with a model. In the end kill -9, and everything is compared again.
 */
import type { LatencySummary } from "../load/latency.ts";
import { DATABASE } from "../peers/peer.ts";
import { Tidemark } from "../peers/tidemark.ts";
import { bytesText, digits, ratioText, secondsText, short } from "../report/numbers.ts";
import { Progress } from "../report/progress.ts";
import type { Budget } from "../report/report.ts";
import { lineChart } from "../report/svg.ts";
import { SOAK_TABLE } from "../soak/lines.ts";
import { GROUP_HOSTS, SoakModel } from "../soak/model.ts";
import { SoakReaders } from "../soak/readers.ts";
import { SoakWriters } from "../soak/writers.ts";
import { Prng } from "../tsbs/prng.ts";
import type { BenchContext } from "./context.ts";

export interface SoakOptions {
  readonly minutes: number;
  /** Rows a second, in order. */
  readonly rate: number;
  /** A multiple of 100. */
  readonly hosts: number;
  readonly seed: number;
  /** memory_budget of the server. */
  readonly memory: string;
}

export const SOAK_DEFAULTS: SoakOptions = {
  minutes: 10,
  rate: 50_000,
  hosts: 1000,
  seed: 42,
  memory: "1GiB",
};

const READERS = 3;
const FLUSH_EVERY_S = 15;
const COMPACT_EVERY_S = 60;
/** Memory is flat when its mean over the last quarter is within this of the second quarter's. */
const GROWTH_MAX = 1.15;
const SAMPLE_MS = 1000;

interface Sample {
  readonly second: number;
  readonly rssBytes: number;
  readonly rows: number;
}

export async function runSoak(context: BenchContext, options: SoakOptions): Promise<void> {
  if (options.hosts % GROUP_HOSTS !== 0 || options.hosts === 0)
    throw new RangeError(`hosts must be a multiple of ${GROUP_HOSTS}, got ${options.hosts}`);
  const folder = context.workFolder("soak");
  let server: Tidemark | null = null;
  try {
    server = await Tidemark.start(folder, { memory_budget: options.memory });
    await soak(context, options, server);
  } finally {
    await server?.process.kill();
    context.release(folder);
  }
}

async function soak(context: BenchContext, options: SoakOptions, server: Tidemark): Promise<void> {
  const model = new SoakModel(options.hosts);
  const target = server.targetAt(`/v1/influxdb/write?db=${DATABASE}&precision=ns`);
  const writers = new SoakWriters(target, model, new Prng(options.seed));
  const readers = new SoakReaders(server, model, new Prng(options.seed + 1));
  const writing = writers.run(options.rate);
  while (model.rowsAcknowledged === 0 && writers.problems.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const reading = readers.run(READERS);
  const upkeep = { flushes: 0, compactions: 0, problems: [] as string[] };
  const samples = await watch(options, server, model, writers, upkeep);
  writers.stop();
  await writing;
  readers.stop();
  await reading;
  context.say("comparing everything, then once more after kill -9 ...");
  await readers.verifyAll("at rest");
  await server.process.kill();
  const restartS = await server.restart();
  await readers.verifyAll("after kill -9");
  await server.settle({ table: SOAK_TABLE, fields: [], firstNs: 0n, lastNs: 0n });
  await readers.verifyAll("after compaction");
  const wrong = [...writers.problems, ...readers.problems, ...upkeep.problems];
  for (const problem of wrong) context.problem(problem);
  report(context, options, { model, writers, readers, upkeep, samples, restartS, wrong });
}

interface Upkeep {
  flushes: number;
  compactions: number;
  readonly problems: string[];
}

/** Samples memory and flushes and compacts now and then until time is up or a write is refused. */
async function watch(
  options: SoakOptions,
  server: Tidemark,
  model: SoakModel,
  writers: SoakWriters,
  upkeep: Upkeep,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const secondsTotal = options.minutes * 60;
  const bar = new Progress("soak", secondsTotal, "s");
  const startMs = performance.now();
  let running: Promise<unknown> = Promise.resolve();
  const admin = (call: string): Promise<unknown> =>
    server.sql(`ADMIN ${call}('${SOAK_TABLE}')`).catch((error: Error) => {
      upkeep.problems.push(`ADMIN ${call}: ${error.message}`);
    });
  for (let second = 1; ; second++) {
    await new Promise((resolve) =>
      setTimeout(resolve, startMs + second * SAMPLE_MS - performance.now()),
    );
    if (second > secondsTotal || writers.problems.length > 0 || server.process.exit !== null) break;
    samples.push({
      second,
      rssBytes: server.process.usage().rssBytes,
      rows: model.rowsAcknowledged,
    });
    if (second % FLUSH_EVERY_S === 0) {
      upkeep.flushes++;
      running = running.then(() => admin("flush_table"));
    }
    if (second % COMPACT_EVERY_S === 0) {
      upkeep.compactions++;
      running = running.then(() => admin("compact_table"));
    }
    bar.update(second);
  }
  await running;
  bar.end(samples.length);
  if (server.process.exit !== null)
    upkeep.problems.push(`the server ended: ${server.process.exit}\n${server.process.logTail()}`);
  return samples;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, v) => sum + v, 0) / values.length;

/** Mean memory of the last quarter over that of the second; NaN when the run was too short to tell. */
export function memoryGrowth(rssBytes: readonly number[]): number {
  const quarter = Math.floor(rssBytes.length / 4);
  // Below two minutes start-up and first flush fill the window.
  if (quarter < 30) return Number.NaN;
  return mean(rssBytes.slice(-quarter)) / mean(rssBytes.slice(quarter, 2 * quarter));
}

interface Outcome {
  readonly model: SoakModel;
  readonly writers: SoakWriters;
  readonly readers: SoakReaders;
  readonly upkeep: Upkeep;
  readonly samples: readonly Sample[];
  readonly restartS: number;
  readonly wrong: readonly string[];
}

function report(context: BenchContext, options: SoakOptions, outcome: Outcome): void {
  const { model, writers, readers, upkeep, samples, restartS, wrong } = outcome;
  const writes = writers.latencies.summary();
  const queries = readers.latencies.summary();
  const growth = memoryGrowth(samples.map((s) => s.rssBytes));
  const rssBytesPeak = Math.max(...samples.map((s) => s.rssBytes));
  const checked = Object.values(readers.checked).reduce((sum, n) => sum + n, 0);
  const latencyRow = (what: string, s: LatencySummary, stalls: number): string[] => [
    what,
    String(s.count),
    ...[s.p50Ms, s.p95Ms, s.p99Ms, s.maxMs].map(digits),
    String(stalls),
  ];
  const budgets: Budget[] = [
    { what: "wrong answers", budget: "0", measured: String(wrong.length), met: wrong.length === 0 },
    {
      what: "writes and queries over 1 s",
      budget: "0",
      measured: String(writers.stalls + readers.stalls),
      met: writers.stalls + readers.stalls === 0,
    },
    {
      what: "memory of the last quarter over that of the second",
      budget: `≤ ${digits(GROWTH_MAX)} ×`,
      measured: ratioText(growth),
      met: Number.isNaN(growth) ? null : growth <= GROWTH_MAX,
    },
  ];
  context.publish({
    name: "soak",
    title: "Soak",
    summary: `${options.minutes} minutes of ${short(options.rate)} rows/s in order over ${options.hosts} series, with late rows, rewrites, ${READERS} readers, a flush every ${FLUSH_EVERY_S} s and a compaction every ${COMPACT_EVERY_S} s; then kill -9 and everything compared again.`,
    settings: { ...options },
    tables: [
      {
        title: "Requests",
        columns: ["kind", "count", "p50 ms", "p95 ms", "p99 ms", "max ms", "over 1 s"],
        rows: [
          latencyRow("writes", writes, writers.stalls),
          latencyRow("queries", queries, readers.stalls),
        ],
      },
      {
        title: "What happened",
        columns: ["what", "value"],
        rows: [
          ["rows acknowledged", String(model.rowsAcknowledged)],
          ["rows a second, in order", short((writers.tick * options.hosts) / samples.length)],
          ["late groups of 100 rows", String(writers.lateGroups)],
          ["groups of 100 rows rewritten", String(writers.rewrites)],
          ["writes repeated after overload", String(writers.retries)],
          ["answers compared", `${checked} (${JSON.stringify(readers.checked)})`],
          ["answers a write overtook, not compared", String(readers.overtaken)],
          ["flushes, compactions asked for", `${upkeep.flushes}, ${upkeep.compactions}`],
          ["peak RSS", bytesText(rssBytesPeak)],
          ["restart after kill -9", secondsText(restartS)],
        ],
      },
    ],
    budgets,
    charts: [
      {
        file: "memory.svg",
        title: "Memory",
        svg: lineChart({
          title: "Memory over the soak",
          subtitle: `resident bytes of the server; memory_budget ${options.memory}`,
          xLabel: "seconds",
          series: [
            { label: "RSS", ours: true, points: samples.map((s) => [s.second, s.rssBytes]) },
          ],
          unit: "bytes",
        }),
      },
      {
        file: "rate.svg",
        title: "Rate",
        svg: lineChart({
          title: "Rate over the soak",
          subtitle: "rows acknowledged per second",
          xLabel: "seconds",
          series: [
            {
              label: "rows/s",
              ours: true,
              points: samples
                .slice(1)
                .map((s, i) => [s.second, s.rows - (samples[i]?.rows ?? 0)] as const),
            },
          ],
        }),
      },
    ],
    notes: [
      "An answer is compared only when no write to its range was under way from before the query until after it.",
      "value and load are whole numbers, so sums have one right answer. Rewrites send value alone: load must stay (last_non_null).",
    ],
    results: {
      writes,
      queries,
      growth,
      rssBytesPeak,
      rows: model.rowsAcknowledged,
      checked: readers.checked,
      overtaken: readers.overtaken,
      restartS,
      samples,
    },
  });
}
