/** Helpers of the log's tests: records, a quiet log, what a log replays, and what a test remembers of its appends. */
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

/** Replays everything, or what `needed` asks for. */
export async function collect(
  wal: LogStore,
  needed: (region: bigint) => bigint | undefined = () => 0n,
): Promise<{ records: ReplayedRecord[]; texts: string[]; report: ReplayReport }> {
  const records: ReplayedRecord[] = [];
  const report = await wal.replay(needed, (one) => {
    records.push(one);
  });
  return { records, texts: records.map((one) => Buffer.from(one.payload).toString()), report };
}

/** Copies a log, so that a test can damage the copy. */
export async function copyLog(from: LogFolder, to: LogFolder): Promise<void> {
  for (const { name } of await to.list()) await to.delete(name);
  for (const { name, bytes } of await from.list())
    await writeLog(to, name, await from.read(name, 0, bytes));
}

export async function writeLog(folder: LogFolder, name: string, bytes: Uint8Array): Promise<void> {
  const file = await folder.open(name);
  await file.truncate(0);
  await file.append([bytes]);
  await file.sync();
  await file.close();
}

/** Appends with unique payloads, and remembers what was promised about each. */
export class Appender {
  /** Acknowledged, in order. Each must be replayed exactly once. */
  readonly acked: string[] = [];
  /** Refused while the disk was on. None may ever be replayed. */
  readonly refused: string[] = [];
  /** Not answered before the power went: may be replayed or not. */
  readonly doubtful: string[] = [];
  readonly #isDead: () => boolean;
  #next = 0;

  /** `isDead`: has the process died? Then nobody hears an answer any more. */
  constructor(isDead = () => false) {
    this.#isDead = isDead;
  }

  /** Appends `count` records at once and waits for all answers. */
  async append(wal: LogStore, count: number, payloadBytes = 24): Promise<void> {
    const appends = Array.from({ length: count }, async () => {
      const number = this.#next++;
      const text = `record ${number} `.padEnd(payloadBytes, "x");
      try {
        await wal.append(record(BigInt(number % 3), BigInt(number), 1, text));
        (this.#isDead() ? this.doubtful : this.acked).push(text);
      } catch {
        (this.#isDead() ? this.doubtful : this.refused).push(text);
      }
    });
    await Promise.all(appends);
  }
}
