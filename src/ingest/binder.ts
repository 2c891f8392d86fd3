/**
 * From decoded lines to the binding of their table: from the cache when nothing has changed, else through the catalog, which
 * creates the table or adds the columns. Holds the bindings of all slots.
 */
import { assert, DbError } from "../base/mod.ts";
import type { Catalog, DatabaseInfo, TableInfo } from "../catalog/mod.ts";
import type { Kernel, ParsedTable } from "../kernel/mod.ts";
import type { Region, StorageEngine } from "../storage/mod.ts";
import type { WriteHints } from "./api.ts";
import { wishedColumns } from "./line_wish.ts";
import { createOptions } from "./options.ts";
import { TableBinding } from "./table_binding.ts";

export interface BinderOptions {
  readonly catalog: Catalog;
  readonly storage: StorageEngine;
  readonly kernel: Kernel;
  readonly autoCreateTable: boolean;
  readonly lineMergeMode: "last_non_null" | "last_row";
}

/** Each round is one schema change by someone else, finished while this one waited. */
const ROUNDS_MAX = 16;

/** Bindings of dropped tables are thrown out when the map has grown to twice its useful size, and not below this. */
const SWEEP_AT_MIN = 1024;

export class Binder {
  readonly #options: BinderOptions;
  /** By kernel slot. */
  readonly #bindings = new Map<number, TableBinding>();
  #sweepAt = SWEEP_AT_MIN;

  constructor(options: BinderOptions) {
    this.#options = options;
  }

  /** The binding when it is up to date and has every column of the rows; nothing is awaited. */
  current(parsed: ParsedTable): TableBinding | undefined {
    const binding = this.#bindings.get(parsed.slot);
    if (binding === undefined || !this.#isCurrent(binding)) return undefined;
    if (binding.hasNewTags(this.#options.kernel)) return undefined;
    for (const { index, name, kind } of parsed.fields)
      if (binding.target(index, name, kind) === undefined) return undefined;
    return binding;
  }

  /**
   * Merges what the table lacks. Returns undefined when the slot is not (or no longer) the table's: the rows have to be decoded
   * again. Throws what the catalog throws, and table_not_found where tables must not be created.
   */
  async bind(
    database: DatabaseInfo,
    parsed: ParsedTable,
    hints: WriteHints,
  ): Promise<TableBinding | undefined> {
    const { catalog, kernel } = this.#options;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      if (kernel.findSlot(database.handle, parsed.table) !== parsed.slot) return undefined;
      const table = catalog.table(database.name, parsed.table);
      const wished = wishedColumns(kernel, parsed, table);
      if (table !== undefined && wished.length === 0) {
        const region = this.#region(table);
        if (region.schema.version === table.schema.version)
          return region.slot === parsed.slot ? this.#keep(table, region) : undefined;
      }
      if (table === undefined) this.#checkCreate(parsed.table, hints, wished);
      await catalog.merge({
        db: database.name,
        table: parsed.table,
        columns: wished,
        createOptions: createOptions(hints, database.options, this.#options.lineMergeMode),
        autoCreate: true,
      });
    }
    throw new DbError("region_busy", `the schema of ${parsed.table} keeps changing`, {
      retryAfterSec: 1,
    });
  }

  /** The binding of an existing table, for rows that do not come from lines. */
  async bindTable(table: TableInfo): Promise<TableBinding> {
    let now = table;
    let region = this.#region(now);
    const cached = this.#bindings.get(region.slot);
    if (cached !== undefined && cached.table === now && this.#isCurrent(cached)) return cached;
    if (region.schema.version !== now.schema.version) {
      // The region could not follow the last change of the schema; an empty wish makes it try again.
      const { db, name } = now;
      const wish = { db, table: name, columns: [], createOptions: {}, autoCreate: false };
      now = (await this.#options.catalog.merge(wish)).table;
      region = this.#region(now);
    }
    return this.#keep(now, region);
  }

  #isCurrent({ table, region }: TableBinding): boolean {
    return (
      this.#options.catalog.tableById(table.id) === table &&
      region.schema.version === table.schema.version
    );
  }

  #checkCreate(
    name: string,
    hints: WriteHints,
    wished: readonly { readonly role: string }[],
  ): void {
    const refuse = (why: string): never => {
      throw new DbError("table_not_found", `Table \`${name}\` does not exist, and ${why}`);
    };
    if (hints.autoCreateTable === false) refuse("`auto_create_table` hint is disabled");
    if (!this.#options.autoCreateTable) refuse("auto-create table is disabled by frontend config");
    if (!wished.some(({ role }) => role === "field"))
      throw new DbError("invalid_arguments", `${name} has no field that can be a column`);
  }

  #region(table: TableInfo): Region {
    const region = this.#options.storage.region(table.regionIds[0]!);
    assert(region !== undefined, `table ${table.db}.${table.name} has a region`);
    return region;
  }

  #keep(table: TableInfo, region: Region): TableBinding {
    const binding = new TableBinding(this.#options.kernel, table, region);
    this.#bindings.set(region.slot, binding);
    if (this.#bindings.size >= this.#sweepAt) {
      for (const [slot, old] of this.#bindings)
        if (!this.#isCurrent(old)) this.#bindings.delete(slot);
      this.#sweepAt = Math.max(SWEEP_AT_MIN, this.#bindings.size * 2);
    }
    return binding;
  }
}
