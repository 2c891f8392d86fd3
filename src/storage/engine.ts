/**
 * The region engine: opens and recovers regions, decides when to flush and compact, and holds writers back when memory runs short.
 * One flush and one compaction run at a time; both are asked for here and nowhere else.
 */
import { DbError, Mutex, messageOf } from "../base/mod.ts";
import { regionId, type TableSchema } from "../types/mod.ts";
import type { ReplayedRecord } from "../wal/mod.ts";
import type { Region, StorageEngine } from "./api.ts";
import { runCompaction } from "./compaction.ts";
import { pickCompaction } from "./compaction_pick.ts";
import type { StorageDeps } from "./deps.ts";
import { asStorageError, isStorageTrouble } from "./disk_trouble.ts";
import { FileChecks } from "./file_checks.ts";
import { flushRegion } from "./flush.ts";
import { sweepOrphans } from "./orphans.ts";
import { RegionImpl } from "./region.ts";
import type { RegionHost } from "./region_host.ts";
import { expiredBefore } from "./region_view.ts";
import { bindSlot } from "./slot.ts";
import { windowOf } from "./window.ts";

/** After a failed flush the next automatic one waits so long: a full disk is asked now and then, not all the time. */
const retryMs = 2_000;

/** A region is compacted by itself only when no write came for so long, or its files pile up. */
const quietMs = 5_000;

type Db = { readonly handle: number; readonly name: string };

class Engine implements StorageEngine, RegionHost {
  readonly #regions = new Map<bigint, RegionImpl>();
  readonly #flushing = new Mutex();
  readonly #compacting = new Mutex();
  readonly #freed: (() => void)[] = [];
  readonly #flushAsked = new Set<bigint>();
  #timer: NodeJS.Timeout | undefined;
  #closing = false;
  #diskTrouble: { readonly error: unknown; readonly atMs: number } | undefined;

  readonly checks: FileChecks;

  constructor(readonly deps: StorageDeps) {
    this.checks = new FileChecks(deps.store, deps.log, deps.metrics.damagedFiles);
  }

  createRegion(db: Db, table: string, schema: TableSchema, regionNumber: number): Promise<Region> {
    return this.#open(db, table, schema, regionNumber, true);
  }

  openRegion(db: Db, table: string, schema: TableSchema, regionNumber: number): Promise<Region> {
    return this.#open(db, table, schema, regionNumber, false);
  }

