/**
 * The head of an encoded batch: a cursor that writes and one that reads. Layout in docs/format/columns.md: version, crc32c of the rest of
 * the head, length of the head, length of the payload; then rows, fields, and one description per column.
 */
import { Bug } from "../base/mod.ts";
import { type ColumnType, T, type TimeUnit } from "../types/mod.ts";

const VERSION = 1;
/** Version, crc, head length, payload length. */
export const PREFIX_BYTES = 13;
/** More rows than any writer puts into one batch (a 64 MiB body has 11 million); keeps sizes far from overflow. */
export const ROWS_MAX = 1 << 26;

/** How one column was packed; see kernels/assembly/pack.ts. */
export interface Block {
  readonly method: number;
  readonly width: number;
  readonly scale: number;
  readonly base: bigint;
  readonly least: bigint;
}
export const DELTA = 1;
const WINDOW = 2;
/** Added to the method where whole numbers stand for doubles. */
export const WHOLE = 4;

/** Codes of the types in the bytes: append only. */
const KINDS = [
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "float32",
  "float64",
  "bool",
  "string",
  "binary",
  "date",
  "json",
  "timestamp",
  "decimal",
  "vector",
  "time",
  "duration",
] as const;
const UNITS: readonly TimeUnit[] = ["s", "ms", "us", "ns"];

export class HeadWriter {
  #bytes = new Uint8Array(512);
  #view = new DataView(this.#bytes.buffer);
  #at = PREFIX_BYTES;

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(this.#bytes.length * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#at++] = value;
  }

  varint(value: number): void {
    this.#room(5);
    let rest = value >>> 0;
    for (; rest >= 0x80; rest >>>= 7) this.#bytes[this.#at++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#at++] = rest;
  }

  word64(value: bigint): void {
    this.#room(8);
    this.#view.setBigUint64(this.#at, BigInt.asUintN(64, value), true);
    this.#at += 8;
  }

  block(block: Block): void {
    this.byte(block.method | (block.width << 4));
    this.byte(block.scale);
    this.word64(block.base);
    if ((block.method & ~WHOLE) === DELTA) this.word64(block.least);
  }

  type(type: ColumnType): void {
    const code = (KINDS as readonly string[]).indexOf(type.kind);
    if (code < 0) throw new Bug(`a column of ${type.kind} can be stored`);
    this.byte(code);
    switch (type.kind) {
      case "timestamp":
      case "time":
      case "duration":
        this.byte(UNITS.indexOf(type.unit));
        break;
      case "decimal":
        this.byte(type.precision);
        this.byte(type.scale + 128);
        break;
      case "vector":
        this.varint(type.dim);
        break;
    }
  }

  /** The finished head for a payload of this length. */
  finish(payload: number, crc: (bytes: Uint8Array) => number): Uint8Array {
    this.#bytes[0] = VERSION;
    this.#view.setUint32(5, this.#at, true);
    this.#view.setUint32(9, payload, true);
    this.#view.setUint32(1, crc(this.#bytes.subarray(5, this.#at)), true);
    return this.#bytes.subarray(0, this.#at);
  }
}

export class HeadReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** Bytes of the head: the payload follows. */
  readonly length: number;
  #at = PREFIX_BYTES;

  constructor(bytes: Uint8Array, crc: (bytes: Uint8Array) => number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < PREFIX_BYTES) throw this.damaged("too short");
    if (bytes[0] !== VERSION) throw this.damaged(`unknown version ${bytes[0]}`);
    this.length = this.#view.getUint32(5, true);
    if (this.length < PREFIX_BYTES || this.length > bytes.length)
      throw this.damaged("the head is cut");
    if (this.length + this.#view.getUint32(9, true) !== bytes.length)
      throw this.damaged("the length is wrong");
    if (crc(bytes.subarray(5, this.length)) !== this.#view.getUint32(1, true))
      throw this.damaged("the checksum of the head is wrong");
  }

  damaged(why: string): Error {
    return new Error(
      `damaged batch of ${this.#bytes.length} bytes: ${why} (near byte ${this.#at})`,
    );
  }

  #take(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.length) throw this.damaged("the head ends early");
    this.#at += bytes;
    return at;
  }

  byte(): number {
    return this.#bytes[this.#take(1)]!;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value <= 0xffff_ffff ? value : this.#fail("a number is too large");
    }
    return this.#fail("a number is too long");
  }

  /** Rows of the batch, within reason. */
  rows(): number {
    const rows = this.varint();
    return rows <= ROWS_MAX ? rows : this.#fail("too many rows");
  }

  #fail(why: string): never {
    throw this.damaged(why);
  }

  block(): Block {
    const first = this.byte();
    const method = first & 15;
    const width = first >> 4;
    const scale = this.byte();
    const base = this.#view.getBigUint64(this.#take(8), true);
    const least = (method & ~WHOLE) === DELTA ? this.#view.getBigUint64(this.#take(8), true) : 0n;
    if (method > (DELTA | WHOLE) || method === WINDOW + 1 || width > 8 || scale > 7)
      this.#fail("unknown packing");
    return { method, width, scale, base, least };
  }

  type(): ColumnType {
    const kind = KINDS[this.byte()];
    switch (kind) {
      case undefined:
        return this.#fail("unknown type");
      case "timestamp":
      case "time":
      case "duration": {
        const unit = UNITS[this.byte()];
        return unit === undefined ? this.#fail("unknown time unit") : { kind, unit };
      }
      case "decimal":
        return { kind, precision: this.byte(), scale: this.byte() - 128 };
      case "vector":
        return { kind, dim: this.varint() };
      default:
        return T[kind];
    }
  }

  finish(): void {
    if (this.#at !== this.length) this.#fail("the head is too long");
  }
}
