/**
 * A column chunk as bytes: a dictionary page if there is one, then data pages (version 2), and what the footer says of them. Only texts are
 * compressed: delta-coded columns have nothing left to compress, and a flush's file soon becomes part of a compacted one.
 */
import type { ChunkEncoding, EncodedChunk, EncodedPage } from "../kernel/mod.ts";
import { physicalOf } from "../kernel/mod.ts";
import { type FileColumn, PHYSICAL } from "./schema.ts";
import { binary, bool, i32, i64, list, struct, type Thrift, text, thriftBytes } from "./thrift.ts";

const PLAIN = 0;
const RLE = 3;
const ENCODING: Readonly<Record<ChunkEncoding, number>> = {
  plain: PLAIN,
  rle: RLE,
  delta: 5,
  delta_length: 6,
  dictionary: 8,
};
const DICTIONARY_PAGE = 2;
const DATA_PAGE_V2 = 3;
const UNCOMPRESSED = 0;
const LZ4_RAW = 7;

/** An encoded chunk; `parts` are written one after the other. */
export interface ChunkBytes {
  readonly parts: readonly Uint8Array[];
  readonly bytes: number;
  /** The same, had nothing been compressed. */
  readonly plainBytes: number;
  /** From the start of the chunk. */
  readonly dataPageOffset: number;
  readonly encodings: readonly number[];
  readonly codec: number;
  readonly statistics: Thrift;
  readonly hasDictionary: boolean;
}

/** Takes the chunk's pages; `turn` is awaited after each, with its rows and the bytes that were read to make it. */
export async function chunkBytes(
  chunk: EncodedChunk,
  turn: (rows: number, bytes: number) => Promise<void>,
): Promise<ChunkBytes> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let saved = 0;
  const add = (...more: readonly Uint8Array[]) => {
    for (const part of more) {
      if (part.length === 0) continue;
      parts.push(part);
      bytes += part.length;
    }
  };
  const { dictionary, nulls, range } = chunk;
  if (dictionary !== undefined)
    add(dictionaryHeader(dictionary.entries, dictionary.bytes.length), dictionary.bytes);
  const dataPageOffset = bytes;
  for (const page of chunk.pages) {
    add(dataHeader(page, chunk.encoding), page.levels, page.values);
    saved += plainBytesOf(page) - page.values.length;
    await turn(page.rows, plainBytesOf(page));
  }
  const encodings = new Set([ENCODING[chunk.encoding], RLE]);
  if (dictionary !== undefined) encodings.add(PLAIN);
  return {
    parts,
    bytes,
    plainBytes: bytes + saved,
    codec: saved > 0 ? LZ4_RAW : UNCOMPRESSED,
    dataPageOffset,
    encodings: [...encodings],
    statistics: struct(
      [3, i64(nulls)],
      [5, range && binary(range.high)],
      [6, range && binary(range.low)],
    ),
    hasDictionary: dictionary !== undefined,
  };
}

function dictionaryHeader(entries: number, size: number): Uint8Array {
  return thriftBytes(
    struct(
      [1, i32(DICTIONARY_PAGE)],
      [2, i32(size)],
      [3, i32(size)],
      [7, struct([1, i32(entries)], [2, i32(PLAIN)])],
    ),
  );
}

const plainBytesOf = (page: EncodedPage) => page.plainBytes ?? page.values.length;

function dataHeader(page: EncodedPage, encoding: ChunkEncoding): Uint8Array {
  const levels = page.levels.length;
  const header = struct(
    [1, i32(page.rows)],
    [2, i32(page.nulls)],
    [3, i32(page.rows)],
    [4, i32(ENCODING[encoding])],
    [5, i32(levels)],
    [6, i32(0)],
    [7, bool(page.plainBytes !== undefined)],
  );
  return thriftBytes(
    struct(
      [1, i32(DATA_PAGE_V2)],
      [2, i32(levels + plainBytesOf(page))],
      [3, i32(levels + page.values.length)],
      [8, header],
    ),
  );
}

/** ColumnChunk of the footer, for a chunk that starts at `at` in the file. */
export function columnChunk(
  column: FileColumn,
  chunk: ChunkBytes,
  at: number,
  rows: number,
): Thrift {
  const metadata = struct(
    [1, i32(PHYSICAL[physicalOf(column.type)])],
    [2, list("i32", chunk.encodings.map(i32))],
    [3, list("binary", [text(column.name)])],
    [4, i32(chunk.codec)],
    [5, i64(rows)],
    [6, i64(chunk.plainBytes)],
    [7, i64(chunk.bytes)],
    [9, i64(at + chunk.dataPageOffset)],
    [11, chunk.hasDictionary ? i64(at) : undefined],
    [12, chunk.statistics],
  );
  return struct([2, i64(0)], [3, metadata]);
}
