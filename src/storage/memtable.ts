/**
 * Memtable: rows of one region that no SST holds yet. Per generation it has two parts, in-order
 * rows and late rows. A generation's columns never change: a new schema starts a new generation.
 * Never touches the disk; it does not decide when to flush.
 */
import { assert } from "../base/mod.ts";
import type { Duck } from "../duck/mod.ts";
import {
  batchBytes,
  type Column,
  type ColumnSchema,
  columnById,
  duckTypeName,
  fieldColumns,
  pickRows,
  type RegionBatch,
  T,
  type TableSchema,
  timeColumn,
} from "../types/mod.ts";
import { Part, type Piece } from "./memtable_part.ts";
import { internalTypes } from "./pending.ts";
import type { Source } from "./source.ts";

let generations = 0;

export class Generation {
  readonly #order: Part;
  readonly #late: Part;
  readonly #fields: readonly ColumnSchema[];
  bytes = 0;
  hasDeletes = false;
  /** Readers that have this generation in a snapshot. */
  #pins = 0;
  #retired = false;
  readonly duck: Duck;

  constructor(
    duck: Duck,
    readonly schema: TableSchema,
    /** Is the region being queried, so that rows should go to DuckDB as they come? */
    eager: () => boolean,
  ) {
    this.duck = duck;
    const name = `m${++generations}`;
    const time = timeColumn(schema);
    this.#fields = fieldColumns(schema);
    const shared = [
      { name: "sid", type: internalTypes.sid },
      { name: `c${time.id}`, type: time.type },
      ...this.#fields.map((c) => ({ name: `c${c.id}`, type: c.type })),
    ];
    this.#order = new Part(duck, `${name}_order`, shared, eager);
    this.#late = new Part(
      duck,
      `${name}_late`,
      [
        ...shared,
        { name: "seq", type: internalTypes.sequence },
        { name: "op", type: internalTypes.op },
      ],
      eager,
    );
  }

  get rows(): number {
    return this.#order.rows + this.#late.rows;
  }
  get orderRows(): number {
    return this.#order.rows;
  }
  get lateRows(): number {
    return this.#late.rows;
  }

  /**
   * Applies a batch: `lateRows` (ascending row numbers) to the late part, the rest in order. `sequence` is that of row 0.
   * Columns that this generation does not know are ignored (dropped meanwhile); missing ones are NULL.
   */
  apply(batch: RegionBatch, lateRows: Uint32Array, sequence: bigint): void {
    this.bytes += batchBytes(batch);
    const columns = this.#columns(batch);
    if (lateRows.length === 0) this.#append(this.#order, columns, batch.times, batch.rows);
    else {
      const inOrder = complement(lateRows, batch.rows);
      if (inOrder.length > 0) {
        const picked = columns.map((c) => (c === undefined ? undefined : pickRows(c, inOrder)));
        this.#append(this.#order, picked, timesOf(picked), inOrder.length);
      }
      const picked = columns.map((c) => (c === undefined ? undefined : pickRows(c, lateRows)));
      const rows = lateRows.length;
      const sequences = BigUint64Array.from(lateRows, (row) => sequence + BigInt(row));
      this.#appendLate(picked, timesOf(picked), sequences, new Uint8Array(rows).fill(1), rows);
      this.bytes += rows * 9;
    }
  }

  /** Tombstones. */
  applyDeletes(sids: Uint32Array, times: BigInt64Array, sequence: bigint): void {
    const rows = sids.length;
    const columns: (Column | undefined)[] = [
      { type: internalTypes.sid, values: sids },
      { type: timeColumn(this.schema).type, values: times },
      ...this.#fields.map(() => undefined),
    ];
    const sequences = BigUint64Array.from({ length: rows }, (_, row) => sequence + BigInt(row));
    this.#appendLate(columns, times, sequences, new Uint8Array(rows), rows);
    this.hasDeletes = true;
    this.bytes += rows * (21 + 8 * this.#fields.length);
  }

  /** Await before `sync`, which has little to do then: the tables exist and hold all but the newest rows. */
  async ready(): Promise<void> {
    await this.#order.ready();
    await this.#late.ready();
  }

  /** May `sync` be called now, so that no row is left out of `sources`? */
  get isReady(): boolean {
    return [this.#order, this.#late].every((part) => part.rows === 0 || part.created);
  }

  /** The in-order rows in arrival order, when all of them are still outside DuckDB. Columns: sid, time, fields. */
  orderPieces(): readonly Piece[] | undefined {
    return this.#order.pieces();
  }

  /** Times of the in-order rows; there must be some. */
  orderRange(): { readonly min: bigint; readonly max: bigint } {
    return { min: this.#order.minTime, max: this.#order.maxTime };
  }

  /** Makes the late part readable by DuckDB. */
  async lateReady(): Promise<void> {
    await this.#late.ready();
    this.#late.sync();
  }

  /** Makes everything applied so far visible to DuckDB statements that start afterwards. */
  sync(): void {
    this.#order.sync();
    this.#late.sync();
  }

  sources(): Source[] {
    const columns = [
      {
        id: this.schema.timeIndex,
        name: `c${this.schema.timeIndex}`,
        type: timeColumn(this.schema).type,
      },
      ...this.#fields.map((c) => ({ id: c.id, name: `c${c.id}`, type: c.type })),
    ];
    const source = (part: Part, late: boolean): Source => ({
      from: part.table,
      kind: "memtable",
      late,
      hasDeletes: late && this.hasDeletes,
      rows: part.rows,
      minTime: part.minTime,
      maxTime: part.maxTime,
      columns,
      sid: "sid",
      sequence: "seq",
      op: "op",
    });
    return [this.#order, this.#late]
      .filter((part) => part.created && part.rows > 0)
      .map((part) => source(part, part === this.#late));
  }

  pin(): void {
    this.#pins++;
  }

  async unpin(): Promise<void> {
    this.#pins--;
    assert(this.#pins >= 0, "every unpin had its pin");
    if (this.#pins === 0 && this.#retired) await this.#drop();
  }

  /** The rows are in SSTs or gone: the tables go when the last reader has left. */
  async retire(): Promise<void> {
    this.#retired = true;
    if (this.#pins === 0) await this.#drop();
  }

  async #drop(): Promise<void> {
    await this.#order.drop();
    await this.#late.drop();
  }

  #columns(batch: RegionBatch): (Column | undefined)[] {
    const byId = new Map(batch.fields.map((f) => [f.id, f.column]));
    return [
      { type: internalTypes.sid, values: batch.sids },
      { type: timeColumn(this.schema).type, values: batch.times },
      ...this.#fields.map((c) => byId.get(c.id)),
    ];
  }

  #append(
    part: Part,
    columns: readonly (Column | undefined)[],
    times: BigInt64Array,
    rows: number,
  ): void {
    part.append(columns, times, rows);
  }

  #appendLate(
    columns: readonly (Column | undefined)[],
    times: BigInt64Array,
    sequences: BigUint64Array,
    ops: Uint8Array,
    rows: number,
  ): void {
    this.#append(
      this.#late,
      [...columns, { type: T.uint64, values: sequences }, { type: T.uint8, values: ops }],
      times,
      rows,
    );
  }
}

function timesOf(columns: readonly (Column | undefined)[]): BigInt64Array {
  const column = columns[1];
  assert(
    column !== undefined && "values" in column && column.values instanceof BigInt64Array,
    "column 1 is the time",
  );
  return column.values;
}

/** Numbers in [0, rows) that are not in `picked` (ascending). */
function complement(picked: Uint32Array, rows: number): Uint32Array {
  const rest = new Uint32Array(rows - picked.length);
  let next = 0;
  let at = 0;
  for (let row = 0; row < rows; row++)
    if (next < picked.length && picked[next] === row) next++;
    else rest[at++] = row;
  return rest;
}

/** Fields of a schema that a batch may carry: its ids and types must agree with the schema's. */
export function checkBatch(schema: TableSchema, batch: RegionBatch): void {
  assert(
    batch.sids.length >= batch.rows && batch.times.length >= batch.rows,
    "a batch has a series and a time for each row",
  );
  for (const { id, column } of batch.fields) {
    assert(id < schema.nextColumnId, "a batch names known columns");
    const known = columnById(schema, id);
    assert(known === undefined || known.role === "field", "a batch's columns are fields");
    assert(
      known === undefined || duckTypeName(known.type) === duckTypeName(column.type),
      `column ${known?.name} has its schema's type`,
    );
  }
}
