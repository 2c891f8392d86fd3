/**
 * The local log: a LogStore on a folder of segments. Appends queue; one loop writes them in groups.
 * The loop is the only writer, so appends are answered in the order they were made.
 */
import {
  assert,
  type Clock,
  DbError,
  type Logger,
  type Metrics,
  Mutex,
  messageOf,
} from "../base/mod.ts";
import { asUnavailable, type LogFolder } from "../disk/mod.ts";
import type { LogRecord, LogStore, ReplayedRecord, ReplayReport, SyncPolicy } from "./api.ts";
import { PAYLOAD_BYTES_MAX } from "./format.ts";
import { groupBytes, groupParts, takeGroup, type Waiting, waiting } from "./group.ts";
import { findSegments, Recovery } from "./recovery.ts";
import type { Segment } from "./segment.ts";
import { SegmentWriter } from "./segment_writer.ts";
import { WalMetrics } from "./wal_metrics.ts";

export interface WalOptions {
  /** A segment is closed before it grows above this. Default 64 MiB. */
  readonly segmentBytesMax?: number;
  readonly sync: SyncPolicy;
  /** Longest time between a write and its sync under "interval", milliseconds. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: Metrics;
}

/** Trimming works by whole segments: 64 MiB is some seconds of full load, and a tenth of a second to read at start. */
const SEGMENT_BYTES_MAX = 64 * 1024 * 1024;

/** A full disk refuses thousands of appends a second; one line in this time says so, with their number. */
const REFUSAL_LOG_MS = 1000;

/** A segment smaller than this is not worth a new file. */
const ROLL_BYTES_MIN = 1024 * 1024;

const U64_MAX = (1n << 64n) - 1n;
const U32_MAX = 0xffff_ffff;

/** Opens the log. `replay` comes before the first append when the folder holds segments. */
export async function openWal(folder: LogFolder, options: WalOptions): Promise<LogStore> {
  return new Wal(folder, options, await findSegments(folder, options.log));
}

class Wal implements LogStore {
  readonly #folder: LogFolder;
  readonly #options: WalOptions;
  readonly #metrics: WalMetrics;
  readonly #trims = new Mutex();
  readonly #queue: Waiting[] = [];
  /** Oldest first; the last one is active once the writer has made one. */
  #segments: Segment[];
  #writer: SegmentWriter | undefined;
  #replayed: "no" | "running" | "yes" = "no";
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #refusedSinceLog = 0;
  #refusalLoggedMs = Number.NEGATIVE_INFINITY;
  #needed: (region: bigint) => bigint | undefined = () => undefined;

