/** CREATE DATABASE, CREATE TABLE, and the heads of the CREATE statements that we do not run yet. */
import { DbError } from "../../base/mod.ts";
import type { ColumnDef, Partition, Statement, TableConstraint } from "../ast.ts";
import { formatExpression } from "../print/mod.ts";
import { parseColumnDef } from "./column.ts";
import type { Cursor } from "./cursor.ts";
import { parseExpr } from "./expr.ts";
import {
  parseDatabaseName,
  parseIfNotExists,
  parseTableName,
  parseWithOptions,
} from "./options.ts";

export function parseCreate(p: Cursor): Statement {
  p.expect("create");
  if (p.take("or", "replace")) {
    if (p.isWord("view")) p.unsupported("CREATE VIEW");
    if (p.isWord("flow")) p.unsupported("CREATE FLOW");
    p.fail("VIEW or FLOW after CREATE OR REPLACE");
  }
  if (p.take("database") || p.take("schema")) return parseCreateDatabase(p);
  if (p.take("table")) return parseCreateTable(p);
  if (p.isWord("external")) p.unsupported("CREATE EXTERNAL TABLE");
  if (p.isWord("view")) p.unsupported("CREATE VIEW");
  if (p.isWord("flow")) p.unsupported("CREATE FLOW");
  if (p.isWord("trigger")) p.unsupported("CREATE TRIGGER");
  p.fail("DATABASE, SCHEMA, TABLE, EXTERNAL TABLE, FLOW or VIEW after CREATE");
}

function parseCreateDatabase(p: Cursor): Statement {
  const ifNotExists = parseIfNotExists(p);
  const name = parseDatabaseName(p);
  return { kind: "create_database", name, ifNotExists, options: parseWithOptions(p) };
}

function parseCreateTable(p: Cursor): Statement {
  const ifNotExists = parseIfNotExists(p);
  const name = parseTableName(p);
  if (p.take("like"))
    return { kind: "create_table_like", name, ifNotExists, source: parseTableName(p) };
  if (p.isWord("as")) p.unsupported("CREATE TABLE … AS SELECT");
  const columns: ColumnDef[] = [];
  const constraints: TableConstraint[] = [];
  p.expectOp("(");
  if (!p.isOp(")"))
    p.list(() => {
      const constraint = parseConstraint(p);
      if (constraint === undefined) columns.push(parseColumnDef(p));
      else constraints.push(constraint);
    });
  p.expectOp(")");
  const partition = p.isWord("partition") ? parsePartition(p) : undefined;
  let engine: string | undefined;
  if (p.take("engine")) {
    p.takeOp("=");
    engine = p.peek().kind === "string" ? p.string() : p.ident().name;
  }
  const options = parseWithOptions(p);
  checkTimeIndex(columns, constraints);
  return {
    kind: "create_table",
    name,
    ifNotExists,
    columns,
    constraints,
    partition,
    engine,
    options,
  };
}

function parseConstraint(p: Cursor): TableConstraint | undefined {
  if (p.isOp("(", 2)) {
    if (p.take("time", "index"))
      return { kind: "time_index", columns: p.parenthesised(() => p.ident()) };
    if (p.take("primary", "key"))
      return { kind: "primary_key", columns: p.parenthesised(() => p.ident()) };
  }
  return undefined;
}

/** Every table has one time index; the rest of the checks need types and belong to the catalog's caller. */
function checkTimeIndex(
  columns: readonly ColumnDef[],
  constraints: readonly TableConstraint[],
): void {
  let found = columns.filter((c) => c.options.some((o) => o.kind === "time_index")).length;
  for (const constraint of constraints) {
    if (constraint.kind !== "time_index") continue;
    found++;
    if (constraint.columns.length !== 1)
      throw new DbError("invalid_syntax", "Invalid time index: it must be one column");
  }
  if (found === 0) throw new DbError("invalid_syntax", "Missing time index constraint");
  if (found > 1)
    throw new DbError(
      "invalid_syntax",
      `Invalid time index: expected only one time index constraint but actual ${found}`,
    );
}

/** `PARTITION ON COLUMNS (a, b) (expr, …)`. */
function parsePartition(p: Cursor): Partition {
  p.expect("partition", "on", "columns");
  const columns = p.parenthesised(() => p.ident());
  p.expectOp("(");
  const expressions = p.isOp(")") ? [] : p.list(() => formatExpression(parseExpr(p)));
  p.expectOp(")");
  return { columns, expressions };
}
