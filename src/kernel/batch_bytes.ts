/**
 * RegionBatch ↔ the compact bytes of docs/format/columns.md. The kernels pack and unpack the columns; the head that describes them is
 * written and read here. The head has its own crc, and every size is in it, so damage can neither crash a reader nor make it
 * allocate more than an honest writer asked for.
 */
import { assert, Bug } from "../base/mod.ts";
import {
  type Column,
  type ColumnType,
  type FixedArray,
  type FixedColumn,
  fixedArray,
  isVar,
  type RegionBatch,
  type VarColumn,
  valueBytes,
} from "../types/mod.ts";
import type { RawKernel } from "./exports.ts";
import { type Block, DELTA, HeadReader, HeadWriter, ROWS_MAX, WHOLE } from "./head.ts";
import { type KernelMemory, SLACK } from "./memory.ts";

const NO_NULLS = 0;
const BITMAP = 1;
const ALL_NULL = 2;

const bitmapBytes = (rows: number) => (rows + 7) >> 3;

/** Bytes that the packed payload may take at most. */
function payloadBound(batch: RegionBatch): number {
  let bytes = 16 * batch.rows + SLACK;
  for (const { column } of batch.fields) {
    bytes += bitmapBytes(batch.rows) + SLACK;
    if (isVar(column)) bytes += 8 * batch.rows + column.bytes.byteLength;
    else bytes += Math.max(valueBytes(column.type), 8) * batch.rows;
  }
  return bytes;
}

export class BatchBytes {
  constructor(
    readonly raw: RawKernel,
    readonly memory: KernelMemory,
  ) {}

  encode(batch: RegionBatch): Uint8Array {
    const { rows } = batch;
    assert(batch.sids.length >= rows && batch.times.length >= rows, "a batch has all its rows");
    assert(rows <= ROWS_MAX, "a batch has a bounded number of rows");
    const head = new HeadWriter();
    head.varint(rows);
    head.varint(batch.fields.length);
    // Words of the column at hand, its bitmap, its raw values, and the payload.
    const words = 8 * rows + SLACK;
    const nulls = bitmapBytes(rows) + SLACK;
    const values = 16 * rows + 8 + SLACK;
    return this.memory.withBlock(words + nulls + values + payloadBound(batch), (at) => {
      const out = at + align(words + nulls + values);
      const packer = new Packer(this, rows, head, at, at + words, at + align(words + nulls), out);
      packer.integers(batch.sids, 4, false, undefined);
      packer.integers(batch.times, 8, true, undefined);
      for (const field of batch.fields) packer.field(field.id, field.column);
      const payload = packer.to - out;
      const headBytes = head.finish(payload, (bytes) => this.crc(bytes));
      const result = new Uint8Array(headBytes.length + payload);
      result.set(headBytes);
      result.set(this.memory.bytes.subarray(out, out + payload), headBytes.length);
      return result;
    });
  }

  /** Throws an Error when the bytes are damaged. */
  decode(bytes: Uint8Array): RegionBatch {
    const head = new HeadReader(bytes, (part) => this.crc(part));
    const rows = head.rows();
    const fieldCount = head.varint();
    const payload = bytes.subarray(head.length);
    // The packed bytes, then one column at a time: lengths or values, and a string column's offsets.
    const column = align(16 * rows + 8 + SLACK);
    return this.memory.withBlock(align(payload.length + SLACK) + 2 * column, (at) => {
      this.memory.write(at, payload);
      const scratch = at + align(payload.length + SLACK);
      const unpacker = new Unpacker(
        this,
        rows,
        head,
        at,
        payload.length,
        scratch,
        scratch + column,
      );
      const sids = new Uint32Array(rows);
      unpacker.block(sids, 4, 4);
      const times = new BigInt64Array(rows);
      unpacker.block(times, 8, 8);
      const fields: { id: number; column: Column }[] = [];
      for (let i = 0; i < fieldCount; i++)
        fields.push({ id: head.varint(), column: unpacker.field(head.type()) });
      unpacker.finish();
      return { rows, sids, times, fields };
    });
  }

  crc(bytes: Uint8Array): number {
    return this.memory.withBlock(bytes.length, (at) => {
      this.memory.write(at, bytes);
      return this.raw.crc32c(at, bytes.length, 0) >>> 0;
    });
  }
}

