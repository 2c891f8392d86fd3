/** The soak's rows as line protocol, and its times as SQL. */
import { GROUP_HOSTS, rowLoad, rowValue } from "./model.ts";

export const SOAK_TABLE = "soak";
const START_S = 1_704_067_200; // 2024-01-01T00:00:00Z
/** Between two ticks: hours of load then span days, and compaction has several windows to work on. */
export const TICK_S = 10;

/** Lines of one group. A rewrite (version > 0) sends `value` alone. */
export function groupLines(tick: number, group: number, version: number): string {
  const seconds = START_S + tick * TICK_S;
  let lines = "";
  const first = group * GROUP_HOSTS;
  for (let host = first; host < first + GROUP_HOSTS; host++) {
    const load = version === 0 ? `,load=${rowLoad(host, tick)}i` : "";
    lines += `${SOAK_TABLE},host=host_${host},zone=zone_${host % 7} value=${rowValue(host, tick, version)}${load} ${seconds}000000000\n`;
  }
  return lines;
}

/** A condition for ticks [from, to). */
export function tickRange(from: number, to: number): string {
  return `greptime_timestamp >= '${tickTime(from)}' AND greptime_timestamp < '${tickTime(to)}'`;
}

function tickTime(tick: number): string {
  return new Date((START_S + tick * TICK_S) * 1000).toISOString().replace(".000", "");
}

/** Tick of a timestamp in nanoseconds, as digits or as a JSON number (which has lost only zeros). */
export function tickOf(ns: string): number {
  return (Number(ns.slice(0, -9)) - START_S) / TICK_S;
}
