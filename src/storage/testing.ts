/** A region engine on a temporary folder, for tests: put, delete, read, and the four life stages. Not part of the server. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Clock,
  ManualClock,
  MemoryBudget,
  Metrics,
  silentLogger,
  systemClock,
} from "../base/mod.ts";
import { type LogFolder, type ObjectStore, openLocalStore, openLogFolder } from "../disk/mod.ts";
import { Duck } from "../duck/mod.ts";
import { type Kernel, loadKernel } from "../kernel/mod.ts";
import {
  type Column,
  type ColumnSchema,
  duckTypeName,
  fieldColumns,
  type RegionBatch,
  type ResultField,
  T,
  type TableSchema,
  tagColumns,
  textColumn,
  timeColumn,
} from "../types/mod.ts";
import { type LogStore, openWal } from "../wal/mod.ts";
import {
  defaultStorageLimits,
  openStorage,
  type Region,
  type StorageEngine,
  type StorageLimits,
  storageMetrics,
} from "./mod.ts";

export interface TestRow {
  readonly tags: Readonly<Record<string, string | undefined>>;
  readonly time: bigint;
  /** Number → float64, bigint → int64, string → string, boolean → bool, as the schema says; null or absent is NULL. */
  readonly fields: Readonly<Record<string, number | bigint | string | boolean | null>>;
}

export interface TestEngineOptions {
  readonly limits?: Partial<StorageLimits>;
  readonly clock?: Clock;
  readonly wrapStore?: (store: ObjectStore) => ObjectStore;
  readonly wrapLog?: (folder: LogFolder) => LogFolder;
  readonly ttlNs?: (schema: TableSchema) => bigint | undefined;
}

export const stages = ["memory", "flushed", "compacted", "killed"] as const;
export type Stage = (typeof stages)[number];

export class TestEngine {
  engine!: StorageEngine;
  kernel!: Kernel;
  duck!: Duck;
  wal!: LogStore;
  store!: ObjectStore;
  readonly #tables = new Map<string, TableSchema>();
  private constructor(
    readonly home: string,
    readonly options: TestEngineOptions,
  ) {}

  static async start(options: TestEngineOptions = {}): Promise<TestEngine> {
    const test = new TestEngine(await mkdtemp(join(tmpdir(), "tidemark-storage-")), options);
    await test.#open();
    return test;
  }

  async #open(): Promise<void> {
    const { options } = this;
    const metrics = new Metrics();
    const clock = options.clock ?? systemClock;
    this.kernel = await loadKernel({ seriesMax: 10_000_000, columnsMax: 1_000 });
    const local = await openLocalStore(this.home);
    this.store = options.wrapStore?.(local) ?? local;
    await this.store.sweep();
    this.duck = await Duck.open({
      memoryBytesMax: 1 << 30,
      threads: 2,
      tempDir: join(this.home, "tmp-duck"),
      log: silentLogger,
    });
    const folder = await openLogFolder(join(this.home, "wal"));
    this.wal = await openWal(options.wrapLog?.(folder) ?? folder, {
      segmentBytesMax: 4 << 20,
      sync: "always",
      intervalMs: 100,
      clock: clock instanceof ManualClock ? systemClock : clock,
      log: silentLogger,
    });
    this.engine = openStorage({
      duck: this.duck,
      store: this.store,
      wal: this.wal,
      kernel: this.kernel,
      clock,
      log: silentLogger,
      budget: new MemoryBudget(1 << 30),
      limits: { ...defaultStorageLimits, ...options.limits },
      metrics: storageMetrics(metrics),
      ttlNs: options.ttlNs ?? (() => undefined),
    });
    for (const [table, schema] of this.#tables)
      await this.engine.openRegion({ handle: 0, name: "public" }, table, schema, 0);
    await this.engine.recover();
  }

  async table(name: string, schema: TableSchema): Promise<Region> {
    this.#tables.set(name, schema);
    return await this.engine.createRegion({ handle: 0, name: "public" }, name, schema, 0);
  }

  async alter(name: string, schema: TableSchema): Promise<void> {
    this.#tables.set(name, schema);
    await this.region(name).setSchema(schema);
  }

  region(name: string): Region {
    const schema = this.#tables.get(name)!;
    return this.engine.region(BigInt(schema.tableId) << 32n)!;
  }

  batch(name: string, rows: readonly TestRow[]): RegionBatch {
    const region = this.region(name);
    const schema = region.schema;
    const sids = this.sids(name, rows);
    const times = BigInt64Array.from(rows, (r) => r.time);
    const used = fieldColumns(schema).filter((c) =>
      rows.some((r) => r.fields[c.name] !== undefined),
    );
    return {
      rows: rows.length,
      sids,
      times,
      fields: used.map((c) => ({ id: c.id, column: columnOf(c, rows) })),
    };
  }

