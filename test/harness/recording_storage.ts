/**
 * A storage engine that keeps rows in memory as plain objects, for tests of the layers above it. It checks what the real one
 * checks, can be told to fail or to wait, and knows no disk. Reading back is by `rows`, not by scan.
 */
import { Bug, DbError } from "../../src/base/mod.ts";
import type { Kernel } from "../../src/kernel/mod.ts";
import type { Region, RegionStats, Scan, StorageEngine } from "../../src/storage/mod.ts";
import {
  type Column,
  columnById,
  duckTypeName,
  isNull,
  isVar,
  type RegionBatch,
  regionId,
  type TableSchema,
  tagColumns,
  timeColumn,
} from "../../src/types/mod.ts";

export type Row = Readonly<Record<string, unknown>>;

export class RecordingStorage implements StorageEngine {
  readonly #regions = new Map<bigint, RecordingRegion>();
  /** Calls, in order: "create 1024", "drop 1024", ... */
  readonly calls: string[] = [];
  /** Thrown by the next call of that name. */
  readonly faults = new Map<"createRegion" | "write" | "setSchema" | "truncate", Error>();
  /** Awaited by every write and every creation. */
  pause: Promise<void> = Promise.resolve();

  constructor(readonly kernel: Kernel) {}

  async createRegion(
    db: { readonly handle: number; readonly name: string },
    table: string,
    schema: TableSchema,
    number: number,
  ): Promise<Region> {
    await this.pause;
    this.raise("createRegion");
    this.calls.push(`create ${schema.tableId}`);
    return await this.openRegion(db, table, schema, number);
  }

  async openRegion(
    db: { readonly handle: number },
    table: string,
    schema: TableSchema,
    number: number,
  ): Promise<Region> {
    const id = regionId(schema.tableId, number);
    const known = this.#regions.get(id);
    if (known !== undefined) return known;
    const slot = this.kernel.slot(db.handle, table);
    for (const tag of tagColumns(schema)) this.kernel.bindTag(slot, tag.name);
    const region = new RecordingRegion(this, id, slot, schema);
    this.#regions.set(id, region);
    return region;
  }

  async recover(): Promise<void> {}

  async dropRegion(id: bigint): Promise<void> {
    const region = this.#regions.get(id);
    if (region === undefined) return;
    this.calls.push(`drop ${id >> 32n}`);
    this.#regions.delete(id);
    region.dropped = true;
    this.kernel.closeSlot(region.slot);
  }

  region(id: bigint): RecordingRegion | undefined {
    return this.#regions.get(id);
  }
  regions(): Iterable<Region> {
    return this.#regions.values();
  }
  async close(): Promise<void> {}

  raise(call: Parameters<typeof this.faults.get>[0]): void {
    const fault = this.faults.get(call);
    this.faults.delete(call);
    if (fault !== undefined) throw fault;
  }
}

class RecordingRegion implements Region {
  readonly #batches: RegionBatch[] = [];
  dropped = false;

  constructor(
    readonly storage: RecordingStorage,
    readonly id: bigint,
    readonly slot: number,
    public schema: TableSchema,
  ) {}

  async write(batch: RegionBatch): Promise<void> {
    this.check(batch);
    await this.storage.pause;
    if (this.dropped) throw new DbError("table_not_found", `region ${this.id} was dropped`);
    this.storage.raise("write");
    const tags = new Set(tagColumns(this.schema).map((tag) => tag.name));
    for (const name of this.storage.kernel.slotInfo(this.slot).tags)
      if (name !== "" && !tags.has(name))
        throw new Bug(`rows are written while tag ${name} of the slot has no column`);
    this.#batches.push(batch);
  }

  private check(batch: RegionBatch): void {
    if (batch.sids.length < batch.rows || batch.times.length < batch.rows)
      throw new Bug("a batch has a series and a time for each row");
    for (const { id, column } of batch.fields) {
      const known = columnById(this.schema, id);
      if (known === undefined || known.role !== "field") throw new Bug(`no field has id ${id}`);
      if (duckTypeName(known.type) !== duckTypeName(column.type))
        throw new Bug(`${known.name} is ${duckTypeName(known.type)}, not ${column.type.kind}`);
    }
  }

  /** Every row written, as an object by column name; NULLs and absent tags are left out. */
  rows(): Row[] {
    const names = this.storage.kernel.slotInfo(this.slot).tags;
    const series = this.storage.kernel.seriesTags(
      this.slot,
      0,
      this.storage.kernel.seriesCount(this.slot),
    );
    return this.#batches.flatMap((batch) =>
      Array.from({ length: batch.rows }, (_, row) => {
        const out: Record<string, unknown> = {};
        for (const { index, value } of series[batch.sids[row]!]!.tags) out[names[index]!] = value;
        for (const { id, column } of batch.fields) {
          const name = columnById(this.schema, id)?.name;
          if (name !== undefined && !isNull(column, row)) out[name] = cellOf(column, row);
        }
        out[timeColumn(this.schema).name] = batch.times[row];
        return out;
      }),
    );
  }

  async delete(): Promise<void> {}
  async setSchema(schema: TableSchema, commit?: () => Promise<void>): Promise<void> {
    await commit?.();
    this.storage.raise("setSchema");
    this.schema = schema;
  }
  async truncate(): Promise<void> {
    this.storage.raise("truncate");
    this.#batches.length = 0;
  }
  async flush(): Promise<void> {}
  async compact(): Promise<void> {}
  async scan(): Promise<Scan> {
    throw new Bug("the recording storage does not scan");
  }
  stats(): RegionStats {
    throw new Bug("the recording storage has no statistics");
  }
  files(): [] {
    return [];
  }
}

function cellOf(column: Column, row: number): unknown {
  if (!isVar(column))
    return column.type.kind === "bool" ? column.values[row] === 1 : column.values[row];
  return new TextDecoder().decode(
    column.bytes.subarray(column.offsets[row]!, column.offsets[row + 1]!),
  );
}
