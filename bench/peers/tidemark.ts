/**
 * Ours: the built server of this repository, at its defaults unless a benchmark says otherwise.
 * Unlike the peers it can be killed and started again on the same data.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bytesUnder, whenStable } from "./files.ts";
import { answers, freePort, httpJson, numberAt } from "./http.ts";
import { DATABASE, type Peer, type RunningPeer, type WrittenTable } from "./peer.ts";
import { ServerProcess } from "./process.ts";

/** The repository's folder: the nearest above with a package.json, from dist/ as from the sources. */
export const REPOSITORY = findRepository(dirname(fileURLToPath(import.meta.url)));

function findRepository(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error("no package.json above the benchmarks");
  return findRepository(above);
}

const SERVER = join(REPOSITORY, "dist/src/server/launch.cjs");
const READY_S_MAX = 120;
/** Obsolete files go when their last reader does, within moments; four quiet seconds are plenty. */
const QUIET_S = 4;
const SETTLE_S_MAX = 180;
/** A compaction of the largest data set here may take minutes. */
const ADMIN_S_MAX = 900;

/** Settings of the server, by their dotted keys, as they would stand in TOML. */
export type TidemarkConfig = Readonly<Record<string, string | number | boolean>>;

export class Tidemark implements RunningPeer {
  readonly dataDir: string;
  readonly base: string;
  readonly #port: number;
  readonly #folder: string;
  #process: ServerProcess;
  #readyS = 0;

  private constructor(folder: string, port: number, process: ServerProcess) {
    this.#folder = folder;
    this.dataDir = join(folder, "data");
    this.#port = port;
    this.base = `http://127.0.0.1:${port}`;
    this.#process = process;
  }

  /** Starts a server with its data in `folder`/data, which may hold data already, and makes the database. */
  static async start(folder: string, config: TidemarkConfig = {}): Promise<Tidemark> {
    mkdirSync(folder, { recursive: true });
    const lines = Object.entries(config).map(
      ([key, value]) => `${key} = ${JSON.stringify(value)}\n`,
    );
    writeFileSync(join(folder, "config.toml"), lines.join(""));
    const port = await freePort();
    const server = new Tidemark(folder, port, spawnServer(folder, port));
    await server.#waitReady();
    await server.sql(`CREATE DATABASE IF NOT EXISTS ${DATABASE}`, { database: "public" });
    return server;
  }

  get process(): ServerProcess {
    return this.#process;
  }

  get readyS(): number {
    return this.#readyS;
  }

  /** The v1 write endpoint, which TSBS uses. */
  get target() {
    return this.targetAt(`/v1/influxdb/write?consistency=all&db=${DATABASE}`);
  }

  targetAt(path: string) {
    return { host: "127.0.0.1", port: this.#port, path, headers: { "Content-Type": "text/plain" } };
  }

  /** Starts it again after `process.kill()` or `stop()`; returns the seconds until it was ready. */
  async restart(): Promise<number> {
    this.#process = spawnServer(this.#folder, this.#port);
    await this.#waitReady();
    return this.#readyS;
  }

  /** Runs one statement; returns its rows, [] for a statement without rows. */
  async sql(
    statement: string,
    { database = DATABASE, secondsMax = 300 } = {},
  ): Promise<unknown[][]> {
    const answer = await httpJson(
      `${this.base}/v1/sql?db=${database}`,
      { method: "POST", body: new URLSearchParams({ sql: statement }) },
      secondsMax,
    );
    const output = (answer as { output?: { records?: { rows: unknown[][] } }[] }).output;
    if (output === undefined) throw new Error(`no output: ${JSON.stringify(answer).slice(0, 300)}`);
    return output[0]?.records?.rows ?? [];
  }

  async countRows(written: WrittenTable): Promise<number> {
    const counts = ["count(*)", ...written.fields.map((field) => `count("${field}")`)];
    const rows = await this.sql(`SELECT ${counts.join(", ")} FROM "${written.table}"`);
    return Math.min(...counts.map((_, i) => numberAt(rows, 0, i)));
  }

  async settle(written: WrittenTable) {
    const startMs = performance.now();
    await this.sql(`ADMIN flush_table('${written.table}')`, { secondsMax: ADMIN_S_MAX });
    await this.sql(`ADMIN compact_table('${written.table}')`, { secondsMax: ADMIN_S_MAX });
    const { bytes, stable } = await whenStable(
      () => bytesUnder(this.dataDir),
      QUIET_S,
      SETTLE_S_MAX,
    );
    return { diskBytes: bytes, stable, seconds: (performance.now() - startMs) / 1000 };
  }

  async stop(): Promise<void> {
    await this.#process.stop();
  }

  async #waitReady(): Promise<void> {
    this.#readyS = await this.#process.waitUntil(() => answers(`${this.base}/ready`), READY_S_MAX);
  }
}

function spawnServer(folder: string, port: number): ServerProcess {
  return new ServerProcess(
    process.execPath,
    [
      // As bin/run starts it.
      "--max-semi-space-size=64",
      SERVER,
      "standalone",
      "start",
      "--config",
      join(folder, "config.toml"),
      "--data-home",
      join(folder, "data"),
      "--http-addr",
      `127.0.0.1:${port}`,
    ],
    join(folder, "log"),
  );
}

/** "a5c613c", with "+" after it when files differ from the commit. */
export function gitCommit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", REPOSITORY, ...args], { encoding: "utf8" }).trim();
  try {
    const dirty = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "+";
    return git("rev-parse", "--short", "HEAD") + dirty;
  } catch {
    return "unknown"; // a tree without git, such as an unpacked archive
  }
}

export const ours: Peer = {
  key: "ours",
  title: "Tidemark",
  durable: "fdatasync, shared by concurrent writes, before each answer (its default)",
  version: async () => {
    const text = readFileSync(join(REPOSITORY, "package.json"), "utf8");
    return `${(JSON.parse(text) as { version: string }).version} (${gitCommit()})`;
  },
  start: (folder) => Tidemark.start(folder),
};
