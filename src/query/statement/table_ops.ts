/** DROP TABLE, TRUNCATE and COMMENT ON. */
import { DbError } from "../../base/mod.ts";
import type { CommentTarget, ObjectName, Statement } from "../../sql/mod.ts";
import type { Output } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { tableName, writableTable } from "../names.ts";
import { affected } from "../records.ts";

type Of<K extends Statement["kind"]> = Extract<Statement, { kind: K }>;

/** Names are checked before the first table goes, so that a misspelt one drops nothing. */
export async function runDropTable(
  ctx: StatementContext,
  { names, ifExists }: Of<"drop_table">,
): Promise<Output> {
  const tables = names.map((name) => tableName(name, ctx.session));
  if (!ifExists) for (const name of tables) writableTable(ctx.catalog, name);
  for (const { db, table } of tables) await ctx.catalog.dropTable(db, table, ifExists);
  return affected(0);
}

export async function runTruncate(
  ctx: StatementContext,
  { name, ranges }: Of<"truncate">,
): Promise<Output> {
  if (ranges.length > 0)
    throw new DbError("unsupported", "TRUNCATE TABLE ... FILE RANGE is not supported");
  const table = writableTable(ctx.catalog, tableName(name, ctx.session));
  await ctx.catalog.truncateTable(table.db, table.name);
  return affected(0);
}

export async function runComment(
  ctx: StatementContext,
  target: CommentTarget,
  text: string | null,
): Promise<Output> {
  const comment = text ?? undefined;
  if (target.kind === "flow") throw flowNotFound(target.name);
  const named = target.kind === "table" ? target.name : target.table;
  const table = writableTable(ctx.catalog, tableName(named, ctx.session));
  const name = target.kind === "column" ? target.column.name : undefined;
  await ctx.catalog.alterTable(table.db, table.name, [{ kind: "set_comment", name, comment }]);
  return affected(0);
}

/** This server has no flows and no views, so none is ever found. */
export function flowNotFound(name: ObjectName): DbError {
  return new DbError("flow_not_found", `Flow not found: greptime.${name.at(-1)?.name ?? ""}`);
}

export function runDropMissing(
  { kind, name, ifExists }: Of<"drop_view" | "drop_flow">,
  ctx: StatementContext,
): Output {
  if (kind === "drop_view") {
    const { db, table } = tableName(name, ctx.session);
    if (ctx.catalog.table(db, table) !== undefined)
      throw new DbError("invalid_arguments", `${db}.${table} is not a view`);
    if (!ifExists) throw new DbError("table_not_found", `View not found: ${table}`);
  } else if (!ifExists) throw flowNotFound(name);
  return affected(0);
}
