/**
 * Keeps a kernel slot in step with a table's schema: which names are tags, which are fields and of what kind.
 * The kernel decides at parse time by what is bound here, so a line that does not fit is refused alone and early.
 */
import type { Kernel } from "../kernel/mod.ts";
import { kernelKind } from "../storage/mod.ts";
import { columnByName, type TableSchema, tagColumns } from "../types/mod.ts";

/** Binds every column of `schema`; names that only `before` has are forgotten. Idempotent. */
export function bindColumns(
  kernel: Kernel,
  slot: number,
  schema: TableSchema,
  before?: TableSchema,
): void {
  for (const column of before?.columns ?? []) {
    const now = columnByName(schema, column.name);
    // A name that came back in another role needs a new index, too.
    if (now === undefined || now.role !== column.role) kernel.unbind(slot, column.name);
  }
  // A line may have used a name in one role before the catalog gave it the other: binding takes it over.
  for (const tag of tagColumns(schema)) kernel.bindTag(slot, tag.name);
  for (const column of schema.columns)
    if (column.role === "field") kernel.bindField(slot, column.name, kernelKind(column.type));
    // No line may write the time index by name.
    else if (column.role === "time") kernel.bindField(slot, column.name, "opaque");
}

/** Forgets the names that lines have used and the schema does not have. */
export function forgetStrays(kernel: Kernel, slot: number, schema: TableSchema): void {
  const seen = kernel.slotInfo(slot);
  for (const name of [...seen.tags, ...seen.fields.map((field) => field.name)])
    if (name !== "" && columnByName(schema, name) === undefined) kernel.unbind(slot, name);
}
