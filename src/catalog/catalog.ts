/**
 * The catalog in memory: databases and tables as frozen objects behind maps, and the one writer that changes them.
 *
 * Every change goes through one queue. Order of the steps, so that a crash between any two leaves nothing wrong:
 * CREATE makes the region, then commits (an orphan region is removed at the next start); DROP commits, then removes the
 * region; ALTER lets the region get ready, commits, lets region and kernel follow, and then shows the change.
 * Never holds rows, never reads files itself: what is durable is the log's business.
 */
import { assert, type Clock, DbError, type Logger, Mutex, messageOf } from "../base/mod.ts";
import type { VersionedLog } from "../disk/mod.ts";
import type { Kernel } from "../kernel/mod.ts";
import type { Region, StorageEngine } from "../storage/mod.ts";
import { regionId, type TableSchema } from "../types/mod.ts";
import { alterSchema } from "./alter.ts";
import type {
  AlterStep,
  Catalog,
  DatabaseInfo,
  MergeResult,
  NewTable,
  SchemaWish,
  SlotKeeper,
  TableInfo,
} from "./api.ts";
import { bindColumns, forgetStrays } from "./binding.ts";
import { buildSchema, ENGINE } from "./create.ts";
import { type Database, Directory } from "./directory.ts";
import { planMerge, wishedSchema } from "./merge.ts";
import {
  checkDatabaseName,
  checkTableName,
  checkWritableDatabase,
  databaseNotFound,
  fullName,
  isVirtualDatabase,
  tableNotFound,
} from "./names.ts";
import {
  changeDatabaseOptions,
  normalizeDatabaseOptions,
  type OptionChanges,
  type Options,
} from "./options.ts";
import { type CatalogAction, type CatalogState, storedDatabase, storedTable } from "./state.ts";

export interface CatalogParts {
  readonly log: VersionedLog<CatalogAction, CatalogState>;
  readonly storage: StorageEngine;
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Most columns of one table. */
  readonly columnsMax: number;
}

interface Waiter {
  readonly wish: SchemaWish;
  readonly resolve: (result: MergeResult) => void;
  readonly reject: (error: unknown) => void;
}

/** One region per table until rows are routed by partition. */
const REGION_NUMBER = 0;

export class TableCatalog implements Catalog, SlotKeeper {
  readonly #parts: CatalogParts;
  readonly #shown = new Directory();
  readonly #writer = new Mutex();
  /** Merges that wait for the writer, by table: it serves all of one table in one step. */
  readonly #wishes = new Map<string, Waiter[]>();
  #nextTableId: number;

  /** Starts empty: `load*` fill it before anyone reads. */
  constructor(parts: CatalogParts, nextTableId: number) {
    this.#parts = parts;
    this.#nextTableId = nextTableId;
  }

  loadDatabase(info: Omit<DatabaseInfo, "handle">): void {
    this.#shown.putDatabase(info);
  }

  /** Opens the table's region and shows the table. */
  async loadTable(table: TableInfo): Promise<void> {
    const database = this.#shown.needDatabase(table.db);
    const { storage, kernel } = this.#parts;
    const region = await storage.openRegion(database.info, table.name, table.schema, REGION_NUMBER);
    bindColumns(kernel, region.slot, table.schema);
    this.#shown.putTable(table);
  }

  databases(): readonly DatabaseInfo[] {
    return this.#shown.databases();
  }

  database(name: string): DatabaseInfo | undefined {
    return this.#shown.get(name)?.info;
  }

  tables(db: string): readonly TableInfo[] {
    const database = this.#shown.get(db);
    return database === undefined ? [] : [...database.tables.values()];
  }

  table(db: string, name: string): TableInfo | undefined {
    return this.#shown.table(db, name);
  }

  tableById(id: number): TableInfo | undefined {
    return this.#shown.tableById(id);
  }

  ttlNs(table: TableInfo): bigint | undefined {
    return this.#shown.ttlNs(table);
  }

