/**
 * The writing end of the log: the active segment and its successors. One call at a time (the log's loop sees to it).
 * Invariants: a segment is synced before its successor is made; nothing is ever appended after bytes of a failed write;
 * a successor is durable, with the end of its predecessor in its header, before it takes the first record.
 */
import { assert, type Clock, type Logger, messageOf } from "../base/mod.ts";
import type { LogFile, LogFolder } from "../disk/mod.ts";
import { encodeSegmentHeader, SEGMENT_HEADER_BYTES } from "./format.ts";
import { Segment, segmentName } from "./segment.ts";
import type { WalMetrics } from "./wal_metrics.ts";

export class SegmentWriter {
  readonly #folder: LogFolder;
  readonly #segmentBytesMax: number;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: WalMetrics;
  /** Told of each new segment once it is durable. */
  readonly #born: (segment: Segment) => void;
  #active: { readonly segment: Segment; readonly file: LogFile } | undefined;
  /** The newest segment there is, active or not. */
  #newest: Segment | undefined;
  /** Bytes of the active segment that are known to be on the disk. */
  #synced = 0;
  /** A sync in the background failed: what the file holds is unknown, so it takes no more records. */
  #suspect = false;
  #backgroundSync: Promise<void> | undefined;
  /** Asked for while one was running: it may have begun before the newest bytes were written. */
  #syncAgain = false;

  constructor(parts: {
    folder: LogFolder;
    segmentBytesMax: number;
    clock: Clock;
    log: Logger;
    metrics: WalMetrics;
    newest: Segment | undefined;
    born: (segment: Segment) => void;
  }) {
    this.#folder = parts.folder;
    this.#segmentBytesMax = parts.segmentBytesMax;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#metrics = parts.metrics;
    this.#newest = parts.newest;
    this.#born = parts.born;
  }

  get active(): Segment | undefined {
    return this.#active?.segment;
  }

