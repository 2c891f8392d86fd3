/** Parquet: writing the rows of a flush as a Parquet file, encoded by the kernels. Nothing here reads Parquet or touches the disk. */
export type { FlushColumn, FlushTable } from "./api.ts";
export { rowGroupRowsMax, writeParquet } from "./writer.ts";