const align = (at: number) => (at + 15) & ~15;

/** Packs one column after the other to `to`. */
class Packer {
  constructor(
    readonly owner: BatchBytes,
    readonly rows: number,
    readonly head: HeadWriter,
    readonly words: number,
    readonly nulls: number,
    readonly values: number,
    public to: number,
  ) {}

  field(id: number, column: Column): void {
    const { head, rows } = this;
    head.varint(id);
    head.type(column.type);
    const validity = this.#validity(column);
    if (validity === "all null") return;
    if (isVar(column)) {
      this.#text(column);
      return;
    }
    const { type, values } = column;
    switch (type.kind) {
      case "bool":
        this.owner.memory.write(this.values, values, rows);
        this.to += this.owner.raw.packBits(this.values, rows, this.to);
        return;
      case "float32":
      case "float64":
        this.#load(values, valueBytes(type), false, validity);
        this.to +=
          type.kind === "float64"
            ? this.owner.raw.packDoubles(this.words, rows, this.to)
            : this.owner.raw.packWindow(this.words, rows, this.to);
        this.#block();
        return;
      case "decimal":
        this.owner.memory.write(this.values, values, rows * 16);
        for (const half of [0, 8]) {
          this.owner.raw.widen(this.values + half, rows, 8, 16, 0, this.words);
          this.#pack(validity);
        }
        return;
      default:
        this.integers(values, valueBytes(type), !type.kind.startsWith("uint"), validity);
    }
  }

  integers(
    values: FixedArray,
    bytes: number,
    signed: boolean,
    validity: Uint8Array | undefined,
  ): void {
    this.#load(values, bytes, signed, undefined);
    this.#pack(validity);
  }

  /** Lengths stay as they are under a NULL: they must add up. */
  #text(column: VarColumn): void {
    const { raw, memory } = this.owner;
    const { rows } = this;
    memory.write(this.values, column.offsets, (rows + 1) * 4);
    const from = column.offsets[0]!;
    const end = column.offsets[rows]!;
    if (raw.widenLengths(this.values, rows, this.words) === 0 || end > column.bytes.length)
      throw new Bug("offsets of a column ascend and end inside its bytes");
    this.to += raw.packIntegers(this.words, rows, this.to);
    this.#block();
    this.head.varint(end - from);
    memory.write(this.to, column.bytes.subarray(from, end));
    this.to += end - from;
  }

  /** Writes what is known about NULLs, and the bitmap if there are some. */
  #validity(column: Column): Uint8Array | "all null" | undefined {
    const { rows, head } = this;
    const bytes = bitmapBytes(rows);
    if (column.validity === undefined || rows === 0) {
      head.byte(NO_NULLS);
      return undefined;
    }
    const bitmap = column.validity.slice(0, bytes);
    if ((rows & 7) !== 0) bitmap[bytes - 1]! &= (1 << (rows & 7)) - 1;
    let set = 0;
    for (const byte of bitmap) set += BITS[byte]!;
    if (set === rows) {
      head.byte(NO_NULLS);
      return undefined;
    }
    if (set === 0) {
      head.byte(ALL_NULL);
      return "all null";
    }
    head.byte(BITMAP);
    this.owner.memory.write(this.to, bitmap);
    this.owner.memory.write(this.nulls, bitmap);
    this.to += bytes;
    return bitmap;
  }

  #load(
    values: FixedArray,
    bytes: number,
    signed: boolean,
    validity: Uint8Array | undefined,
  ): void {
    const { raw, memory } = this.owner;
    const { rows } = this;
    if (bytes === 8) memory.write(this.words, values, rows * 8);
    else {
      memory.write(this.values, values, rows * bytes);
      raw.widen(this.values, rows, bytes, bytes, signed ? 1 : 0, this.words);
    }
    if (validity !== undefined) raw.fillNulls(this.words, rows, this.nulls);
  }

  #pack(validity: Uint8Array | undefined): void {
    const { raw } = this.owner;
    if (validity !== undefined) raw.fillNulls(this.words, this.rows, this.nulls);
    this.to += raw.packIntegers(this.words, this.rows, this.to);
    this.#block();
  }

  #block(): void {
    const { raw } = this.owner;
    this.head.block({
      method: raw.packMethod.value,
      width: raw.packWidth.value,
      scale: raw.packScale.value,
      base: raw.packBase.value,
      least: raw.packLeast.value,
    });
  }
}

