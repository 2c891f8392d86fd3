/**
 * writeParquet: the rows of a flush as a Parquet file. Columns are encoded one after the other, each over all row groups, so that only one
 * of them is in the kernels' memory at a time; the encoded chunks wait until they can be written in the order of the file.
 *
 * Tags and sids have a value per run of rows, not per row. Whoever calls must not change the columns before it has ended.
 */
import { assert } from "../base/mod.ts";
import type { EncodedChunk, Kernel, RowEncoder } from "../kernel/mod.ts";
import { type Column, isVar, T } from "../types/mod.ts";
import type { FlushColumn, FlushTable } from "./api.ts";
import { type ChunkBytes, chunkBytes, columnChunk } from "./chunk.ts";
import { footerBytes, MAGIC, type RowGroup } from "./footer.ts";
import { type Group, groupsOf } from "./groups.ts";
import { Output, Turns } from "./output.ts";
import type { FileColumn } from "./schema.ts";

/** Most rows of a row group: a page of 8-byte values is 1 MiB then, and a chunk takes about 1 ms to encode. */
export const rowGroupRowsMax = 131_072;

interface Encoded {
  readonly column: FileColumn;
  /** One per row group. */
  readonly chunks: readonly ChunkBytes[];
}

/**
 * Encodes `table` (at least one row) into parts, which `sink` writes one after the other. Gives way to the event loop every few
 * milliseconds. Throws DbError resources_exhausted when the kernels have no memory left, and whatever `sink` throws.
 */
export async function writeParquet(
  kernel: Kernel,
  table: FlushTable,
  sink: (bytes: Uint8Array) => Promise<void>,
): Promise<{ readonly bytes: number; readonly rows: number }> {
  checkTable(table);
  const groups = groupsOf(table.runs.rows, table.rowGroupRows);
  const encoder = kernel.encodeRows(table.order, Math.min(table.rowGroupRows, table.order.length));
  let encoded: Encoded[];
  try {
    encoded = await encodeColumns(encoder, table, groups);
  } finally {
    encoder.free();
  }
  const output = new Output(sink);
  await output.add(MAGIC);
  const rowGroups: RowGroup[] = [];
  for (const [index, group] of groups.entries()) {
    const at = output.bytes;
    const rows = group.to - group.from;
    const chunks = [];
    for (const { column, chunks: bytes } of encoded) {
      const chunk = bytes[index]!;
      chunks.push(columnChunk(column, chunk, output.bytes, rows));
      for (const part of chunk.parts) await output.add(part);
    }
    rowGroups.push({ rows, at, bytes: output.bytes - at, chunks });
  }
  const columns = encoded.map((one) => one.column);
  await output.add(footerBytes(columns, rowGroups, table.keyValues));
  await output.end();
  return { bytes: output.bytes, rows: table.order.length };
}

function checkTable(table: FlushTable): void {
  const rows = table.order.length;
  const sum = (counts: Iterable<number>) => [...counts].reduce((total, n) => total + n, 0);
  assert(rows > 0, "a file has rows");
  assert(sum(table.pieces) === rows, "the order has all rows of the pieces");
  assert(table.rowGroupRows > 0 && table.rowGroupRows <= rowGroupRowsMax, "row groups are bounded");
  let last = 0;
  // By index: an iterator over millions of rows takes ten times as long.
  for (let i = 0; i < rows; i++) if (table.order[i]! > last) last = table.order[i]!;
  assert(last < rows, "the order names rows of the pieces");
  assert(sum(table.runs.rows) === rows, "the runs have all rows");
  assert(table.sids.values.length === table.runs.rows.length, "every run has a series");
  for (const { name, pieces } of [table.time, ...table.fields])
    assert(pieces.length === table.pieces.length, `column ${name} has every piece`);
}

async function encodeColumns(
  encoder: RowEncoder,
  table: FlushTable,
  groups: readonly Group[],
): Promise<Encoded[]> {
  const turns = new Turns();
  const encoded: Encoded[] = [];
  const perRow = async (column: FlushColumn, required: boolean) => {
    const { name, type, pieces } = column;
    encoder.begin(type, required, table.order.length, textBytes(pieces));
    for (const [i, rows] of table.pieces.entries()) {
      encoder.add(pieces[i], rows);
      await turns.copied(pieces[i], rows);
    }
    const chunks = await encodeGroups(groups, turns, ({ from, to }) => encoder.rows(from, to));
    encoded.push({ column: { name, type, required }, chunks });
  };
  const perRun = async (name: string, values: Column, required: boolean) => {
    const runs = table.runs.rows.length;
    encoder.begin(values.type, required, runs, textBytes([values]));
    encoder.add(values, runs);
    await turns.copied(values, runs);
    const chunks = await encodeGroups(groups, turns, (group) =>
      encoder.runs(group.firstRun, group.counts),
    );
    encoded.push({ column: { name, type: values.type, required }, chunks });
  };
  for (const { name, values } of table.tags) await perRun(name, values, false);
  await perRow(table.time, true);
  for (const field of table.fields) await perRow(field, false);
  const { name, values } = table.sids;
  await perRun(name, { type: T.uint32, values }, true);
  return encoded;
}

async function encodeGroups(
  groups: readonly Group[],
  turns: Turns,
  encode: (group: Group) => EncodedChunk,
): Promise<ChunkBytes[]> {
  const chunks: ChunkBytes[] = [];
  for (const group of groups) {
    const turn = (rows: number, bytes: number) => turns.encoded(rows, bytes);
    chunks.push(await chunkBytes(encode(group), turn));
  }
  return chunks;
}

/** Bytes that the texts of a column may have. */
function textBytes(pieces: readonly (Column | undefined)[]): number {
  return pieces.reduce((sum, p) => sum + (p !== undefined && isVar(p) ? p.bytes.length : 0), 0);
}
