/**
 * How busy the machine was with other things while something was measured: without it nobody can tell
 * a slow database from a disturbed one.
 */
import { readFileSync } from "node:fs";
import { TICKS_PER_S } from "../peers/process.ts";

/** CPU seconds since boot, over all cores. */
export interface CpuTimes {
  readonly busyS: number;
  readonly totalS: number;
}

/** Above this share of all cores a run was disturbed: its rows/s are lower than they would be. */
export const DISTURBED_SHARE = 0.1;

/** The machine's CPU times now. `text`: /proc/stat. */
export function cpuTimes(text: string = readFileSync("/proc/stat", "utf8")): CpuTimes {
  const line = /^cpu\s+(.*)$/m.exec(text);
  if (line === null) throw new Error("no cpu line in /proc/stat");
  // user nice system idle iowait irq softirq steal; guest times are inside user.
  const ticks = line[1]!.split(/\s+/).map(Number).slice(0, 8);
  const total = ticks.reduce((sum, n) => sum + n, 0);
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  return { busyS: (total - idle) / TICKS_PER_S, totalS: total / TICKS_PER_S };
}

/**
 * Share of all cores that neither we nor the idle loop had between two moments: other processes, the
 * kernel's own work and what the hypervisor took. `oursS`: CPU seconds of what was measured.
 */
export function othersShare(before: CpuTimes, after: CpuTimes, oursS: number): number {
  const total = after.totalS - before.totalS;
  if (total <= 0) return 0;
  return Math.max(0, after.busyS - before.busyS - oursS) / total;
}
