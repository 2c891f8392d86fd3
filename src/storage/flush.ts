/**
 * Flush: the memtable of a region becomes SSTs, one per compaction window and lateness. Order: files, then series file, then the manifest
 * edit that names both, then readers switch, then the log may be trimmed. A crash between any two leaves orphans or a memtable, never a loss.
 */
import { randomUUID } from "node:crypto";
import { assert, DbError } from "../base/mod.ts";
import { crc32c } from "../codec/mod.ts";
import { fieldColumns, T, type TableSchema, timeColumn } from "../types/mod.ts";
import { withChecksums } from "./file_checks.ts";
import { type DirectRows, directRows, writeDirect } from "./flush_direct.ts";
import type { ManifestAction, SeriesFileMeta, SstMeta } from "./manifest.ts";
import type { RegionImpl } from "./region.ts";
import type { Frozen } from "./region_host.ts";
import { rowsOfSources } from "./rows.ts";
import type { SeriesRank } from "./series.ts";
import type { SelectNeeds, Source } from "./source.ts";
import { fileColumns, footerOf, type SstSpec, ticksSql, writeSst } from "./sst.ts";
import { windowIndex, windowOf } from "./window.ts";

/** A flush never writes more files than this per lateness; neighbouring windows share a file beyond it. */
const windowsMax = 16;

/** A stretch of time written to one file. */
export interface Slice {
  readonly min: bigint;
  readonly max: bigint;
  readonly rows: number;
}

/** Writes everything applied so far. Resolves with the bytes written; 0 when there was nothing. Throws what the disk throws. */
export async function flushRegion(region: RegionImpl, what?: Frozen): Promise<number> {
  const { generations: frozen, neededSequence, series } = what ?? (await region.freeze());
  if (region.dropped) return 0;
  if (frozen.length === 0 && region.manifest.state.neededSequence === neededSequence) return 0;
  const { schema } = region;
  const windowTicks = region.manifest.state.windowTicks || windowOf(schema);
  // Before anything is awaited: a reader could move the rows to DuckDB.
  const candidate = directRows(schema, frozen, series, windowTicks);
  const written: SstMeta[] = [];
  let add: readonly SstMeta[] = [];
  await region.series.sync(schema, series);
  const rank = await region.series.rank(schema);
  try {
    // Known only now: texts that stand for other values need DuckDB's way.
    const direct =
      candidate === undefined || region.series.escaped
        ? undefined
        : await tryDirect(region, schema, candidate, rank, neededSequence - 1n);
    if (direct !== undefined) written.push(direct);
    const done = direct === undefined ? undefined : candidate?.generation;
    for (const generation of frozen) {
      if (generation === done) await generation.lateReady();
      else {
        await generation.ready();
        generation.sync();
      }
    }
    const sources = frozen.flatMap((g) =>
      g === done ? g.sources().filter((s) => s.late) : g.sources(),
    );
    for (const late of [false, true]) {
      const part = sources.filter((s) => s.late === late);
      for (const slice of await slices(region, schema, part, windowTicks)) {
        const file = await writeSlice(
          region,
          schema,
          rank.table,
          part,
          slice,
          late,
          neededSequence - 1n,
        );
        if (file !== undefined) written.push(file);
      }
    }
    add = await withChecksums(region.deps.store, written);
    const seriesFile = await writeSeries(region, series);
    await region.manifest.commit([
      { kind: "edit", add, remove: [], series: seriesFile, neededSequence, windowTicks },
    ]);
  } catch (cause) {
    await removeOutputs(region, written);
    throw cause;
  } finally {
    rank.release();
  }
  await region.install({ add, remove: [], flushed: frozen });
  return written.reduce((sum, f) => sum + f.bytes, 0);
}

/** Undefined when the kernel has no room or a time does not fit the file: DuckDB's way then. Throws what the disk throws. */
async function tryDirect(
  region: RegionImpl,
  schema: TableSchema,
  rows: DirectRows,
  rank: SeriesRank,
  maxSequence: bigint,
): Promise<SstMeta | undefined> {
  try {
    return await writeDirect(region, schema, rows, rank, maxSequence);
  } catch (error) {
    const elsewhere =
      error instanceof DbError &&
      (error.code === "resources_exhausted" || error.code === "invalid_arguments");
    if (!elsewhere) throw error;
    region.deps.log.warn({ error, region: String(region.id) }, "flush goes through DuckDB");
    return undefined;
  }
}

