/**
 * VictoriaMetrics, single node, at its own defaults but for the retention: a month would refuse data of
 * the past. It stores each field as a series `<table>_<field>`, at millisecond precision.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bytesUnder, whenStable } from "./files.ts";
import { answers, freePort, httpJson, httpText, numberAt } from "./http.ts";
import { DATABASE, type Peer, type RunningPeer, type WrittenTable } from "./peer.ts";
import { ServerProcess } from "./process.ts";

const READY_S_MAX = 60;
const QUIET_S = 4;
const SETTLE_S_MAX = 180;
/** A query may look at this much at once; a longer span is counted in pieces. */
const COUNT_STEP_MS = 3_600_000;

/** Sum over all series of the samples of one metric within (from, to], milliseconds. */
async function countSamples(
  base: string,
  metric: string,
  from: number,
  to: number,
): Promise<number> {
  let samples = 0;
  for (let at = from; at < to; at += COUNT_STEP_MS) {
    const end = Math.min(to, at + COUNT_STEP_MS);
    const query = `sum(count_over_time({__name__="${metric}"}[${end - at}ms]))`;
    const answer = await httpJson(
      `${base}/api/v1/query?nocache=1&time=${end / 1000}&query=${encodeURIComponent(query)}`,
    );
    const result = (answer as { data: { result: unknown[] } }).data.result;
    if (result.length > 0) samples += numberAt(result[0], "value", 1);
  }
  return samples;
}

async function startVictoria(folder: string): Promise<RunningPeer> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const data = join(folder, "data");
  const server = new ServerProcess(
    "victoria-metrics",
    [
      `-httpListenAddr=127.0.0.1:${port}`,
      `-storageDataPath=${data}`,
      "-retentionPeriod=100y",
      // Counting asks for every series of a metric at once; the default allows 300,000 and 30 s.
      "-search.maxUniqueTimeseries=10000000",
      "-search.maxQueryDuration=300s",
    ],
    join(folder, "log"),
  );
  const readyS = await server.waitUntil(() => answers(`${base}/health`), READY_S_MAX);
  const merging = async (): Promise<boolean> =>
    /^vm_active_(force_)?merges(\{[^}]*\})? [1-9]/m.test(await httpText(`${base}/metrics`));
  return {
    process: server,
    dataDir: data,
    readyS,
    target: {
      host: "127.0.0.1",
      port,
      path: `/write?db=${DATABASE}`,
      headers: { "Content-Type": "text/plain" },
    },
    countRows: async (written: WrittenTable) => {
      await httpText(`${base}/internal/force_flush`);
      const from = Number(written.firstNs / 1_000_000n) - 1;
      const to = Number(written.lastNs / 1_000_000n);
      let rows = Number.POSITIVE_INFINITY;
      for (const field of written.fields)
        rows = Math.min(rows, await countSamples(base, `${written.table}_${field}`, from, to));
      return rows;
    },
    settle: async () => {
      const startMs = performance.now();
      await httpText(`${base}/internal/force_flush`);
      await httpText(`${base}/internal/force_merge`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      while ((await merging()) && performance.now() - startMs < SETTLE_S_MAX * 1000)
        await new Promise((resolve) => setTimeout(resolve, 500));
      const { bytes, stable } = await whenStable(() => bytesUnder(data), QUIET_S, SETTLE_S_MAX);
      return { diskBytes: bytes, stable, seconds: (performance.now() - startMs) / 1000 };
    },
    stop: async () => void (await server.stop()),
  };
}

export const victoria: Peer = {
  key: "victoria",
  title: "VictoriaMetrics",
  durable: "no: answers before anything is written, flushes within seconds (its default)",
  version: async () => {
    // Debian's binary prints an empty version.
    const text = execFileSync("dpkg-query", ["-s", "victoria-metrics"], { encoding: "utf8" });
    return /^Version: (\d+\.\d+\.\d+)/m.exec(text)?.[1] ?? "unknown";
  },
  start: startVictoria,
};
