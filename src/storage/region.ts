/**
 * Region: one table's rows, from the write to the scan. It owns the sequence, the memtable generations and the set of live files.
 *
 * Write: admit → number → log → apply → acknowledge; batches are logged and applied in the order of their sequences.
 * Readers hold a version: files and generations that stay readable until they let go. A version is replaced in one step, so a row is
 * never seen twice or not at all while a flush or a compaction installs its result.
 */
import { assert, DbError, Mutex } from "../base/mod.ts";
import { openVersionedLog, type VersionedLog } from "../disk/mod.ts";
import {
  columnById,
  fieldColumns,
  isAppendMode,
  mergeMode,
  type RegionBatch,
  sameType,
  type TableSchema,
  tagColumns,
  timeColumn,
  typeName,
  UNIT_NANOS,
} from "../types/mod.ts";
import type { RecordKind, ReplayedRecord } from "../wal/mod.ts";
import type { Region as RegionApi, RegionStats, Scan, ScanRequest, SstInfo } from "./api.ts";
import type { StorageDeps } from "./deps.ts";
import { FilePins } from "./file_pins.ts";
import { flushRegion } from "./flush.ts";
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
import { buildRelation } from "./relation.ts";
import { SeriesTable } from "./series.ts";
import type { SelectNeeds } from "./source.ts";
import { sstSources } from "./sst.ts";

const noRows = new Uint32Array(0);
const noBytes = new Uint8Array(0);

/** How long a write waits for another request's new tags to reach the catalog. */
const unboundTagsWaitMs = 2_000;

/** How often turning on append mode tries to find no late part. */
const schemaTriesMax = 5;

/** What a flush writes. */
export interface Frozen {
  readonly generations: readonly Generation[];
  /** Everything below it is in the generations or in files. */
  readonly neededSequence: bigint;
  /** Series known at the freeze. */
  readonly series: number;
}

/** What readers see. Replaced as a whole. */
interface Version {
  readonly files: readonly SstMeta[];
  /** Being flushed, oldest first. */
  readonly frozen: readonly Generation[];
  readonly active: Generation;
}

/** Asks the engine for room before a write, and tells it what happened after. */
export interface RegionHost {
  admit(region: RegionImpl, bytes: number): Promise<void> | undefined;
  applied(region: RegionImpl): void;
  /** Runs a flush of this region (serialized with others). */
  flush(region: RegionImpl, reason: string): Promise<void>;
  compact(
    region: RegionImpl,
    options: { readonly strictWindow?: boolean; readonly windowSec?: number },
  ): Promise<void>;
}

