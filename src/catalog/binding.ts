/**
 * Keeps a kernel slot in step with a table's schema: which names are tags, which are fields and of what kind.
 * The kernel decides at parse time by what is bound here, so a line that does not fit is refused alone and early.
 */
import type { Kernel, KernelKind } from "../kernel/api.ts";
import { type ColumnType, columnByName, type TableSchema, tagColumns } from "../types/mod.ts";

/**
 * How the kernel decodes a column of this type. Narrow numbers are decoded wide, and ingest checks the range; what
 * line protocol cannot say is "opaque", so that a line writing it is a type conflict.
 */
export function kernelKindOf(type: ColumnType): KernelKind | "opaque" {
  switch (type.kind) {
    case "float32":
    case "float64":
      return "float64";
    case "int8":
    case "int16":
    case "int32":
    case "int64":
      return "int64";
    case "uint8":
    case "uint16":
    case "uint32":
    case "uint64":
      return "uint64";
    case "bool":
      return "bool";
    case "string":
    case "json":
      return "string";
    default:
      return "opaque";
  }
}

/** Binds every column of `schema`; names that only `before` has are forgotten. Idempotent. */
export function bindSlot(
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
    if (column.role === "field") kernel.bindField(slot, column.name, kernelKindOf(column.type));
    // No line may write the time index by name.
    else if (column.role === "time") kernel.bindField(slot, column.name, "opaque");
}

/** Forgets the names that lines have used and the schema does not have. */
export function forgetStrays(kernel: Kernel, slot: number, schema: TableSchema): void {
  const seen = kernel.slotInfo(slot);
  for (const name of [...seen.tags, ...seen.fields.map((field) => field.name)])
    if (name !== "" && columnByName(schema, name) === undefined) kernel.unbind(slot, name);
}
