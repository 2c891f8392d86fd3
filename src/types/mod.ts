/** Types: columns, schemas, batches, results. Pure data and pure functions; no I/O. */
export * from "./batch.ts";
export * from "./column_array.ts";
export * from "./column_build.ts";
export * from "./column_type.ts";
export * from "./pick_rows.ts";
export * from "./result.ts";
export * from "./schema.ts";
export * from "./tag_value.ts";
export * from "./text.ts";
