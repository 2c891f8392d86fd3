/**
 * InfluxDB 1.x at its own defaults. Its full compaction starts four hours after the last write, so
 * `settle` restarts it with short cold durations: same files, only sooner.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bytesUnder, whenStable } from "./files.ts";
import { answers, freePort, httpJson, httpText, numberAt } from "./http.ts";
import { DATABASE, type Peer, type RunningPeer, type WrittenTable } from "./peer.ts";
import { ServerProcess } from "./process.ts";

const READY_S_MAX = 60;
/** Compactions are planned each second; four quiet seconds mean none is left. */
const QUIET_S = 4;
const SETTLE_S_MAX = 180;

/** Addresses and folders; self-monitoring and the request log are off, which can only help it. */
function config(folder: string, port: number, rpcPort: number): string {
  return `reporting-disabled = true
bind-address = "127.0.0.1:${rpcPort}"
[meta]
  dir = "${join(folder, "meta")}"
[data]
  dir = "${join(folder, "data")}"
  wal-dir = "${join(folder, "wal")}"
  query-log-enabled = false
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:${port}"
  log-enabled = false
`;
}

async function startInflux(folder: string): Promise<RunningPeer> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const configPath = join(folder, "influxdb.conf");
  writeFileSync(configPath, config(folder, port, await freePort()));
  const base = `http://127.0.0.1:${port}`;
  const begin = async (env: NodeJS.ProcessEnv): Promise<[ServerProcess, number]> => {
    const server = new ServerProcess("influxd", ["-config", configPath], join(folder, "log"), env);
    return [server, await server.waitUntil(() => answers(`${base}/ping`), READY_S_MAX)];
  };
  let [server, readyS] = await begin({});
  await httpText(`${base}/query?q=${encodeURIComponent(`CREATE DATABASE ${DATABASE}`)}`, {
    method: "POST",
  });
  const size = () => bytesUnder(join(folder, "data")) + bytesUnder(join(folder, "wal"));
  return {
    get process() {
      return server;
    },
    dataDir: folder,
    readyS,
    target: {
      host: "127.0.0.1",
      port,
      path: `/write?consistency=all&db=${DATABASE}`,
      headers: { "Content-Type": "text/plain" },
    },
    countRows: async (written: WrittenTable) => {
      const query = `SELECT ${written.fields.map((f) => `count("${f}")`).join(", ")} FROM "${written.table}"`;
      const answer = await httpJson(`${base}/query?db=${DATABASE}&q=${encodeURIComponent(query)}`);
      const counts = written.fields.map((_, i) =>
        numberAt(answer, "results", 0, "series", 0, "values", 0, i + 1),
      );
      return Math.min(...counts);
    },
    settle: async () => {
      const startMs = performance.now();
      await server.stop();
      [server, readyS] = await begin({
        INFLUXDB_DATA_CACHE_SNAPSHOT_WRITE_COLD_DURATION: "1s",
        INFLUXDB_DATA_COMPACT_FULL_WRITE_COLD_DURATION: "1s",
      });
      const { bytes, stable } = await whenStable(size, QUIET_S, SETTLE_S_MAX);
      return { diskBytes: bytes, stable, seconds: (performance.now() - startMs) / 1000 };
    },
    stop: async () => void (await server.stop()),
  };
}

export const influxdb: Peer = {
  key: "influxdb",
  title: "InfluxDB",
  durable: "fsync before each answer (its default)",
  version: async () =>
    /v(\S+)/.exec(execFileSync("influxd", ["version"], { encoding: "utf8" }))?.[1] ?? "unknown",
  start: startInflux,
};
