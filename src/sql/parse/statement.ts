/** Statements by their first word. */
import { DbError } from "../../base/mod.ts";
import type { Statement } from "../ast.ts";
import { parseAlter, parseComment, parseDrop, parseTruncate } from "./alter.ts";
import { parseCreate } from "./create.ts";
import type { Cursor } from "./cursor.ts";
import { parseExpr } from "./expr.ts";
import { parseDelete, parseInsert } from "./insert.ts";
import { parseDatabaseName } from "./options.ts";
import { parseQuery } from "./query.ts";
import { parseSet } from "./set.ts";
import { parseDescribe, parseShow } from "./show.ts";

/** Statements of the dialect whose execution comes later: refused by name, not as bad syntax. */
const LATER: Readonly<Record<string, string>> = {
  copy: "COPY",
  tql: "TQL",
  prepare: "PREPARE",
  execute: "EXECUTE",
  deallocate: "DEALLOCATE",
  declare: "DECLARE CURSOR",
  fetch: "FETCH",
  close: "CLOSE",
};

export function parseStatement(p: Cursor): Statement {
  const token = p.peek();
  if (token.kind === "op" && token.value === "(") return { kind: "query", query: parseQuery(p) };
  const word = token.kind === "word" ? token.value : "";
  switch (word) {
    case "select":
    case "with":
    case "values":
      return { kind: "query", query: parseQuery(p) };
    case "insert":
    case "replace":
      return parseInsert(p);
    case "delete":
      return parseDelete(p);
    case "create":
      return parseCreate(p);
    case "alter":
      return parseAlter(p);
    case "drop":
      return parseDrop(p);
    case "truncate":
      return parseTruncate(p);
    case "comment":
      return parseComment(p);
    case "use":
      p.next();
      return { kind: "use", name: parseDatabaseName(p) };
    case "show":
      return parseShow(p);
    case "desc":
    case "describe":
      return parseDescribe(p);
    case "explain":
      return parseExplain(p);
    case "set":
      return parseSet(p);
    case "admin":
      return parseAdmin(p);
    case "kill":
      return parseKill(p);
  }
  const later = LATER[word];
  if (later !== undefined) p.unsupported(later);
  throw new DbError("unsupported", `SQL statement is not supported, keyword: ${p.textOf(token)}`);
}

function parseExplain(p: Cursor): Statement {
  p.expect("explain");
  const analyze = p.take("analyze");
  const verbose = p.take("verbose");
  const format = p.take("format") ? p.ident().name.toUpperCase() : undefined;
  if (format !== undefined && !["TEXT", "JSON", "GRAPHVIZ"].includes(format))
    p.invalid(`unknown EXPLAIN format: ${format}`);
  if (p.isWord("explain"))
    throw new DbError(
      "plan_query",
      "Failed to plan SQL: Error during planning: Nested EXPLAINs are not supported",
    );
  return { kind: "explain", analyze, verbose, format, statement: parseStatement(p) };
}

function parseAdmin(p: Cursor): Statement {
  p.expect("admin");
  const expr = parseExpr(p);
  if (expr.kind !== "function" || expr.args.some((arg) => arg.kind === "star"))
    p.invalid("ADMIN needs a function call, like ADMIN flush_table('t')");
  const name = expr.name.map((part) => part.name).join(".");
  return { kind: "admin", name, args: expr.args.filter((arg) => arg.kind !== "star") };
}

function parseKill(p: Cursor): Statement {
  p.expect("kill");
  const what = (["query", "connection"] as const).find((word) => p.take(word));
  const token = p.peek();
  if (token.kind !== "string" && token.kind !== "number") p.fail("a process id");
  p.next();
  return { kind: "kill", what, id: token.value };
}
