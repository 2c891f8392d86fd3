/** The kernels' answer and the reference's in one form, so that a test can compare them whole. */
import { isNull, isVar } from "../../types/mod.ts";
import type { Kernel, ParsedBody, ParsedTable } from "../mod.ts";
import { type RefResult, type RefTable, seriesKey } from "./line_reference.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Bit for bit: -0 is not 0. */
function show(value: unknown): string {
  return Object.is(value, -0)
    ? "-0"
    : typeof value === "string"
      ? JSON.stringify(value)
      : `${value}`;
}

function valueAt(column: ParsedTable["fields"][number]["column"], row: number): unknown {
  if (isVar(column))
    return decoder.decode(column.bytes.subarray(column.offsets[row], column.offsets[row + 1]));
  const value = column.values[row];
  return column.type.kind === "bool" ? value === 1 : value;
}

/** Rows as text, sorted by line; errors; names of each table that has rows. */
export function shownKernel(kernel: Kernel, parsed: ParsedBody): unknown {
  const rows: { line: number; text: string }[] = [];
  for (const table of parsed.tables) {
    const { tags } = kernel.slotInfo(table.slot);
    for (let row = 0; row < table.rows; row++) {
      const sid = table.sids[row]!;
      const series = kernel.seriesTags(table.slot, sid, sid + 1)[0]!;
      const names = new Map(series.tags.map((tag) => [tags[tag.index]!, tag.value]));
      const fields = table.fields
        .filter((field) => !isNull(field.column, row))
        .map((field) => `${field.name}=${field.kind} ${show(valueAt(field.column, row))}`)
        .sort();
      const line = table.lines[row]!;
      const text = `${table.table} ${seriesKey(names)} ${fields.join(" ")} ${table.timesNs[row]}`;
      rows.push({ line, text });
    }
  }
  rows.sort((a, b) => a.line - b.line);
  const errors = parsed.errors.map(({ line, column, code, table }) => ({
    line,
    column,
    code,
    ...(table === undefined ? {} : { table }),
  }));
  return { rows, errors, errorCount: parsed.errorCount, lines: parsed.lines };
}

export function shownReference(result: RefResult): unknown {
  const rows = result.rows.map((row) => {
    const fields = [...row.fields]
      .map(([name, value]) => `${name}=${value.kind} ${show(value.value)}`)
      .sort();
    const text = `${row.table} ${seriesKey(row.tags)} ${fields.join(" ")} ${row.time}`;
    return { line: row.line, text };
  });
  const { errors, lines } = result;
  return { rows, errors: errors.slice(0, 100), errorCount: errors.length, lines };
}

/** Columns and series of all tables. */
export function shownTables(kernel: Kernel, db: number, tables: ReadonlyMap<string, RefTable>) {
  return [...tables.keys()].map((name) => {
    const slot = kernel.findSlot(db, name);
    if (slot === undefined) return { name };
    const info = kernel.slotInfo(slot);
    const fields = info.fields.map((f) => [f.name, f.kind]);
    return { name, tags: info.tags, fields, series: info.series };
  });
}

export function shownReferenceTables(tables: ReadonlyMap<string, RefTable>) {
  return [...tables].map(([name, table]) => ({
    name,
    tags: table.tags,
    fields: [...table.fields],
    series: table.series.size,
  }));
}
