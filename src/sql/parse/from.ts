/** The FROM clause: tables, derived tables, table functions, joins. */
import type { Expr, JoinConstraint, JoinKind, TableAlias, TableRef } from "../ast.ts";
import { NO_TABLE_ALIAS } from "../lex/keywords.ts";
import type { Cursor } from "./cursor.ts";
import { parseExpr, parseName } from "./expr.ts";
import { parseQuery, startsQuery } from "./query.ts";

/** One element of the comma-separated list, with its joins. */
export function parseTableRef(p: Cursor): TableRef {
  let left = parseFactor(p);
  for (;;) {
    const natural = p.isWord("natural");
    const join = parseJoinWord(p);
    if (join === undefined) return left;
    const right = parseFactor(p);
    left = { kind: "join", join, left, right, constraint: parseConstraint(p, join, natural) };
  }
}

function parseJoinWord(p: Cursor): JoinKind | undefined {
  p.take("natural");
  if (p.take("cross", "join")) return "cross";
  if (p.take("inner", "join") || p.take("join")) return "inner";
  for (const side of ["left", "right", "full"] as const) {
    if (!p.isWord(side)) continue;
    if (side !== "full")
      for (const kind of ["semi", "anti"] as const)
        if (p.take(side, kind, "join")) return `${side}_${kind}`;
    if (p.take(side, "outer", "join") || p.take(side, "join")) return side;
    p.next();
    p.fail("JOIN");
  }
  if (p.take("semi", "join")) return "left_semi";
  if (p.take("anti", "join")) return "left_anti";
  return undefined;
}

function parseConstraint(p: Cursor, join: JoinKind, natural: boolean): JoinConstraint {
  if (natural) return { kind: "natural" };
  if (p.take("on")) return { kind: "on", expr: parseExpr(p) };
  if (p.take("using")) return { kind: "using", columns: p.parenthesised(() => p.ident()) };
  if (join === "cross" || join === "inner") return { kind: "none" };
  p.fail("ON, or USING after JOIN");
}

function parseFactor(p: Cursor): TableRef {
  return p.nested(() => {
    const lateral = p.take("lateral");
    if (p.takeOp("(")) {
      if (startsQuery(p, true)) {
        const query = parseQuery(p);
        p.expectOp(")");
        return { kind: "derived", query, lateral, alias: parseTableAlias(p) };
      }
      const inner = parseTableRef(p);
      p.expectOp(")");
      return inner;
    }
    const name = parseName(p);
    if (p.takeOp("(")) {
      const args: Expr[] = p.isOp(")") ? [] : p.list(() => parseExpr(p));
      p.expectOp(")");
      return { kind: "table_function", name, args, lateral, alias: parseTableAlias(p) };
    }
    return { kind: "table", name, alias: parseTableAlias(p) };
  });
}

function parseTableAlias(p: Cursor): TableAlias | undefined {
  const explicit = p.take("as");
  const token = p.peek();
  const named =
    token.kind === "quoted" ||
    (token.kind === "word" && (explicit || !NO_TABLE_ALIAS.has(token.value)));
  if (!named) {
    if (explicit) p.fail("an identifier after AS");
    return undefined;
  }
  const name = p.ident();
  const columns = p.isOp("(") ? p.parenthesised(() => p.ident()) : [];
  return { name, columns };
}
