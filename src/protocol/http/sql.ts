/**
 * /v1/sql: a text of statements in, one body in the wished format out. Small answers are held until the last statement is done, so
 * that a failure is an error and nothing else; large ones leave while they are computed.
 */
import { DbError, type Histogram } from "../../base/mod.ts";
import { type Catalog, databaseNotFound, isVirtualDatabase } from "../../catalog/mod.ts";
import type { Ctx, ResponseWriter, Route } from "../../net/mod.ts";
import type { QueryEngine } from "../../query/mod.ts";
import { formatStatement, parseStatements } from "../../sql/mod.ts";
import type { Output, ResultChunk, TimeUnit } from "../../types/mod.ts";
import { epochUnit, type Format, formatByName } from "./format/mod.ts";

export interface SqlDeps {
  readonly engine: QueryEngine;
  readonly catalog: Catalog;
  readonly elapsed: Histogram<"db">;
}

/**
 * An answer up to this size can still turn into an error. Larger than nearly all errors' distance from the start of a result,
 * small enough that many such answers fit in memory.
 */
const HOLD_CHARS_MAX = 1024 * 1024;

export function sqlRoutes(deps: SqlDeps): Route[] {
  const methods = ["GET", "POST"] as const;
  return [
    { methods, path: "/v1/sql", access: "auth", handler: (ctx) => runSql(ctx, deps) },
    { methods, path: "/v1/sql/parse", access: "auth", handler: parseSql },
    { methods, path: "/v1/sql/format", access: "auth", handler: formatSql },
  ];
}

/** Query string first, then a form body. */
async function parameters(ctx: Ctx): Promise<(name: string) => string | null> {
  const form = await ctx.form();
  return (name) => ctx.query.get(name) ?? form.get(name);
}

function sqlOf(parameter: (name: string) => string | null): string {
  const sql = parameter("sql");
  if (sql === null) throw new DbError("invalid_arguments", "sql parameter is required.");
  return sql;
}

async function runSql(ctx: Ctx, deps: SqlDeps): Promise<void> {
  const parameter = await parameters(ctx);
  const sql = sqlOf(parameter);
  const db = ctx.database(parameter("db"));
  if (deps.catalog.database(db) === undefined && !isVirtualDatabase(db)) throw databaseNotFound(db);
  const format = formatByName(parameter("format"));
  checkCompression(format, parameter("compression"));
  const epoch = epochOf(parameter("epoch"));
  const limit = limitOf(ctx.query.get("limit"));
  const session = ctx.session(db);
  if (format.single && parseStatements(sql, session.dialect).length > 1)
    throw new DbError(
      "invalid_arguments",
      `format=${format.name} answers one statement at a time; use greptimedb_v1 or influxdb_v1 for several`,
    );
  const outputs = deps.engine.execute(sql, session, ctx.signal);
  const limited = limit === undefined ? outputs : firstRows(outputs, limit);
  const pieces = format.encode(limited, { epoch, elapsedMs: () => ctx.elapsedMs() });
  await answer(ctx, format, pieces);
  deps.elapsed.observe({ db }, ctx.elapsedMs() / 1000);
}

async function answer(
  ctx: Ctx,
  format: Format,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const headers = () => ({
    "content-type": format.contentType,
    "x-greptime-format": format.name,
    "x-greptime-execution-time": String(Math.round(ctx.elapsedMs())),
  });
  let held: (string | Uint8Array)[] = [];
  let heldChars = 0;
  let writer: ResponseWriter | undefined;
  for await (const piece of pieces) {
    if (writer !== undefined) {
      await writer.write(piece);
      continue;
    }
    held.push(piece);
    heldChars += piece.length;
    if (heldChars <= HOLD_CHARS_MAX) continue;
    writer = ctx.stream(200, headers());
    for (const early of held) await writer.write(early);
    held = [];
  }
  if (writer === undefined) await ctx.send(200, joined(held), headers());
  else await writer.end();
}

function joined(pieces: readonly (string | Uint8Array)[]): string | Uint8Array {
  if (pieces.every((piece) => typeof piece === "string")) return pieces.join("");
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece as Uint8Array)));
}

/** Cuts each result after `limit` rows; the rest is not computed. */
async function* firstRows(
  outputs: AsyncIterable<Output>,
  limit: number,
): AsyncGenerator<Output, void, void> {
  for await (const output of outputs)
    yield output.kind === "records" ? { ...output, chunks: cut(output.chunks, limit) } : output;
}

async function* cut(
  chunks: AsyncIterable<ResultChunk>,
  limit: number,
): AsyncGenerator<ResultChunk, void, void> {
  let left = limit;
  for await (const chunk of chunks) {
    const rows = Math.min(left, chunk.rows);
    left -= rows;
    if (rows > 0) yield { ...chunk, rows };
    if (left === 0) return;
  }
}

function limitOf(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw new DbError("invalid_arguments", `limit is not a whole number: ${text}`);
  return Number(text);
}

function epochOf(text: string | null): TimeUnit | undefined {
  if (text === null || text === "") return undefined;
  const unit = epochUnit(text);
  if (unit === undefined)
    throw new DbError("invalid_arguments", `epoch is not one of ns, u, µ, ms, s: ${text}`);
  return unit;
}

function checkCompression(format: Format, text: string | null): void {
  if (format.name !== "arrow" || text === null || text === "") return;
  throw new DbError(
    "unsupported",
    `compression=${text} is not available for Arrow bodies; leave it out for an uncompressed stream`,
  );
}

async function parseSql(ctx: Ctx): Promise<void> {
  const sql = sqlOf(await parameters(ctx));
  const statements = parseStatements(sql, "greptime").map(({ statement }) => statement);
  const body = JSON.stringify(statements, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  await ctx.send(200, body, { "content-type": "application/json" });
}

async function formatSql(ctx: Ctx): Promise<void> {
  const sql = sqlOf(await parameters(ctx));
  const texts = parseStatements(sql, "greptime").map(({ statement }) => formatStatement(statement));
  await ctx.json(200, { formatted: texts.map((text) => `${text};`).join(" ") });
}
