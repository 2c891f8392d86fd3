/**
 * The columns that decoded lines need and a table lacks. All tags of the slot are wished for, not only those of this request:
 * the series dictionary may already have series of other requests in it, and each of its tags needs a column before a row is written.
 */
import type { NewColumn, TableInfo } from "../catalog/mod.ts";
import type { Kernel, ParsedTable } from "../kernel/mod.ts";
import { columnByName, DEFAULT_TIME_INDEX, isNull, T } from "../types/mod.ts";
import { TYPE_OF_KIND } from "./table_binding.ts";

interface Seen {
  readonly column: NewColumn;
  /** First row that carries it; Infinity when only other requests do. */
  readonly row: number;
}

/**
 * In the order of a new table: tags and fields of the first line, the time index, what later lines add. A tag or
 * field with the name of the time index is left out; the rows that carry it are refused later.
 */
export function wishedColumns(
  kernel: Kernel,
  parsed: ParsedTable,
  table: TableInfo | undefined,
): readonly NewColumn[] {
  const isNew = (name: string) =>
    name !== "" &&
    (table === undefined
      ? name !== DEFAULT_TIME_INDEX
      : columnByName(table.schema, name) === undefined);
  const tagNames = kernel.slotInfo(parsed.slot).tags;
  const fields = parsed.fields
    .filter((field) => isNew(field.name))
    .map(
      (field): Seen => ({
        column: { name: field.name, type: TYPE_OF_KIND[field.kind], role: "field" },
        row: firstRowWithValue(field.column, parsed.rows),
      }),
    );
  const newTags = tagNames
    .map((name, index) => ({ name, index }))
    .filter(({ name }) => isNew(name));
  const tag = (name: string): NewColumn => ({ name, type: T.string, role: "tag" });
  if (table !== undefined)
    return [...newTags.map(({ name }) => tag(name)), ...fields.map(({ column }) => column)];

  const tagRows = firstRowOfTags(
    kernel,
    parsed,
    newTags.map(({ index }) => index),
  );
  const tags = newTags.map(
    ({ name, index }): Seen => ({
      column: tag(name),
      row: tagRows.get(index) ?? Number.POSITIVE_INFINITY,
    }),
  );
  const seen = [...tags, ...fields];
  const later = seen.filter(({ row }) => row > 0).sort((a, b) => order(a.row, b.row));
  return [
    ...seen.filter(({ row }) => row === 0),
    { row: 0, column: { name: DEFAULT_TIME_INDEX, type: T.timestampNs, role: "time" } as const },
    ...later,
  ].map(({ column }) => column);
}

/** Ascending; Infinity minus itself is not a number. */
function order(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function firstRowWithValue(column: ParsedTable["fields"][number]["column"], rows: number): number {
  for (let row = 0; row < rows; row++) if (!isNull(column, row)) return row;
  return Number.POSITIVE_INFINITY;
}

/** First row of each tag index, by looking at series until all are found. */
function firstRowOfTags(
  kernel: Kernel,
  parsed: ParsedTable,
  wanted: readonly number[],
): ReadonlyMap<number, number> {
  const first = new Map<number, number>();
  const looked = new Set<number>();
  for (let row = 0; row < parsed.rows && first.size < wanted.length; row++) {
    const sid = parsed.sids[row]!;
    if (looked.has(sid)) continue;
    looked.add(sid);
    for (const { index } of kernel.seriesTags(parsed.slot, sid, sid + 1)[0]?.tags ?? [])
      if (wanted.includes(index) && !first.has(index)) first.set(index, row);
  }
  return first;
}
