/**
 * Whether the implicit order of a scan (tags, time) can be afforded. It is a courtesy to whoever reads a small answer; on a
 * large one it would sort every row before the first leaves, so there the rows come as they are.
 */
import type { PlannedTable, SelectPlan } from "../sql/mod.ts";
import type { Region } from "../storage/api.ts";
import { regionId } from "../types/mod.ts";
import type { StatementContext } from "./context.ts";

/** Sorting so many rows takes about half a second on one core and fits the memory of one query. */
const sortedRowsMax = 1_000_000;

/** The plan, or the same plan without its implicit order when too many rows would have to be sorted. */
export function affordableOrder(ctx: StatementContext, plan: SelectPlan): SelectPlan {
  const [source] = plan.tables;
  if (plan.unordered === undefined || source === undefined || source.table.kind !== "table")
    return plan;
  const region = ctx.deps.storage.region(regionId(source.table.schema.tableId, 0));
  if (region === undefined || estimatedRows(region, source) <= sortedRowsMax) return plan;
  return plan.unordered;
}

/** Rows that the source's time range and tags may leave. A wrong guess costs time or order, never rows. */
export function estimatedRows(region: Region, source: PlannedTable): number {
  const stats = region.stats();
  // Most regions are small: then there is nothing to estimate.
  if (stats.rows <= sortedRowsMax) return stats.rows;
  const timed = region
    .files()
    .reduce((sum, file) => sum + file.rows * overlap(file, source), stats.memtableRows);
  // How many series share a tag's value is not known; the square root of all is right for two equal tags.
  const share = source.tagIn.reduce(
    (smallest, tag) => Math.min(smallest, tag.values.length / Math.sqrt(Math.max(1, stats.series))),
    1,
  );
  return timed * share;
}

/** Which part of a file's time span the source asks for, 0 to 1. */
function overlap(file: { minTime: bigint; maxTime: bigint }, source: PlannedTable): number {
  const from = source.timeMin ?? file.minTime;
  const to = source.timeMax ?? file.maxTime;
  const min = from > file.minTime ? from : file.minTime;
  const max = to < file.maxTime ? to : file.maxTime;
  if (min > max) return 0;
  return Number(max - min + 1n) / Number(file.maxTime - file.minTime + 1n);
}
