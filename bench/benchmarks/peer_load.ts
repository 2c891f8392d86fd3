/** One peer, one workload: start, load, count, compact, measure, stop. */
import type { LoadResult, LoadTarget } from "../load/loader.ts";
import { startLoad } from "../load/loader_process.ts";
import type { Peer, RunningPeer, Settled, WrittenTable } from "../peers/peer.ts";
import { cpuTimes, DISTURBED_SHARE, othersShare } from "../report/busy.ts";
import { bytesText, digits, ratioText, secondsText, short } from "../report/numbers.ts";
import { Progress } from "../report/progress.ts";
import type { LineChart } from "../report/svg.ts";
import type { BenchContext } from "./context.ts";

export interface PeerLoadOptions {
  readonly file: string;
  readonly rowsTotal: number;
  readonly written: WrittenTable;
  readonly workers: number;
  readonly warmupBatches: number;
  /** A slower peer gets the part of the workload that it manages in this time. */
  readonly secondsMax: number;
  readonly target?: (peer: RunningPeer) => LoadTarget;
}

export interface PeerResult {
  readonly key: string;
  readonly title: string;
  readonly version: string;
  readonly durable: string;
  readonly readyS: number;
  readonly load: LoadResult;
  /** CPU of the server during the load. */
  readonly serverCpuS: number;
  /** Share of all cores that others used during the load. */
  readonly othersShare: number;
  /** Up to the end of the load: before counting and compacting. */
  readonly rssBytesPeak: number;
  readonly rowsCounted: number;
  readonly countS: number;
  readonly settled: Settled;
}

/** Runs it; null when the peer failed altogether, which is then a problem in `context`. */
export async function loadPeer(
  context: BenchContext,
  peer: Peer,
  options: PeerLoadOptions,
): Promise<PeerResult | null> {
  const folder = context.workFolder(peer.key);
  context.quietDisk();
  let server: RunningPeer | null = null;
  try {
    server = await peer.start(folder);
    return await loadRunning(context, peer, server, options);
  } catch (error) {
    context.problem(`${peer.title}: ${(error as Error).message}`);
    return null;
  } finally {
    await server?.stop();
    context.release(folder);
  }
}

async function loadRunning(
  context: BenchContext,
  peer: Peer,
  server: RunningPeer,
  options: PeerLoadOptions,
): Promise<PeerResult> {
  const { written } = options;
  const readyS = server.readyS;
  const bar = new Progress(peer.title, options.rowsTotal);
  const startMs = performance.now();
  const machineBefore = cpuTimes();
  const benchBefore = process.cpuUsage();
  const cpuBeforeS = server.process.usage().cpuS;
  const load = await startLoad(
    options.target?.(server) ?? server.target,
    { kind: "file", path: options.file },
    {
      workers: options.workers,
      warmupBatches: options.warmupBatches,
      secondsMax: options.secondsMax,
      rowsMax: Number.POSITIVE_INFINITY,
    },
    (rows) => bar.update(rows, options.secondsMax - (performance.now() - startMs) / 1000),
  ).result;
  const usage = server.process.usage();
  const machineAfter = cpuTimes();
  const bench = process.cpuUsage(benchBefore);
  // The warm-up's CPU is inside; it is a small part of a load.
  const serverCpuS = usage.cpuS - cpuBeforeS;
  const oursS = serverCpuS + load.loaderCpuS + (bench.user + bench.system) / 1e6;
  bar.end(load.rowsAcknowledged);
  if (load.errors > 0)
    context.problem(`${peer.title}: ${load.errors} writes refused, first: ${load.errorSamples[0]}`);
  const countMs = performance.now();
  const rowsCounted = await server.countRows(written);
  const countS = (performance.now() - countMs) / 1000;
  checkCount(context, peer, "after the load", rowsCounted, load.rowsAcknowledged);
  context.say(`  ${peer.title}: compacting ...`);
  const settled = await server.settle(written);
  if (!settled.stable) context.say(`  ${peer.title}: still compacting; its size is an upper bound`);
  const rowsAfter = await server.countRows(written);
  checkCount(context, peer, "after compaction", rowsAfter, load.rowsAcknowledged);
  return {
    key: peer.key,
    title: peer.title,
    version: await peer.version(),
    durable: peer.durable,
    readyS,
    load,
    serverCpuS,
    othersShare: othersShare(machineBefore, machineAfter, oursS),
    rssBytesPeak: usage.rssBytesPeak,
    rowsCounted,
    countS,
    settled,
  };
}

