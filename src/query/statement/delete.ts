/**
 * DELETE: a SELECT of (series, time) pairs, then tombstones in batches. Memory is bounded by a batch however many rows
 * go; the scan is a snapshot, so tombstones written meanwhile do not disturb it.
 */
import { Bug, DbError } from "../../base/mod.ts";
import type { TableInfo } from "../../catalog/mod.ts";
import { type Expr, type ObjectName, planDelete, type SelectPlan } from "../../sql/mod.ts";
import type { Region } from "../../storage/api.ts";
import {
  type ColumnSchema,
  isAppendMode,
  isTyped,
  type Output,
  type ResultChunk,
  T,
} from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { tableName, writableTable } from "../names.ts";
import { affected } from "../records.ts";
import { openPlan, SERIES_COLUMN, streamRows, tableResolver } from "../select.ts";

/** Tombstones per write: 1 MB of pairs, one log record and one sync for it. */
const batchRows = 65_536;

export async function runDelete(
  ctx: StatementContext,
  name: ObjectName,
  where: Expr | undefined,
): Promise<Output> {
  const table = writableTable(ctx.catalog, tableName(name, ctx.session));
  if (isAppendMode(table.schema))
    throw new DbError(
      "invalid_arguments",
      "Invalid request to region, reason: DELETE is not allowed under append mode",
    );
  const region = ctx.deps.storage.region(table.regionIds[0]!);
  if (region === undefined) throw new DbError("region_not_ready", `table ${table.name} is closing`);
  const plan = planKeys(ctx, table, where);
  // The order of tombstones means nothing.
  const open = await openPlan(ctx, plan.unordered ?? plan);
  const batch = new KeyBatch(region);
  for await (const chunk of await streamRows(ctx, open.sql, open.fields)) {
    ctx.checkCancelled();
    await batch.add(chunk);
  }
  await batch.flush();
  return affected(batch.deleted);
}

const seriesColumn: ColumnSchema = {
  id: SERIES_COLUMN,
  name: "__series",
  type: T.uint32,
  role: "field",
  nullable: false,
};

function planKeys(ctx: StatementContext, table: TableInfo, where: Expr | undefined): SelectPlan {
  const target = { db: table.db, name: table.name };
  try {
    return planDelete(target, where, ctx.planEnv(keyResolver(ctx, table)));
  } catch (error) {
    // The same fault in the table as its owner knows it: messages list its columns.
    planDelete(target, where, ctx.planEnv(tableResolver(ctx)));
    throw error;
  }
}

/** The target table shows its internal series id as one more column, and as its whole key: all that DELETE selects. */
function keyResolver(ctx: StatementContext, table: TableInfo): ReturnType<typeof tableResolver> {
  const resolve = tableResolver(ctx);
  return (db, name) => {
    const found = resolve(db, name);
    if (found?.kind !== "table" || found.schema.tableId !== table.id) return found;
    const columns = [...found.schema.columns, seriesColumn];
    return { ...found, schema: { ...found.schema, columns, primaryKey: [SERIES_COLUMN] } };
  };
}

class KeyBatch {
  #sids = new Uint32Array(batchRows);
  #times = new BigInt64Array(batchRows);
  #rows = 0;
  deleted = 0;

  constructor(readonly region: Region) {}

  async add(chunk: ResultChunk): Promise<void> {
    const [sids, times] = chunk.columns;
    if (!isTyped(sids!) || !isTyped(times!)) throw new Bug("keys come as typed columns");
    for (let row = 0; row < chunk.rows; row++) {
      this.#sids[this.#rows] = Number(sids.values[row]);
      this.#times[this.#rows] = times.values[row] as bigint;
      if (++this.#rows === batchRows) await this.flush();
    }
  }

  /** The region keeps the arrays it is given, so each batch has its own. */
  async flush(): Promise<void> {
    if (this.#rows === 0) return;
    await this.region.delete(this.#sids.slice(0, this.#rows), this.#times.slice(0, this.#rows));
    this.deleted += this.#rows;
    this.#rows = 0;
  }
}
