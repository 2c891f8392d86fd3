/**
 * The DuckDB side of a region's series dictionary: a table (sid, one text per tag) and the rank of each series in the order of its
 * tags. The dictionary itself lives in the kernel; this follows it lazily and never leads.
 */
import { Mutex } from "../base/mod.ts";
import { appendColumns, type Duck } from "../duck/mod.ts";
import type { Kernel } from "../kernel/mod.ts";
import { type Column, isVar, resultValue, T, type TableSchema, tagColumns } from "../types/mod.ts";
import { tagExpression } from "./source.ts";

/** The order of a region's series by their tags, pinned until `release`. */
export interface SeriesRank {
  /** DuckDB table (sid, rank), rank from 1. */
  readonly table: string;
  readonly series: number;
  /** Rank by sid. */
  ranks(): Promise<Uint32Array>;
  release(): void;
}

let tables = 0;

export class SeriesTable {
  readonly name = `s${++tables}`;
  readonly #mutex = new Mutex();
  #ranks: { readonly table: string; readonly values: Uint32Array } | undefined;
  #created = false;
  /** Tag column ids that the table has. */
  readonly #tags = new Set<number>();
  /** Series [0, #rows) are in the table. */
  #rows = 0;
  #escaped = false;
  #rank: { readonly table: string; readonly series: number; pins: number } | undefined;

  constructor(
    readonly duck: Duck,
    readonly kernel: Kernel,
    readonly slot: number,
  ) {}

  /** Do texts in the table need unescaping (an empty or NUL-only SQL value was written)? */
  get escaped(): boolean {
    return this.#escaped;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Brings the table up to the series [0, upTo) and the tags of `schema`. */
  sync(schema: TableSchema, upTo: number): Promise<void> | undefined {
    if (this.#created && this.#rows >= upTo && schema.primaryKey.every((id) => this.#tags.has(id)))
      return undefined;
    return this.#mutex.run(() => this.#sync(schema, upTo));
  }

  async #sync(schema: TableSchema, upTo: number): Promise<void> {
    if (!this.#created) {
      await this.duck.run(`CREATE TABLE ${this.name} (sid UINTEGER)`);
      this.#created = true;
    }
    for (const id of schema.primaryKey) {
      if (this.#tags.has(id)) continue;
      await this.duck.run(`ALTER TABLE ${this.name} ADD COLUMN c${id} VARCHAR`);
      this.#tags.add(id);
    }
    this.#append(schema, upTo);
  }

  /**
   * The same at once, for the moment of a snapshot; `sync` came shortly before. False when the table has not all tags of `schema` yet:
   * then it must come again.
   */
  syncNow(schema: TableSchema, upTo: number): boolean {
    if (!this.#created || !schema.primaryKey.every((id) => this.#tags.has(id))) return false;
    this.#append(schema, upTo);
    return true;
  }

  #append(schema: TableSchema, upTo: number): void {
    if (this.#rows >= upTo) return;
    const from = this.#rows;
    const rows = upTo - from;
    const byIndex = this.kernel.seriesColumns(this.slot, from, upTo);
    const names = this.kernel.slotInfo(this.slot).tags;
    const idOf = new Map(tagColumns(schema).map((c) => [c.name, c.id]));
    const byId = new Map<number, Column>();
    for (let index = 0; index < byIndex.length; index++) {
      const id = idOf.get(names[index]!);
      if (id !== undefined) byId.set(id, byIndex[index]!);
    }
    const sids = Uint32Array.from({ length: rows }, (_, i) => from + i);
    const columns: Column[] = [{ type: T.uint32, values: sids }];
    for (const id of this.#tags) {
      const column = byId.get(id) ?? nullTexts(rows);
      columns.push(column);
      if (!this.#escaped) this.#escaped = startsWithNul(column, rows);
    }
    appendColumns(this.duck, this.name, columns, rows);
    this.#rows = upTo;
  }

  /**
   * A table (sid, rank) with all series synced so far, ranked by tags in key order, NULL first. Call `release` after use.
   * Recomputed only when series were added.
   */
  rank(schema: TableSchema): Promise<SeriesRank> {
    return this.#mutex.run(async () => {
      let rank = this.#rank;
      if (rank === undefined || rank.series !== this.#rows) {
        const table = `r${++tables}`;
        const order = tagColumns(schema).map(
          (c) => `${tagExpression(c, this.#escaped)} NULLS FIRST`,
        );
        const over = order.length === 0 ? "sid" : order.join(", ");
        await this.duck.run(
          `CREATE TABLE ${table} AS SELECT sid, CAST(row_number() OVER (ORDER BY ${over}) AS UINTEGER) AS rank FROM ${this.name} s`,
        );
        const former = rank;
        rank = { table, series: this.#rows, pins: 0 };
        this.#rank = rank;
        if (former !== undefined && former.pins === 0)
          await this.duck.run(`DROP TABLE ${former.table}`);
      }
      const pinned = rank;
      pinned.pins++;
      return {
        table: pinned.table,
        series: pinned.series,
        ranks: () => this.#readRanks(pinned.table, pinned.series),
        release: () => {
          pinned.pins--;
          if (pinned.pins === 0 && this.#rank !== pinned)
            this.duck.run(`DROP TABLE IF EXISTS ${pinned.table}`).catch(() => undefined);
        },
      };
    });
  }

  async #readRanks(table: string, series: number): Promise<Uint32Array> {
    if (this.#ranks?.table === table) return this.#ranks.values;
    const values = new Uint32Array(series);
    const fields = [
      { name: "sid", type: T.uint32 },
      { name: "rank", type: T.uint32 },
    ];
    for await (const chunk of this.duck.stream(`SELECT sid, rank FROM ${table}`, fields))
      for (let row = 0; row < chunk.rows; row++)
        values[Number(resultValue(chunk.columns[0]!, row))] = Number(
          resultValue(chunk.columns[1]!, row),
        );
    this.#ranks = { table, values };
    return values;
  }

  async drop(): Promise<void> {
    await this.#mutex.run(async () => {
      if (this.#created) await this.duck.run(`DROP TABLE IF EXISTS ${this.name}`);
      if (this.#rank !== undefined) await this.duck.run(`DROP TABLE IF EXISTS ${this.#rank.table}`);
    });
  }
}

function nullTexts(rows: number): Column {
  return {
    type: T.string,
    offsets: new Uint32Array(rows + 1),
    bytes: new Uint8Array(0),
    validity: new Uint8Array(((rows + 63) >> 6) * 8),
  };
}

function startsWithNul(column: Column, rows: number): boolean {
  if (!isVar(column)) return false;
  for (let row = 0; row < rows; row++)
    if (column.offsets[row + 1]! > column.offsets[row]! && column.bytes[column.offsets[row]!] === 0)
      return true;
  return false;
}