function checkCount(
  context: BenchContext,
  peer: Peer,
  when: string,
  counted: number,
  acknowledged: number,
): void {
  if (counted === acknowledged) return;
  context.problem(
    `${peer.title} has ${counted} rows ${when}, but acknowledged ${acknowledged} (${counted - acknowledged})`,
  );
}

export const PEER_COLUMNS = [
  "database",
  "rows/s",
  "p50 ms",
  "p95 ms",
  "p99 ms",
  "max ms",
  "server CPU µs/row",
  "peak RSS",
  "bytes/row on disk",
  "rows",
  "time",
  "loader CPU µs/row",
  "others' CPU",
] as const;

/** Stands under every table of `peerRow`. */
export const RATIO_NOTE = "In brackets: the number of that database divided by ours.";

/** What a reader must know about runs that something else on the machine slowed down. */
export function disturbedNotes(results: readonly PeerResult[]): string[] {
  return results
    .filter((r) => r.othersShare > DISTURBED_SHARE)
    .map(
      (r) =>
        `**Disturbed:** other processes took ${(r.othersShare * 100).toFixed(0)} % of the cores during ${r.title}'s load; its rows/s and latencies are worse than on a quiet machine. CPU µs/row is disturbed least.`,
    );
}

const serverUsPerRow = (r: PeerResult) => (r.serverCpuS / r.load.rowsAcknowledged) * 1e6;

/** `result` as a row under PEER_COLUMNS; a peer's numbers with their ratio to ours. */
export function peerRow(result: PeerResult, ours: PeerResult | undefined): string[] {
  const { load } = result;
  const withRatio = (value: (r: PeerResult) => number, write: (n: number) => string): string => {
    const written = write(value(result));
    if (ours === undefined || ours === result) return written;
    return `${written} (${ratioText(value(result) / value(ours))})`;
  };
  return [
    `${result.title} ${result.version}`,
    withRatio((r) => r.load.rowsPerS, short),
    withRatio((r) => r.load.latency.p50Ms, digits),
    withRatio((r) => r.load.latency.p95Ms, digits),
    withRatio((r) => r.load.latency.p99Ms, digits),
    withRatio((r) => r.load.latency.maxMs, digits),
    withRatio(serverUsPerRow, digits),
    withRatio((r) => r.rssBytesPeak, bytesText),
    withRatio(bytesPerRow, digits),
    short(load.rowsAcknowledged) + (load.cutShort ? " (cut)" : ""),
    secondsText(load.seconds),
    digits((load.loaderCpuS / load.rows) * 1e6),
    `${(result.othersShare * 100).toFixed(0)} %`,
  ];
}

export function bytesPerRow(result: PeerResult): number {
  return result.settled.diskBytes / result.rowsCounted;
}

/** Rows acknowledged in each second of each load. */
export function rateChart(title: string, results: readonly PeerResult[]): LineChart {
  return {
    title,
    subtitle: "rows acknowledged per second, over the load",
    xLabel: "seconds since the start of the load",
    series: results.map((result) => ({
      label: result.title,
      ours: result.key === "ours",
      // The last second is not whole.
      points: result.load.rowsBySecond.slice(0, -1).map((rows, second) => [second, rows] as const),
    })),
  };
}
