/** Series between the kernels and the rest: sids of tag columns, tags of sids, and the bytes of docs/format/series.md. */
import { Bug, DbError } from "../base/mod.ts";
import { type Column, isVar, T, type VarColumn } from "../types/mod.ts";
import type { SeriesTags } from "./api.ts";
import { NONE } from "./codes.ts";
import type { RawKernel } from "./exports.ts";
import { type KernelMemory, noSlot, outOfMemory, SLACK } from "./memory.ts";

const VERSION = 1;
/** Answers of the kernel's seriesOf and decodeSeries. */
const SERIES_FULL = 2;
const DECODE_MEMORY = -1;
const DECODE_MISMATCH = -3;

const align = (at: number) => (at + 15) & ~15;

export class SeriesBytes {
  constructor(
    readonly raw: RawKernel,
    readonly memory: KernelMemory,
    readonly seriesMax: number,
  ) {}

  seriesOf(
    slot: number,
    tags: readonly { readonly index: number; readonly column: Column }[],
    rows: number,
  ): Uint32Array {
    const { raw, memory } = this;
    if (rows === 0) return new Uint32Array(0);
    const columns = tags.map(({ index, column }) => {
      if (!isVar(column)) throw new Bug("a tag column has text");
      return { index, column };
    });
    let room = align(rows * 4 + SLACK) + align(columns.length * 16 + SLACK);
    for (const { column } of columns)
      room +=
        align((rows + 1) * 4) +
        align(column.offsets[rows]! + SLACK) +
        align(((rows + 7) >> 3) + SLACK);
    return memory.withBlock(room, (out) => {
      const table = out + align(rows * 4 + SLACK);
      let at = table + align(columns.length * 16 + SLACK);
      columns.forEach(({ index, column }, i) => {
        const place = (table >>> 2) + i * 4;
        const offsets = at;
        memory.write(offsets, column.offsets, (rows + 1) * 4);
        const bytes = offsets + align((rows + 1) * 4);
        memory.write(bytes, column.bytes, column.offsets[rows]!);
        const validity = bytes + align(column.offsets[rows]! + SLACK);
        if (column.validity !== undefined) memory.write(validity, column.validity, (rows + 7) >> 3);
        memory.words.set(
          [index, offsets, bytes, column.validity === undefined ? 0 : validity],
          place,
        );
        at = validity + align(((rows + 7) >> 3) + SLACK);
      });
      const answer = raw.seriesOf(slot, table, columns.length, rows, out);
      if (answer === SERIES_FULL)
        throw new DbError(
          "resources_exhausted",
          `too many series: the limit is ${this.seriesMax} over all tables`,
        );
      if (answer !== 0) throw outOfMemory();
      return memory.copyWords(out, rows);
    });
  }

  tags(slot: number, from: number, to: number): SeriesTags[] {
    const { raw, memory } = this;
    const result: SeriesTags[] = [];
    for (let sid = from; sid < to; sid++) {
      const record = raw.seriesRecordAt(slot, sid) >>> 0;
      const end = record + 8 + memory.word(record);
      const cursor = { at: record + 8 };
      const tags: { index: number; value: string }[] = [];
      while (cursor.at < end) {
        const index = varintAt(memory.bytes, cursor);
        const length = varintAt(memory.bytes, cursor);
        tags.push({ index, value: memory.text(cursor.at, length) });
        cursor.at += length;
      }
      result.push({ sid, tags });
    }
    return result;
  }

  encode(slot: number, from: number, to: number, columnIds: Uint32Array): Uint8Array {
    const { raw, memory } = this;
    const tags = raw.tagCount(slot);
    if (columnIds.length < tags) throw new Bug("every tag of a series has a column id");
    const head = [VERSION];
    for (const n of [from, to - from, tags, ...columnIds.subarray(0, tags)]) pushVarint(head, n);
    if (raw.encodeSeries(slot, from, to) === 0) throw outOfMemory();
    return memory.takeOut((at, length) => {
      const bytes = new Uint8Array(head.length + length);
      bytes.set(head);
      bytes.set(memory.bytes.subarray(at, at + length), head.length);
      return bytes;
    });
  }

  decode(
    slot: number,
    bytes: Uint8Array,
    indexOfColumnId: (id: number) => number | undefined,
  ): number {
    const { raw, memory } = this;
    const cursor = { at: 1 };
    if (bytes[0] !== VERSION) throw damaged(`unknown version ${bytes[0]}`);
    const from = varintAt(bytes, cursor);
    const count = varintAt(bytes, cursor);
    const tags = varintAt(bytes, cursor);
    if (count > bytes.length || tags > bytes.length) throw damaged("a count is too large");
    const map = new Uint32Array(tags);
    const known = raw.tagCount(slot);
    for (let i = 0; i < tags; i++) {
      const index = indexOfColumnId(varintAt(bytes, cursor));
      if (index !== undefined && index >= known) throw new Bug("a column id leads to a bound tag");
      map[i] = index ?? NONE;
    }
    const body = bytes.subarray(cursor.at);
    return memory.withBlock(align(body.length + SLACK) + map.byteLength, (at) => {
      const mapAt = at + align(body.length + SLACK);
      memory.write(at, body);
      memory.write(mapAt, map);
      const answer = raw.decodeSeries(slot, at, body.length, from, count, mapAt, tags);
      if (answer >= 0) return answer;
      if (answer === DECODE_MEMORY) throw outOfMemory();
      throw damaged(
        answer === DECODE_MISMATCH
          ? `series from ${from} on do not follow the ${raw.seriesCount(slot)} known ones, or differ from them`
          : "the body is cut or has unknown tags",
      );
    });
  }

  columns(slot: number, from: number, to: number): VarColumn[] {
    const { raw, memory } = this;
    const rows = to - from;
    if (raw.seriesColumns(slot, from, to) === 0) throw outOfMemory();
    return memory.takeOut((at) => {
      const columns: VarColumn[] = [];
      for (let tag = 0, tags = raw.tagCount(slot); tag < tags; tag++) {
        const place = at + tag * 20;
        const word = (i: number) => memory.word(place + i * 4);
        const column = {
          type: T.string,
          offsets: memory.copyWords(word(0), rows + 1),
          bytes: memory.copyBytes(word(1), word(2)),
        };
        const some = word(4) < rows;
        columns.push(
          some ? { ...column, validity: memory.copyBytes(word(3), (rows + 7) >> 3) } : column,
        );
      }
      return columns;
    });
  }

  /** Checks a range of sids from a caller. */
  range(slot: number, from: number, to: number): void {
    if (this.raw.isSlot(slot) === 0) throw noSlot(slot);
    if (!(from >= 0 && from <= to && to <= this.raw.seriesCount(slot) >>> 0))
      throw new Bug(`series [${from}, ${to}) of slot ${slot} exist`);
  }
}

function damaged(why: string): Error {
  return new Error(`damaged series bytes: ${why}`);
}

function pushVarint(bytes: number[], value: number): void {
  let rest = value >>> 0;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
}

/** Reads a varint of at most 32 bits; throws for damage. */
function varintAt(bytes: Uint8Array, cursor: { at: number }): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[cursor.at++];
    if (byte === undefined) throw damaged("it is cut");
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80 && value <= 0xffff_ffff) return value;
  }
  throw damaged("a number is too large");
}
