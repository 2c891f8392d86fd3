/**
 * Start-up of the log: finds the segments, reads them in order, hands out what is needed, and deals with damage.
 * A bad tail of the last segment was never acknowledged: it is cut. Everything else that is not valid is copied aside, counted,
 * reported, and the rest is served. A disk that cannot be read, and a newer format, are Fatal: going on would lose data.
 */
import { Fatal, type Logger, messageOf } from "../base/mod.ts";
import type { LogFolder } from "../disk/mod.ts";
import type { ReplayedRecord, ReplayReport } from "./api.ts";
import { FORMAT_VERSION, SEGMENT_HEADER_BYTES } from "./format.ts";
import { damagedName, Segment, segmentNumber } from "./segment.ts";
import { readSegmentHeader, SegmentReader } from "./segment_reader.ts";
import type { WalMetrics } from "./wal_metrics.ts";

/** Copies of damaged stretches are made in pieces of this size, so that memory stays bounded. */
const COPY_BYTES = 1024 * 1024;

export interface ReplayInput {
  needed(region: bigint): bigint | undefined;
  visit(record: ReplayedRecord): Promise<void> | void;
  progress?: ((doneBytes: number, totalBytes: number) => void) | undefined;
}

/** The segments in the folder, oldest first, as long as their files. Other files are left alone. */
export async function findSegments(folder: LogFolder, log: Logger): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const { name, bytes } of await folder.list()) {
    const number = segmentNumber(name);
    if (number !== undefined) segments.push(new Segment(number, bytes));
    else if (!name.includes(".wal.damaged-"))
      log.warn({ file: name }, "unknown file in the log's folder: ignored");
  }
  return segments;
}

export class Recovery {
  readonly #folder: LogFolder;
  readonly #log: Logger;
  readonly #metrics: WalMetrics;
  readonly #damages: { segment: string; offset: number; why: string }[] = [];
  #records = 0;
  #bytes = 0;
  #skipped = 0;
  #tornBytes = 0;

  constructor(folder: LogFolder, log: Logger, metrics: WalMetrics) {
    this.#folder = folder;
    this.#log = log;
    this.#metrics = metrics;
  }

  /** Replays the segments; sets their good bytes and regions. Errors of `visit` pass through. */
  async run(segments: readonly Segment[], input: ReplayInput): Promise<ReplayReport> {
    const lastIndex = await this.#applyEnds(segments);
    const total = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    let done = 0;
    for (const [index, segment] of segments.entries()) {
      const last = index >= lastIndex;
      const fileBytes = segment.bytes;
      await this.#segment(segment, last, input, (bytes) => input.progress?.(done + bytes, total));
      done += fileBytes;
    }
    this.#metrics.replayed(this.#bytes);
    return {
      segments: segments.length,
      records: this.#records,
      bytes: this.#bytes,
      skipped: this.#skipped,
      tornBytes: this.#tornBytes,
      damages: this.#damages,
    };
  }

  /**
   * Each header says where the good bytes of the segment before it end: what lies beyond was never acknowledged.
   * Returns the index of the last segment that can hold a record; behind it there are only files whose creation was cut short.
   */
  async #applyEnds(segments: readonly Segment[]): Promise<number> {
    let lastIndex = 0;
    for (const [index, segment] of segments.entries()) {
      if (segment.bytes === 0) continue;
      const header = await this.#reading(
        segment,
        readSegmentHeader(this.#folder, segment.name, segment.number),
      );
      if (header.version !== undefined)
        throw new Fatal(
          `log segment ${segment.name} has format ${header.version}, this program reads format ${FORMAT_VERSION}: run the newer program`,
        );
      if (header.ok || segment.bytes > SEGMENT_HEADER_BYTES) lastIndex = index;
      const before = segments[index - 1];
      if (!header.ok || before === undefined || before.number !== header.value.previous) continue;
      const { previousBytes } = header.value;
      if (before.bytes < previousBytes)
        this.#damage(before, before.bytes, `file ends here, ${previousBytes} bytes were written`);
      if (before.bytes > previousBytes) await this.#settle(before, previousBytes);
    }
    return lastIndex;
  }

  async #segment(
    segment: Segment,
    last: boolean,
    input: ReplayInput,
    progress: (bytes: number) => void,
  ): Promise<void> {
    const reader = new SegmentReader(this.#folder, segment.name, segment.number, segment.bytes);
    const items = reader.items(({ region, sequence, rows }) => {
      const from = input.needed(region);
      return from !== undefined && sequence + BigInt(rows) > from;
    });
    for (;;) {
      const next = await this.#reading(segment, items.next());
      if (next.done) break;
      const item = next.value;
      if (item.type === "record") {
        const { kind, region, sequence, rows } = item.header;
        segment.cover(item.header);
        this.#records++;
        this.#bytes += item.end - item.offset;
        if (item.payload === undefined) this.#skipped++;
        else await input.visit({ kind, region, sequence, rows, payload: item.payload });
      } else if (item.type === "bad_tail" && last) {
        this.#tornBytes += item.end - item.offset;
        this.#log.info(
          {
            segment: segment.name,
            offset: item.offset,
            bytes: item.end - item.offset,
            why: item.why,
          },
          "cut the torn tail of the log: it was never acknowledged",
        );
        segment.bytes = item.offset;
      } else {
        this.#damage(segment, item.offset, item.why);
        await this.#copyAside(segment, item.offset, item.end);
      }
      progress(item.end);
    }
    // A killed process may have left records that are written but not synced. They are served from here on, so they must stay.
    if (last) await this.#settle(segment, segment.bytes);
  }

  #damage(segment: Segment, offset: number, why: string): void {
    this.#damages.push({ segment: segment.name, offset, why });
    this.#metrics.damaged();
    this.#log.error(
      { segment: segment.name, offset, why },
      "damage in the log: rows are lost; the stretch is kept aside and the rest is served",
    );
  }

  /** Cuts the file to its good bytes and syncs it. If the disk refuses, the next segment's header will say where it ends. */
  async #settle(segment: Segment, bytes: number): Promise<void> {
    segment.bytes = bytes;
    try {
      const file = await this.#folder.open(segment.name);
      try {
        if (file.size > bytes) await file.truncate(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      segment.overlong = true;
      this.#metrics.failed("cut");
      this.#log.warn(
        { segment: segment.name, bytes, error: messageOf(error) },
        "cannot cut and sync the log",
      );
    }
  }

  /** A former start may have made the same copy: then it stays as it is. */
  async #copyAside(segment: Segment, offset: number, end: number): Promise<void> {
    const name = damagedName(segment.name, offset);
    try {
      const known = (await this.#folder.list()).find((file) => file.name === name);
      if (known?.bytes === end - offset) return;
      const file = await this.#folder.open(name);
      try {
        await file.truncate(0);
        for (let at = offset; at < end; at += COPY_BYTES) {
          const bytes = Math.min(COPY_BYTES, end - at);
          await file.append([await this.#folder.read(segment.name, at, bytes)]);
        }
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      segment.evidence = true;
      this.#log.warn(
        { segment: segment.name, offset, error: messageOf(error) },
        "cannot copy the damaged stretch aside: the segment will be kept",
      );
    }
  }

  async #reading<T>(segment: Segment, step: Promise<T>): Promise<T> {
    try {
      return await step;
    } catch (error) {
      throw new Fatal(
        `cannot read log segment ${segment.name}: ${messageOf(error)}; to start without it, move the file away`,
        { cause: error },
      );
    }
  }
}
