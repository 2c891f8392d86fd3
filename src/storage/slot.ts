/** Binds a kernel slot to a table's schema: its tags in key order, its fields by the kind the kernel decodes. */
import type { Kernel, KernelKind } from "../kernel/mod.ts";
import { type ColumnType, fieldColumns, type TableSchema, tagColumns } from "../types/mod.ts";

/** The kind under which the kernel decodes a field's literals; narrower types are range-checked by ingest. */
export function kernelKind(type: ColumnType): KernelKind | "opaque" {
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

/** The slot of a table, with every column of the schema declared. Idempotent. */
export function bindSlot(kernel: Kernel, db: number, table: string, schema: TableSchema): number {
  const slot = kernel.slot(db, table);
  for (const tag of tagColumns(schema)) kernel.bindTag(slot, tag.name);
  for (const field of fieldColumns(schema))
    kernel.bindField(slot, field.name, kernelKind(field.type));
  return slot;
}
