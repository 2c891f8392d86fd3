/**
 * The catalog in memory: databases and tables as frozen objects behind maps, and the one writer that changes them.
 *
 * Every change goes through one queue. Order of the steps, so that a crash between any two leaves nothing wrong:
 * CREATE makes the region, then commits (an orphan region is removed at the next start); DROP commits, then removes the
 * region; ALTER commits, then tells the region and the kernel, and then shows the change.
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
import { planMerge, splitWish } from "./merge.ts";
import {
  checkDatabaseName,
  checkTableName,
  checkWritableDatabase,
  databaseNotFound,
  fullName,
  isVirtualDatabase,
  tableNotFound,
} from "./names.ts";
import { changeDatabaseOptions, normalizeDatabaseOptions, ttlOf } from "./options.ts";
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

interface Database {
  info: DatabaseInfo;
  readonly tables: Map<string, TableInfo>;
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
  readonly #databases = new Map<string, Database>();
  readonly #tables = new Map<number, TableInfo>();
  readonly #writer = new Mutex();
  /** Merges that wait for the writer, by table: it serves all of one table in one step. */
  readonly #wishes = new Map<string, Waiter[]>();
  #nextTableId: number;
  #nextHandle = 1;
  #databaseList: readonly DatabaseInfo[] = Object.freeze([]);

  /** Starts empty: `load*` fill it before anyone reads. */
  constructor(parts: CatalogParts, nextTableId: number) {
    this.#parts = parts;
    this.#nextTableId = nextTableId;
  }

  loadDatabase(info: Omit<DatabaseInfo, "handle">): void {
    this.#putDatabase(info);
  }

  /** Opens the table's region and shows the table. */
  async loadTable(table: TableInfo): Promise<void> {
    const database = this.#databases.get(table.db);
    assert(database !== undefined, "a stored table has a stored database");
    const { storage, kernel } = this.#parts;
    const region = await storage.openRegion(database.info, table.name, table.schema, REGION_NUMBER);
    bindColumns(kernel, region.slot, table.schema);
    this.#putTable(table);
  }

  databases(): readonly DatabaseInfo[] {
    return this.#databaseList;
  }

  database(name: string): DatabaseInfo | undefined {
    return this.#databases.get(name)?.info;
  }

  tables(db: string): readonly TableInfo[] {
    const database = this.#databases.get(db);
    return database === undefined ? [] : [...database.tables.values()];
  }

  table(db: string, name: string): TableInfo | undefined {
    return this.#databases.get(db)?.tables.get(name);
  }

  tableById(id: number): TableInfo | undefined {
    return this.#tables.get(id);
  }

  ttlNs(table: TableInfo): bigint | undefined {
    const { options } = table.schema;
    return ttlOf(options.ttl === undefined ? (this.database(table.db)?.options ?? {}) : options);
  }

  createDatabase(
    name: string,
    options: Readonly<Record<string, string>>,
    ifNotExists: boolean,
  ): Promise<void> {
    return this.#writer.run(async () => {
      if (this.#databases.has(name) || isVirtualDatabase(name)) {
        if (ifNotExists) return;
        throw new DbError("invalid_arguments", `Schema ${name} already exists`);
      }
      checkDatabaseName(name);
      const info = {
        name,
        options: normalizeDatabaseOptions(options),
        createdAtMs: this.#nowMs(),
      };
      await this.#commit([{ kind: "put_database", database: storedDatabase(info) }]);
      this.#putDatabase(info);
    });
  }

  alterDatabase(
    name: string,
    options: Readonly<Record<string, string | undefined>>,
  ): Promise<void> {
    return this.#writer.run(async () => {
      checkWritableDatabase(name);
      const old = this.#needDatabase(name).info;
      const info = { ...old, options: changeDatabaseOptions(old.options, options) };
      await this.#commit([{ kind: "put_database", database: storedDatabase(info) }]);
      this.#putDatabase(info);
    });
  }

  dropDatabase(name: string, ifExists: boolean): Promise<void> {
    return this.#writer.run(async () => {
      checkWritableDatabase(name);
      const database = this.#databases.get(name);
      if (database === undefined) {
        if (ifExists) return;
        throw databaseNotFound(name);
      }
      const tables = [...database.tables.values()];
      await this.#commit([
        ...tables.map(({ id }): CatalogAction => ({ kind: "drop_table", id })),
        { kind: "drop_database", name },
      ]);
      for (const table of tables) this.#forgetTable(table);
      this.#databases.delete(name);
      this.#listDatabases();
      for (const table of tables) await this.#removeRegion(table);
    });
  }

  createTable(table: NewTable, ifNotExists: boolean): Promise<TableInfo> {
    return this.#writer.run(async () => {
      checkWritableDatabase(table.db);
      const database = this.#needDatabase(table.db);
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
      const table = this.#needTable(db, name);
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
      await this.#commit([{ kind: "drop_table", id: table.id }]);
      this.#forgetTable(table);
      await this.#removeRegion(table);
    });
  }

  truncateTable(db: string, name: string): Promise<void> {
    return this.#writer.run(async () => {
      checkWritableDatabase(db);
      await this.#region(this.#needTable(db, name)).truncate();
    });
  }

  merge(wish: SchemaWish): Promise<MergeResult> {
    const table = this.table(wish.db, wish.table);
    if (table !== undefined && this.#inStep(table)) {
      const plan = planMerge(table.schema, wish.columns, this.#parts.columnsMax);
      if (plan.schema === table.schema)
        return Promise.resolve({ table, conflicts: plan.conflicts });
    }
    return new Promise((resolve, reject) => {
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
      const handle = this.#databases.get(db)?.info.handle;
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
      if (table === undefined) table = await this.#create(this.#needDatabase(db), name, schema, {});
      else if (schema !== table.schema) table = await this.#change(table, { ...table, schema });
      else await this.#syncRegion(table);
      for (const { waiter, conflicts } of planned) waiter.resolve({ table, conflicts });
    } catch (error) {
      for (const { waiter } of planned) waiter.reject(error);
    }
  }

  #schemaOfWish(wish: SchemaWish): TableSchema {
    checkWritableDatabase(wish.db);
    const database = this.#needDatabase(wish.db);
    if (!wish.autoCreate)
      throw new DbError(
        "table_not_found",
        `Table \`${wish.table}\` does not exist, and auto-create table is disabled`,
      );
    checkTableName(wish.table);
    return buildSchema(
      { ...splitWish(wish), options: wish.createOptions },
      this.#nextTableId,
      database.info.options,
      this.#parts.columnsMax,
    );
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
      await this.#commit([{ kind: "put_table", table: storedTable(table) }]);
    } catch (error) {
      await this.#removeRegion(table);
      throw error;
    }
    bindColumns(kernel, region.slot, schema);
    this.#putTable(table);
    return table;
  }

  /** Commits a new version of a table, then brings the region and the kernel to it, then shows it. */
  async #change(old: TableInfo, changed: TableInfo): Promise<TableInfo> {
    const table: TableInfo = Object.freeze(changed);
    await this.#commit([{ kind: "put_table", table: storedTable(table) }]);
    try {
      await this.#syncRegion(table);
    } finally {
      // The commit stands even if the region could not follow: it is tried again before the next write.
      if (table.name !== old.name) this.#renameSlot(table);
      this.#forgetTable(old);
      this.#putTable(table);
    }
    return table;
  }

  #renameSlot(table: TableInfo): void {
    const { kernel } = this.#parts;
    const handle = this.#needDatabase(table.db).info.handle;
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

  async #syncRegion(table: TableInfo): Promise<void> {
    const region = this.#region(table);
    const before = region.schema;
    if (before.version === table.schema.version) return;
    await region.setSchema(table.schema);
    bindColumns(this.#parts.kernel, region.slot, table.schema, before);
  }

  #region(table: TableInfo): Region {
    const region = this.#parts.storage.region(table.regionIds[0]!);
    assert(region !== undefined, `table ${fullName(table.db, table.name)} has a region`);
    return region;
  }

  /**
   * The name leads to a new slot from now on. The slot itself is closed by storage, when the region's last write and last reader
   * have left. No measurement can hold a newline, so the interim name is nobody else's.
   */
  #freeName(table: TableInfo): void {
    this.#parts.kernel.renameSlot(this.#region(table).slot, `\n${table.id}`);
  }

  /** After the commit of a drop nothing may fail: what stays behind is an orphan, removed at the next start. */
  async #removeRegion(table: TableInfo): Promise<void> {
    this.#freeName(table);
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

  async #commit(actions: readonly CatalogAction[]): Promise<void> {
    await this.#parts.log.commit(actions);
  }

  #needDatabase(name: string): Database {
    const database = this.#databases.get(name);
    if (database === undefined) throw databaseNotFound(name);
    return database;
  }

  #needTable(db: string, name: string): TableInfo {
    const table = this.#needDatabase(db).tables.get(name);
    if (table === undefined) throw tableNotFound(db, name);
    return table;
  }

  #putDatabase(info: Omit<DatabaseInfo, "handle">): void {
    const old = this.#databases.get(info.name);
    const frozen = Object.freeze({ ...info, handle: old?.info.handle ?? this.#nextHandle++ });
    if (old === undefined) this.#databases.set(info.name, { info: frozen, tables: new Map() });
    else old.info = frozen;
    this.#listDatabases();
  }

  #listDatabases(): void {
    this.#databaseList = Object.freeze([...this.#databases.values()].map(({ info }) => info));
  }

  #putTable(table: TableInfo): void {
    this.#needDatabase(table.db).tables.set(table.name, table);
    this.#tables.set(table.id, table);
  }

  #forgetTable(table: TableInfo): void {
    this.#databases.get(table.db)?.tables.delete(table.name);
    this.#tables.delete(table.id);
  }

  #nowMs(): number {
    return Number(this.#parts.clock.nowNs() / 1_000_000n);
  }
}
