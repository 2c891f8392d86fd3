/**
 * A real server as a child process, for tests: built once, started on a free port over a temporary data folder,
 * killed hard, stopped softly, started again over the same data. Never in-process, so that a kill is a kill.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const MAIN = join(ROOT, "dist", "src", "server", "launch.cjs");
/** A start replays the log of the test before: far less than this, even on a loaded machine. */
const READY_MS_MAX = 60_000;
/** A stop drains and flushes; a server that needs longer hangs. */
const STOP_MS_MAX = 60_000;

export interface StartOptions {
  /** Kept by the caller when given; else a temporary folder that `dispose` removes. */
  readonly dataHome?: string;
  /** More flags of `standalone start`. */
  readonly flags?: readonly string[];
  /** More environment variables; the settings of the test's own environment are not passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folder that relative paths in flags start from; else this process's own. */
  readonly cwd?: string;
  /** Fixed port; else a free one. */
  readonly port?: number;
  /** Do not wait until it answers. */
  readonly wait?: boolean;
}

export interface SqlAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Body as text, with every digit the server sent. */
  readonly text: string;
}

/** Builds dist/ if anything changed. The build has its own stamps, so a second call takes no time. */
function build(): void {
  const result = spawnSync(process.execPath, [join(ROOT, "tools", "build.mjs")], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (result.status !== 0) throw new Error(`the build failed:\n${result.stdout}${result.stderr}`);
  if (!existsSync(MAIN)) throw new Error(`no ${MAIN} after the build`);
}
let built = false;

export async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

export class TestServer {
  #child: ChildProcess | undefined;
  #log = "";

  private constructor(
    readonly dataHome: string,
    readonly port: number,
    private readonly options: StartOptions,
  ) {}

  static async start(options: StartOptions = {}): Promise<TestServer> {
    if (!built) build();
    built = true;
    const dataHome = options.dataHome ?? (await mkdtemp(join(tmpdir(), "tidemark-test-")));
    const server = new TestServer(dataHome, options.port ?? (await freePort()), options);
    await server.#spawn();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }
  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error("the server is not running");
    return pid;
  }
  /** Everything the server wrote to its log since the first start. */
  get log(): string {
    return this.#log;
  }
  /** Exit code of a server that has ended, null when a signal ended it, undefined while it runs. */
  get exitCode(): number | null | undefined {
    const child = this.#child;
    if (child === undefined || (child.exitCode === null && child.signalCode === null))
      return undefined;
    return child.exitCode;
  }

  async kill9(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** SIGTERM; resolves with the exit code when everything is drained and flushed. */
  async stop(): Promise<number | null> {
    return this.#end("SIGTERM");
  }

  /** Starts again over the same data on the same port; a running server is stopped first. */
  async restart(): Promise<void> {
    if (this.exitCode === undefined && this.#child !== undefined) await this.stop();
    await this.#spawn();
  }

  /** Stops it (hard) and removes a temporary data folder. */
  async dispose(): Promise<void> {
    if (this.#child !== undefined && this.exitCode === undefined) await this.kill9();
    if (this.options.dataHome === undefined)
      await rm(this.dataHome, { recursive: true, force: true });
  }

  /** POST /v1/sql; the answer whatever its status. */
  async query(sql: string, parameters: Record<string, string> = {}): Promise<SqlAnswer> {
    const url = new URL("/v1/sql", this.url);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const answer = await fetch(url, { method: "POST", body: new URLSearchParams({ sql }) });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  /** Rows of the last statement as arrays; throws with the server's message. Integers past 2^53 lose digits: use `query`. */
  async sql(sql: string, db = "public"): Promise<unknown[][]> {
    const answer = await this.query(sql, { db });
    const body = JSON.parse(answer.text);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${body.error}`);
    const last = body.output.at(-1);
    return last.records === undefined ? [[last.affectedrows]] : last.records.rows;
  }

  /** POST line protocol; the answer whatever its status. */
  async write(
    lines: string | Uint8Array,
    parameters: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<SqlAnswer> {
    const url = new URL("/v1/influxdb/api/v2/write", this.url);
    for (const [name, value] of Object.entries({ db: "public", ...parameters }))
      url.searchParams.set(name, value);
    const body = typeof lines === "string" ? lines : new Uint8Array(lines);
    const answer = await fetch(url, { method: "POST", body, headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  async #spawn(): Promise<void> {
    const { cwd, flags = [], env = {}, wait = true } = this.options;
    const args = [MAIN, "standalone", "start", "--http-addr", `127.0.0.1:${this.port}`];
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(TIDEMARK|GREPTIMEDB)_/.test(name),
    );
    const child = spawn(process.execPath, [...args, "--data-home", this.dataHome, ...flags], {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...Object.fromEntries(inherited), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        this.#log += chunk.toString();
      });
    if (wait) await this.#ready(child);
  }

  async #ready(child: ChildProcess): Promise<void> {
    const deadline = performance.now() + READY_MS_MAX;
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(
          `the server ended with ${child.exitCode ?? child.signalCode}:\n${this.#log}`,
        );
      const up = await fetch(`${this.url}/health`).then(
        (answer) => answer.ok,
        () => false,
      );
      if (up) return;
      if (performance.now() > deadline) {
        child.kill("SIGKILL");
        throw new Error(`the server was not ready in ${READY_MS_MAX} ms:\n${this.#log}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    const child = this.#child;
    if (child === undefined) throw new Error("the server is not running");
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = once(child, "exit");
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
    await exited;
    clearTimeout(timer);
    return child.exitCode;
  }
}
