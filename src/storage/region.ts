/**
 * Region: one table's rows, from the write to the scan. It owns the sequence, the memtable generations and the set of live files.
 *
 * Write: admit → number → log → apply → acknowledge; batches are logged and applied in the order of their sequences.
 * Readers hold a version: files and generations that stay readable until they let go. A version is replaced in one step, so a row is
 * never seen twice or not at all while a flush or a compaction installs its result.
 */
import { assert, DbError, Fatal, Mutex } from "../base/mod.ts";
import { openVersionedLog, type VersionedLog } from "../disk/mod.ts";
import { isAppendMode, type RegionBatch, type TableSchema } from "../types/mod.ts";
import type { RecordKind, ReplayedRecord } from "../wal/mod.ts";
import type { Region as RegionApi, RegionStats, Scan, ScanRequest, SstInfo } from "./api.ts";
import type { StorageDeps } from "./deps.ts";
import { onDisk } from "./disk_trouble.ts";
import { FilePins } from "./file_pins.ts";
import { truncation } from "./flush.ts";
import { Gate } from "./gate.ts";
import {
  applyManifest,
  emptyManifest,
  type ManifestAction,
  type ManifestState,
  type SstMeta,
} from "./manifest.ts";
import { checkBatch, Generation } from "./memtable.ts";
import { joinPayload, splitPayload } from "./payload.ts";
import type { Frozen, RegionHost } from "./region_host.ts";
import { adaptBatch, changeSchema, refuseInAppendMode } from "./region_schema.ts";
import { regionFiles, regionStats, scanRegion } from "./region_view.ts";
import { SeriesTable } from "./series.ts";
import { SeriesLog } from "./series_log.ts";

const noRows = new Uint32Array(0);

/** How long a write waits for another request's new tags to reach the catalog. */
const unboundTagsWaitMs = 2_000;

/** A region scanned within this time keeps its rows in DuckDB, ready for the next scan. */
const queriedMs = 10_000;

/** What readers see. Replaced as a whole. */
interface Version {
  readonly files: readonly SstMeta[];
  /** Being flushed, oldest first. */
  readonly frozen: readonly Generation[];
  readonly active: Generation;
}

export class RegionImpl implements RegionApi {
  schema: TableSchema;
  version: Version;
  readonly series: SeriesTable;
  readonly seriesLog: SeriesLog;
  readonly pins: FilePins;
  /** Flush, truncate and schema changes exclude each other. */
  readonly maintenance = new Mutex();
  readonly gate = new Gate();
  #nextSequence: bigint;
  #dropped = false;
  /** Monotonic time of the oldest unflushed row's arrival; undefined when the memtable is empty. */
  dirtySinceMs: number | undefined;
  lastWriteMs = 0;
  /** Monotonic time of the last scan. */
  lastScanMs: number | undefined;

  private constructor(
    readonly deps: StorageDeps,
    readonly host: RegionHost,
    readonly id: bigint,
    /** Folder of the region's objects, ending in "/". */
    readonly folder: string,
    readonly slot: number,
    schema: TableSchema,
    readonly manifest: VersionedLog<ManifestAction, ManifestState>,
  ) {
    this.schema = schema;
    this.series = new SeriesTable(deps.duck, deps.kernel, slot);
    this.seriesLog = new SeriesLog(deps.kernel, slot, schema);
    this.pins = new FilePins(deps.store, deps.log);
    this.#nextSequence = manifest.state.neededSequence;
    this.version = {
      files: Object.values(manifest.state.files),
      frozen: [],
      active: this.#newGeneration(schema),
    };
  }

  static async open(
    deps: StorageDeps,
    host: RegionHost,
    id: bigint,
    folder: string,
    slot: number,
    schema: TableSchema,
    isNew: boolean,
  ): Promise<RegionImpl> {
    const manifest = await openVersionedLog<ManifestAction, ManifestState>(
      deps.store,
      `${folder}manifest/`,
      {
        empty: emptyManifest,
        apply: applyManifest,
        log: deps.log,
      },
    );
    // A region has a manifest from its first day: without one its files would look like orphans, and be removed.
    if (manifest.version === 0 && isNew)
      await manifest.commit([{ kind: "edit", add: [], remove: [] }]);
    else if (manifest.version === 0)
      throw new Fatal(
        `the manifest of region ${id} is gone: ${folder}manifest/ has no version. Its files were left as they are`,
      );
    const region = new RegionImpl(deps, host, id, folder, slot, schema, manifest);
    await region.#load();
    return region;
  }

