/**
 * A source is one place that rows of a region are read from: a memtable table in DuckDB, or a set of SSTs of equal layout.
 * Here: how its columns become the columns of the region's current schema. Text only; nothing is read.
 */

import { quoteName, quoteText } from "../duck/mod.ts";
import {
  type ColumnSchema,
  type ColumnType,
  columnById,
  type DefaultValue,
  duckTypeName,
  sameType,
  type TableSchema,
  type TimeUnit,
  tagValueSql,
  timeColumn,
} from "../types/mod.ts";

/** A column as the source has it. */
export interface SourceColumn {
  readonly id: number;
  /** Name in the source. */
  readonly name: string;
  readonly type: ColumnType;
}

export interface Source {
  /** A FROM item. */
  readonly from: string;
  readonly kind: "memtable" | "sst";
  /** Late rows have a sequence and an operation (0 delete, 1 put) each; others are unique per (series, time). */
  readonly late: boolean;
  readonly hasDeletes: boolean;
  readonly rows: number;
  readonly minTime: bigint;
  readonly maxTime: bigint;
  readonly columns: readonly SourceColumn[];
  readonly sid: string;
  readonly sequence: string;
  readonly op: string;
}

/** Which columns a select over a source yields, beside `sid`; late sources yield `seq` and `op` too. */
export interface SelectNeeds {
  readonly schema: TableSchema;
  /** Ids; the time index is always yielded. */
  readonly columns: readonly number[];
  readonly timeMin: bigint | undefined;
  readonly timeMax: bigint | undefined;
  readonly tagIn: readonly { readonly id: number; readonly values: readonly (string | null)[] }[];
  /** The region's series table, and whether its texts need unescaping. */
  readonly seriesTable: string;
  readonly seriesEscaped: boolean;
  /** Reads of SSTs need only rows whose first tag lies in [from, to] (or is NULL when `from` is absent): prunes row groups. */
  readonly keyRange?:
    | { readonly id: number; readonly from?: string | undefined; readonly to?: string | undefined }
    | undefined;
}

/** A literal of the physical time column of a source. Parquet has no seconds and reads milliseconds as microseconds. */
function timeLiteral(kind: Source["kind"], unit: TimeUnit, ticks: bigint): string {
  switch (unit) {
    case "ns":
      return `make_timestamp_ns(${ticks})`;
    case "us":
      return `make_timestamp(${ticks})`;
    case "ms":
      return kind === "sst"
        ? `make_timestamp(${ticks * 1000n})`
        : `CAST(make_timestamp_ms(${ticks}) AS TIMESTAMP_MS)`;
    case "s":
      return kind === "sst"
        ? `make_timestamp(${ticks * 1_000_000n})`
        : `CAST(make_timestamp(${ticks * 1_000_000n}) AS TIMESTAMP_S)`;
  }
}

/** Ticks that DuckDB's microsecond timestamps can hold; bounds outside prune nothing and are left out. */
const microsMax = 9_223_372_036_854_775_000n;

function inRange(unit: TimeUnit, ticks: bigint): boolean {
  const micros = unit === "s" ? ticks * 1_000_000n : unit === "ms" ? ticks * 1_000n : ticks;
  return micros > -microsMax && micros < microsMax;
}

/** `"ts" >= … AND "ts" <= …` on the bare column of a source, "" when there is no bound. */
export function timeCondition(
  source: Source,
  schema: TableSchema,
  min: bigint | undefined,
  max: bigint | undefined,
  prefix = "r.",
): string {
  const time = timeColumn(schema);
  const name = prefix + quoteName(source.columns.find((c) => c.id === time.id)!.name);
  const parts: string[] = [];
  if (min !== undefined && inRange(time.type.unit, min))
    parts.push(`${name} >= ${timeLiteral(source.kind, time.type.unit, min)}`);
  if (max !== undefined && inRange(time.type.unit, max))
    parts.push(`${name} <= ${timeLiteral(source.kind, time.type.unit, max)}`);
  return parts.join(" AND ");
}

