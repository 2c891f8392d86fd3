/** SHOW in all its forms, and DESCRIBE. */
import type { Show, ShowFilter, Statement } from "../ast.ts";
import type { Cursor } from "./cursor.ts";
import { parseExpr, parseName } from "./expr.ts";
import { parseDatabaseName, parseTableName } from "./options.ts";

export function parseShow(p: Cursor): Statement {
  p.expect("show");
  return { kind: "show", show: parseWhat(p) };
}

function parseWhat(p: Cursor): Show {
  const full = p.take("full");
  if (p.take("databases") || p.take("schemas"))
    return { what: "databases", full, filter: parseFilter(p) };
  if (p.take("tables")) return { what: "tables", full, db: parseIn(p), filter: parseFilter(p) };
  if (p.take("columns") || p.take("fields")) {
    if (!p.take("from")) p.expectOneOf("from", "in");
    const table = parseTableName(p);
    return { what: "columns", full, table, db: parseIn(p), filter: parseFilter(p) };
  }
  if (p.take("processlist")) return { what: "processlist", full };
  if (full) p.fail("DATABASES, TABLES, COLUMNS or PROCESSLIST after SHOW FULL");
  if (p.take("table", "status"))
    return { what: "table_status", db: parseIn(p), filter: parseFilter(p) };
  if (p.take("create")) return parseShowCreate(p);
  const index = (["index", "indexes", "keys"] as const).some((word) => p.take(word));
  if (index || p.take("region") || p.take("regions")) {
    p.expectOneOf("from", "in");
    const table = parseTableName(p);
    const what = index ? "index" : "region";
    return { what, table, db: parseIn(p), filter: parseFilter(p) };
  }
  for (const what of ["views", "flows", "triggers"] as const)
    if (p.take(what)) return { what, db: parseIn(p), filter: parseFilter(p) };
  if (p.take("flow", "status")) return { what: "flow_status" };
  if (p.take("search_path")) return { what: "search_path" };
  if (p.take("warnings")) return { what: "warnings" };
  if (p.take("charset") || p.take("character", "set"))
    return { what: "charset", filter: parseFilter(p) };
  for (const what of ["collation", "status"] as const)
    if (p.take(what)) return { what, filter: parseFilter(p) };
  return parseVariable(p);
}

function parseIn(p: Cursor): Extract<Show, { what: "tables" }>["db"] {
  return p.take("from") || p.take("in") ? parseDatabaseName(p) : undefined;
}

function parseFilter(p: Cursor): ShowFilter | undefined {
  if (p.take("like")) return { kind: "like", pattern: p.string() };
  if (p.take("where")) return { kind: "where", expr: parseExpr(p) };
  return undefined;
}

function parseShowCreate(p: Cursor): Show {
  if (p.take("database") || p.take("schema"))
    return { what: "create_database", name: parseDatabaseName(p) };
  if (p.take("view")) return { what: "create_view", name: parseTableName(p) };
  if (p.take("flow")) return { what: "create_flow", name: parseTableName(p) };
  if (!p.take("table")) p.fail("TABLE, DATABASE, VIEW or FLOW after SHOW CREATE");
  const name = parseTableName(p);
  const postgresForeign = p.take("for", "postgres_foreign_table");
  return { what: "create_table", name, postgresForeign };
}

/** `SHOW VARIABLES [v | LIKE …]`, `SHOW v`, `SHOW TIME ZONE`, `SHOW TRANSACTION ISOLATION LEVEL`. */
function parseVariable(p: Cursor): Show {
  for (const scope of ["session", "global"]) if (p.isWord("variables", 1)) p.take(scope);
  if (p.take("variables")) {
    const filter = parseFilter(p);
    const { kind } = p.peek();
    const named = filter === undefined && (kind === "word" || kind === "quoted");
    return { what: "variable", name: named ? variableName(p) : undefined, filter };
  }
  if (p.take("time", "zone")) return { what: "variable", name: "TIME_ZONE" };
  if (p.take("transaction", "isolation", "level"))
    return { what: "variable", name: "TRANSACTION_ISOLATION" };
  return { what: "variable", name: variableName(p) };
}

function variableName(p: Cursor): string {
  const name = parseName(p)
    .map((part) => part.name.toUpperCase())
    .join(".");
  return name.replace(/^@@(SESSION\.|GLOBAL\.)?/, "");
}

export function parseDescribe(p: Cursor): Statement {
  p.expectOneOf("desc", "describe");
  // `DESC TABLE t`, but also a table of the name `table`.
  if (p.isWord("table") && (p.peek(1).kind === "word" || p.peek(1).kind === "quoted")) p.next();
  return { kind: "describe", name: parseTableName(p) };
}