  sids(name: string, rows: readonly Pick<TestRow, "tags">[]): Uint32Array {
    const region = this.region(name);
    const tags = tagColumns(region.schema).map((c) => ({
      index: this.kernel.bindTag(region.slot, c.name),
      column: textColumn(rows.length, (i) => rows[i]!.tags[c.name]),
    }));
    return this.kernel.seriesOf(region.slot, tags, rows.length);
  }

  async put(name: string, rows: readonly TestRow[]): Promise<void> {
    await this.region(name).write(this.batch(name, rows));
  }

  async delete(name: string, rows: readonly Pick<TestRow, "tags" | "time">[]): Promise<void> {
    await this.region(name).delete(
      this.sids(name, rows),
      BigInt64Array.from(rows, (r) => r.time),
    );
  }

  /** All rows as text, sorted: "a=1,b=- @time f=1.5 g=-". */
  async read(
    name: string,
    range: { timeMin?: bigint; timeMax?: bigint } = {},
    where = "",
  ): Promise<string[]> {
    const region = this.region(name);
    const schema = region.schema;
    const columns = [...tagColumns(schema), timeColumn(schema), ...fieldColumns(schema)];
    const scan = await region.scan({ columns: columns.map((c) => c.id), ...range });
    try {
      const fields: ResultField[] = columns.map((c) => ({ name: c.name, type: c.type }));
      const rows = await this.duck.rows(
        `SELECT ${columns.map((c) => `c${c.id}`).join(", ")} FROM ${scan.relation} q ${where}`,
        fields,
      );
      const time = tagColumns(schema).length;
      return rows
        .map((row) =>
          row
            .map((v, i) =>
              i === time ? `@${v}` : `${columns[i]!.name}=${v === null ? "-" : String(v)}`,
            )
            .join(" "),
        )
        .sort();
    } finally {
      scan.release();
    }
  }

  async flush(name: string): Promise<void> {
    await this.region(name).flush("test");
  }

  async compact(name: string): Promise<void> {
    await this.flush(name);
    await this.region(name).compact();
  }

  /** As after kill -9: nothing is closed properly, everything is opened anew from the disk. */
  async kill(): Promise<void> {
    this.duck.close();
    await this.#open();
  }

  async reach(stage: Stage, name: string): Promise<void> {
    if (stage === "flushed") await this.flush(name);
    if (stage === "compacted") await this.compact(name);
    if (stage === "killed") await this.kill();
  }

  async stop(): Promise<void> {
    await this.engine.close();
    this.duck.close();
    await rm(this.home, { recursive: true, force: true });
  }
}

function columnOf(column: ColumnSchema, rows: readonly TestRow[]): Column {
  const value = (i: number) => rows[i]!.fields[column.name] ?? null;
  if (duckTypeName(column.type) === "VARCHAR")
    return {
      ...textColumn(rows.length, (i) => (value(i) === null ? undefined : String(value(i)))),
      type: column.type,
    };
  const validity = new Uint8Array(((rows.length + 63) >> 6) * 8);
  for (let i = 0; i < rows.length; i++) if (value(i) !== null) validity[i >> 3]! |= 1 << (i & 7);
  switch (column.type.kind) {
    case "float64":
      return {
        type: column.type,
        values: Float64Array.from(rows, (_, i) => Number(value(i) ?? 0)),
        validity,
      };
    case "int64":
    case "timestamp":
      return {
        type: column.type,
        values: BigInt64Array.from(rows, (_, i) => BigInt(value(i) ?? 0)),
        validity,
      };
    case "bool":
      return {
        type: column.type,
        values: Uint8Array.from(rows, (_, i) => Number(value(i) ?? 0)),
        validity,
      };
    default:
      throw new Error(`no test column of ${column.type.kind}`);
  }
}

/** A schema with tags, a time index `ts` and fields, ids in that order from 1. */
export function testSchema(
  tableId: number,
  tags: readonly string[],
  fields: Readonly<Record<string, ColumnSchema["type"]>>,
  options: Readonly<Record<string, string>> = {},
  time: ColumnSchema["type"] = T.timestampNs,
): TableSchema {
  let id = 0;
  const columns: ColumnSchema[] = [
    ...tags.map(
      (name): ColumnSchema => ({ id: ++id, name, type: T.string, role: "tag", nullable: true }),
    ),
    { id: ++id, name: "ts", type: time, role: "time", nullable: false },
    ...Object.entries(fields).map(
      ([name, type]): ColumnSchema => ({ id: ++id, name, type, role: "field", nullable: true }),
    ),
  ];
  return {
    tableId,
    version: 1,
    columns,
    primaryKey: columns.filter((c) => c.role === "tag").map((c) => c.id),
    timeIndex: tags.length + 1,
    nextColumnId: id + 1,
    options,
  };
}
