/**
 * The short way of a flush: in-order rows that never went to DuckDB are sorted and written as Parquet by the kernel.
 *
 * It rests on the in-order rule: rows of one series arrive in the order of their times, so a stable counting sort by the rank of
 * the series yields (tags, time) order without comparing anything. Everything else goes through DuckDB (flush.ts).
 */
import { randomUUID } from "node:crypto";
import { assert } from "../base/mod.ts";
import { writeParquet } from "../parquet/mod.ts";
import {
  fieldColumns,
  isAppendMode,
  isVar,
  pickRows,
  type TableSchema,
  tagColumns,
  timeColumn,
} from "../types/mod.ts";
import type { SstMeta } from "./manifest.ts";
import type { Generation } from "./memtable.ts";
import type { Piece } from "./memtable_part.ts";
import type { RegionImpl } from "./region.ts";
import type { SeriesRank } from "./series.ts";
import { fileColumns, footerOf, rowGroupRows } from "./sst.ts";
import { windowIndex } from "./window.ts";

/** With fewer rows per series than this the tags outweigh the rows, and DuckDB's way is as good. */
const rowsPerSeriesMin = 4;

/** Rows that can be written directly. */
export interface DirectRows {
  readonly generation: Generation;
  readonly pieces: readonly Piece[];
  readonly rows: number;
  readonly minTime: bigint;
  readonly maxTime: bigint;
}

/**
 * The in-order rows of the frozen generations, if the short way can take them all. Call without awaiting after the freeze. It cannot
 * either when the series table turns out to be `escaped`, which is known once that is in step.
 */
export function directRows(
  schema: TableSchema,
  frozen: readonly Generation[],
  series: number,
  windowTicks: bigint,
): DirectRows | undefined {
  if (isAppendMode(schema)) return undefined;
  if (tagColumns(schema).some((c) => c.type.kind !== "string")) return undefined;
  const withRows = frozen.filter((g) => g.orderRows > 0);
  const generation = withRows[0];
  if (generation === undefined || withRows.length > 1 || generation.schema !== schema)
    return undefined;
  const pieces = generation.orderPieces();
  const range = generation.orderRange();
  if (pieces === undefined || generation.orderRows < series * rowsPerSeriesMin) return undefined;
  if (windowIndex(range.min, windowTicks) !== windowIndex(range.max, windowTicks)) return undefined;
  return { generation, pieces, rows: generation.orderRows, minTime: range.min, maxTime: range.max };
}

/** Writes the rows as one SST. The series table must hold all their series. Throws what the disk throws. */
export async function writeDirect(
  region: RegionImpl,
  schema: TableSchema,
  rows: DirectRows,
  rank: SeriesRank,
  maxSequence: bigint,
): Promise<SstMeta> {
  const { deps } = region;
  const { order, runRows, runSids } = await sortByRank(rows, await rank.ranks());
  const tags = tagsOfRuns(region, schema, runSids, rank.series);
  const columns = fileColumns(schema);
  const nameOf = (id: number) => columns.find((c) => c.id === id)!.name;
  const time = timeColumn(schema);
  const footer = footerOf(region.id, schema, false, maxSequence);
  const parts: Uint8Array[] = [];
  await writeParquet(
    deps.kernel,
    {
      pieces: rows.pieces.map((p) => p.rows),
      order,
      runs: { rows: runRows },
      tags,
      sids: { name: "__sid", values: runSids },
      time: {
        name: nameOf(time.id),
        type: time.type,
        pieces: rows.pieces.map((p) => p.columns[1]!),
      },
      fields: fieldColumns(schema).map((c, i) => ({
        name: nameOf(c.id),
        type: c.type,
        pieces: rows.pieces.map((p) => p.columns[2 + i]!),
      })),
      rowGroupRows: rowGroupRows(rows.rows / Math.max(runSids.length, 1)),
      keyValues: footer,
    },
    async (bytes) => {
      parts.push(bytes);
    },
  );
  const id = randomUUID();
  const name = `${region.folder}${id}.parquet`;
  const bytes = Buffer.concat(parts);
  await deps.store.put(name, bytes);
  const { minTime, maxTime } = rows;
  return {
    id,
    name,
    bytes: bytes.byteLength,
    rows: rows.rows,
    minTime,
    maxTime,
    late: false,
    hasDeletes: false,
    level: 0,
    maxSequence,
    columns,
  };
}

interface Sorted {
  /** Row numbers over all pieces, in output order. */
  readonly order: Uint32Array;
  /** Rows of each series that has any, and its sid, by rank. */
  readonly runRows: Uint32Array;
  readonly runSids: Uint32Array;
}

/** Stable counting sort, a piece per turn of the event loop. `ranks[sid]` is in [1, ranks.length]. */
async function sortByRank(rows: DirectRows, ranks: Uint32Array): Promise<Sorted> {
  const starts = new Uint32Array(ranks.length + 2);
  for (const piece of rows.pieces) {
    const sids = sidsOf(piece);
    for (let row = 0; row < piece.rows; row++) starts[ranks[sids[row]!]! + 1]!++;
    await nextTurn();
  }
  const sidOfRank = new Uint32Array(ranks.length + 1);
  for (let sid = 0; sid < ranks.length; sid++) sidOfRank[ranks[sid]!] = sid;
  const runRows: number[] = [];
  const runSids: number[] = [];
  for (let rank = 1; rank <= ranks.length; rank++) {
    const count = starts[rank + 1]!;
    if (count > 0) {
      runRows.push(count);
      runSids.push(sidOfRank[rank]!);
    }
    starts[rank + 1] = count + starts[rank]!;
  }
  const order = new Uint32Array(rows.rows);
  let number = 0;
  for (const piece of rows.pieces) {
    const sids = sidsOf(piece);
    for (let row = 0; row < piece.rows; row++) order[starts[ranks[sids[row]!]!]!++] = number++;
    await nextTurn();
  }
  assert(number === rows.rows, "every row has its place");
  return { order, runRows: Uint32Array.from(runRows), runSids: Uint32Array.from(runSids) };
}

function sidsOf(piece: Piece): Uint32Array {
  const column = piece.columns[0];
  assert(
    column !== undefined && !isVar(column) && column.values instanceof Uint32Array,
    "column 0 is the series id",
  );
  return column.values;
}

function tagsOfRuns(region: RegionImpl, schema: TableSchema, sids: Uint32Array, series: number) {
  const { kernel } = region.deps;
  const names = kernel.slotInfo(region.slot).tags;
  const byIndex = kernel.seriesColumns(region.slot, 0, series);
  const columns = fileColumns(schema);
  return tagColumns(schema).map((tag) => {
    const column = byIndex[names.indexOf(tag.name)];
    assert(column !== undefined, "every tag of the schema is bound in the kernel");
    const values = pickRows(column, sids);
    assert(isVar(values), "tags are texts");
    return { name: columns.find((c) => c.id === tag.id)!.name, values };
  });
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
