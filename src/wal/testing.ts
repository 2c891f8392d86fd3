/** Helpers of the log's tests: records, a quiet log, and everything a log replays. */
import { silentLogger, systemClock } from "../base/mod.ts";
import type { LogFolder } from "../disk/mod.ts";
import type { LogRecord, LogStore, ReplayedRecord, ReplayReport } from "./api.ts";
import { openWal, type WalOptions } from "./wal.ts";

export function record(region: bigint, sequence: bigint, rows: number, payload: string): LogRecord {
  return { region, kind: "rows", sequence, rows, payload: [Buffer.from(payload)] };
}

export function openTestWal(
  folder: LogFolder,
  options: Partial<WalOptions> = {},
): Promise<LogStore> {
  return openWal(folder, {
    sync: "always",
    intervalMs: 10,
    clock: systemClock,
    log: silentLogger,
    ...options,
  });
}

/** Replays everything (or what `needed` asks for). */
export async function collect(
  wal: LogStore,
  needed: (region: bigint) => bigint | undefined = () => 0n,
): Promise<{ records: ReplayedRecord[]; report: ReplayReport }> {
  const records: ReplayedRecord[] = [];
  const report = await wal.replay(needed, (one) => {
    records.push(one);
  });
  return { records, report };
}