async function slices(
  region: RegionImpl,
  schema: TableSchema,
  sources: readonly Source[],
  windowTicks: bigint,
): Promise<Slice[]> {
  const first = sources[0];
  if (first === undefined) return [];
  const min = sources.reduce((m, s) => (s.minTime < m ? s.minTime : m), first.minTime);
  const max = sources.reduce((m, s) => (s.maxTime > m ? s.maxTime : m), first.maxTime);
  const rows = sources.reduce((n, s) => n + s.rows, 0);
  if (windowIndex(min, windowTicks) === windowIndex(max, windowTicks)) return [{ min, max, rows }];
  const time = timeColumn(schema);
  const ticks = ticksSql(time.type.unit, `c${time.id}`);
  const counted = await region.deps.duck.rows(
    `SELECT min(t), max(t), count(*) FROM (SELECT ${ticks} AS t FROM (${rowsOfSources(sources, needsOf(region, schema, []))})) ` +
      `GROUP BY (t - ((t % ${windowTicks}) + ${windowTicks}) % ${windowTicks}) ORDER BY 1`,
    [
      { name: "min", type: T.int64 },
      { name: "max", type: T.int64 },
      { name: "rows", type: T.int64 },
    ],
  );
  const windows = counted.map(([lo, hi, n]) => ({
    min: lo as bigint,
    max: hi as bigint,
    rows: Number(n),
  }));
  return joinNeighbours(windows, windowsMax);
}

/** At most `max` slices: neighbours are joined evenly. */
export function joinNeighbours(windows: readonly Slice[], max: number): Slice[] {
  const perSlice = Math.ceil(windows.length / max);
  const joined: Slice[] = [];
  for (let i = 0; i < windows.length; i += perSlice) {
    const group = windows.slice(i, i + perSlice);
    joined.push({
      min: group[0]!.min,
      max: group[group.length - 1]!.max,
      rows: group.reduce((n, w) => n + w.rows, 0),
    });
  }
  return joined;
}

/** A select of some columns over all times. */
export function needsOf(
  region: RegionImpl,
  schema: TableSchema,
  columns: readonly number[],
): SelectNeeds {
  return {
    schema,
    columns,
    timeMin: undefined,
    timeMax: undefined,
    tagIn: [],
    seriesTable: region.series.name,
    seriesEscaped: region.series.escaped,
  };
}

async function writeSlice(
  region: RegionImpl,
  schema: TableSchema,
  rankTable: string,
  sources: readonly Source[],
  slice: Slice,
  late: boolean,
  maxSequence: bigint,
): Promise<SstMeta | undefined> {
  const fields = fieldColumns(schema).map((c) => c.id);
  const needs = { ...needsOf(region, schema, fields), timeMin: slice.min, timeMax: slice.max };
  return await writeFile(region, {
    rowsSql: rowsOfSources(sources, needs),
    rowsExpected: slice.rows,
    late,
    level: "flush",
    maxSequence,
    rankRange: undefined,
    hasDeletes: late && sources.some((s) => s.hasDeletes),
    schema,
    rankTable,
  });
}

/** Writes one SST of the region from a relation. */
export async function writeFile(
  region: RegionImpl,
  what: Omit<SstSpec, "name" | "series" | "footer"> & {
    readonly hasDeletes: boolean;
    readonly maxSequence: bigint;
  },
): Promise<SstMeta | undefined> {
  const { deps } = region;
  const id = randomUUID();
  const name = `${region.folder}${id}.parquet`;
  const columns = fileColumns(what.schema);
  const footer = footerOf(region.id, what.schema, what.late, what.maxSequence);
  const written = await writeSst(deps.duck, deps.store, {
    ...what,
    name,
    series: region.series,
    footer,
  });
  if (written === undefined) return undefined;
  return {
    ...written,
    id,
    name,
    columns,
    late: what.late,
    hasDeletes: what.hasDeletes,
    level: what.level === "flush" ? 0 : 1,
    maxSequence: what.maxSequence,
  };
}

/** Writes the series [persisted so far, to) to a file, for the manifest edit that follows; undefined when there are none. */
async function writeSeries(region: RegionImpl, to: number): Promise<SeriesFileMeta | undefined> {
  const from = region.manifest.state.series.at(-1)?.to ?? 0;
  assert(to >= from, "the series dictionary only grows");
  if (to === from) return undefined;
  const name = `${region.folder}series/${String(from).padStart(10, "0")}-${String(to).padStart(10, "0")}.series`;
  const bytes = region.seriesLog.encode(from, to);
  await region.deps.store.put(name, bytes);
  return { name, from, to, crc32c: crc32c(bytes) };
}

/**
 * Removes the files of an edit that was refused. When the manifest cannot rule out that the next start reads the edit all the same, they
 * stay: named, they hold rows that the log may lose; not named, the next start removes them.
 */
export async function removeOutputs(region: RegionImpl, files: readonly SstMeta[]): Promise<void> {
  if (region.manifest.inDoubt) return;
  for (const file of files) await region.deps.store.delete(file.name).catch(() => undefined);
}

/** TRUNCATE as manifest actions. The series stay: rows to come use them, and the log may lose the records that brought them. */
export async function truncation(region: RegionImpl): Promise<ManifestAction[]> {
  const series = await writeSeries(region, region.seriesLog.logged);
  return [
    { kind: "edit", add: [], remove: [], series },
    { kind: "truncate", neededSequence: region.nextSequence },
  ];
}
