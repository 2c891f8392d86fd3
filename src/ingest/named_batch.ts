/** Rows with named columns → the batch of a region: tags become series ids, types become those of the table. */
import { DbError } from "../base/mod.ts";
import { columnNotFound } from "../catalog/mod.ts";
import type { Kernel } from "../kernel/mod.ts";
import {
  type Column,
  type ColumnSchema,
  encodeTagColumn,
  type FixedColumn,
  isNull,
  type NamedRows,
  type RegionBatch,
  tagColumns,
  timeColumn,
  typeName,
} from "../types/mod.ts";
import { conversion, showValue } from "./convert.ts";
import { defaultColumn } from "./defaults.ts";
import type { TableBinding } from "./table_binding.ts";

/** Called for a row that the table cannot take. `why` is the sentence for a message. */
export type Refuse = (row: number, why: () => string) => void;

/**
 * The batch of all rows; those that `refuse` was called for hold unspecified values and must be taken out.
 * Throws column_not_found, invalid_arguments (a missing column without a default), resources_exhausted (series).
 */
export function namedBatch(
  kernel: Kernel,
  binding: TableBinding,
  rows: NamedRows,
  nowNs: bigint,
  refuse: Refuse,
): RegionBatch {
  const { schema, name } = binding.table;
  const given = givenColumns(binding, rows, refuse);
  const missing = (column: ColumnSchema): Column => {
    const filled = defaultColumn(column, rows.rows, nowNs);
    if (filled !== undefined) return filled;
    throw new DbError(
      "invalid_arguments",
      `No valid default value can be built automatically, column: ${column.name}`,
    );
  };
  const isPresent = (column: ColumnSchema) =>
    given.has(column.id) || column.default !== undefined || !column.nullable;
  const tags = tagColumns(schema)
    .filter(isPresent)
    .map((column) => ({ column, values: given.get(column.id) ?? missing(column) }))
    .map(({ column, values }) => ({
      index: kernel.bindTag(binding.region.slot, column.name),
      column: encodeTagColumn(values, rows.rows),
    }));
  const time = timeColumn(schema);
  const times = given.get(time.id) ?? missing(time);
  const fields = schema.columns
    .filter((column) => column.role === "field")
    .filter(isPresent)
    .map((column) => ({ id: column.id, column: given.get(column.id) ?? missing(column) }));
  for (const column of schema.columns) {
    const values = given.get(column.id);
    if (!column.nullable && values !== undefined)
      refuseNulls(name, column, values, rows.rows, refuse);
  }
  return {
    rows: rows.rows,
    sids: kernel.seriesOf(binding.region.slot, tags, rows.rows),
    times: (times as FixedColumn).values as BigInt64Array,
    fields,
  };
}

/** The given columns by id, in the table's types. */
function givenColumns(
  binding: TableBinding,
  rows: NamedRows,
  refuse: Refuse,
): ReadonlyMap<number, Column> {
  const { name: table, schema } = binding.table;
  const given = new Map<number, Column>();
  for (const { name, role, type, column: values } of rows.columns) {
    // The writer may have its own name for the time index: there is only one it can mean.
    const column = role === "time" ? timeColumn(schema) : binding.column(name);
    if (column === undefined) throw columnNotFound(name, table);
    const convert = column.role === role ? conversion(type, column.type) : undefined;
    if (convert === undefined) {
      const roles = column.role === role ? "" : ` (a ${column.role})`;
      const got = column.role === role ? typeName(type) : `a ${role}`;
      for (let row = 0; row < rows.rows; row++)
        if (!isNull(values, row))
          refuse(
            row,
            () =>
              `${table}.${name} is ${typeName(column.type)}${roles}, got ${got} ${showValue(values, row)}`,
          );
      continue;
    }
    given.set(
      column.id,
      convert(values, rows.rows, (row) =>
        refuse(
          row,
          () =>
            `${table}.${name} is ${typeName(column.type)}, got ${typeName(type)} ${showValue(values, row)}`,
        ),
      ),
    );
  }
  return given;
}

function refuseNulls(
  table: string,
  column: ColumnSchema,
  values: Column,
  rows: number,
  refuse: Refuse,
): void {
  if (values.validity === undefined) return;
  for (let row = 0; row < rows; row++)
    if (isNull(values, row))
      refuse(
        row,
        () =>
          `Invalid request to region, reason: column ${column.name} is not null but input has null (table ${table})`,
      );
}
