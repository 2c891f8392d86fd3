/**
 * INSERT and REPLACE: literal tuples on the fast path, everything else through the engine, both into the RowSink.
 * All rows of a literal INSERT are converted before the first is written; INSERT … SELECT writes in batches.
 */
import { DbError } from "../../base/mod.ts";
import { fullName, type TableInfo } from "../../catalog/mod.ts";
import {
  type Ident,
  type Insert,
  type LiteralRows,
  planInsert,
  type Query,
} from "../../sql/mod.ts";
import {
  type Column,
  type ColumnSchema,
  columnByName,
  type NamedRows,
  type Output,
  type ResultChunk,
} from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { type LiteralRules, noDefault } from "../convert/literal_reader.ts";
import { literalColumn } from "../convert/literal_rows.ts";
import { resultColumn } from "../convert/result_rows.ts";
import { tableName, writableTable } from "../names.ts";
import { affected } from "../records.ts";
import { openPlan, streamRows, tableResolver } from "../select.ts";

/** Rows per write of INSERT … SELECT: enough to spread one log sync over, little enough to hold in memory. */
const batchRows = 65_536;

export async function runInsert(ctx: StatementContext, insert: Insert): Promise<Output> {
  const table = writableTable(ctx.catalog, tableName(insert.table, ctx.session));
  const targets = targetColumns(table, insert.columns);
  checkOmitted(table, targets);
  const rules: LiteralRules = {
    table: `${table.db}.${table.name}`,
    timezone: ctx.session.timezone,
    nowNs: ctx.nowNs,
    numericText: ctx.session.protocol === "mysql",
  };
  const rows =
    insert.source.kind === "literals"
      ? await insertLiterals(ctx, table, targets, rules, insert.source.rows)
      : await insertQuery(ctx, table, targets, rules, insert.source.query);
  return affected(rows);
}

function targetColumns(table: TableInfo, names: readonly Ident[]): readonly ColumnSchema[] {
  if (names.length === 0) return table.schema.columns;
  const targets: ColumnSchema[] = [];
  for (const { name } of names) {
    const column = columnByName(table.schema, name);
    if (column === undefined)
      throw new DbError(
        "column_not_found",
        `Cannot find column by name: ${name} in table ${fullName(table.db, table.name)}`,
      );
    if (targets.includes(column))
      throw new DbError("invalid_arguments", `Column ${name} is listed twice in INSERT`);
    targets.push(column);
  }
  return targets;
}

/** Columns that are left out take their default or NULL, which the sink fills in. Throws when one can take neither. */
function checkOmitted(table: TableInfo, targets: readonly ColumnSchema[]): void {
  for (const column of table.schema.columns)
    if (!column.nullable && column.default === undefined && !targets.includes(column))
      throw noDefault(column.name);
}

async function insertLiterals(
  ctx: StatementContext,
  table: TableInfo,
  targets: readonly ColumnSchema[],
  rules: LiteralRules,
  rows: LiteralRows,
): Promise<number> {
  const values = rows.ragged ?? rows.width;
  if (rows.ragged !== undefined || rows.width !== targets.length)
    throw new DbError(
      "invalid_arguments",
      `Invalid SQL, error: column count mismatch, columns: ${targets.length}, values: ${values}`,
    );
  const named = targets.map((column, position) =>
    namedColumn(column, literalColumn(rows, position, column, rules)),
  );
  await write(ctx, table, rows.rows, named);
  return rows.rows;
}

async function insertQuery(
  ctx: StatementContext,
  table: TableInfo,
  targets: readonly ColumnSchema[],
  rules: LiteralRules,
  query: Query,
): Promise<number> {
  const plan = planInsert(query, targets, ctx.planEnv(tableResolver(ctx)));
  const open = await openPlan(ctx, plan);
  let written = 0;
  let pending: ResultChunk[] = [];
  let pendingRows = 0;
  const flush = async () => {
    if (pendingRows === 0) return;
    const named = targets.map((column, i) => {
      const parts = pending.map((chunk) => ({ rows: chunk.rows, column: chunk.columns[i]! }));
      return namedColumn(column, resultColumn(parts, column, rules.table, written));
    });
    ctx.checkCancelled();
    await write(ctx, table, pendingRows, named);
    written += pendingRows;
    pending = [];
    pendingRows = 0;
  };
  for await (const chunk of await streamRows(ctx, open.sql, open.fields)) {
    pending.push(chunk);
    pendingRows += chunk.rows;
    if (pendingRows >= batchRows) await flush();
  }
  await flush();
  return written;
}

type NamedColumn = NamedRows["columns"][number];

function namedColumn(column: ColumnSchema, values: Column): NamedColumn {
  return { name: column.name, role: column.role, type: column.type, column: values };
}

async function write(
  ctx: StatementContext,
  table: TableInfo,
  rows: number,
  columns: readonly NamedColumn[],
): Promise<void> {
  if (rows > 0) await ctx.deps.rows.insertRows({ db: table.db, table: table.name, rows, columns });
}
