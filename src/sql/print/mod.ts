/** Statements → text. What is printed parses to an equal tree (Greptime dialect). */
import type { Expr, Query, Statement } from "../ast.ts";
import { printExpr } from "./expr.ts";
import { printQuery } from "./query.ts";
import { printStatement } from "./statement.ts";

export function formatExpression(expr: Expr): string {
  return printExpr(expr);
}

export function formatQuery(query: Query): string {
  return printQuery(query);
}

/** One line, no semicolon. */
export function formatStatement(statement: Statement): string {
  return printStatement(statement);
}
