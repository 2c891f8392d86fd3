/** Where and when a run happened: a number without its machine says nothing. */
import { cpus, release, totalmem } from "node:os";
import { gitCommit } from "../peers/tidemark.ts";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
  readonly commit: string;
  /** UTC, ISO 8601. */
  readonly date: string;
}

export function describeMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? "unknown",
    cores: all.length,
    memoryGiB: Math.round((totalmem() / 1024 ** 3) * 10) / 10,
    kernel: `${process.platform} ${release()} ${process.arch}`,
    node: process.version,
    commit: gitCommit(),
    date: new Date().toISOString().slice(0, 19).concat("Z"),
  };
}