  /** The segment that takes the next `bytes`: the active one, or a new one when that is full or gone. */
  async segmentFor(bytes: number): Promise<Segment> {
    const segment = this.#active?.segment;
    if (segment) {
      const empty = segment.bytes === SEGMENT_HEADER_BYTES;
      const fits = segment.bytes + bytes <= this.#segmentBytesMax;
      if ((fits || empty) && !this.#suspect) return segment;
      await this.#seal();
    }
    return await this.#create();
  }

  /** Goes on in a new segment, whatever room the active one has. */
  async roll(): Promise<void> {
    await this.#seal();
    await this.#create();
  }

  /** Appends to the segment that segmentFor returned. When it rejects, nothing of the parts will be replayed. */
  async write(parts: readonly Uint8Array[], bytes: number): Promise<void> {
    const active = this.#active;
    assert(active !== undefined, "segmentFor comes before write");
    const started = this.#clock.monotonicMs();
    try {
      await active.file.append(parts);
    } catch (error) {
      this.#metrics.failed("write");
      await this.#takeBack(active.segment, active.file);
      throw error;
    }
    active.segment.bytes += bytes;
    this.#metrics.elapsed("write", this.#clock.monotonicMs() - started);
  }

  /** Makes the last `bytes` durable. When it rejects, they will not be replayed: they are cut off again. */
  async sync(bytes: number): Promise<void> {
    const active = this.#active;
    assert(active !== undefined, "write comes before sync");
    try {
      await this.#syncFile(active.file);
      this.#synced = active.segment.bytes;
    } catch (error) {
      // After a failed fsync the kernel counts the lost pages as written: a second fsync of this file would lie.
      this.#metrics.failed("sync");
      active.segment.bytes -= bytes;
      await this.#abandon(active.segment, active.file, error);
      throw error;
    }
  }

  /** For the policies that acknowledge before the sync. Never rejects: on failure the next write goes to a new segment. */
  syncInBackground(): Promise<void> {
    const active = this.#active;
    if (this.#backgroundSync) {
      this.#syncAgain = true;
      return this.#backgroundSync;
    }
    if (active === undefined || this.#synced === active.segment.bytes) return Promise.resolve();
    const run = async () => {
      try {
        do {
          this.#syncAgain = false;
          const bytes = active.segment.bytes;
          await this.#syncFile(active.file);
          this.#synced = bytes;
        } while (this.#syncAgain);
      } catch (error) {
        this.#suspect = true;
        this.#syncLost(active.segment, error);
      } finally {
        this.#backgroundSync = undefined;
      }
    };
    this.#backgroundSync = run();
    return this.#backgroundSync;
  }

  /** Syncs and closes what is open; makes a cut durable that could not be made so before, if the disk allows now. */
  async close(): Promise<void> {
    if (this.#active) await this.#seal();
    else if (this.#newest?.overlong) await succeeds(this.#create());
    await this.#active?.file.close();
    this.#active = undefined;
  }

  /** The active segment takes no more records. Its end is known: all of it was acknowledged. */
  async #seal(): Promise<void> {
    await this.#backgroundSync;
    const active = this.#active;
    if (!active) return;
    if (this.#synced !== active.segment.bytes && !this.#suspect) {
      try {
        await this.#syncFile(active.file);
      } catch (error) {
        this.#syncLost(active.segment, error);
      }
    }
    this.#active = undefined;
    this.#suspect = false;
    await active.file.close();
  }

  async #create(): Promise<Segment> {
    const before = this.#newest;
    const segment = new Segment((before?.number ?? 0n) + 1n, SEGMENT_HEADER_BYTES);
    let file: LogFile | undefined;
    try {
      file = await this.#folder.open(segmentName(segment.number));
      // A former attempt that failed may have left bytes; nothing in them was acknowledged.
      if (file.size > 0) await file.truncate(0);
      const header = encodeSegmentHeader({
        number: segment.number,
        previous: before?.number ?? 0n,
        previousBytes: before?.bytes ?? 0,
        createdNs: this.#clock.nowNs(),
      });
      await file.append([header]);
      await this.#syncFile(file);
    } catch (error) {
      this.#metrics.failed("roll");
      if (file) await succeeds(file.close());
      throw error;
    }
    this.#active = { segment, file };
    this.#newest = segment;
    this.#synced = segment.bytes;
    this.#born(segment);
    return segment;
  }

  /** After a failed write: cuts the file to its good bytes, durably, before the caller hears of it. */
  async #takeBack(segment: Segment, file: LogFile): Promise<void> {
    try {
      await this.#backgroundSync;
      await file.truncate(segment.bytes);
      await this.#syncFile(file);
      this.#synced = segment.bytes;
    } catch (error) {
      this.#metrics.failed("cut");
      await this.#abandon(segment, file, error);
    }
  }

  /**
   * The file may hold more than the segment's good bytes. It takes no more records; the successor's header says where it
   * ends. If the successor cannot be made now, the next append or close tries again, and nothing is acknowledged before.
   * Only if the disk refuses the successor and the cut, up to the end of the process, is it open what the next start sees.
   */
  async #abandon(segment: Segment, file: LogFile, cause: unknown): Promise<void> {
    segment.overlong = true;
    this.#active = undefined;
    this.#suspect = false;
    this.#log.error(
      { segment: segment.name, bytes: segment.bytes, error: messageOf(cause) },
      "log segment given up after a failed write or sync; going on in a new one",
    );
    const cut = await succeeds(file.truncate(segment.bytes));
    try {
      await this.#create();
    } catch (error) {
      this.#log.error({ error: messageOf(error) }, "no new log segment yet: writes are refused");
      // The bytes that stay were synced before, so this sync only has the new size to write: it may succeed where one of
      // new data failed.
      if (cut) await succeeds(file.sync());
    }
    await succeeds(file.close());
  }

  #syncLost(segment: Segment, error: unknown): void {
    this.#metrics.failed("sync");
    this.#log.error(
      { segment: segment.name, from: this.#synced, to: segment.bytes, error: messageOf(error) },
      "sync of the log failed: these acknowledged bytes may not survive a power loss",
    );
  }

  async #syncFile(file: LogFile): Promise<void> {
    const started = this.#clock.monotonicMs();
    await file.sync();
    this.#metrics.elapsed("sync", this.#clock.monotonicMs() - started);
  }
}

async function succeeds(step: Promise<unknown>): Promise<boolean> {
  try {
    await step;
    return true;
  } catch {
    return false;
  }
}