  createDatabase(name: string, options: Options, ifNotExists: boolean): Promise<void> {
    return this.#writer.run(async () => {
      if (this.#shown.get(name) !== undefined || isVirtualDatabase(name)) {
        if (ifNotExists) return;
        throw new DbError("invalid_arguments", `Schema ${name} already exists`);
      }
      checkDatabaseName(name);
      const info = {
        name,
        options: normalizeDatabaseOptions(options),
        createdAtMs: this.#nowMs(),
      };
      await this.#parts.log.commit([{ kind: "put_database", database: storedDatabase(info) }]);
      this.#shown.putDatabase(info);
    });
  }

  alterDatabase(name: string, options: OptionChanges): Promise<void> {
    return this.#writer.run(async () => {
      checkWritableDatabase(name);
      const old = this.#shown.needDatabase(name).info;
      const info = { ...old, options: changeDatabaseOptions(old.options, options) };
      await this.#parts.log.commit([{ kind: "put_database", database: storedDatabase(info) }]);
      this.#shown.putDatabase(info);
    });
  }

  dropDatabase(name: string, ifExists: boolean): Promise<void> {
    return this.#writer.run(async () => {
      checkWritableDatabase(name);
      const database = this.#shown.get(name);
      if (database === undefined) {
        if (ifExists) return;
        throw databaseNotFound(name);
      }
      const tables = [...database.tables.values()];
      await this.#parts.log.commit([
        ...tables.map(({ id }): CatalogAction => ({ kind: "drop_table", id })),
        { kind: "drop_database", name },
      ]);
      for (const table of tables) this.#shown.forgetTable(table);
      this.#shown.forgetDatabase(name);
      for (const table of tables) await this.#removeRegion(table);
    });
  }

  createTable(table: NewTable, ifNotExists: boolean): Promise<TableInfo> {
    return this.#writer.run(async () => {
      checkWritableDatabase(table.db);
      const database = this.#shown.needDatabase(table.db);
      const existing = database.tables.get(table.name);
      if (existing !== undefined) {
        if (ifNotExists) return existing;
        throw new DbError(
          "table_already_exists",
          `Table already exists: \`${fullName(table.db, table.name)}\``,
        );
      }
      const schema = buildSchema(
        table,
        this.#nextTableId,
        database.info.options,
        this.#parts.columnsMax,
      );
      return await this.#create(database, table.name, schema, table);
    });
  }

  alterTable(db: string, name: string, steps: readonly AlterStep[]): Promise<TableInfo> {
    return this.#writer.run(async () => {
      checkWritableDatabase(db);
      const table = this.#shown.needTable(db, name);
      const schema = alterSchema(table.schema, name, steps, this.#parts.columnsMax);
      const to = steps.findLast((step) => step.kind === "rename")?.to ?? name;
      if (to !== name) {
        checkTableName(to);
        if (this.table(db, to) !== undefined)
          throw new DbError(
            "table_already_exists",
            `Table already exists, table: ${fullName(db, to)}`,
          );
      }
      if (schema === table.schema && to === name) return table;
      return await this.#change(table, { ...table, name: to, schema });
    });
  }

  dropTable(db: string, name: string, ifExists: boolean): Promise<void> {
    return this.#writer.run(async () => {
      checkWritableDatabase(db);
      const table = this.table(db, name);
      if (table === undefined) {
        if (ifExists) return;
        throw tableNotFound(db, name);
      }
      await this.#parts.log.commit([{ kind: "drop_table", id: table.id }]);
      this.#shown.forgetTable(table);
      await this.#removeRegion(table);
    });
  }

  truncateTable(db: string, name: string): Promise<void> {
    return this.#writer.run(async () => {
      checkWritableDatabase(db);
      await this.#region(this.#shown.needTable(db, name)).truncate();
    });
  }

  async merge(wish: SchemaWish): Promise<MergeResult> {
    const table = this.table(wish.db, wish.table);
    if (table !== undefined && this.#inStep(table)) {
      const plan = planMerge(table.schema, wish.columns, this.#parts.columnsMax);
      if (plan.schema === table.schema) return { table, conflicts: plan.conflicts };
    }
    return await new Promise((resolve, reject) => {
      const key = `${wish.db}\0${wish.table}`;
      const waiters = this.#wishes.get(key);
      if (waiters !== undefined) {
        waiters.push({ wish, resolve, reject });
        return;
      }
      const first: Waiter[] = [{ wish, resolve, reject }];
      this.#wishes.set(key, first);
      void this.#writer.run(async () => {
        this.#wishes.delete(key);
        await this.#serve(wish.db, wish.table, first);
      });
    });
  }

  releaseSlot(db: string, name: string, inUse: (slot: number) => boolean): Promise<void> {
    return this.#writer.run(() => {
      const { kernel } = this.#parts;
      const handle = this.#shown.get(db)?.info.handle;
      const slot = handle === undefined ? undefined : kernel.findSlot(handle, name);
      if (slot === undefined || inUse(slot)) return;
      const table = this.table(db, name);
      if (table === undefined) kernel.closeSlot(slot);
      else forgetStrays(kernel, slot, table.schema);
    });
  }

  /** Serves the merges of one table in one step. Settles every waiter; never throws. */
  async #serve(db: string, name: string, waiters: readonly Waiter[]): Promise<void> {
    const planned: { waiter: Waiter; conflicts: MergeResult["conflicts"] }[] = [];
    const { columnsMax } = this.#parts;
    const existing = this.table(db, name);
    let schema: TableSchema | undefined = existing?.schema;
    for (const waiter of waiters)
      try {
        const base: TableSchema = schema ?? this.#schemaOfWish(waiter.wish);
        const plan = planMerge(base, waiter.wish.columns, columnsMax);
        schema = plan.schema;
        planned.push({ waiter, conflicts: plan.conflicts });
      } catch (error) {
        waiter.reject(error);
      }
    if (schema === undefined || planned.length === 0) return;
    try {
      let table = existing;
      if (table === undefined)
        table = await this.#create(this.#shown.needDatabase(db), name, schema, {});
      else if (schema !== table.schema) table = await this.#change(table, { ...table, schema });
      else await this.#syncRegion(table);
      for (const { waiter, conflicts } of planned) waiter.resolve({ table, conflicts });
    } catch (error) {
      for (const { waiter } of planned) waiter.reject(error);
    }
  }

  #schemaOfWish(wish: SchemaWish): TableSchema {
    checkWritableDatabase(wish.db);
    const { options } = this.#shown.needDatabase(wish.db).info;
    return wishedSchema(wish, this.#nextTableId, options, this.#parts.columnsMax);
  }

  /** Region first, catalog second. */
  async #create(
    database: Database,
    name: string,
    schema: TableSchema,
    extra: Pick<NewTable, "partition">,
  ): Promise<TableInfo> {
    checkTableName(name);
    const { storage, kernel } = this.#parts;
    // A table that is given up keeps its id for good: its region may still be on disk until the next start.
    this.#nextTableId = schema.tableId + 1;
    const table: TableInfo = Object.freeze({
      id: schema.tableId,
      db: database.info.name,
      name,
      schema,
      engine: ENGINE,
      createdAtMs: this.#nowMs(),
      regionIds: Object.freeze([regionId(schema.tableId, REGION_NUMBER)]),
      ...(extra.partition === undefined ? {} : { partition: Object.freeze(extra.partition) }),
    });
    const region = await storage.createRegion(database.info, name, schema, REGION_NUMBER);
    try {
      await this.#parts.log.commit([{ kind: "put_table", table: storedTable(table) }]);
    } catch (error) {
      await this.#removeRegion(table);
      throw error;
    }
    bindColumns(kernel, region.slot, schema);
    this.#shown.putTable(table);
    return table;
  }

  /** Commits a new version of a table when its region is ready for it, brings region and kernel to it, then shows it. */
  async #change(old: TableInfo, changed: TableInfo): Promise<TableInfo> {
    const table: TableInfo = Object.freeze(changed);
    let committed = false;
    const commit = async () => {
      await this.#parts.log.commit([{ kind: "put_table", table: storedTable(table) }]);
      committed = true;
    };
    try {
      await this.#syncRegion(table, commit);
      if (!committed) await commit();
    } finally {
      // The commit stands even if the region could not follow: it is tried again before the next write.
      if (committed) {
        if (table.name !== old.name) this.#renameSlot(table);
        this.#shown.forgetTable(old);
        this.#shown.putTable(table);
      }
    }
    return table;
  }

  #renameSlot(table: TableInfo): void {
    const { kernel } = this.#parts;
    const handle = this.#shown.needDatabase(table.db).info.handle;
    // Lines for the new name may already have made a slot of it, without a table.
    const stray = kernel.findSlot(handle, table.name);
    const { slot } = this.#region(table);
    if (stray !== undefined && stray !== slot) kernel.closeSlot(stray);
    kernel.renameSlot(slot, table.name);
  }

  /** Has the region the catalog's version of the schema? */
  #inStep(table: TableInfo): boolean {
    return this.#region(table).schema.version === table.schema.version;
  }

  async #syncRegion(table: TableInfo, commit?: () => Promise<void>): Promise<void> {
    const region = this.#region(table);
    const before = region.schema;
    if (before.version === table.schema.version) return;
    await region.setSchema(table.schema, commit);
    bindColumns(this.#parts.kernel, region.slot, table.schema, before);
  }

  #region(table: TableInfo): Region {
    const region = this.#parts.storage.region(table.regionIds[0]!);
    assert(region !== undefined, `table ${fullName(table.db, table.name)} has a region`);
    return region;
  }

  /** After the commit of a drop nothing may fail: what stays behind is an orphan, removed at the next start. */
  async #removeRegion(table: TableInfo): Promise<void> {
    // The name leads to a new slot from now on. No measurement holds a newline, so the interim name is nobody else's; storage
    // closes the slot when the region's last write has left.
    this.#parts.kernel.renameSlot(this.#region(table).slot, `\n${table.id}`);
    for (const id of table.regionIds)
      try {
        await this.#parts.storage.dropRegion(id);
      } catch (error) {
        this.#parts.logger.warn(
          { table: fullName(table.db, table.name), region: id.toString(), error: messageOf(error) },
          "a dropped region stays on disk until the next start",
        );
      }
  }

  #nowMs(): number {
    return Number(this.#parts.clock.nowNs() / 1_000_000n);
  }
}
