/**
 * WasmKernel: the Kernel over one instance of the kernels. It checks what its callers hand in, keeps names that were read once, and turns
 * answers into errors. It holds no rows and no series itself: those live in the linear memory.
 */
import { assert, Bug } from "../base/mod.ts";
import type { Column, RegionBatch } from "../types/mod.ts";
import type {
  Kernel,
  KernelKind,
  KernelLimits,
  ParsedBody,
  Precision,
  SeriesTags,
  SlotInfo,
} from "./api.ts";
import { BatchBytes } from "./batch_bytes.ts";
import { KINDS, NONE, OPAQUE, PRECISION_NS, TAG } from "./codes.ts";
import type { RawKernel } from "./exports.ts";
import { KernelMemory, noSlot, outOfMemory } from "./memory.ts";
import { readBody } from "./parsed.ts";
import { KernelRowEncoder } from "./row_encoder.ts";
import type { RowEncoder } from "./row_encoder_api.ts";
import { SeriesBytes } from "./series_bytes.ts";

/** The largest number of bytes the kernels can address, less the page they never use. */
export const MEMORY_MAX = 0xffff_0000;

interface SlotNames {
  table: string;
  readonly tags: string[];
  readonly fields: string[];
}

export class WasmKernel implements Kernel {
  readonly #raw: RawKernel;
  readonly #memory: KernelMemory;
  readonly #batches: BatchBytes;
  readonly #series: SeriesBytes;
  readonly #names = new Map<number, SlotNames>();

  /** `raw` is initialized. */
  constructor(raw: RawKernel, limits: KernelLimits) {
    this.#raw = raw;
    this.#memory = new KernelMemory(raw);
    this.#batches = new BatchBytes(raw, this.#memory);
    this.#series = new SeriesBytes(raw, this.#memory, limits.seriesMax);
  }

