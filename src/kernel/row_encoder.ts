/**
 * KernelRowEncoder: the order of the rows and one column at a time in the kernels' memory, and a scratch block for the chunk at hand.
 * How a chunk is encoded is encoder_chunk.ts's.
 */
import { assert, Bug } from "../base/mod.ts";
import type { Column, ColumnType } from "../types/mod.ts";
import { ChunkCoder, type ChunkScratch, chunkScratch } from "./encoder_chunk.ts";
import { type Block, EncoderColumn, takeBlock } from "./encoder_column.ts";
import type { RawKernel } from "./exports.ts";
import type { KernelMemory } from "./memory.ts";
import type { EncodedChunk, RowEncoder } from "./row_encoder_api.ts";

export class KernelRowEncoder implements RowEncoder {
  readonly #raw: RawKernel;
  readonly #memory: KernelMemory;
  readonly #order: Block;
  readonly #scratch: Block;
  readonly #at: ChunkScratch;
  readonly #chunks: ChunkCoder;
  readonly #chunkRowsMax: number;
  readonly #rows: number;
  #column: EncoderColumn | undefined;

  constructor(raw: RawKernel, memory: KernelMemory, order: Uint32Array, chunkRowsMax: number) {
    this.#raw = raw;
    this.#memory = memory;
    this.#rows = order.length;
    this.#chunkRowsMax = Math.min(chunkRowsMax, order.length);
    const scratch = chunkScratch(raw, this.#chunkRowsMax);
    this.#order = takeBlock(raw, order.byteLength);
    try {
      this.#scratch = takeBlock(raw, scratch.bytes);
    } catch (cause) {
      raw.give(this.#order.at, this.#order.bytes);
      throw cause;
    }
    memory.write(this.#order.at, order);
    this.#at = scratch;
    for (const part of Object.keys(scratch) as (keyof ChunkScratch)[])
      scratch[part] += this.#scratch.at;
    this.#chunks = new ChunkCoder(raw, memory, scratch);
  }

  begin(type: ColumnType, required: boolean, rows: number, textBytes: number): void {
    this.#column?.free();
    this.#column = undefined;
    this.#column = new EncoderColumn(this.#raw, this.#memory, type, required, rows, textBytes);
  }

  add(piece: Column | undefined, rows: number): void {
    this.#current().add(piece, rows);
  }

  rows(from: number, to: number): EncodedChunk {
    const column = this.#current();
    assert(from < to && to <= this.#rows, "a chunk lies within the rows");
    assert(to - from <= this.#chunkRowsMax, "a chunk is not longer than was said");
    assert(column.rows === this.#rows, "the column has a value per row");
    assert(column.filled === column.rows, "a column is complete");
    const count = to - from;
    return this.#rowChunk(column, count, this.#order.at + 4 * from);
  }

  runs(first: number, counts: Uint32Array): EncodedChunk {
    const column = this.#current();
    const count = counts.reduce((sum, n) => sum + n, 0);
    assert(count > 0 && count <= this.#chunkRowsMax, "a chunk is not longer than was said");
    assert(counts.length <= count, "no run is empty");
    assert(first + counts.length <= column.filled, "every run has a value");
    const { counts: countsAt, order } = this.#at;
    this.#memory.write(countsAt, counts);
    this.#memory.write(
      order,
      counts.map((_, i) => first + i),
    );
    const rows = { count, order, gathered: counts.length, runs: counts };
    const chunk = this.#chunks.encode(column, rows);
    if (chunk !== undefined) return chunk;
    this.#raw.expandRuns(countsAt, counts.length, first, order);
    return this.#rowChunk(column, count, order);
  }

  #rowChunk(column: EncoderColumn, count: number, order: number): EncodedChunk {
    const rows = { count, order, gathered: count, runs: undefined };
    const chunk = this.#chunks.encode(column, rows);
    if (chunk === undefined) throw new Bug("rows can always be encoded");
    return chunk;
  }

  #current(): EncoderColumn {
    if (this.#column === undefined) throw new Bug("a column has begun");
    return this.#column;
  }

  free(): void {
    this.#column?.free();
    this.#column = undefined;
    this.#raw.give(this.#order.at, this.#order.bytes);
    this.#raw.give(this.#scratch.at, this.#scratch.bytes);
  }
}
