/**
 * SSTs: Parquet files of sorted rows (docs/format/sst.md). Here: writing one from a relation, and reading one as a source.
 * Files are immutable; nothing here decides which rows go where.
 */
import type { ObjectStore } from "../disk/mod.ts";
import { type Duck, quoteName, quoteText } from "../duck/mod.ts";
import {
  fieldColumns,
  T,
  type TableSchema,
  type TimeUnit,
  tagColumns,
  timeColumn,
} from "../types/mod.ts";
import type { SstMeta } from "./manifest.ts";
import type { SeriesTable } from "./series.ts";
import { type Source, type SourceColumn, tagExpression } from "./source.ts";

/**
 * A flush must keep up with ingestion. A compaction's output stays, so it may cost a little more: level 9 is 4 % smaller for a tenth more
 * CPU; 15 would be another 4 % for half as much again, and slower to read.
 */
const zstdLevel = { flush: 3, compaction: 9 } as const;

/**
 * A column with more distinct values in a row group than this is not dictionary-coded: integers become deltas, doubles byte streams, which
 * is smaller and cheaper for measurements (TSBS: 4.4 instead of 7.9 bytes a row). Tags of sorted rows and enumerations stay below it.
 */
const dictionaryValuesMax = 96;

/** Larger row groups than this gain nothing; smaller ones than that cost more in headers than they save in pruning. */
const rowGroupRowsMax = 122_880;
const rowGroupRowsMin = 24_576;

/** Series per row group, so that the first tag keeps its dictionary. */
const seriesPerRowGroup = 64;

export function rowGroupRows(rowsPerSeries: number): number {
  const wanted = Math.ceil(rowsPerSeries) * seriesPerRowGroup;
  return Math.min(Math.max(Math.ceil(wanted / 2048) * 2048, rowGroupRowsMin), rowGroupRowsMax);
}

/** Below this many rows per series, joining the tags after the sort could put them on the wrong side of the join. */
const rowsPerSeriesToJoinLate = 2;

export interface SstSpec {
  readonly schema: TableSchema;
  /** Object name of the file. */
  readonly name: string;
  /** Yields sid, c<id> for the time and all fields, and seq, op when late. Tags are joined from the series table. */
  readonly rowsSql: string;
  readonly rowsExpected: number;
  readonly late: boolean;
  readonly rankTable: string;
  /** Only series whose rank is in [from, to). */
  readonly rankRange?: { readonly from: number; readonly to: number } | undefined;
  readonly series: SeriesTable;
  readonly level: "flush" | "compaction";
  /** Key-values of the Parquet footer: what makes a file understandable without the manifest. */
  readonly footer: Readonly<Record<string, string>>;
}

/** Columns of a new file: tags in key order, time, fields. Names differ even when case is ignored. */
export function fileColumns(schema: TableSchema): SourceColumn[] {
  const taken = new Set(["__sid", "__sequence", "__op_type"]);
  return [...tagColumns(schema), timeColumn(schema), ...fieldColumns(schema)].map((column) => {
    const name = taken.has(column.name.toLowerCase())
      ? `${column.name}__${column.id}`
      : column.name;
    taken.add(name.toLowerCase());
    return { id: column.id, name, type: column.type };
  });
}

/** Key-values of a file's footer. */
export function footerOf(
  region: bigint,
  schema: TableSchema,
  late: boolean,
  maxSequence: bigint,
): Record<string, string> {
  return {
    "tidemark.format": "1",
    "tidemark.region": String(region),
    "tidemark.late": String(late),
    "tidemark.max_sequence": String(maxSequence),
    "tidemark.columns": JSON.stringify(fileColumns(schema)),
  };
}

/** What a written file turned out to hold. */
export interface WrittenSst {
  readonly bytes: number;
  readonly rows: number;
  readonly minTime: bigint;
  readonly maxTime: bigint;
}

/** Writes one file and installs it; undefined, and no file, when there were no rows. On any failure nothing is left behind. */
export async function writeSst(
  duck: Duck,
  store: ObjectStore,
  spec: SstSpec,
): Promise<WrittenSst | undefined> {
  const staged = await store.stage(spec.name);
  try {
    await duck.run(copyText(spec, staged.path));
    const time = timeColumn(spec.schema);
    const name = fileColumns(spec.schema).find((c) => c.id === time.id)!.name;
    const ticks = ticksSql(time.type.unit, quoteName(name));
    const [row] = await duck.rows(
      `SELECT count(*), min(${ticks}), max(${ticks}) FROM read_parquet(${quoteText(staged.path)})`,
      [
        { name: "rows", type: T.int64 },
        { name: "min", type: T.int64 },
        { name: "max", type: T.int64 },
      ],
    );
    const [rows, minTime, maxTime] = row as [bigint, bigint, bigint];
    if (rows === 0n) {
      await staged.abort();
      return undefined;
    }
    return { bytes: await staged.commit(), rows: Number(rows), minTime, maxTime };
  } catch (cause) {
    await staged.abort();
    throw cause;
  }
}

