/**
 * A column in the kernels' memory, joined from its pieces: fixed-width values, or offsets and bytes, and a bitmap once a value is NULL.
 * Part of the row encoder; it encodes nothing itself.
 */
import { assert, Bug } from "../base/mod.ts";
import { type Column, type ColumnType, isVar, type VarColumn, valueBytes } from "../types/mod.ts";
import type { RawKernel } from "./exports.ts";
import { type KernelMemory, outOfMemory, SLACK } from "./memory.ts";
import { type Physical, physicalOf } from "./row_encoder_api.ts";

/** Kinds of fixed-width values, as parquet_gather.ts numbers them. */
const GATHER = { int8: 0, int16: 1, int32: 2, int64: 3, uint8: 4, uint16: 5, uint32: 6, uint64: 7 };
const FLOAT32 = 8;
const FLOAT64 = 9;

/** Ticks of a stored timestamp in one of the column's. */
const FACTOR = { s: 1_000_000n, ms: 1000n, us: 1n, ns: 1n };

function gatherKind(type: ColumnType): number {
  switch (type.kind) {
    case "bool":
      return GATHER.uint8;
    case "date":
      return GATHER.int32;
    case "timestamp":
    case "decimal":
      return GATHER.int64;
    case "float32":
      return FLOAT32;
    case "float64":
      return FLOAT64;
    case "int8":
    case "int16":
    case "int32":
    case "int64":
    case "uint8":
    case "uint16":
    case "uint32":
    case "uint64":
      return GATHER[type.kind];
    default:
      throw new Bug(`values of ${type.kind} have a fixed width`);
  }
}

export interface Block {
  readonly at: number;
  readonly bytes: number;
}

/** A block of kernel memory that somebody must give back, with SLACK behind it. */
export function takeBlock(raw: RawKernel, bytes: number): Block {
  const size = bytes + SLACK;
  const at = size < 0xffff_0000 ? raw.take(size) >>> 0 : 0;
  if (at === 0) throw outOfMemory();
  return { at, bytes: size };
}

export class EncoderColumn {
  readonly physical: Physical;
  readonly gatherKind: number;
  readonly factor: bigint;
  /** Bytes from one value to the next. */
  readonly stride: number;
  readonly #raw: RawKernel;
  readonly #memory: KernelMemory;
  /** Values, or offsets. */
  readonly #fixed: Block;
  readonly #bytes: Block | undefined;
  #bytesUsed = 0;
  #validity: Block | undefined;
  #filled = 0;

  constructor(
    raw: RawKernel,
    memory: KernelMemory,
    readonly type: ColumnType,
    readonly required: boolean,
    readonly rows: number,
    /** Most bytes of all texts. */
    readonly textBytes: number,
  ) {
    this.#raw = raw;
    this.#memory = memory;
    this.physical = physicalOf(type);
    this.stride = valueBytes(type);
    this.gatherKind = this.physical === "bytes" ? 0 : gatherKind(type);
    this.factor = type.kind === "timestamp" ? FACTOR[type.unit] : 1n;
    this.#fixed = takeBlock(
      raw,
      this.physical === "bytes" ? 4 * (rows + 1) : Math.max(this.stride, 1) * rows,
    );
    if (this.physical !== "bytes") return;
    try {
      this.#bytes = takeBlock(raw, textBytes);
    } catch (cause) {
      raw.give(this.#fixed.at, this.#fixed.bytes);
      throw cause;
    }
    memory.write(this.#fixed.at, new Uint32Array(1));
  }

  get filled(): number {
    return this.#filled;
  }
  /** Address of the values, or of the offsets of a "bytes" column. */
  get at(): number {
    return this.#fixed.at;
  }
  get bytesAt(): number {
    return this.#bytes?.at ?? this.#fixed.at;
  }
  /** Address of the bitmap, 0 when no value is NULL. */
  get validityAt(): number {
    return this.#validity?.at ?? 0;
  }

  add(piece: Column | undefined, rows: number): void {
    assert(this.#filled + rows <= this.rows, "a column's pieces have its rows");
    if (rows === 0) return;
    if (piece === undefined || piece.validity !== undefined || this.#validity !== undefined)
      this.#addValidity(piece, rows);
    if (this.physical === "bytes") this.#addTexts(piece, rows);
    else if (piece !== undefined) {
      if (isVar(piece)) throw new Bug(`values of ${this.type.kind} have a fixed width`);
      this.#memory.write(this.at + this.#filled * this.stride, piece.values, rows * this.stride);
    }
    this.#filled += rows;
  }

  #addValidity(piece: Column | undefined, rows: number): void {
    assert(!this.required, "a required column has no NULL");
    const raw = this.#raw;
    if (this.#validity === undefined) {
      this.#validity = takeBlock(raw, (this.rows + 7) >> 3);
      this.#memory.bytes.fill(0, this.#validity.at, this.#validity.at + this.#validity.bytes);
      raw.appendBits(0, this.#filled, this.#validity.at, 0);
    }
    const { at } = this.#validity;
    if (piece === undefined) return;
    if (piece.validity === undefined) raw.appendBits(0, rows, at, this.#filled);
    else {
      const { validity } = piece;
      this.#memory.withBlock((rows + 7) >> 3, (from) => {
        this.#memory.write(from, validity, (rows + 7) >> 3);
        raw.appendBits(from, rows, at, this.#filled);
      });
    }
  }

  #addTexts(piece: Column | undefined, rows: number): void {
    const place = this.at + 4 * this.#filled;
    if (piece === undefined) {
      this.#memory.words.fill(this.#bytesUsed, place >>> 2, (place >>> 2) + rows + 1);
      return;
    }
    if (!isVar(piece)) throw new Bug(`values of ${this.type.kind} have offsets`);
    const from = piece.offsets[0]!;
    const length = piece.offsets[rows]! - from;
    assert(this.#bytesUsed + length <= this.textBytes, "texts are as long as was said");
    this.#memory.write(this.bytesAt + this.#bytesUsed, piece.bytes.subarray(from, from + length));
    this.#addOffsets(piece, rows, place);
    this.#bytesUsed += length;
  }

  #addOffsets(piece: VarColumn, rows: number, place: number): void {
    this.#memory.write(place, piece.offsets, 4 * (rows + 1));
    this.#raw.rebaseOffsets(place, rows + 1, this.#bytesUsed, place);
  }

  free(): void {
    for (const block of [this.#fixed, this.#bytes, this.#validity])
      if (block !== undefined) this.#raw.give(block.at, block.bytes);
  }
}
