/**
 * Table schema: columns by id, the time index, options. Frozen objects, replaced and never edited.
 * Ids are never reused within a table, so data written under a dropped column never returns.
 */
import type { ColumnType } from "./column_type.ts";

export type ColumnRole = "tag" | "field" | "time";

export type DefaultValue =
  | { readonly kind: "literal"; readonly value: string | number | bigint | boolean | null }
  | { readonly kind: "now" };

export interface ColumnSchema {
  readonly id: number;
  readonly name: string;
  readonly type: ColumnType;
  readonly role: ColumnRole;
  readonly nullable: boolean;
  readonly default?: DefaultValue | undefined;
  readonly comment?: string | undefined;
  /** Index clauses as SHOW CREATE TABLE prints them: kind → options. Stored and shown; not needed for answers. */
  readonly indexes?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

export type MergeMode = "last_row" | "last_non_null";

export interface TableSchema {
  readonly tableId: number;
  /** Grows by one with every change. */
  readonly version: number;
  /** Declaration order, which DESC and SELECT * show. */
  readonly columns: readonly ColumnSchema[];
  /** Ids of the tags in primary key order. */
  readonly primaryKey: readonly number[];
  readonly timeIndex: number;
  /** Next id to give out. */
  readonly nextColumnId: number;
  /** All WITH options, as text, e.g. ttl, append_mode, merge_mode. */
  readonly options: Readonly<Record<string, string>>;
}

export function columnByName(schema: TableSchema, name: string): ColumnSchema | undefined {
  return schema.columns.find((c) => c.name === name);
}

export function columnById(schema: TableSchema, id: number): ColumnSchema | undefined {
  return schema.columns.find((c) => c.id === id);
}

export function timeColumn(schema: TableSchema): ColumnSchema & { type: { kind: "timestamp" } } {
  const column = columnById(schema, schema.timeIndex);
  if (column?.type.kind !== "timestamp") throw new Error("a table has a timestamp time index");
  return column as ColumnSchema & { type: { kind: "timestamp" } };
}

/** Tags in primary key order. */
export function tagColumns(schema: TableSchema): readonly ColumnSchema[] {
  return schema.primaryKey.map((id) => columnById(schema, id)!);
}

export function fieldColumns(schema: TableSchema): readonly ColumnSchema[] {
  return schema.columns.filter((c) => c.role === "field");
}

export function isAppendMode(schema: TableSchema): boolean {
  return schema.options.append_mode === "true";
}

export function mergeMode(schema: TableSchema): MergeMode {
  return schema.options.merge_mode === "last_non_null" ? "last_non_null" : "last_row";
}

/** Region id: table id in the high 32 bits, region number in the low 32. */
export function regionId(tableId: number, regionNumber: number): bigint {
  return (BigInt(tableId) << 32n) | BigInt(regionNumber);
}
