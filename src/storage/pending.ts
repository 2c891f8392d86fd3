/**
 * Pending columns: rows of one table layout that are applied but not yet in DuckDB, as growing typed arrays.
 * Appending allocates nothing per row. It never touches DuckDB or the disk; `view` shows the columns.
 */
import { assert, Bug } from "../base/mod.ts";
import {
  arrayClassOf,
  type Column,
  type ColumnType,
  type FixedArray,
  isVar,
  T,
  valueBytes,
  wordsPerRow,
} from "../types/mod.ts";
import { pieceArrays } from "./array_pool.ts";

/** Small regions stay small: buffers start here and double. */
const capacityMin = 256;

class FixedBuilder {
  values: FixedArray;
  validity: Uint8Array | undefined;
  readonly #perRow: number;
  constructor(
    readonly type: ColumnType,
    capacity: number,
  ) {
    this.#perRow = wordsPerRow(type);
    this.values = pooledArray(type, capacity * this.#perRow);
  }

  grow(capacity: number): void {
    const wider = pooledArray(this.type, capacity * this.#perRow);
    (wider as Uint8Array).set(this.values as Uint8Array);
    pieceArrays.give(this.values);
    this.values = wider;
  }

  append(column: Column, rows: number, at: number): void {
    if (isVar(column)) throw new Bug("fixed-width column expected");
    assert(
      column.values.constructor === this.values.constructor,
      "a batch column has its table's type",
    );
    const source = column.values.subarray(0, rows * this.#perRow);
    (this.values as Uint8Array).set(source as Uint8Array, at * this.#perRow);
  }

  appendNulls(rows: number, at: number): void {
    const [from, to] = [at * this.#perRow, (at + rows) * this.#perRow];
    if (this.values instanceof BigInt64Array || this.values instanceof BigUint64Array)
      this.values.fill(0n, from, to);
    else this.values.fill(0, from, to);
  }

  finish(rows: number): Column {
    return {
      type: this.type,
      values: this.values.subarray(0, rows * this.#perRow) as FixedArray,
      validity: this.validity,
    };
  }

  reset(): void {
    this.validity = undefined;
  }
}

class VarBuilder {
  offsets: Uint32Array;
  bytesUsed = 0;
  data = new Uint8Array(1024);
  validity: Uint8Array | undefined;
  constructor(
    readonly type: ColumnType,
    capacity: number,
  ) {
    this.offsets = new Uint32Array(capacity + 1);
  }

  grow(capacity: number): void {
    const wider = new Uint32Array(capacity + 1);
    wider.set(this.offsets);
    this.offsets = wider;
  }

  append(column: Column, rows: number, at: number): void {
    if (!isVar(column)) throw new Bug("variable-width column expected");
    const from = column.offsets[0]!;
    const length = column.offsets[rows]! - from;
    this.#reserve(length);
    this.data.set(column.bytes.subarray(from, from + length), this.bytesUsed);
    const shift = this.bytesUsed - from;
    for (let row = 1; row <= rows; row++) this.offsets[at + row] = column.offsets[row]! + shift;
    this.bytesUsed += length;
  }

  appendNulls(rows: number, at: number): void {
    this.offsets.fill(this.bytesUsed, at + 1, at + rows + 1);
  }

  #reserve(length: number): void {
    const need = this.bytesUsed + length;
    assert(need < 2 ** 32, "pending strings fit 32-bit offsets");
    if (need <= this.data.byteLength) return;
    const wider = new Uint8Array(Math.max(need, this.data.byteLength * 2));
    wider.set(this.data.subarray(0, this.bytesUsed));
    this.data = wider;
  }

  finish(rows: number): Column {
    return {
      type: this.type,
      offsets: this.offsets.subarray(0, rows + 1),
      bytes: this.data.subarray(0, this.bytesUsed),
      validity: this.validity,
    };
  }

  reset(): void {
    this.bytesUsed = 0;
    this.validity = undefined;
  }
}

type Builder = FixedBuilder | VarBuilder;

export class PendingColumns {
  rows = 0;
  #capacity: number;
  readonly #builders: Builder[];

  /** `capacity`: rows to make room for at once. */
  constructor(
    readonly types: readonly ColumnType[],
    capacity = capacityMin,
  ) {
    this.#capacity = capacity;
    this.#builders = types.map((type) => newBuilder(type, this.#capacity));
  }

  /** `columns[i]` belongs to `types[i]`; undefined means NULL in every row. */
  append(columns: readonly (Column | undefined)[], rows: number): void {
    assert(columns.length === this.#builders.length, "one column per builder");
    this.#reserve(rows);
    for (let i = 0; i < columns.length; i++) {
      const builder = this.#builders[i]!;
      const column = columns[i];
      if (column === undefined) {
        builder.appendNulls(rows, this.rows);
        this.#validity(builder).fillRange(this.rows, rows, false);
      } else {
        builder.append(column, rows, this.rows);
        if (column.validity !== undefined)
          this.#validity(builder).copy(column.validity, this.rows, rows);
        else if (builder.validity !== undefined)
          this.#validity(builder).fillRange(this.rows, rows, true);
      }
    }
    this.rows += rows;
  }

  /** The arrays may be used by others from now on; no view of them may be in use. */
  free(): void {
    for (const builder of this.#builders)
      if (builder instanceof FixedBuilder) pieceArrays.give(builder.values);
  }

  /** The columns so far; they are views, valid until the next append or `clear`. */
  view(): { readonly columns: Column[]; readonly rows: number } {
    return { columns: this.#builders.map((b) => b.finish(this.rows)), rows: this.rows };
  }

  /** Forgets the rows, keeps the memory. */
  clear(): void {
    for (const builder of this.#builders) builder.reset();
    this.rows = 0;
  }

  /** Bytes of strings held, which rows alone do not bound. */
  get stringBytes(): number {
    let bytes = 0;
    for (const builder of this.#builders)
      if (builder instanceof VarBuilder) bytes += builder.bytesUsed;
    return bytes;
  }

  #reserve(rows: number): void {
    const need = this.rows + rows;
    if (need <= this.#capacity) return;
    while (this.#capacity < need) this.#capacity *= 2;
    for (const builder of this.#builders) {
      builder.grow(this.#capacity);
      if (builder.validity !== undefined) {
        const wider = new Uint8Array(bitmapBytes(this.#capacity));
        wider.set(builder.validity);
        builder.validity = wider;
      }
    }
  }

  #validity(builder: Builder): Bitmap {
    if (builder.validity === undefined) {
      builder.validity = new Uint8Array(bitmapBytes(this.#capacity));
      new Bitmap(builder.validity).fillRange(0, this.rows, true);
    }
    return new Bitmap(builder.validity);
  }
}

/** Bits of a validity bitmap, LSB first. */
class Bitmap {
  constructor(private readonly bits: Uint8Array) {}

  fillRange(from: number, count: number, value: boolean): void {
    let row = from;
    const end = from + count;
    for (; row < end && (row & 7) !== 0; row++) this.#set(row, value);
    const lastByte = end >> 3;
    if (row >> 3 < lastByte) {
      this.bits.fill(value ? 0xff : 0, row >> 3, lastByte);
      row = lastByte << 3;
    }
    for (; row < end; row++) this.#set(row, value);
  }

  copy(source: Uint8Array, at: number, count: number): void {
    if ((at & 7) === 0) {
      const whole = count >> 3;
      this.bits.set(source.subarray(0, whole), at >> 3);
      for (let row = whole << 3; row < count; row++) this.#set(at + row, bit(source, row));
    } else for (let row = 0; row < count; row++) this.#set(at + row, bit(source, row));
  }

  #set(row: number, value: boolean): void {
    if (value) this.bits[row >> 3]! |= 1 << (row & 7);
    else this.bits[row >> 3]! &= ~(1 << (row & 7));
  }
}

function bit(bits: Uint8Array, row: number): boolean {
  return ((bits[row >> 3]! >> (row & 7)) & 1) === 1;
}

/** DuckDB reads validity in words of 64 rows. */
function bitmapBytes(rows: number): number {
  return ((rows + 63) >> 6) * 8;
}

function newBuilder(type: ColumnType, capacity: number): Builder {
  return valueBytes(type) === 0 ? new VarBuilder(type, capacity) : new FixedBuilder(type, capacity);
}

function pooledArray(type: ColumnType, length: number): FixedArray {
  return pieceArrays.take(arrayClassOf(type), length);
}

/** The types of the internal columns of memtables. */
export const internalTypes = Object.freeze({ sid: T.uint32, sequence: T.uint64, op: T.uint8 });