  parseLines(
    db: number,
    chunks: readonly Uint8Array[],
    precision: Precision,
    nowNs: bigint,
  ): ParsedBody {
    let length = 0;
    for (const chunk of chunks) length += chunk.length;
    let at = length < MEMORY_MAX ? this.#raw.parseInput(length) >>> 0 : 0;
    if (at === 0) throw outOfMemory();
    for (const chunk of chunks) {
      this.#memory.bytes.set(chunk, at);
      at += chunk.length;
    }
    try {
      this.#raw.parse(db, length, PRECISION_NS[precision], nowNs);
      const result = this.#raw.parseResult() >>> 0;
      if (result === 0) throw outOfMemory();
      return readBody(this.#memory, result, {
        table: (slot) => this.#namesOf(slot).table,
        field: (slot, index) => this.#fieldName(slot, index),
      });
    } finally {
      this.#raw.parseResultFree();
    }
  }

  slot(db: number, table: string): number {
    const slot = this.#memory.withText(table, (at, n) => this.#raw.openSlot(db, at, n) >>> 0);
    if (slot === NONE) throw outOfMemory();
    return slot;
  }

  findSlot(db: number, table: string): number | undefined {
    const slot = this.#memory.withText(table, (at, n) => this.#raw.findSlot(db, at, n) >>> 0);
    return slot === NONE ? undefined : slot;
  }

  slotInfo(slot: number): SlotInfo {
    this.#check(slot);
    const raw = this.#raw;
    this.#fill(slot, true);
    this.#fill(slot, false);
    const names = this.#namesOf(slot);
    return {
      table: names.table,
      tags: names.tags.slice(),
      fields: names.fields.map((name, index) => ({
        name,
        kind: KINDS[raw.columnKind(raw.columnOf(slot, 0, index))] ?? "opaque",
      })),
      series: raw.seriesCount(slot) >>> 0,
    };
  }

  bindTag(slot: number, name: string): number {
    return this.#bind(slot, name, TAG);
  }

  bindField(slot: number, name: string, kind: KernelKind | "opaque"): number {
    return this.#bind(slot, name, kind === "opaque" ? OPAQUE : KINDS.indexOf(kind));
  }

  #bind(slot: number, name: string, kind: number): number {
    this.#check(slot);
    const index = this.#memory.withText(
      name,
      (at, n) => this.#raw.bindColumn(slot, at, n, kind) >>> 0,
    );
    if (index === NONE) throw outOfMemory();
    // A column of the other role may have lost the name.
    this.#forgetColumns(slot);
    return index;
  }

  #forgetColumns(slot: number): void {
    const names = this.#names.get(slot);
    if (names === undefined) return;
    names.tags.length = 0;
    names.fields.length = 0;
  }

  unbind(slot: number, name: string): void {
    this.#check(slot);
    this.#memory.withText(name, (at, n) => this.#raw.unbindColumn(slot, at, n));
    this.#forgetColumns(slot);
  }

  closeSlot(slot: number): void {
    this.#check(slot);
    this.#raw.closeSlot(slot);
    this.#names.delete(slot);
  }

  renameSlot(slot: number, table: string): void {
    this.#check(slot);
    if (this.#memory.withText(table, (at, n) => this.#raw.renameSlot(slot, at, n)) === 0)
      throw outOfMemory();
    this.#namesOf(slot).table = table;
  }

  seriesOf(
    slot: number,
    tags: readonly { readonly index: number; readonly column: Column }[],
    rows: number,
  ): Uint32Array {
    this.#check(slot);
    for (const tag of tags) assert(tag.index < this.#raw.tagCount(slot), "a tag column is bound");
    return this.#series.seriesOf(slot, tags, rows);
  }

  seriesCount(slot: number): number {
    this.#check(slot);
    return this.#raw.seriesCount(slot) >>> 0;
  }

  seriesTags(slot: number, from: number, to: number): SeriesTags[] {
    this.#series.range(slot, from, to);
    return this.#series.tags(slot, from, to);
  }

  encodeSeries(slot: number, from: number, to: number, columnIds: Uint32Array): Uint8Array {
    this.#series.range(slot, from, to);
    return this.#series.encode(slot, from, to, columnIds);
  }

  decodeSeries(
    slot: number,
    bytes: Uint8Array,
    indexOfColumnId: (id: number) => number | undefined,
  ): number {
    this.#check(slot);
    return this.#series.decode(slot, bytes, indexOfColumnId);
  }

  seriesColumns(slot: number, from: number, to: number): Column[] {
    this.#series.range(slot, from, to);
    return this.#series.columns(slot, from, to);
  }

  splitLate(slot: number, sids: Uint32Array, times: BigInt64Array, rows: number): Uint32Array {
    this.#check(slot);
    if (rows === 0) return new Uint32Array(0);
    return this.#memory.withBlock(16 * rows, (at) => {
      const timesAt = at;
      const sidsAt = at + 8 * rows;
      const out = sidsAt + 4 * rows;
      this.#memory.write(timesAt, times, rows * 8);
      this.#memory.write(sidsAt, sids, rows * 4);
      const late = this.#raw.splitLate(slot, sidsAt, timesAt, rows, out) >>> 0;
      if (late === NONE) throw new Bug(`every sid of a batch is known to slot ${slot}`);
      return this.#memory.copyWords(out, late);
    });
  }

  raiseLastTimes(slot: number, seriesBelow: number, time: bigint): void {
    this.#check(slot);
    this.#raw.raiseLastTimes(slot, seriesBelow, time);
  }

  clearLastTimes(slot: number): void {
    this.#check(slot);
    this.#raw.clearLastTimes(slot);
  }

  lastTimes(slot: number): BigInt64Array {
    const times = new BigInt64Array(this.seriesCount(slot));
    this.#memory.copyInto(times, this.#raw.lastTimesAt(slot), times.byteLength);
    return times;
  }

  encodeBatch(batch: RegionBatch): Uint8Array {
    return this.#batches.encode(batch);
  }

  decodeBatch(bytes: Uint8Array): RegionBatch {
    return this.#batches.decode(bytes);
  }

  encodeRows(order: Uint32Array, chunkRowsMax: number): RowEncoder {
    return new KernelRowEncoder(this.#raw, this.#memory, order, chunkRowsMax);
  }

  crc32c(bytes: Uint8Array, seed = 0): number {
    return this.#memory.withBlock(bytes.length, (at) => {
      this.#memory.write(at, bytes);
      return this.#raw.crc32c(at, bytes.length, seed) >>> 0;
    });
  }

  memoryBytes(): { readonly total: number; readonly dictionaries: number } {
    return {
      total: this.#raw.memory.buffer.byteLength,
      dictionaries: (this.#raw.heapLive() >>> 0) - (this.#raw.parseInputBytes() >>> 0),
    };
  }

  #check(slot: number): void {
    if (this.#raw.isSlot(slot) === 0) throw noSlot(slot);
  }

  #namesOf(slot: number): SlotNames {
    let names = this.#names.get(slot);
    if (names === undefined) {
      const raw = this.#raw;
      const table = this.#memory.text(raw.slotNameAt(slot), raw.slotNameLength(slot));
      names = { table, tags: [], fields: [] };
      this.#names.set(slot, names);
    }
    return names;
  }

  /** Decodes the names that are new since the last call: an index keeps its name until it is unbound. */
  #fill(slot: number, isTag: boolean): readonly string[] {
    const raw = this.#raw;
    const names = isTag ? this.#namesOf(slot).tags : this.#namesOf(slot).fields;
    const count = isTag ? raw.tagCount(slot) : raw.fieldCount(slot);
    for (let i = names.length; i < count; i++)
      names.push(this.#columnName(raw.columnOf(slot, isTag ? 1 : 0, i)));
    return names;
  }

  #fieldName(slot: number, index: number): string {
    return this.#namesOf(slot).fields[index] ?? this.#fill(slot, false)[index]!;
  }

  #columnName(column: number): string {
    const raw = this.#raw;
    return this.#memory.text(raw.columnNameAt(column), raw.columnNameLength(column));
  }
}
