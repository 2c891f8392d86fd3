/** The peers' programs come from Debian; what is missing is installed, loudly. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { influxdb } from "./influxdb.ts";
import type { Peer, PeerKey } from "./peer.ts";
import { ours } from "./tidemark.ts";
import { victoria } from "./victoria.ts";

const PEERS: Readonly<Record<PeerKey, Peer>> = { ours, influxdb, victoria };
/** Peer → its program and the Debian package that has it. */
const PROGRAMS: Partial<Record<PeerKey, { program: string; package: string }>> = {
  influxdb: { program: "influxd", package: "influxdb" },
  victoria: { program: "victoria-metrics", package: "victoria-metrics" },
};

function onPath(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Runs apt-get, as root or through sudo. Returns what went wrong, or null. */
function aptInstall(packageName: string): string | null {
  const sudo = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const run = (...args: string[]) => {
    const [command, ...rest] = [...sudo, "apt-get", ...args];
    return spawnSync(command!, rest, {
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  };
  const install = () => run("install", "-y", "--no-install-recommends", packageName);
  let done = install();
  if (done.status !== 0) {
    run("update");
    done = install();
  }
  if (done.status === 0) return null;
  return done.error?.message ?? done.stderr.trim().split("\n").slice(-3).join("\n");
}

export interface FoundPeers {
  readonly peers: readonly Peer[];
  /** Why a wanted peer is not there; goes into the report. */
  readonly missing: readonly string[];
}

/**
 * The peers of a comma list, in its order. A peer that cannot be installed is left out with a warning
 * on standard error. Throws a RangeError for a name nobody knows.
 */
export function findPeers(list: string): FoundPeers {
  const peers: Peer[] = [];
  const missing: string[] = [];
  for (const key of list.split(",").map((name) => name.trim())) {
    if (!Object.hasOwn(PEERS, key))
      throw new RangeError(`no peer named '${key}'; there are ${Object.keys(PEERS).join(", ")}`);
    const program = PROGRAMS[key as PeerKey];
    if (program !== undefined && !onPath(program.program)) {
      process.stderr.write(`installing ${program.package} ...\n`);
      const problem = aptInstall(program.package);
      if (problem !== null || !onPath(program.program)) {
        const why = `${key} is missing: apt-get install ${program.package} failed: ${problem ?? "no program came with it"}`;
        process.stderr.write(`\n*** WARNING: ${why}\n*** This run compares nothing with it.\n\n`);
        missing.push(why);
        continue;
      }
    }
    peers.push(PEERS[key as PeerKey]);
  }
  return { peers, missing };
}