  async #open(
    db: Db,
    table: string,
    schema: TableSchema,
    regionNumber: number,
    isNew: boolean,
  ): Promise<Region> {
    const id = regionId(schema.tableId, regionNumber);
    const known = this.#regions.get(id);
    if (known !== undefined) return known;
    const slot = bindSlot(this.deps.kernel, db.handle, table, schema);
    const number = String(regionNumber).padStart(10, "0");
    const folder = `data/greptime/${db.name}/${schema.tableId}/${schema.tableId}_${number}/`;
    const region = await RegionImpl.open(this.deps, this, id, folder, slot, schema, isNew);
    this.#regions.set(id, region);
    return region;
  }

  async recover(progress?: (doneBytes: number, totalBytes: number) => void): Promise<void> {
    const { wal, log, clock } = this.deps;
    const startMs = clock.monotonicMs();
    await sweepOrphans(this.deps.store, [...this.#regions.values()], log);
    let unreadable = 0;
    const needed = (id: bigint) => this.#regions.get(id)?.manifest.state.neededSequence;
    const visit = async (record: ReplayedRecord): Promise<void> => {
      const region = this.#regions.get(record.region);
      if (region === undefined) return;
      try {
        region.replay(record);
      } catch (error) {
        // Its checksum is right, so it was written so: skip it loudly rather than refuse every start from now on.
        unreadable++;
        log.error(
          { error, region: String(record.region), sequence: String(record.sequence) },
          "a WAL record cannot be replayed; skipped",
        );
      }
      if (this.#memtableBytes() > this.deps.limits.writeBufferBytes) await this.#flushReplayed();
    };
    const report = await wal.replay(needed, visit, progress);
    log.info(
      {
        ...report,
        damages: report.damages.length,
        unreadable,
        ms: Math.round(clock.monotonicMs() - startMs),
      },
      "write-ahead log replayed",
    );
    await this.#trim();
    this.#timer = setInterval(() => this.#tick(), this.deps.limits.tickMs);
    this.#timer.unref();
  }

  async dropRegion(id: bigint): Promise<void> {
    const region = this.#regions.get(id);
    if (region === undefined) return;
    this.#regions.delete(id);
    // Readers may take their time; the caller need not wait for the files to go.
    region.drop().then(
      () => this.#wake(),
      (error) =>
        this.deps.log.error(
          { error, region: String(id) },
          "removing a dropped region failed; the next start removes it",
        ),
    );
  }

  region(id: bigint): Region | undefined {
    return this.#regions.get(id);
  }

  regions(): Iterable<Region> {
    return this.#regions.values();
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#timer);
    for (const region of this.#regions.values()) {
      if (region.memtableBytes === 0) continue;
      await this.flush(region, "Closing").catch((error) =>
        this.deps.log.error(
          { error, region: String(region.id) },
          "the last flush failed; the log still holds the rows",
        ),
      );
    }
    await this.#flushing.run(() => undefined);
    await this.#compacting.run(() => undefined);
    await this.deps.wal.close();
  }

  /** Room for a write, or a promise of it. Throws when there will be none. */
  admit(region: RegionImpl, bytes: number): Promise<void> | undefined {
    if (this.#closing)
      throw new DbError("suspended", "the server is stopping", { retryAfterSec: 5 });
    if (this.#memtableBytes() + bytes <= this.deps.limits.writeBufferBytes) return undefined;
    return this.#stall(region, bytes);
  }

  async #stall(region: RegionImpl, bytes: number): Promise<void> {
    const { limits, metrics, clock } = this.deps;
    metrics.stalls.inc();
    const sinceMs = clock.monotonicMs();
    const untilMs = sinceMs + limits.stallMs;
    while (this.#memtableBytes() + bytes > limits.writeBufferBytes) {
      this.#refuseOnDiskTrouble(sinceMs);
      if (this.#memtableBytes() > 2 * limits.writeBufferBytes || clock.monotonicMs() > untilMs) {
        this.#refuseOnDiskTrouble(Number.NEGATIVE_INFINITY);
        metrics.rejects.inc();
        const full = `write buffer is full (${this.#memtableBytes()} bytes), rejecting writes of region ${region.id}`;
        throw new DbError("rate_limited", full, { retryAfterSec: 1 });
      }
      this.#askForRoom();
      await this.#waitForRoom(50);
    }
  }

  /**
   * While the disk refuses flushes, a full memory means that writes must stop; reads go on. A refusal from before the write came says
   * nothing about the disk of now: the write waits for the next try.
   */
  #refuseOnDiskTrouble(sinceMs: number): void {
    if (this.#diskTrouble === undefined || this.#diskTrouble.atMs < sinceMs) return;
    this.deps.metrics.rejects.inc();
    const cause = this.#diskTrouble.error;
    const refused = `the disk refuses to flush: ${messageOf(cause)}`;
    throw new DbError("storage_unavailable", refused, { cause, retryAfterSec: 5 });
  }

  #waitForRoom(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#freed.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #wake(): void {
    for (const wake of this.#freed.splice(0)) wake();
  }

  applied(region: RegionImpl): void {
    const { limits } = this.deps;
    if (region.version.active.bytes >= limits.regionFlushBytes) this.#ask(region, "RegionFull");
    else if (this.#memtableBytes() > limits.writeBufferBytes / 2 && this.#flushAsked.size === 0)
      this.#askForRoom();
  }

  #askForRoom(): void {
    const largest = this.#largest();
    if (largest !== undefined) this.#ask(largest, "EngineFull");
  }

  /** Starts a flush in the background unless one is asked for already or the disk was in trouble just now. */
  #ask(region: RegionImpl, reason: string): void {
    if (this.#flushAsked.has(region.id) || this.#closing) return;
    const trouble = this.#diskTrouble;
    if (trouble !== undefined && this.deps.clock.monotonicMs() - trouble.atMs < retryMs) return;
    this.#flushAsked.add(region.id);
    this.flush(region, reason)
      .catch((error) =>
        this.deps.log.error(
          { error: messageOf(error), region: String(region.id), reason },
          "flush failed",
        ),
      )
      .finally(() => this.#flushAsked.delete(region.id));
  }

  flush(region: RegionImpl, reason: string): Promise<void> {
    return this.#flushing.run(() => this.#flushNow(region, reason));
  }

  async #flushNow(region: RegionImpl, reason: string): Promise<void> {
    const { metrics, clock, log } = this.deps;
    if (region.dropped) return;
    const startMs = clock.monotonicMs();
    const rows = region.stats().memtableRows;
    metrics.flushes.inc({ reason });
    try {
      const bytes = await region.maintenance.run(() => flushRegion(region));
      const ms = clock.monotonicMs() - startMs;
      metrics.flushSeconds.observe(ms / 1000);
      metrics.flushBytes.inc(bytes);
      this.#diskTrouble = undefined;
      log.debug({ region: String(region.id), reason, rows, bytes, ms: Math.round(ms) }, "flushed");
    } catch (error) {
      metrics.flushFailures.inc();
      if (isStorageTrouble(error)) this.#diskTrouble = { error, atMs: clock.monotonicMs() };
      if (region.memtableBytes > 0) region.dirtySinceMs ??= startMs;
      throw asStorageError(error, "flush");
    } finally {
      this.#wake();
    }
    await this.#trim();
  }

  /** Keeps the memory of a replay bounded. On a full disk it goes on: the rows fitted into memory before, too. */
  async #flushReplayed(): Promise<void> {
    const { clock, log } = this.deps;
    const trouble = this.#diskTrouble;
    if (trouble !== undefined && clock.monotonicMs() - trouble.atMs < retryMs) return;
    const largest = this.#largest();
    if (largest === undefined) return;
    try {
      await this.flush(largest, "Replay");
    } catch (error) {
      if (!isStorageTrouble(error)) throw error;
      log.error({ error: messageOf(error) }, "cannot flush while the log is replayed; going on");
    }
  }

  async compact(
    region: RegionImpl,
    _options: { readonly strictWindow?: boolean; readonly windowSec?: number },
  ): Promise<void> {
    await this.#compacting.run(async () => {
      while (await this.#compactOnce(region, true));
    });
  }

  /** Runs the best task of a region; false when there is none. */
  async #compactOnce(region: RegionImpl, full: boolean): Promise<boolean> {
    const { metrics, clock, limits, log } = this.deps;
    if (region.dropped || this.#closing) return false;
    const windowTicks = region.manifest.state.windowTicks || windowOf(region.schema);
    const task = pickCompaction(region.version.files, {
      windowTicks,
      full,
      triggerFiles: limits.compactionTriggerFiles,
      expiredBefore: expiredBefore(region),
    });
    if (task === undefined) return false;
    // It was reported when it was found, and would fail every time.
    const damaged = task.files.some((f) => this.checks.damageOf(f) !== undefined);
    if (damaged && task.kind === "merge" && !full) return false;
    const startMs = clock.monotonicMs();
    metrics.compactions.inc();
    try {
      const bytes = await runCompaction(region, task, windowTicks);
      const ms = clock.monotonicMs() - startMs;
      metrics.compactionSeconds.observe(ms / 1000);
      log.debug(
        {
          region: String(region.id),
          kind: task.kind,
          files: task.files.length,
          bytes,
          ms: Math.round(ms),
        },
        "compacted",
      );
      return true;
    } catch (error) {
      metrics.compactionFailures.inc();
      throw asStorageError(error, "compact");
    }
  }

  /** Background work, once a tick: flush by age and by log size, compact what is due. */
  #tick(): void {
    const { limits, clock, wal, metrics } = this.deps;
    const nowMs = clock.monotonicMs();
    metrics.writeBuffer.set(this.#memtableBytes());
    this.deps.budget.set("memtable", this.#memtableBytes());
    for (const region of this.#regions.values())
      if (region.dirtySinceMs !== undefined && nowMs - region.dirtySinceMs > limits.autoFlushMs)
        this.#ask(region, "Periodically");
    if (wal.bytes > limits.walBytesMax)
      for (const id of wal.oldestRegions()) {
        const region = this.#regions.get(id);
        if (region !== undefined) this.#ask(region, "WalFull");
      }
    if (this.#compacting.size > 0) return;
    this.#compactInBackground(nowMs);
    this.#compacting
      .run(() => this.checks.sweep(this.#closing ? [] : [...this.#regions.values()]))
      .catch((error) => this.deps.log.warn({ error: messageOf(error) }, "checking files failed"));
  }

  #compactInBackground(nowMs: number): void {
    if (this.#diskTrouble !== undefined && nowMs - this.#diskTrouble.atMs < retryMs) return;
    this.#compacting
      .run(async () => {
        for (const region of [...this.#regions.values()]) {
          // While rows stream in, flushes need the cores more than compaction does; past four times the trigger it is due anyway.
          const busy = nowMs - region.lastWriteMs < quietMs;
          if (busy && region.version.files.length < 4 * this.deps.limits.compactionTriggerFiles)
            continue;
          if (region.version.files.length > 0) await this.#compactQuietly(region);
        }
      })
      .catch((error) => this.deps.log.error({ error: messageOf(error) }, "compaction failed"));
  }

  /** One region's trouble, a damaged file for instance, must not keep the others from being compacted. */
  async #compactQuietly(region: RegionImpl): Promise<void> {
    try {
      await this.#compactOnce(region, false);
    } catch (error) {
      this.deps.log.error(
        { error: messageOf(error), region: String(region.id) },
        "compaction failed",
      );
    }
  }

  async #trim(): Promise<void> {
    try {
      await this.deps.wal.trim((id) => this.#regions.get(id)?.manifest.state.neededSequence);
    } catch (error) {
      this.deps.log.warn(
        { error: messageOf(error) },
        "the log could not be trimmed; tried again after the next flush",
      );
    }
  }

  #memtableBytes(): number {
    let bytes = 0;
    for (const region of this.#regions.values()) bytes += region.memtableBytes;
    return bytes;
  }

  #largest(): RegionImpl | undefined {
    let largest: RegionImpl | undefined;
    for (const region of this.#regions.values())
      if (region.memtableBytes > (largest?.memtableBytes ?? 0)) largest = region;
    return largest;
  }
}

/** Opens an engine without regions. Next: openRegion for each region of the catalog, then recover. */
export function openStorage(deps: StorageDeps): StorageEngine {
  return new Engine(deps);
}
