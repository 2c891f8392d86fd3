/**
 * Runs a plan: opens a scan for each of its tables, makes the rows of virtual ones, hands the text to the engine.
 * Invariant: every scan that was opened is released when the statement closes, whatever ended it, and only after
 * the engine's stream was left. Never decides what to prune: that is the plan's.
 */
import { Bug, DbError, Fatal, messageOf } from "../base/mod.ts";
import { fullName, tableNotFound } from "../catalog/mod.ts";
import {
  mapEngineError,
  type PlannedTable,
  type ResolvedTable,
  type SelectPlan,
} from "../sql/mod.ts";
import type { Scan } from "../storage/api.ts";
import {
  columnById,
  duckTypeName,
  type Output,
  type ResultChunk,
  type ResultField,
  regionId,
  T,
  type TableSchema,
} from "../types/mod.ts";
import { cancelReason, type StatementContext } from "./context.ts";
import { affordableOrder } from "./implicit_order.ts";
import { resolveVirtual, virtualRelation } from "./infoschema/mod.ts";
import { INFORMATION_SCHEMA } from "./names.ts";
import type { VirtualFilter } from "./virtual_filter.ts";

/** Column id under which DELETE sees the internal series id of a row. No table has so many columns. */
export const SERIES_COLUMN = 0xffff_ffff;

/** A plan whose scans are open. */
export interface OpenPlan {
  readonly sql: string;
  readonly fields: readonly ResultField[];
  /** For EXPLAIN: one line per source, with the notes of its scan. */
  readonly notes: readonly string[];
}

/** Names in FROM → tables: the catalog's, and the virtual ones. */
export function tableResolver(
  ctx: StatementContext,
): (db: string, name: string) => ResolvedTable | undefined {
  return (db, name) => {
    if (db === INFORMATION_SCHEMA) return resolveVirtual(name);
    const table = ctx.catalog.table(db, name);
    return table && { kind: "table", db: table.db, name: table.name, schema: table.schema };
  };
}

/** Opens the sources of a plan. Their release is deferred to the end of the statement. */
export async function openPlan(
  ctx: StatementContext,
  plan: SelectPlan,
  filter: VirtualFilter = {},
): Promise<OpenPlan> {
  const started = ctx.deps.clock.monotonicMs();
  const relations: string[] = [];
  const notes: string[] = [];
  for (const source of plan.tables) {
    const opened = await openSource(ctx, source, filter);
    relations.push(opened.relation);
    notes.push(fullName(source.table.db, source.table.name));
    for (const note of opened.notes) notes.push(`  ${note}`);
  }
  ctx.stats.stage("scan", ctx.deps.clock.monotonicMs() - started);
  return { sql: plan.sql(relations), fields: plan.fields, notes };
}

async function openSource(
  ctx: StatementContext,
  source: PlannedTable,
  filter: VirtualFilter,
): Promise<{ relation: string; notes: readonly string[] }> {
  const { table } = source;
  if (table.kind === "virtual")
    return {
      relation: virtualRelation(ctx, table.name, source.columns, filter),
      notes: ["rows made from the catalog"],
    };
  const { timeMin, timeMax } = source;
  if (timeMin !== undefined && timeMax !== undefined && timeMin > timeMax)
    return { relation: emptyRelation(table.schema, source.columns), notes: ["no time can match"] };
  const scan = await openScan(ctx, table, source);
  ctx.defer(() => scan.release());
  ctx.scans.push(scan);
  const relation = source.columns.includes(SERIES_COLUMN)
    ? `(SELECT *, sid AS c${SERIES_COLUMN} FROM ${scan.relation})`
    : scan.relation;
  return { relation, notes: scan.notes };
}

function openScan(
  ctx: StatementContext,
  table: ResolvedTable & { kind: "table" },
  source: PlannedTable,
): Promise<Scan> {
  const region = ctx.deps.storage.region(regionId(table.schema.tableId, 0));
  if (region === undefined) throw tableNotFound(table.db, table.name);
  return region.scan({
    columns: source.columns.filter((id) => id !== SERIES_COLUMN),
    timeMin: source.timeMin,
    timeMax: source.timeMax,
    tagIn: source.tagIn.length === 0 ? undefined : source.tagIn,
  });
}

/** What a table looks like when no row can match: the columns, typed, and no rows. */
function emptyRelation(schema: TableSchema, ids: readonly number[]): string {
  const columns = ids.map((id) => {
    const type = id === SERIES_COLUMN ? T.uint32 : columnById(schema, id)!.type;
    return `NULL::${duckTypeName(type)} AS c${id}`;
  });
  return `(SELECT ${columns.join(", ")} WHERE false)`;
}

/**
 * Streams the rows of finished text. The first chunk is already there when it resolves, so that most errors are thrown
 * before anyone has begun to answer. Leaving the stream, or closing the statement, gives the connection back.
 */
export async function streamRows(
  ctx: StatementContext,
  sql: string,
  fields: readonly ResultField[],
): Promise<AsyncGenerator<ResultChunk, void, void>> {
  ctx.checkCancelled();
  const started = ctx.deps.clock.monotonicMs();
  const source = ctx.deps.engine.stream(sql, fields, ctx.signal);
  ctx.defer(async () => {
    await source.return();
  });
  const next = async () => {
    try {
      return await source.next();
    } catch (error) {
      throw await engineError(ctx, error);
    }
  };
  let step = await next();
  async function* chunks(): AsyncGenerator<ResultChunk, void, void> {
    try {
      while (step.done !== true) {
        yield step.value;
        step = await next();
      }
    } finally {
      ctx.stats.stage("execute", ctx.deps.clock.monotonicMs() - started);
      await source.return();
    }
  }
  return chunks();
}

/** What the engine threw → what the caller is told. */
async function engineError(ctx: StatementContext, error: unknown): Promise<unknown> {
  if (error instanceof Bug || error instanceof Fatal || error instanceof DbError) return error;
  if (ctx.signal.aborted) return cancelReason(ctx.signal);
  const message = messageOf(error);
  if (!causedByQuery.test(message))
    try {
      for (const scan of ctx.scans) await scan.check(message);
    } catch (damage) {
      if (damage instanceof DbError) return damage;
    }
  return mapEngineError(message);
}

/** Classes of the engine's errors that sound files can cause. Any other may come from a damaged one. */
const causedByQuery =
  /^(Binder|Catalog|Parser|Syntax|Conversion|Out of Range|Constraint|Mismatch Type|Not implemented|INTERRUPT|Out of Memory) Error/;

/** Opens and streams a plan as the output of a statement. */
export async function runPlan(
  ctx: StatementContext,
  plan: SelectPlan,
  filter: VirtualFilter = {},
): Promise<Output> {
  const open = await openPlan(ctx, affordableOrder(ctx, plan), filter);
  const stream = await streamRows(ctx, open.sql, open.fields);
  async function* counted(): AsyncGenerator<ResultChunk, void, void> {
    for await (const chunk of stream) {
      ctx.stats.rows(chunk.rows);
      yield chunk;
    }
  }
  return { kind: "records", fields: open.fields, chunks: counted() };
}