export class RegionImpl implements RegionApi {
  schema: TableSchema;
  version: Version;
  readonly series: SeriesTable;
  readonly pins: FilePins;
  /** Flush, truncate and schema changes exclude each other. */
  readonly maintenance = new Mutex();
  readonly compacting = new Mutex();
  readonly #gate = new Gate();
  #nextSequence: bigint;
  /** Series below this are in the log or in a series file. */
  #loggedSeries = 0;
  #dropped = false;
  /** Monotonic time of the oldest unflushed row's arrival; undefined when the memtable is empty. */
  dirtySinceMs: number | undefined;
  lastWriteMs = 0;
  #tagsOfSchema: ReadonlyMap<string, number> = new Map();

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
    this.pins = new FilePins(deps.store, deps.log);
    this.#nextSequence = manifest.state.neededSequence;
    this.version = {
      files: Object.values(manifest.state.files),
      frozen: [],
      active: new Generation(deps.duck, schema),
    };
    this.#bindSchema(schema);
  }

  static async open(
    deps: StorageDeps,
    host: RegionHost,
    id: bigint,
    folder: string,
    slot: number,
    schema: TableSchema,
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
    const region = new RegionImpl(deps, host, id, folder, slot, schema, manifest);
    await region.#loadSeries();
    return region;
  }

  /** Restores the dictionary from the series files, and the last times as far as the files tell. */
  async #loadSeries(): Promise<void> {
    const indexOf = (id: number) => this.#tagIndexOf(id);
    for (const file of this.manifest.state.series) {
      const bytes = await this.deps.store.get(file.name);
      this.deps.kernel.decodeSeries(this.slot, bytes, indexOf);
    }
    // Not the kernel's count: the line parser gave it the first series of a new table before this region existed.
    this.#loggedSeries = this.manifest.state.series.at(-1)?.to ?? 0;
    let newest: bigint | undefined;
    for (const file of this.version.files)
      if (newest === undefined || file.maxTime > newest) newest = file.maxTime;
    if (newest !== undefined)
      this.deps.kernel.raiseLastTimes(this.slot, this.#loggedSeries, newest);
  }

  /** Kernel tag index of a column id, undefined when the schema has no such tag. */
  #tagIndexOf(id: number): number | undefined {
    const column = columnById(this.schema, id);
    return column?.role === "tag" ? this.deps.kernel.bindTag(this.slot, column.name) : undefined;
  }

  #bindSchema(schema: TableSchema): void {
    this.#tagsOfSchema = new Map(tagColumns(schema).map((c) => [c.name, c.id]));
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
    if (isAppendMode(this.schema))
      throw new DbError(
        "invalid_arguments",
        "Invalid request to region, reason: DELETE is not allowed under append mode",
      );
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
    while (this.#hasUnboundTags()) {
      this.#gate.leave();
      await this.#enterWithTags();
    }
    try {
      this.#checkAlive();
      // The schema may have changed while this write waited.
      const batch = this.schema === schema ? given : this.#adapt(given);
      const kernel = this.deps.kernel;
      const known = kernel.seriesCount(this.slot);
      const firstSeries = this.#loggedSeries;
      const series =
        known > firstSeries
          ? kernel.encodeSeries(this.slot, firstSeries, known, this.columnIds())
          : noBytes;
      const sequence = this.#nextSequence;
      this.#nextSequence += BigInt(batch.rows);
      this.#loggedSeries = known;
      const startMs = this.deps.clock.monotonicMs();
      try {
        await this.deps.wal.append({
          region: this.id,
          kind,
          sequence,
          rows: batch.rows,
          payload: joinPayload(series, kernel.encodeBatch(batch)),
        });
      } catch (cause) {
        // The series of this record never reached the log: the next record carries them again.
        if (firstSeries < this.#loggedSeries) this.#loggedSeries = firstSeries;
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
      this.#gate.leave();
    }
    this.host.applied(this);
  }

  /**
   * Passes the gate, at once unless something exclusive runs. Another request may have given series to the kernel whose new tags the
   * catalog does not have yet. They must not be logged without those tags, so this write waits, outside the gate, for that request's
   * schema change. The caller must check `#hasUnboundTags` again after awaiting this: requests are parsed in between.
   */
  async #enterWithTags(): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += 2) {
      const entering = this.#gate.enter();
      if (entering !== undefined) await entering;
      if (!this.#hasUnboundTags()) return;
      this.#gate.leave();
      if (waitedMs >= unboundTagsWaitMs)
        throw new DbError("region_busy", `region ${this.id} waits for a schema change`, {
          retryAfterSec: 1,
        });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  #hasUnboundTags(): boolean {
    const kernel = this.deps.kernel;
    if (kernel.seriesCount(this.slot) === this.#loggedSeries) return false;
    // An empty name is a tag that the kernel has forgotten: its series can never be written.
    return kernel
      .slotInfo(this.slot)
      .tags.some((name) => name !== "" && !this.#tagsOfSchema.has(name));
  }

  /** Column id of each kernel tag index; a tag without a column is marked as none of the table's. */
  columnIds(): Uint32Array {
    return Uint32Array.from(
      this.deps.kernel.slotInfo(this.slot).tags,
      (name) => this.#tagsOfSchema.get(name) ?? 0xffff_ffff,
    );
  }

  #checkAlive(): void {
    if (this.#dropped) throw new DbError("table_not_found", `region ${this.id} was dropped`);
  }

  /** Applies a record of the log at start. Throws when the record cannot be understood. */
  replay(record: ReplayedRecord): void {
    assert(
      record.sequence >= this.manifest.state.neededSequence,
      "only needed records are replayed",
    );
    const { series, batch: bytes } = splitPayload(record.payload);
    const kernel = this.deps.kernel;
    if (series.byteLength > 0) kernel.decodeSeries(this.slot, series, (id) => this.#tagIndexOf(id));
    this.#loggedSeries = kernel.seriesCount(this.slot);
    const batch = this.#adapt(kernel.decodeBatch(bytes));
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

  /** A batch in the present schema: columns dropped meanwhile are left out. Throws region_busy when a column's type was changed. */
  #adapt(batch: RegionBatch): RegionBatch {
    const fields = batch.fields.filter(({ id, column }) => {
      const known = columnById(this.schema, id);
      if (known !== undefined && !sameType(known.type, column.type))
        throw new DbError(
          "region_busy",
          `column ${known.name} became ${typeName(known.type)} meanwhile`,
          { retryAfterSec: 1 },
        );
      return known !== undefined;
    });
    return fields.length === batch.fields.length ? batch : { ...batch, fields };
  }

  async setSchema(schema: TableSchema): Promise<void> {
    const typesChanged = fieldColumns(this.schema).some((c) => {
      const next = columnById(schema, c.id);
      return next !== undefined && !sameType(next.type, c.type);
    });
    const appendTurnedOn = isAppendMode(schema) && !isAppendMode(this.schema);
    if (typesChanged || appendTurnedOn) await this.#setSchemaFlushed(schema, appendTurnedOn);
    else await this.#gate.exclusive(async () => this.#swapSchema(schema));
  }

  /**
   * What the log holds is read back by the schema of now, and what late parts hold is merged by its rule: a changed type must find
   * nothing in the log, append mode no late part. Writers wait for the last of the flush, which finds little after the first.
   */
  async #setSchemaFlushed(schema: TableSchema, foldLate: boolean): Promise<void> {
    for (let tries = 0; tries < schemaTriesMax; tries++) {
      await this.host.flush(this, "Alter");
      if (foldLate) await this.host.compact(this, {});
      const done = await this.maintenance.run(() =>
        this.#gate.exclusive(async () => {
          await flushRegion(this, this.#freezeNow());
          if (foldLate && this.version.files.some((f) => f.late)) return false;
          this.#swapSchema(schema);
          return true;
        }),
      );
      if (done) return;
    }
    throw new DbError(
      "region_busy",
      `region ${this.id} is too busy with late rows to turn on append_mode`,
      { retryAfterSec: 5 },
    );
  }

  #swapSchema(schema: TableSchema): void {
    this.schema = schema;
    this.#bindSchema(schema);
    const { active, frozen } = this.version;
    const next = new Generation(this.deps.duck, schema);
    this.version =
      active.rows === 0
        ? { ...this.version, active: next }
        : { ...this.version, frozen: [...frozen, active], active: next };
  }

  /** Moves the active generation to the frozen ones, once the writes under way have been applied. */
  freeze(): Promise<Frozen> {
    return this.#gate.exclusive(async () => this.#freezeNow());
  }

  #freezeNow(): Frozen {
    const { active, frozen } = this.version;
    if (active.rows > 0)
      this.version = {
        ...this.version,
        frozen: [...frozen, active],
        active: new Generation(this.deps.duck, this.schema),
      };
    this.dirtySinceMs = undefined;
    return {
      generations: this.version.frozen,
      neededSequence: this.#nextSequence,
      series: this.deps.kernel.seriesCount(this.slot),
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
      this.#gate.exclusive(async () => {
        this.#checkAlive();
        await this.manifest.commit([{ kind: "truncate", neededSequence: this.#nextSequence }]);
        const { files, frozen, active } = this.version;
        this.version = {
          files: [],
          frozen: [],
          active: new Generation(this.deps.duck, this.schema),
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
      this.#gate.exclusive(async () => {
        this.#dropped = true;
        const { files, frozen, active } = this.version;
        this.version = {
          files: [],
          frozen: [],
          active: new Generation(this.deps.duck, this.schema),
        };
        for (const generation of [...frozen, active]) await generation.retire();
        await this.pins.retire(files);
        await this.pins.idle();
        await this.series.drop();
        await this.deps.store.deletePrefix(this.folder);
        this.deps.kernel.closeSlot(this.slot);
      }),
    );
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

  async scan(request: ScanRequest): Promise<Scan> {
    await this.series.sync(this.schema, this.#loggedSeries);
    for (const generation of [...this.version.frozen, this.version.active])
      await generation.ready();
    // From here to the pins nothing is awaited: the snapshot is one moment.
    this.#checkAlive();
    const { files, frozen, active } = this.version;
    const schema = this.schema;
    for (const generation of [...frozen, active]) generation.sync();
    const timeMin = later(request.timeMin, this.expiredBefore(schema));
    const needs: SelectNeeds = {
      schema,
      columns: request.columns,
      timeMin,
      timeMax: request.timeMax,
      tagIn: request.tagIn ?? [],
      seriesTable: this.series.name,
      seriesEscaped: this.series.escaped,
    };
    const { sources: fileSources, pruned } = sstSources(
      this.deps.store,
      files,
      timeMin,
      request.timeMax,
    );
    const sources = [...fileSources, ...[...frozen, active].flatMap((g) => g.sources())];
    const relation = buildRelation(sources, needs, mergeMode(schema));
    const generations = [...frozen, active];
    for (const generation of generations) generation.pin();
    this.pins.pin(files);
    this.deps.metrics.scanSources.observe(sources.length);
    let released = false;
    return {
      relation: relation.sql,
      notes: [
        `region ${this.id}: ${files.length - pruned} of ${files.length} files`,
        ...relation.notes,
      ],
      release: () => {
        if (released) return;
        released = true;
        for (const generation of generations)
          generation
            .unpin()
            .catch((error) => this.deps.log.error({ error }, "dropping a memtable failed"));
        this.pins.unpin(files);
      },
    };
  }

  /** Rows older than this have outlived the table's TTL. Ticks. */
  expiredBefore(schema: TableSchema): bigint | undefined {
    const ttlNs = this.deps.ttlNs(schema);
    if (ttlNs === undefined) return undefined;
    const unit = UNIT_NANOS[timeColumn(schema).type.unit];
    return (this.deps.clock.nowNs() - ttlNs) / unit;
  }

  /** All series that a record or file may name. */
  get loggedSeries(): number {
    return this.#loggedSeries;
  }

  get memtableBytes(): number {
    return this.version.frozen.reduce((sum, g) => sum + g.bytes, this.version.active.bytes);
  }

  stats(): RegionStats {
    const { files, frozen, active } = this.version;
    const memtableRows = frozen.reduce((sum, g) => sum + g.rows, active.rows);
    const sstRows = files.reduce((sum, f) => sum + f.rows, 0);
    return {
      regionId: this.id,
      rows: memtableRows + sstRows,
      memtableBytes: this.memtableBytes,
      memtableRows,
      sstBytes: files.reduce((sum, f) => sum + f.bytes, 0),
      sstFiles: files.length,
      sstRows,
      manifestBytes: this.manifest.bytes,
      series: this.deps.kernel.seriesCount(this.slot),
      committedSequence: this.#nextSequence - 1n,
      flushedSequence: this.manifest.state.neededSequence - 1n,
      manifestVersion: this.manifest.version,
    };
  }

  files(): SstInfo[] {
    return this.version.files.map((f) => ({
      fileId: f.id,
      path: f.name,
      bytes: f.bytes,
      rows: f.rows,
      level: f.level,
      late: f.late,
      minTime: f.minTime,
      maxTime: f.maxTime,
      maxSequence: f.maxSequence,
    }));
  }
}

function later(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined) return b;
  return b === undefined || a > b ? a : b;
}
