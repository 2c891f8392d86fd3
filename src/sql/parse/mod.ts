/** Text → statements. The front door of the parser. */
import type { Expr, ParsedStatement } from "../ast.ts";
import type { Dialect } from "../dialect.ts";
import { Cursor } from "./cursor.ts";
import { parseExpr } from "./expr.ts";
import { parseStatement } from "./statement.ts";

/**
 * All statements of the text, each with its own text; empty ones are skipped. The whole text must parse.
 * Throws invalid_syntax, or unsupported for statements that we know but do not run.
 */
export function parseStatements(text: string, dialect: Dialect): ParsedStatement[] {
  const p = new Cursor(text, dialect);
  const statements: ParsedStatement[] = [];
  for (;;) {
    while (p.takeOp(";"));
    if (p.peek().kind === "eof") return statements;
    p.startStatement();
    const { start } = p.peek();
    const statement = parseStatement(p);
    statements.push({ statement, text: text.slice(start, p.lastEnd()) });
    if (p.peek().kind !== "eof" && !p.isOp(";")) p.fail("end of statement");
  }
}

/** One expression and nothing after it. Throws invalid_syntax. */
export function parseExpression(text: string, dialect: Dialect): Expr {
  const p = new Cursor(text, dialect);
  const expr = parseExpr(p);
  if (p.peek().kind !== "eof") p.fail("end of expression");
  return expr;
}