/** SELECT text of a source in the region's current schema: `sid`, `c<id>`…, and `seq`, `op` of late sources. */
export function selectSource(source: Source, needs: SelectNeeds, extraCondition = ""): string {
  const { schema } = needs;
  const ids = [...new Set([schema.timeIndex, ...needs.columns])];
  let joins = false;
  const value = (id: number): string => {
    const column = columnById(schema, id)!;
    if (source.kind === "memtable" && column.role === "tag") {
      joins = true;
      return tagExpression(column, needs.seriesEscaped);
    }
    const stored = source.columns.find((c) => c.id === id);
    return stored === undefined ? defaultText(column) : storedExpression(source, stored, column);
  };
  const items = [`r.${source.sid} AS sid`];
  for (const id of ids) items.push(`${value(id)} AS c${id}`);
  if (source.late) items.push(`r.${source.sequence} AS seq`, `r.${source.op} AS op`);
  const conditions = [timeCondition(source, schema, needs.timeMin, needs.timeMax), extraCondition];
  for (const { id, values } of needs.tagIn) {
    const column = columnById(schema, id);
    if (column?.role !== "tag" || column.type.kind !== "string") continue;
    if (source.kind === "sst" && !source.columns.some((c) => c.id === id)) continue;
    conditions.push(oneOf(value(id), values));
  }
  if (needs.keyRange !== undefined && source.kind === "sst")
    conditions.push(keyCondition(source, needs.keyRange));
  const join = joins ? ` JOIN ${needs.seriesTable} s ON s.sid = r.${source.sid}` : "";
  const where = conditions.filter((c) => c !== "").join(" AND ");
  return `SELECT ${items.join(", ")} FROM ${source.from} r${join}${where === "" ? "" : ` WHERE ${where}`}`;
}

function keyCondition(source: Source, range: NonNullable<SelectNeeds["keyRange"]>): string {
  const stored = source.columns.find((c) => c.id === range.id);
  if (stored?.type.kind !== "string") return "";
  const name = `r.${quoteName(stored.name)}`;
  const to = range.to === undefined ? "" : `${name} <= ${quoteText(range.to)}`;
  if (range.from === undefined) return to === "" ? "" : `(${to} OR ${name} IS NULL)`;
  return [`${name} >= ${quoteText(range.from)}`, to].filter((c) => c !== "").join(" AND ");
}

function oneOf(expression: string, values: readonly (string | null)[]): string {
  const texts = values.filter((v) => v !== null);
  const parts: string[] = [];
  if (texts.length === 1) parts.push(`${expression} = ${quoteText(texts[0]!)}`);
  else if (texts.length > 1) parts.push(`${expression} IN (${texts.map(quoteText).join(", ")})`);
  if (texts.length < values.length) parts.push(`${expression} IS NULL`);
  return parts.length === 1 ? parts[0]! : `(${parts.join(" OR ")})`;
}

/** The typed value of a tag in the series table `s`. */
export function tagExpression(column: ColumnSchema, escaped: boolean): string {
  const text = `s.c${column.id}`;
  return column.type.kind === "string" && !escaped ? text : tagValueSql(column.type, text);
}

function storedExpression(source: Source, stored: SourceColumn, column: ColumnSchema): string {
  const name = `r.${quoteName(stored.name)}`;
  if (!sameType(stored.type, column.type))
    // The column's type was changed after this was written: what cannot be converted becomes NULL.
    return `TRY_CAST(${name} AS ${duckTypeName(column.type)})`;
  if (
    source.kind === "sst" &&
    column.type.kind === "timestamp" &&
    (column.type.unit === "s" || column.type.unit === "ms")
  )
    return `CAST(${name} AS ${duckTypeName(column.type)})`;
  return name;
}

/** What rows written before the column existed show: its literal default, else NULL. */
function defaultText(column: ColumnSchema): string {
  const type = duckTypeName(column.type);
  const value: DefaultValue | undefined = column.default;
  if (value?.kind !== "literal" || value.value === null) return `CAST(NULL AS ${type})`;
  const literal = value.value;
  if (
    column.type.kind === "timestamp" &&
    (typeof literal === "bigint" || typeof literal === "number")
  )
    return tagValueSql(column.type, quoteText(String(literal)));
  return `CAST(${typeof literal === "string" ? quoteText(literal) : String(literal)} AS ${type})`;
}