  constructor(folder: LogFolder, options: WalOptions, segments: Segment[]) {
    this.#folder = folder;
    this.#options = options;
    this.#segments = segments;
    this.#metrics = new WalMetrics(options.metrics, () => this.bytes);
    if (segments.length === 0) this.#replayed = "yes";
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  async replay(
    needed: (region: bigint) => bigint | undefined,
    visit: (record: ReplayedRecord) => Promise<void> | void,
    progress?: (doneBytes: number, totalBytes: number) => void,
  ): Promise<ReplayReport> {
    assert(this.#replayed !== "running" && this.#writer === undefined, "the log is replayed first");
    this.#replayed = "running";
    this.#needed = needed;
    const recovery = new Recovery(this.#folder, this.#options.log, this.#metrics);
    const report = await recovery.run(this.#segments, { needed, visit, progress });
    this.#replayed = "yes";
    return report;
  }

  append(record: LogRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#check(record);
      this.#queue.push(waiting(record, this.#options.clock.monotonicMs(), resolve, reject));
      this.#running ??= this.#run();
    });
  }

  trim(needed: (region: bigint) => bigint | undefined): Promise<number> {
    return this.#trims.run(async () => {
      if (this.#replayed !== "yes") return 0;
      this.#needed = needed;
      await this.#rollIfDone();
      let deleted = 0;
      let before: Segment | undefined;
      for (const segment of [...this.#segments]) {
        // A segment whose header holds the end of an overlong one stays as long as that one.
        const keep =
          segment === this.#segments.at(-1) ||
          segment.evidence ||
          before?.overlong === true ||
          segment.neededBy(needed).length > 0;
        if (!keep && (await this.#delete(segment))) deleted++;
        else before = segment;
      }
      return deleted;
    });
  }

  /**
   * A quiet log whose active segment holds nothing that is needed goes on in a new segment, so that the old one can be deleted. While
   * appends run the segment fills up by itself.
   */
  async #rollIfDone(): Promise<void> {
    const active = this.#writer?.active;
    if (active === undefined || this.#running !== undefined || this.#closed) return;
    if (active.bytes < ROLL_BYTES_MIN || active.neededBy(this.#needed).length > 0) return;
    const roll = async () => {
      try {
        await this.#writer?.roll();
      } catch (error) {
        this.#options.log.warn(
          { error: messageOf(error) },
          "no new log segment; tried again at the next append",
        );
      }
      await this.#run();
    };
    // As the loop, so that appends made meanwhile wait for it.
    this.#running = roll();
    await this.#running;
  }

  oldestRegions(): bigint[] {
    return this.#segments[0]?.neededBy(this.#needed) ?? [];
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#trims.run(() => undefined);
    await this.#writer?.close();
  }

  #check(record: LogRecord): void {
    if (this.#closed) throw new DbError("storage_unavailable", "the log is closed");
    assert(this.#replayed === "yes", "the log is replayed before the first append");
    assert(record.rows >= 1 && record.rows <= U32_MAX, "a record has rows");
    assert(record.region >= 0n && record.region <= U64_MAX, "the region id is a u64");
    const end = record.sequence + BigInt(record.rows);
    assert(record.sequence >= 0n && end <= U64_MAX, "the sequence is a u64");
    const bytes = record.payload.reduce((sum, part) => sum + part.length, 0);
    if (bytes > PAYLOAD_BYTES_MAX)
      throw new DbError(
        "payload_too_large",
        `one write of ${bytes} bytes is above the log's limit of ${PAYLOAD_BYTES_MAX}`,
      );
  }

  /** Writes groups until the queue is empty. Never rejects. */
  async #run(): Promise<void> {
    // Appends made in the same turn of the event loop form one group.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const group = takeGroup(this.#queue);
      try {
        await this.#write(group);
      } catch (error) {
        this.#refuse(group, error);
        continue;
      }
      const nowMs = this.#options.clock.monotonicMs();
      for (const item of group) {
        this.#metrics.elapsed("append", nowMs - item.sinceMs);
        item.resolve();
      }
    }
    // In the same turn as the last look at the queue: an append after this starts a new loop.
    this.#running = undefined;
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    this.#writer ??= this.#newWriter();
    const bytes = groupBytes(group);
    const segment = await this.#writer.segmentFor(bytes);
    await this.#writer.write(groupParts(group, segment.number, segment.bytes), bytes);
    if (this.#options.sync === "always") await this.#writer.sync(bytes);
    else if (this.#options.sync === "interval") this.#syncSoon();
    for (const { record } of group) segment.cover(record);
    this.#metrics.group(group.length, bytes);
  }

  /** What waits behind a failed group is refused with it: it was made in the belief that the group stands. */
  #refuse(group: readonly Waiting[], error: unknown): void {
    const refused = [...group, ...this.#queue.splice(0)];
    const answer = asUnavailable(error, "append to the log");
    for (const item of refused) item.reject(answer);
    this.#refusedSinceLog += refused.length;
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#refusalLoggedMs < REFUSAL_LOG_MS) return;
    this.#options.log.error(
      { appends: this.#refusedSinceLog, error: messageOf(error) },
      "appends to the log failed: refused",
    );
    this.#refusedSinceLog = 0;
    this.#refusalLoggedMs = nowMs;
  }

  #newWriter(): SegmentWriter {
    return new SegmentWriter({
      folder: this.#folder,
      segmentBytesMax: this.#options.segmentBytesMax ?? SEGMENT_BYTES_MAX,
      clock: this.#options.clock,
      log: this.#options.log,
      metrics: this.#metrics,
      newest: this.#segments.at(-1),
      born: (segment) => this.#segments.push(segment),
    });
  }

  #syncSoon(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#writer?.syncInBackground();
    }, this.#options.intervalMs);
    this.#timer.unref();
  }

  async #delete(segment: Segment): Promise<boolean> {
    try {
      await this.#folder.delete(segment.name);
    } catch (error) {
      this.#metrics.failed("trim");
      this.#options.log.warn(
        { segment: segment.name, error: messageOf(error) },
        "cannot delete a log segment; the next trim tries again",
      );
      return false;
    }
    this.#segments = this.#segments.filter((other) => other !== segment);
    return true;
  }
}