  /** Restores the dictionary, and the last times as far as the files tell. */
  async #load(): Promise<void> {
    await this.seriesLog.load(this.deps.store, this.manifest.state.series);
    let newest: bigint | undefined;
    for (const file of this.version.files)
      if (newest === undefined || file.maxTime > newest) newest = file.maxTime;
    if (newest !== undefined)
      this.deps.kernel.raiseLastTimes(this.slot, this.seriesLog.logged, newest);
  }

  async write(batch: RegionBatch): Promise<void> {
    if (batch.rows === 0) return;
    const schema = this.schema;
    checkBatch(schema, batch);
    const bytes = batch.rows * (12 + 8 * batch.fields.length);
    const waiting = this.host.admit(this, bytes);
    if (waiting !== undefined) await waiting;
    await this.#logged("rows", batch, schema, (batch, sequence) => {
      const late = isAppendMode(this.schema)
        ? noRows
        : this.deps.kernel.splitLate(this.slot, batch.sids, batch.times, batch.rows);
      this.version.active.apply(batch, late, sequence);
      this.deps.metrics.rows.inc({ kind: "in_order" }, batch.rows - late.length);
      if (late.length > 0) this.deps.metrics.rows.inc({ kind: "late" }, late.length);
    });
  }

  async delete(sids: Uint32Array, times: BigInt64Array): Promise<void> {
    if (sids.length === 0) return;
    refuseInAppendMode(this.schema);
    const waiting = this.host.admit(this, sids.length * 40);
    if (waiting !== undefined) await waiting;
    const batch: RegionBatch = { rows: sids.length, sids, times, fields: [] };
    await this.#logged("delete", batch, this.schema, (batch, sequence) => {
      this.#applyDeletes(batch, sequence);
      this.deps.metrics.rows.inc({ kind: "delete" }, sids.length);
    });
  }

  #applyDeletes(batch: RegionBatch, sequence: bigint): void {
    // A later row at a deleted (series, time) must count as late, or the tombstone would hide it.
    this.deps.kernel.splitLate(this.slot, batch.sids, batch.times, batch.rows);
    this.version.active.applyDeletes(
      batch.sids.subarray(0, batch.rows),
      batch.times.subarray(0, batch.rows),
      sequence,
    );
  }

  /** Numbers, logs and applies one batch that was checked against `schema`. */
  async #logged(
    kind: RecordKind,
    given: RegionBatch,
    schema: TableSchema,
    apply: (batch: RegionBatch, sequence: bigint) => void,
  ): Promise<void> {
    await this.#enterWithTags();
    while (this.seriesLog.incomplete) {
      this.gate.leave();
      await this.#enterWithTags();
    }
    try {
      this.checkAlive();
      // The schema may have changed while this write waited.
      const batch = this.schema === schema ? given : adaptBatch(this.schema, given);
      const kernel = this.deps.kernel;
      const series = this.seriesLog.take();
      const sequence = this.#nextSequence;
      this.#nextSequence += BigInt(batch.rows);
      const startMs = this.deps.clock.monotonicMs();
      try {
        await this.deps.wal.append({
          region: this.id,
          kind,
          sequence,
          rows: batch.rows,
          payload: joinPayload(series.block, kernel.encodeBatch(batch)),
        });
      } catch (cause) {
        // The series of this record never reached the log: the next record carries them again.
        this.seriesLog.giveBack(series.from);
        throw cause;
      }
      const loggedMs = this.deps.clock.monotonicMs();
      apply(batch, sequence);
      const doneMs = this.deps.clock.monotonicMs();
      this.deps.metrics.walSeconds.observe((loggedMs - startMs) / 1000);
      this.deps.metrics.applySeconds.observe((doneMs - loggedMs) / 1000);
      this.lastWriteMs = doneMs;
      this.dirtySinceMs ??= doneMs;
    } finally {
      this.gate.leave();
    }
    this.host.applied(this);
  }

  /**
   * Passes the gate, at once unless something exclusive runs. Another request may have given series to the kernel whose new tags the
   * catalog does not have yet. They must not be logged without those tags, so this write waits, outside the gate, for that request's
   * schema change. The caller must check `seriesLog.incomplete` again after awaiting this: requests are parsed in between.
   */
  async #enterWithTags(): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += 2) {
      const entering = this.gate.enter();
      if (entering !== undefined) await entering;
      if (!this.seriesLog.incomplete) return;
      this.gate.leave();
      if (waitedMs >= unboundTagsWaitMs)
        throw new DbError("region_busy", `region ${this.id} waits for a schema change`, {
          retryAfterSec: 1,
        });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  checkAlive(): void {
    if (this.#dropped) throw new DbError("table_not_found", `region ${this.id} was dropped`);
  }

  /** Applies a record of the log at start. Throws when the record cannot be understood. */
  replay(record: ReplayedRecord): void {
    const { neededSequence } = this.manifest.state;
    assert(record.sequence >= neededSequence, "only needed records are replayed");
    const { series, batch: bytes } = splitPayload(record.payload);
    const kernel = this.deps.kernel;
    const before = this.seriesLog.read(series);
    const batch = adaptBatch(this.schema, kernel.decodeBatch(bytes));
    const lost = before + this.seriesLog.fill(batch);
    if (lost > 0)
      this.deps.log.error(
        { region: String(this.id), series: lost },
        "series were lost with a damaged log record; their rows are kept as 'lost series N'",
      );
    const end = record.sequence + BigInt(record.rows);
    if (end > this.#nextSequence) this.#nextSequence = end;
    if (record.kind === "delete") this.#applyDeletes(batch, record.sequence);
    else {
      const late = isAppendMode(this.schema)
        ? noRows
        : kernel.splitLate(this.slot, batch.sids, batch.times, batch.rows);
      this.version.active.apply(batch, late, record.sequence);
    }
    this.dirtySinceMs ??= this.deps.clock.monotonicMs();
  }

  setSchema(schema: TableSchema, commit?: () => Promise<void>): Promise<void> {
    return changeSchema(this, schema, commit);
  }

  /** Writes and reads go by `schema` from here on; rows so far stay in a generation of their own. Only inside the gate. */
  swapSchema(schema: TableSchema): void {
    this.schema = schema;
    this.seriesLog.bind(schema);
    const { active, frozen } = this.version;
    const next = this.#newGeneration(schema);
    this.version =
      active.rows === 0
        ? { ...this.version, active: next }
        : { ...this.version, frozen: [...frozen, active], active: next };
  }

  /** Moves the active generation to the frozen ones, once the writes under way have been applied. */
  freeze(): Promise<Frozen> {
    return this.gate.exclusive(async () => this.freezeNow());
  }

  /** The same, for a caller that has the gate to itself. */
  freezeNow(): Frozen {
    const { active, frozen } = this.version;
    if (active.rows > 0)
      this.version = {
        ...this.version,
        frozen: [...frozen, active],
        active: this.#newGeneration(this.schema),
      };
    this.dirtySinceMs = undefined;
    return {
      generations: this.version.frozen,
      neededSequence: this.#nextSequence,
      series: this.seriesLog.logged,
    };
  }

  /** Replaces files and drops flushed generations, in one step for readers. The manifest must have the edit already. */
  async install(edit: {
    readonly add: readonly SstMeta[];
    readonly remove: readonly string[];
    readonly flushed: readonly Generation[];
  }): Promise<void> {
    const removed = new Set(edit.remove);
    const obsolete = this.version.files.filter((f) => removed.has(f.id));
    this.host.checks.trust(edit.add);
    this.version = {
      ...this.version,
      files: [...this.version.files.filter((f) => !removed.has(f.id)), ...edit.add],
      frozen: this.version.frozen.filter((g) => !edit.flushed.includes(g)),
    };
    for (const generation of edit.flushed) await generation.retire();
    await this.pins.retire(obsolete);
  }

  async truncate(): Promise<void> {
    await this.maintenance.run(() =>
      this.gate.exclusive(async () => {
        this.checkAlive();
        await onDisk("truncate", async () => this.manifest.commit(await truncation(this)));
        const { files, frozen, active } = this.version;
        this.version = {
          files: [],
          frozen: [],
          active: this.#newGeneration(this.schema),
        };
        this.deps.kernel.clearLastTimes(this.slot);
        this.dirtySinceMs = undefined;
        for (const generation of [...frozen, active]) await generation.retire();
        await this.pins.retire(files);
      }),
    );
  }

  /** The table is gone: refuses writes, lets readers finish, removes everything. */
  async drop(): Promise<void> {
    await this.maintenance.run(() =>
      this.gate.exclusive(async () => {
        this.#dropped = true;
        const { files, frozen, active } = this.version;
        this.version = {
          files: [],
          frozen: [],
          active: this.#newGeneration(this.schema),
        };
        for (const generation of [...frozen, active]) await generation.retire();
        await this.pins.retire(files);
      }),
    );
    // Outside: a compaction is a reader too, and asks for the maintenance before it leaves.
    await this.pins.idle();
    await this.series.drop();
    await this.deps.store.deletePrefix(this.folder);
    this.deps.kernel.closeSlot(this.slot);
  }

  get dropped(): boolean {
    return this.#dropped;
  }

  flush(reason: string): Promise<void> {
    return this.host.flush(this, reason);
  }

  compact(
    options: { readonly strictWindow?: boolean; readonly windowSec?: number } = {},
  ): Promise<void> {
    return this.host.compact(this, options);
  }

  scan(request: ScanRequest): Promise<Scan> {
    return scanRegion(this, request);
  }

  #newGeneration(schema: TableSchema): Generation {
    const { clock } = this.deps;
    const queried = () =>
      this.lastScanMs !== undefined && clock.monotonicMs() - this.lastScanMs < queriedMs;
    return new Generation(this.deps.duck, schema, queried);
  }

  get nextSequence(): bigint {
    return this.#nextSequence;
  }

  get memtableBytes(): number {
    return this.version.frozen.reduce((sum, g) => sum + g.bytes, this.version.active.bytes);
  }

  stats(): RegionStats {
    return regionStats(this);
  }

  files(): SstInfo[] {
    return regionFiles(this);
  }
}
