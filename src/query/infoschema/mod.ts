/**
 * information_schema: the list of its tables, and their rows as relations of the engine.
 * Rows are made when a statement names the table, for that statement; nothing is kept.
 */
import type { ResolvedTable } from "../../sql/mod.ts";
import type { StatementContext } from "../context.ts";
import { INFORMATION_SCHEMA } from "../names.ts";
import type { VirtualFilter } from "../virtual_filter.ts";
import { CLUSTER_TABLES } from "./cluster_tables.ts";
import { COLUMN_TABLES, columnsTable } from "./column_tables.ts";
import { EMPTY_TABLES } from "./empty_tables.ts";
import { REGION_TABLES } from "./region_tables.ts";
import { STATIC_TABLES } from "./static_tables.ts";
import { SCHEMA_TABLES, tablesTable } from "./table_tables.ts";
import { fieldsOf, relationText, type VirtualTable, type VirtualWorld } from "./virtual_table.ts";

const tables: ReadonlyMap<string, VirtualTable> = new Map(
  [
    tablesTable(() => virtualTables()),
    columnsTable(() => virtualTables()),
    ...SCHEMA_TABLES,
    ...COLUMN_TABLES,
    ...REGION_TABLES,
    ...CLUSTER_TABLES,
    ...STATIC_TABLES,
    ...EMPTY_TABLES,
  ].map((table) => [table.name, table]),
);

/** Sorted by name. */
export function virtualTables(): VirtualTable[] {
  return [...tables.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function virtualTable(name: string): VirtualTable | undefined {
  return tables.get(name);
}

/** The table as the planner wants it. */
export function resolveVirtual(name: string): (ResolvedTable & { kind: "virtual" }) | undefined {
  const table = tables.get(name);
  return table && { kind: "virtual", db: INFORMATION_SCHEMA, name, columns: fieldsOf(table) };
}

/** Rows of a virtual table as a relation with the columns `c<id>` of `ids`. */
export function virtualRelation(
  ctx: StatementContext,
  name: string,
  ids: readonly number[],
  filter: VirtualFilter,
): string {
  const table = tables.get(name)!;
  // A statement that needs no column at all (count(*)) still needs the rows.
  const wanted = ids.length === 0 ? [0] : ids;
  const rows = table.rows(worldOf(ctx, filter));
  return relationText(
    wanted.map((id) => table.columns[id]!),
    wanted.map((id) => `c${id}`),
    rows.map((row) => wanted.map((id) => row[id]!)),
  );
}

function worldOf(ctx: StatementContext, only: VirtualFilter): VirtualWorld {
  return {
    catalog: ctx.deps.catalog,
    storage: ctx.deps.storage,
    running: () => ctx.processes.list(),
    nowMs: Number(ctx.nowNs / 1_000_000n),
    server: ctx.deps.server,
    only,
  };
}
