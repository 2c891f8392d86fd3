/**
 * The lock of a data home: one process at a time, over at once when the process dies, kill -9 included.
 * Every process that wants the home makes its own entry in `<home>/.lock/` first and then looks for others. Of two, at least
 * one sees the other, so two never hold it; there is no lock file to take over and no window in which it is gone.
 * An entry is a Unix socket on which its owner listens: the kernel says whether the owner lives, across containers as well.
 * Where sockets cannot be made it is a plain file, judged by process id and start time. Not for network file systems: there,
 * another machine's entry looks dead.
 */
import { randomBytes } from "node:crypto";
import { lstat, mkdir, open, readdir, readFile, readlink, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join, resolve } from "node:path";
import { errnoOf, Fatal, messageOf } from "../base/mod.ts";
import { quietly, unlessAbsent } from "./file_io.ts";

/** Bytes of a socket's path that every system takes (sun_path is 104 on macOS, 108 on Linux, with the final zero). */
const SOCKET_PATH_BYTES_MAX = 103;

/** `<pid>.<start>.<namespace>.<random>`: an entry says all it knows in its name, so it is never half-written. */
const ENTRY = /^(\d+)\.([\w-]+)\.([\w-]+)\.[0-9a-f]+$/;

export interface DataHomeLock {
  /** Gives the home back. The second call does nothing. */
  release(): Promise<void>;
}

/** Throws Fatal "data home X is in use by process N". */
export async function lockDataHome(dir: string): Promise<DataHomeLock> {
  const home = resolve(dir);
  const folder = join(home, ".lock");
  try {
    await mkdir(folder, { recursive: true });
    return await lock(home, folder);
  } catch (error) {
    if (error instanceof Fatal) throw error;
    throw new Fatal(`cannot lock data home ${home}: ${messageOf(error)}`, { cause: error });
  }
}

async function lock(home: string, folder: string): Promise<DataHomeLock> {
  const own = [
    process.pid,
    (await startTime(process.pid)) ?? "unknown",
    await namespace(),
    randomBytes(4).toString("hex"),
  ].join(".");
  const server = await makeEntry(folder, own);
  let released = false;
  const release = async () => {
    if (released) return;
    released = true;
    if (server) await new Promise<void>((done) => server.close(() => done()));
    await quietly(rm(join(folder, own), { force: true }));
  };
  try {
    for (const name of await readdir(folder)) {
      const entry = ENTRY.exec(name);
      if (name === own || entry === null) continue;
      if (await isAlive(folder, name))
        throw new Fatal(`data home ${home} is in use by process ${entry[1]}`);
      await rm(join(folder, name), { force: true });
    }
    // Someone who looked before we listened took this entry for a dead one.
    if ((await unlessAbsent(lstat(join(folder, own)))) === undefined)
      throw new Fatal(`data home ${home} is being opened by another process: try again`);
  } catch (error) {
    await release();
    throw error;
  }
  return { release };
}

/** Returns the listening server, or undefined where the entry is a plain file. */
async function makeEntry(folder: string, name: string): Promise<Server | undefined> {
  try {
    return await withSocketPath(folder, name, async (path) => {
      const server = createServer((socket) => socket.destroy());
      await new Promise<void>((done, fail) => {
        server.once("error", fail);
        server.listen(path, done);
      });
      server.unref();
      return server;
    });
  } catch {
    await rm(join(folder, name), { force: true });
    await (await open(join(folder, name), "wx")).close();
    return undefined;
  }
}

async function isAlive(folder: string, name: string): Promise<boolean> {
  const info = await unlessAbsent(lstat(join(folder, name)));
  if (info === undefined) return false;
  return info.isSocket() ? await answers(folder, name) : await ownerRuns(name);
}

/** Does anyone listen on the socket? An error that does not say "no" counts as yes. */
async function answers(folder: string, name: string): Promise<boolean> {
  try {
    await withSocketPath(folder, name, (path) => {
      return new Promise<void>((done, fail) => {
        const socket = connect(path, () => {
          socket.destroy();
          done();
        });
        socket.once("error", fail);
      });
    });
    return true;
  } catch (error) {
    return !["ECONNREFUSED", "ENOENT"].includes(errnoOf(error) ?? "");
  }
}

/** For plain entries. One of another machine, container or boot is taken for dead only if a boot has ended since. */
async function ownerRuns(name: string): Promise<boolean> {
  const [, pid, start, where] = ENTRY.exec(name)!;
  const here = await namespace();
  if (where !== here) return bootOf(where!) === bootOf(here);
  const started = await startTime(Number(pid));
  if (started !== undefined && start !== "unknown") return started === start;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}

/**
 * Start of a process in clock ticks since boot: with the pid it names one process of this boot. undefined: no such process, or
 * a system without /proc.
 */
async function startTime(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    // The second field is the command in parentheses and may hold anything; start time is field 22.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** This boot of this machine, and the process id namespace in it: pids compare only within one. */
async function namespace(): Promise<string> {
  try {
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "latin1")).trim().slice(0, 8);
    const pids = /\d+/.exec(await readlink("/proc/self/ns/pid"))?.[0] ?? "0";
    return `${boot}-${pids}`;
  } catch {
    return "unknown-0";
  }
}

function bootOf(where: string): string {
  return where.split("-")[0]!;
}

/** A path short enough for a socket, however deep the folder: on Linux, through a handle of the folder. */
async function withSocketPath<T>(
  folder: string,
  name: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const direct = join(folder, name);
  if (Buffer.byteLength(direct) <= SOCKET_PATH_BYTES_MAX) return await use(direct);
  const handle = await open(folder, "r");
  try {
    return await use(`/proc/self/fd/${handle.fd}/${name}`);
  } finally {
    await handle.close();
  }
}