/** Upper bound of the series that a file can hold. */
function seriesInFile(spec: SstSpec): number {
  return spec.rankRange === undefined ? spec.series.rows : spec.rankRange.to - spec.rankRange.from;
}

function copyText(spec: SstSpec, path: string): string {
  const { schema, series } = spec;
  const columns = fileColumns(schema);
  const tags = new Set(schema.primaryKey);
  const items = columns.map((column) => {
    const declared = schema.columns.find((c) => c.id === column.id)!;
    const value = tags.has(column.id) ? tagExpression(declared, series.escaped) : `o.c${column.id}`;
    return `${value} AS ${quoteName(column.name)}`;
  });
  items.push("o.sid AS __sid");
  if (spec.late) items.push("o.seq AS __sequence", "o.op AS __op_type");
  const order = `k.rank, o.c${schema.timeIndex}${spec.late ? ", o.seq DESC" : ""}`;
  const range =
    spec.rankRange === undefined
      ? ""
      : ` WHERE k.rank >= ${spec.rankRange.from} AND k.rank < ${spec.rankRange.to}`;
  const ranked = `(${spec.rowsSql}) o JOIN ${spec.rankTable} k ON k.sid = o.sid`;
  let body: string;
  if (schema.primaryKey.length > 0 && spec.rowsExpected >= series.rows * rowsPerSeriesToJoinLate)
    // Sorting without the tags and joining them afterwards halves the work; the join streams the larger, sorted side.
    body = `SELECT ${items.join(", ")} FROM (SELECT o.* FROM ${ranked}${range} ORDER BY ${order}) o JOIN ${series.name} s ON s.sid = o.sid`;
  else
    body = `SELECT ${items.join(", ")} FROM ${ranked} JOIN ${series.name} s ON s.sid = o.sid${range} ORDER BY ${order}`;
  const footer = Object.entries(spec.footer)
    .map(([k, v]) => `${quoteName(k)}: ${quoteText(v)}`)
    .join(", ");
  return (
    `COPY (${body}) TO ${quoteText(path)} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, ` +
    `COMPRESSION_LEVEL ${zstdLevel[spec.level]}, DICTIONARY_SIZE_LIMIT ${dictionaryValuesMax}, ` +
    `ROW_GROUP_SIZE ${rowGroupRows(spec.rowsExpected / Math.max(seriesInFile(spec), 1))}, KV_METADATA {${footer}})`
  );
}

/** Files of equal layout, as one source. */
export function sstSource(store: ObjectStore, files: readonly SstMeta[]): Source {
  const first = files[0]!;
  const paths = files.map((f) => quoteText(store.localPath(f.name))).join(", ");
  return {
    from: `read_parquet([${paths}])`,
    kind: "sst",
    late: first.late,
    hasDeletes: files.some((f) => f.hasDeletes),
    rows: files.reduce((sum, f) => sum + f.rows, 0),
    minTime: files.reduce((min, f) => (f.minTime < min ? f.minTime : min), first.minTime),
    maxTime: files.reduce((max, f) => (f.maxTime > max ? f.maxTime : max), first.maxTime),
    columns: first.columns,
    sid: "__sid",
    sequence: "__sequence",
    op: "__op_type",
  };
}

/** Sources of files that may reach into [min, max], grouped by layout. */
export function sstSources(
  store: ObjectStore,
  files: readonly SstMeta[],
  min: bigint | undefined,
  max: bigint | undefined,
): { readonly sources: Source[]; readonly pruned: number } {
  const groups = new Map<string, SstMeta[]>();
  let pruned = 0;
  for (const file of files) {
    if ((min !== undefined && file.maxTime < min) || (max !== undefined && file.minTime > max)) {
      pruned++;
      continue;
    }
    const layout = `${file.late} ${file.columns.map((c) => `${c.id}:${c.name}:${JSON.stringify(c.type)}`).join(",")}`;
    const group = groups.get(layout);
    if (group === undefined) groups.set(layout, [file]);
    else group.push(file);
  }
  return { sources: [...groups.values()].map((group) => sstSource(store, group)), pruned };
}

/** Ticks of a native timestamp expression, as BIGINT. */
export function ticksSql(unit: TimeUnit, expression: string): string {
  switch (unit) {
    case "ns":
      return `epoch_ns(${expression})`;
    case "us":
      return `epoch_us(${expression})`;
    case "ms":
      return `epoch_ms(${expression})`;
    case "s":
      return `(epoch_ms(${expression}) // 1000)`;
  }
}
