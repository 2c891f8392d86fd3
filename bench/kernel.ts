/**
 * `bin/bench kernel`: rows/s and MB/s of what the WASM kernels do, in this process, without a server. Every case works on
 * batches as the server sees them, and its time includes the copies into and out of the kernels' memory.
 */
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { type Kernel, loadKernel } from "../src/kernel/mod.ts";
import { batchBytes, type RegionBatch } from "../src/types/mod.ts";
import { BenchContext } from "./benchmarks/context.ts";
import type { LineGenerator } from "./load/source.ts";
import { SeriesGenerator } from "./lp/series.ts";
import { REPOSITORY } from "./peers/tidemark.ts";
import { bytesText, short } from "./report/numbers.ts";
import { CPU_ONLY_DEFAULTS, CpuOnlyGenerator } from "./tsbs/cpu_only.ts";
import { Prng } from "./tsbs/prng.ts";

export interface KernelBenchOptions {
  /** How long each case is measured. */
  readonly seconds: number;
  readonly seed: number;
}

interface Result {
  readonly name: string;
  readonly rowsPerS: number;
  /** By processor time: what a busy machine cannot change. */
  readonly rowsPerCpuS: number;
  readonly bytesPerS: number;
  readonly note: string;
}

/** Parses the command line's own flags and runs; see bench/main.ts. */
export async function run(args: readonly string[]): Promise<void> {
  const command = new Command("kernel")
    .option("--seconds <n>", "how long each case is measured", positive, 2)
    .option("--seed <n>", "seed of the data", positive, 42)
    .option("--publish", "also copy the report to docs/bench/", false)
    .parse([...args], { from: "user" });
  const options = command.opts<KernelBenchOptions & { publish: boolean }>();
  const context = new BenchContext({
    outDir: join(REPOSITORY, "bench/out"),
    publishDir: options.publish ? join(REPOSITORY, "docs/bench") : null,
  });
  publish(context, options, await measureAll(options));
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("not a number > 0");
  return value;
}

async function measureAll(options: KernelBenchOptions): Promise<Result[]> {
  const results: Result[] = [];
  const fresh = () => loadKernel({ seriesMax: 20_000_000, columnsMax: 1000 });
  const tsbs = tsbsBatches(options.seed);
  results.push(lines("line protocol, 10 ints, 10 tags, 4 K series", await fresh(), tsbs, options));
  for (const series of [100_000, 1_000_000]) {
    const batches = seriesBatches(series, options.seed);
    const what = `5 random doubles, 4 tags, ${short(series)} series`;
    const kernel = await fresh();
    const clock = startClock();
    for (const batch of batches.bodies) kernel.parseLines(0, [batch], "ns", 0n);
    const { seconds, cpuSeconds } = clock();
    const { dictionaries } = kernel.memoryBytes();
    results.push({
      name: `new series: ${what}`,
      rowsPerS: batches.rows / seconds,
      rowsPerCpuS: batches.rows / cpuSeconds,
      bytesPerS: batches.bytes / seconds,
      note: `${Math.round(dictionaries / series)} bytes of memory a series`,
    });
    results.push(lines(`line protocol, ${what}`, kernel, batches, options));
  }
  results.push(...(await batchCases(await fresh(), tsbs, options)));
  results.push(...floatCases(await fresh(), options));
  return results;
}

interface Batches {
  readonly bodies: readonly Uint8Array[];
  readonly rows: number;
  readonly bytes: number;
}

function batchesOf(generator: LineGenerator, batchRows: number): Batches {
  const bodies: Uint8Array[] = [];
  const buffer = new Uint8Array(generator.lineBytesMax * batchRows);
  let bytes = 0;
  let rows = 0;
  for (;;) {
    const filled = generator.fill(buffer, 0, batchRows);
    if (filled.rows === 0) return { bodies, rows, bytes };
    bodies.push(buffer.slice(0, filled.bytes));
    rows += filled.rows;
    bytes += filled.bytes;
  }
}

/** 100 batches of 3,000 rows: the published load's batch size. */
function tsbsBatches(seed: number): Batches {
  const { startNs, intervalNs, scale } = CPU_ONLY_DEFAULTS;
  const endNs = startNs + 75n * intervalNs;
  return batchesOf(new CpuOnlyGenerator({ scale, seed, startNs, endNs, intervalNs }), 3000);
}

/** Every series once, in batches of 1,000 rows: the worst case for caches. */
function seriesBatches(series: number, seed: number): Batches {
  return batchesOf(new SeriesGenerator({ series, rows: series, seed }), 1000);
}

interface Done {
  readonly calls: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Wall and processor time since the call. */
function startClock(): () => { seconds: number; cpuSeconds: number } {
  const start = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6 };
  };
}

/** Calls `once` with 0, 1, 2, ... until the time is over. The first calls warm up. */
function repeat(seconds: number, once: (i: number) => void): Done {
  const warmUntil = performance.now() + 200;
  let i = 0;
  while (performance.now() < warmUntil) once(i++);
  const start = performance.now();
  const clock = startClock();
  const first = i;
  while (performance.now() - start < seconds * 1000) once(i++);
  return { calls: i - first, ...clock() };
}