/** Unpacks one column after the other from `at`. */
class Unpacker {
  readonly #end: number;
  constructor(
    readonly owner: BatchBytes,
    readonly rows: number,
    readonly head: HeadReader,
    public at: number,
    payload: number,
    readonly scratch: number,
    readonly offsets: number,
  ) {
    this.#end = at + payload;
  }

  /** The position of the next `bytes` bytes of the payload. */
  #take(bytes: number): number {
    const at = this.at;
    if (bytes > this.#end - at) throw this.head.damaged("the payload is cut");
    this.at += bytes;
    return at;
  }

  /** Everything was read, and nothing is left. */
  finish(): void {
    this.head.finish();
    if (this.at !== this.#end) throw this.head.damaged("the payload is too long");
  }

  field(type: ColumnType): Column {
    const { rows, head } = this;
    const width = valueBytes(type);
    const nulls = head.byte();
    if (nulls > ALL_NULL) throw head.damaged("unknown kind of NULLs");
    let validity: Uint8Array | undefined;
    if (nulls === ALL_NULL) validity = new Uint8Array(bitmapBytes(rows));
    if (nulls === BITMAP) {
      const bytes = bitmapBytes(rows);
      validity = this.owner.memory.copyBytes(this.#take(bytes), bytes);
    }
    const column =
      width === 0
        ? this.#text(type, nulls === ALL_NULL)
        : this.#fixed(type, width, nulls === ALL_NULL);
    return validity === undefined ? column : { ...column, validity };
  }

  #fixed(type: ColumnType, width: number, empty: boolean): FixedColumn {
    const { rows } = this;
    const values = fixedArray(type, rows);
    if (empty) return { type, values };
    if (type.kind === "bool") {
      const packed = this.#take(bitmapBytes(rows));
      this.owner.raw.unpackBits(packed, rows, this.scratch);
    } else if (type.kind === "decimal") {
      this.#unpack(this.head.block(), this.scratch, 8, 16);
      this.#unpack(this.head.block(), this.scratch + 8, 8, 16);
    } else this.#unpack(this.head.block(), this.scratch, width, width);
    this.owner.memory.copyInto(values, this.scratch, rows * width);
    return { type, values };
  }

  #text(type: ColumnType, empty: boolean): VarColumn {
    const { rows, head } = this;
    const { raw, memory } = this.owner;
    const offsets = new Uint32Array(rows + 1);
    if (empty) return { type, offsets, bytes: new Uint8Array(0) };
    this.#unpack(head.block(), this.scratch, 4, 4);
    const length = head.varint();
    const at = this.#take(length);
    if (raw.sumLengths(this.scratch, rows, length, this.offsets) === 0)
      throw head.damaged("lengths do not add up");
    memory.copyInto(offsets, this.offsets, (rows + 1) * 4);
    return { type, offsets, bytes: memory.copyBytes(at, length) };
  }

  block(target: FixedArray, width: number, stride: number): void {
    this.#unpack(this.head.block(), this.scratch, width, stride);
    this.owner.memory.copyInto(target, this.scratch, this.rows * width);
  }

  #unpack(block: Block, to: number, width: number, stride: number): void {
    const { rows } = this;
    const method = block.method & ~WHOLE;
    const values = method === DELTA && rows > 0 ? rows - 1 : rows;
    const from = this.#take(values * block.width);
    this.owner.raw.unpack(
      from,
      rows,
      method,
      block.width,
      block.scale,
      block.base,
      block.least,
      to,
      width,
      stride,
    );
    if (method !== block.method) {
      if (width !== 8 || stride !== 8) throw this.head.damaged("whole numbers that are no doubles");
      this.owner.raw.unpackWhole(to, rows);
    }
  }
}

/** Set bits of each byte. */
const BITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  let set = 0;
  for (let bits = byte; bits !== 0; bits &= bits - 1) set++;
  return set;
});
