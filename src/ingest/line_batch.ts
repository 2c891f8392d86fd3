/** Decoded lines of one table → the batch that its region stores, and what had to be refused. No I/O, nothing awaited. */

import type { Kernel, ParsedTable } from "../kernel/mod.ts";
import type { ColumnSchema, RegionBatch } from "../types/mod.ts";
import { type Column, isNull, typeName } from "../types/mod.ts";
import { showValue } from "./convert.ts";
import { defaultColumn, fillNulls } from "./defaults.ts";
import { withoutRows } from "./pick_rows.ts";
import type { Refusals } from "./refusals.ts";
import { type TableBinding, TYPE_OF_KIND } from "./table_binding.ts";
import { convertTicks } from "./times.ts";

/**
 * Builds the batch. Rows of columns that lost a race, or whose values do not fit, go to `refusals`. `decodedBefore`: were the
 * lines decoded before the binding was made?
 */
export function lineBatch(
  kernel: Kernel,
  parsed: ParsedTable,
  binding: TableBinding,
  decodedBefore: boolean,
  nowNs: bigint,
  refusals: Refusals,
): RegionBatch {
  const { rows } = parsed;
  const refused = new RowRefusals(parsed, refusals);
  const times = convertTicks(parsed.timesNs, rows, "ns", binding.timeUnit, () => undefined);
  const fields: { id: number; column: Column }[] = [];
  for (const field of parsed.fields) {
    const target = binding.target(field.index, field.name, field.kind);
    if (target?.convert === undefined) {
      const what = refusedField(binding.column(field.name));
      for (let row = 0; row < rows; row++)
        if (!isNull(field.column, row))
          refused.add(row, () => `.${field.name} is ${what}, got ${gotValue(field, row)}`);
      continue;
    }
    const { column } = target;
    fields.push({
      id: column.id,
      column: target.convert(field.column, rows, (row) =>
        refused.add(
          row,
          () => `.${column.name} is ${typeName(column.type)}, got ${gotValue(field, row)}`,
        ),
      ),
    });
  }
  const badTags = decodedBefore ? binding.badTagsBefore : binding.badTags;
  if (badTags.size > 0) refuseBadTags(kernel, parsed, binding, badTags, refused);
  if (binding.required.length > 0) fillRequired(binding, fields, rows, nowNs, refused);
  const batch = { rows, sids: parsed.sids, times, fields };
  return refused.mask === undefined ? batch : withoutRows(batch, refused.mask);
}

type Field = ParsedTable["fields"][number];

function gotValue(field: Field, row: number): string {
  return `${typeName(TYPE_OF_KIND[field.kind])} ${showValue(field.column, row)}`;
}

function refusedField(column: ColumnSchema | undefined): string {
  // The schema merge has added every name but one.
  if (column === undefined) return "the time index";
  switch (column.role) {
    case "tag":
      return "a tag";
    case "time":
      return "the time index";
    case "field":
      return typeName(column.type);
  }
}

function refuseBadTags(
  kernel: Kernel,
  parsed: ParsedTable,
  binding: TableBinding,
  badTags: ReadonlySet<number>,
  refused: RowRefusals,
): void {
  const names = kernel.slotInfo(parsed.slot).tags;
  /** Series → why its rows are refused, "" when they are not. */
  const faults = new Map<number, string>();
  for (let row = 0; row < parsed.rows; row++) {
    const sid = parsed.sids[row]!;
    let fault = faults.get(sid);
    if (fault === undefined) {
      const tags = kernel.seriesTags(parsed.slot, sid, sid + 1)[0]?.tags ?? [];
      const bad = tags.find(({ index }) => badTags.has(index));
      fault = bad === undefined ? "" : badTag(names[bad.index]!, binding);
      faults.set(sid, fault);
    }
    const why = fault;
    if (why !== "") refused.add(row, () => why);
  }
}

function badTag(name: string, binding: TableBinding): string {
  const column = binding.column(name);
  if (column === undefined) return ": a tag of this line has become a field";
  if (column.role === "time") return `.${name} is the time index, got a tag`;
  if (column.role === "field") return `.${name} is a field (${typeName(column.type)}), got a tag`;
  return `.${name} is a tag of type ${typeName(column.type)}, got String`;
}

function fillRequired(
  binding: TableBinding,
  fields: { id: number; column: Column }[],
  rows: number,
  nowNs: bigint,
  refused: RowRefusals,
): void {
  for (const column of binding.required) {
    const at = fields.findIndex((field) => field.id === column.id);
    const given = fields[at]?.column;
    const filled =
      !binding.fillsDefaults && column.nullable
        ? given
        : given === undefined
          ? defaultColumn(column, rows, nowNs)
          : fillNulls(column, given, rows, nowNs);
    if (filled !== undefined) {
      if (at < 0) fields.push({ id: column.id, column: filled });
      else fields[at] = { id: column.id, column: filled };
      continue;
    }
    for (let row = 0; row < rows; row++)
      if (given === undefined || isNull(given, row))
        refused.add(row, () => `.${column.name} is not null but input has null`);
  }
}

/** Rows refused so far, each counted once whatever the number of reasons. */
class RowRefusals {
  mask: Uint8Array | undefined;
  constructor(
    private readonly parsed: ParsedTable,
    private readonly refusals: Refusals,
  ) {}

  /** `why` goes on after the table's name: ".column is …". */
  add(row: number, why: () => string): void {
    this.mask ??= new Uint8Array(this.parsed.rows);
    if (this.mask[row] === 1) return;
    this.mask[row] = 1;
    const line = this.parsed.lines[row]!;
    this.refusals.add(line, () => `line ${line}: ${this.parsed.table}${why()}`);
  }
}