/** `rows` and `bytes` are those of one call. */
function resultOf(name: string, done: Done, rows: number, bytes: number, note = ""): Result {
  const perS = done.calls / done.seconds;
  return {
    name,
    rowsPerS: perS * rows,
    rowsPerCpuS: (done.calls / done.cpuSeconds) * rows,
    bytesPerS: perS * bytes,
    note,
  };
}

function lines(
  name: string,
  kernel: Kernel,
  batches: Batches,
  options: KernelBenchOptions,
): Result {
  const { bodies } = batches;
  const done = repeat(options.seconds, (i) => {
    const parsed = kernel.parseLines(0, [bodies[i % bodies.length]!], "ns", 0n);
    if (parsed.errorCount > 0) throw new Error(`a good line was refused: ${name}`);
  });
  return resultOf(name, done, batches.rows / bodies.length, batches.bytes / bodies.length);
}

/** What the write path does with a decoded batch. */
async function batchCases(
  kernel: Kernel,
  tsbs: Batches,
  options: KernelBenchOptions,
): Promise<Result[]> {
  const batches: RegionBatch[] = [];
  let slot = 0;
  for (const body of tsbs.bodies) {
    const table = kernel.parseLines(0, [body], "ns", 0n).tables[0]!;
    slot = table.slot;
    const fields = table.fields.map((f) => ({ id: f.index + 12, column: f.column }));
    batches.push({ rows: table.rows, sids: table.sids, times: table.timesNs, fields });
  }
  const encoded = batches.map((batch) => kernel.encodeBatch(batch));
  const n = batches.length;
  const rows = tsbs.rows / n;
  const bytes = batches.reduce((sum, batch) => sum + batchBytes(batch), 0) / n;
  const packed = encoded.reduce((sum, e) => sum + e.length, 0) / n;
  const result = (name: string, note: string, size: number, once: (i: number) => void): Result =>
    resultOf(name, repeat(options.seconds, once), rows, size, note);
  return [
    result("encodeBatch, 10 ints", `${(packed / rows).toFixed(1)} bytes a row`, bytes, (i) => {
      kernel.encodeBatch(batches[i % n]!);
    }),
    result("decodeBatch, 10 ints", "", bytes, (i) => {
      kernel.decodeBatch(encoded[i % n]!);
    }),
    result("splitLate", "", 12 * rows, (i) => {
      const batch = batches[i % n]!;
      kernel.splitLate(slot, batch.sids, batch.times, batch.rows);
    }),
    result("crc32c of encoded batches", "", packed, (i) => {
      kernel.crc32c(encoded[i % n]!);
    }),
  ];
}

/** The float parser on random doubles, against Number() on the same text already as strings. */
function floatCases(kernel: Kernel, options: KernelBenchOptions): Result[] {
  const random = new Prng(options.seed);
  const texts = Array.from({ length: 10_000 }, () => String(random.uniform() * 1e3));
  const fields = texts.map((text, i) => `f${i % 100}=${text}`);
  const rows = Array.from({ length: 100 }, (_, i) => `m ${fields.slice(i * 100, i * 100 + 100)}`);
  const body = new TextEncoder().encode(rows.join("\n"));
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  const out = new Float64Array(texts.length);
  const ours = repeat(options.seconds, () => {
    kernel.parseLines(0, [body], "ns", 0n);
  });
  const host = repeat(options.seconds, () => {
    for (let i = 0; i < texts.length; i++) out[i] = Number(texts[i]);
  });
  const result = (name: string, done: Done): Result =>
    resultOf(name, done, texts.length, bytes, "a row is a number");
  return [
    result("random doubles in lines of 100", ours),
    result("Number() on the same, as strings", host),
  ];
}

function publish(context: BenchContext, options: KernelBenchOptions, results: Result[]): void {
  const of = (start: string) => results.find((r) => r.name.startsWith(start))!.rowsPerCpuS;
  const budget = (what: string, start: string, wanted: number) => ({
    what,
    budget: `≥ ${short(wanted)} rows/CPU s`,
    measured: `${short(of(start))} rows/CPU s`,
    met: of(start) >= wanted,
  });
  context.publish({
    name: "kernel",
    title: "Kernels",
    summary: "The decoding kernels alone, one thread, copies in and out included.",
    settings: { seconds: options.seconds, seed: options.seed },
    tables: [
      {
        title: "Throughput",
        columns: ["case", "rows/s", "rows/CPU s", "bytes/s", ""],
        rows: results.map((r) => [
          r.name,
          short(r.rowsPerS),
          short(r.rowsPerCpuS),
          `${bytesText(r.bytesPerS)}/s`,
          r.note,
        ]),
      },
    ],
    // The prototype's numbers, without escapes, strings, errors or exact floats.
    budgets: [
      budget("10 ints, 10 tags", "line protocol, 10 ints", 3_800_000),
      budget(
        "5 random doubles, 4 tags",
        "line protocol, 5 random doubles, 4 tags, 100 K",
        2_200_000,
      ),
      budget("encodeBatch", "encodeBatch", 10_000_000),
    ],
    charts: [],
    notes: [],
    results,
  });
}
