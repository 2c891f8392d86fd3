/**
 * What ingest knows of one version of one table, looked up once and used for every request until the schema changes:
 * the region, where each field of the kernel's slot goes and how its values are converted, what has to be filled in.
 * Immutable except for caches; a changed table gets a new binding.
 */
import type { TableInfo } from "../catalog/mod.ts";
import type { Kernel, KernelKind } from "../kernel/mod.ts";
import type { Region } from "../storage/mod.ts";
import {
  type ColumnSchema,
  type ColumnType,
  fieldColumns,
  mergeMode,
  T,
  type TimeUnit,
  timeColumn,
} from "../types/mod.ts";
import { conversion } from "./convert.ts";

export const TYPE_OF_KIND: Readonly<Record<KernelKind, ColumnType>> = {
  float64: T.float64,
  int64: T.int64,
  uint64: T.uint64,
  bool: T.bool,
  string: T.string,
};

/** Where a field of decoded lines goes. `convert` is undefined when the types have nothing in common. */
export interface Target {
  readonly kind: KernelKind;
  readonly column: ColumnSchema;
  readonly convert: ReturnType<typeof conversion>;
}

export class TableBinding {
  readonly timeUnit: TimeUnit;
  /** Fields that a row must not lack: they have a default, or may not be NULL. */
  readonly required: readonly ColumnSchema[];
  /** ttl = 'instant': rows are accepted and not kept. */
  readonly keepsNothing: boolean;
  /** With last_non_null a field that a row does not carry keeps its value, so no default is put in its place. */
  readonly fillsDefaults: boolean;
  /** Tags of the slot, by index, that lines may not write to this table. Usually empty. */
  readonly badTags: ReadonlySet<number>;
  /** The same with tags that no line decoded since this was made can carry. */
  readonly badTagsBefore: ReadonlySet<number>;
  /** How many tags and series the slot had when this was made, or last looked at. */
  readonly #slotTags: number;
  #slotSeries: number;
  readonly #columns: ReadonlyMap<string, ColumnSchema>;
  readonly #targets = new Map<number, Target>();

  constructor(
    kernel: Kernel,
    readonly table: TableInfo,
    readonly region: Region,
  ) {
    const { schema } = table;
    this.timeUnit = timeColumn(schema).type.unit;
    this.keepsNothing = schema.options.ttl === "instant";
    this.fillsDefaults = mergeMode(schema) !== "last_non_null";
    this.#columns = new Map(schema.columns.map((column) => [column.name, column]));
    this.required = fieldColumns(schema).filter(
      (column) => !column.nullable || (this.fillsDefaults && column.default !== undefined),
    );
    const { tags, series } = kernel.slotInfo(region.slot);
    this.#slotTags = tags.length;
    this.#slotSeries = series;
    const bad = badTags(tags, this.#columns);
    this.badTags = bad.named;
    this.badTagsBefore = bad.all;
  }

  /**
   * Has the slot a tag that the schema may lack? A tag comes with a series that has it, so as long as there is no new series
   * the tags need not be read.
   */
  hasNewTags(kernel: Kernel): boolean {
    const { slot } = this.region;
    const series = kernel.seriesCount(slot);
    if (series === this.#slotSeries) return false;
    if (kernel.slotInfo(slot).tags.length !== this.#slotTags) return true;
    this.#slotSeries = series;
    return false;
  }

  column(name: string): ColumnSchema | undefined {
    return this.#columns.get(name);
  }

  /** The target of a field by the slot's index; undefined when the table has no such field. */
  target(index: number, name: string, kind: KernelKind): Target | undefined {
    const cached = this.#targets.get(index);
    // Lines decoded before a MODIFY COLUMN still have the old kind.
    if (cached?.kind === kind) return cached;
    const column = this.#columns.get(name);
    if (column?.role !== "field") return undefined;
    const target = { kind, column, convert: conversion(TYPE_OF_KIND[kind], column.type) };
    this.#targets.set(index, target);
    return target;
  }
}

/**
 * Lines write tags as text: a column that is no tag, or a tag of another type, cannot take them. A tag that has lost its name
 * became a field while its rows were on their way.
 */
function badTags(
  tags: readonly string[],
  columns: ReadonlyMap<string, ColumnSchema>,
): { readonly named: ReadonlySet<number>; readonly all: ReadonlySet<number> } {
  const named = new Set<number>();
  const all = new Set<number>();
  tags.forEach((name, index) => {
    const column = columns.get(name);
    if (column?.role === "tag" && column.type.kind === "string") return;
    all.add(index);
    if (name !== "") named.add(index);
  });
  return { named, all };
}
