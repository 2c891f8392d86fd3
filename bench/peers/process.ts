/**
 * A server as a child process, watched through /proc: CPU seconds and resident memory of the process
 * and all its descendants. Ends only what it started, by its id.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

/** USER_HZ: the unit of /proc/<pid>/stat on every Linux platform that Node.js runs on. */
export const TICKS_PER_S = 100;
/** Memory is sampled this often; a peak between two samples is caught by VmHWM of the main process. */
const SAMPLE_MS = 200;
const PAGE_BYTES = 4096;

export interface Usage {
  /** User and system CPU since the process began, descendants included. */
  readonly cpuS: number;
  /** Highest resident memory seen. */
  readonly rssBytesPeak: number;
  readonly rssBytes: number;
}

function descendants(pid: number): number[] {
  const found = [pid];
  for (let i = 0; i < found.length; i++) {
    try {
      for (const task of readdirSync(`/proc/${found[i]}/task`)) {
        const children = readFileSync(`/proc/${found[i]}/task/${task}/children`, "utf8").trim();
        if (children !== "") found.push(...children.split(" ").map(Number));
      }
    } catch {
      // The process or thread ended while we looked.
    }
  }
  return found;
}

/** CPU seconds and resident bytes of one process; null when it is gone. */
function readStat(pid: number): { cpuS: number; rssBytes: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command's name may hold blanks and brackets; the fields start after its last bracket.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      cpuS: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S,
      rssBytes: Number(fields[21]) * PAGE_BYTES,
    };
  } catch {
    return null;
  }
}

function peakOf(pid: number): number {
  try {
    const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return match === null ? 0 : Number(match[1]) * 1024;
  } catch {
    return 0;
  }
}

export class ServerProcess {
  readonly pid: number;
  readonly logPath: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<string>;
  readonly #sampler: NodeJS.Timeout;
  #exit: string | null = null;
  #rssBytesPeak = 0;
  #last: Usage = { cpuS: 0, rssBytesPeak: 0, rssBytes: 0 };

  /** Starts `command`; its output goes to the end of `logPath`. */
  constructor(
    command: string,
    args: readonly string[],
    logPath: string,
    env: NodeJS.ProcessEnv = {},
  ) {
    const log = openSync(logPath, "a");
    this.logPath = logPath;
    this.#child = spawn(command, args, {
      stdio: ["ignore", log, log],
      env: { ...process.env, ...env },
    });
    closeSync(log);
    this.#exited = new Promise((resolve) => {
      const ended = (how: string) => {
        this.#exit = how;
        resolve(how);
      };
      this.#child.once("error", (error) => ended(error.message));
      this.#child.once("exit", (code, signal) => ended(`exit ${signal ?? code}`));
    });
    this.pid = this.#child.pid ?? 0;
    this.#sampler = setInterval(() => this.usage(), SAMPLE_MS);
    running.add(this);
    void this.#exited.then(() => {
      clearInterval(this.#sampler);
      running.delete(this);
    });
  }

  /** How it ended, or null while it runs. */
  get exit(): string | null {
    return this.#exit;
  }

  usage(): Usage {
    let cpuS = 0;
    let rssBytes = 0;
    let alive = false;
    for (const pid of this.pid === 0 ? [] : descendants(this.pid)) {
      const stat = readStat(pid);
      if (stat === null) continue;
      alive = true;
      cpuS += stat.cpuS;
      rssBytes += stat.rssBytes;
    }
    if (!alive) return this.#last;
    this.#rssBytesPeak = Math.max(this.#rssBytesPeak, rssBytes, peakOf(this.pid));
    this.#last = {
      cpuS: Math.max(cpuS, this.#last.cpuS),
      rssBytesPeak: this.#rssBytesPeak,
      rssBytes,
    };
    return this.#last;
  }

  /** Polls `ready` until it is true; returns the seconds. Throws when the process ends or time is up. */
  async waitUntil(ready: () => Promise<boolean>, secondsMax: number): Promise<number> {
    const startMs = performance.now();
    for (;;) {
      if (await ready().catch(() => false)) return (performance.now() - startMs) / 1000;
      if (this.#exit !== null) throw new Error(`server ended: ${this.#exit}\n${this.logTail()}`);
      if (performance.now() - startMs > secondsMax * 1000)
        throw new Error(`server not ready after ${secondsMax} s\n${this.logTail()}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** The last lines of its output. */
  logTail(lines = 15): string {
    return readFileSync(this.logPath, "utf8").split("\n").slice(-lines).join("\n");
  }

  /** SIGTERM, and SIGKILL when that is not enough within `secondsMax`. Returns how it ended. */
  async stop(secondsMax = 60): Promise<string> {
    if (this.#exit !== null) return this.#exit;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), secondsMax * 1000);
    const how = await this.#exited;
    clearTimeout(timer);
    return how;
  }

  /** kill -9, and waits for the end. */
  async kill(): Promise<void> {
    if (this.#exit !== null) return;
    this.#child.kill("SIGKILL");
    await this.#exited;
  }
}

const running = new Set<ServerProcess>();

/** Ends every server this process started and that still runs; for the way out. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((server) => server.stop(10)));
}
