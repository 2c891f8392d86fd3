/** Queries: WITH, set operations, SELECT and its clauses, VALUES, LIMIT. FROM is in from.ts. */
import type {
  Cte,
  Distinct,
  Expr,
  GroupItem,
  Ident,
  ObjectName,
  Query,
  QueryBody,
  Select,
  SelectItem,
} from "../ast.ts";
import { AFTER_SELECT_LIST, NO_COLUMN_ALIAS } from "../lex/keywords.ts";
import { parseOrderBy, parseWindowSpec } from "./call.ts";
import type { Cursor } from "./cursor.ts";
import { parseExpr, parseName } from "./expr.ts";
import { parseTableRef } from "./from.ts";
import { parseAlign } from "./range.ts";

const AFTER_OPERAND = new Set("union intersect except order limit offset fetch".split(" "));

/**
 * Does a query begin here, rather than an expression? `((SELECT 1) + 1)` and `((SELECT 1) UNION SELECT 2)` differ
 * only behind the inner parenthesis. `alone` answers for a parenthesised query with nothing behind it.
 */
export function startsQuery(p: Cursor, alone: boolean): boolean {
  let ahead = 0;
  while (p.isOp("(", ahead)) ahead++;
  const isQuery =
    p.isWord("select", ahead) ||
    p.isWord("with", ahead) ||
    (p.isWord("values", ahead) && p.isOp("(", ahead + 1));
  if (!isQuery || ahead === 0) return isQuery;
  let depth = 0;
  let at = 0;
  do {
    if (p.isOp("(", at)) depth++;
    else if (p.isOp(")", at)) depth--;
    else if (p.peek(at).kind === "eof") return true;
    at++;
  } while (depth > 0);
  if (p.isAnyWord(AFTER_OPERAND, at)) return true;
  return alone && (p.isOp(")", at) || p.isOp(";", at) || p.peek(at).kind === "eof");
}

export function parseQuery(p: Cursor): Query {
  return p.nested(() => {
    const with_ = p.isWord("with") ? parseWith(p) : undefined;
    const body = parseBody(p, 0);
    const orderBy = parseOrderBy(p);
    return { with: with_, body, orderBy, ...parseLimit(p) };
  });
}

function parseWith(p: Cursor): NonNullable<Query["with"]> {
  p.expect("with");
  const recursive = p.take("recursive");
  const ctes = p.list((): Cte => {
    const name = p.ident();
    const columns = p.isOp("(") ? p.parenthesised(() => p.ident()) : [];
    p.expect("as");
    p.expectOp("(");
    if (p.isWord("tql")) p.unsupported("TQL in a CTE");
    const query = parseQuery(p);
    p.expectOp(")");
    return { name, columns, query };
  }, CTE_STOP);
  return { recursive, ctes };
}

const CTE_STOP = new Set(["select", "values"]);

/** INTERSECT (20) binds tighter than UNION and EXCEPT (10). */
function parseBody(p: Cursor, level: number): QueryBody {
  let left = parseOperand(p);
  for (;;) {
    const op = (["union", "except", "intersect"] as const).find((word) => p.isWord(word));
    const next = op === undefined ? 0 : op === "intersect" ? 20 : 10;
    if (op === undefined || next <= level) return left;
    p.next();
    const all = p.take("all");
    if (!all) p.take("distinct");
    left = { kind: "set_operation", op, all, left, right: parseBody(p, next) };
  }
}

function parseOperand(p: Cursor): QueryBody {
  if (p.isWord("select")) return parseSelect(p);
  if (p.take("values")) return { kind: "values", rows: p.list(() => parseRow(p)) };
  if (p.takeOp("(")) {
    const query = parseQuery(p);
    p.expectOp(")");
    return { kind: "nested", query };
  }
  p.fail("SELECT, VALUES, or a subquery in the query body");
}

function parseRow(p: Cursor): Expr[] {
  p.take("row");
  return p.parenthesised(() => parseExpr(p));
}

function parseSelect(p: Cursor): Select {
  p.expect("select");
  const distinct = parseDistinct(p);
  const items = p.list(() => parseItem(p), AFTER_SELECT_LIST);
  if (p.isWord("into")) p.unsupported("SELECT INTO");
  const from = p.take("from") ? p.list(() => parseTableRef(p), AFTER_SELECT_LIST) : [];
  const where = p.take("where") ? parseExpr(p) : undefined;
  let align = p.isWord("align") ? parseAlign(p) : undefined;
  const groupBy = p.take("group", "by") ? parseGroupBy(p) : [];
  if (align === undefined && p.isWord("align")) align = parseAlign(p);
  const having = p.take("having") ? parseExpr(p) : undefined;
  const windows: { name: Ident; spec: Select["windows"][number]["spec"] }[] = [];
  if (p.take("window"))
    windows.push(
      ...p.list(() => {
        const name = p.ident();
        p.expect("as");
        return { name, spec: parseWindowSpec(p) };
      }, AFTER_SELECT_LIST),
    );
  const qualify = p.take("qualify") ? parseExpr(p) : undefined;
  return { kind: "select", distinct, items, from, where, groupBy, having, windows, qualify, align };
}

function parseDistinct(p: Cursor): Distinct | undefined {
  if (p.take("distinct")) {
    if (!p.take("on")) return { kind: "distinct" };
    return { kind: "on", exprs: p.parenthesised(() => parseExpr(p)) };
  }
  if (p.isWord("all") && !p.isOp(",", 1) && !p.isWord("from", 1)) p.next();
  return undefined;
}

function parseItem(p: Cursor): SelectItem {
  if (p.takeOp("*")) return parseWildcard(p, []);
  const mark = p.mark();
  const first = p.peek();
  if ((first.kind === "word" || first.kind === "quoted") && p.isOp(".", 1)) {
    const qualifier = parseName(p);
    if (p.isOp(".") && p.isOp("*", 1)) {
      p.next();
      p.next();
      return parseWildcard(p, qualifier);
    }
    p.reset(mark);
  }
  const expr = parseExpr(p);
  return { kind: "expr", expr, alias: parseColumnAlias(p) };
}

function parseColumnAlias(p: Cursor): Ident | undefined {
  const explicit = p.take("as");
  const token = p.peek();
  const named =
    token.kind === "quoted" ||
    token.kind === "string" ||
    (token.kind === "word" && (explicit || !NO_COLUMN_ALIAS.has(token.value)));
  if (!named) {
    if (explicit) p.fail("an identifier after AS");
    return undefined;
  }
  p.next();
  return { name: token.value, quoted: token.kind !== "word" };
}

function parseWildcard(p: Cursor, qualifier: ObjectName): SelectItem {
  let exclude: readonly Ident[] = [];
  if (p.take("exclude") || (p.isWord("except") && p.isOp("(", 1) && p.take("except")))
    exclude = p.isOp("(") ? p.parenthesised(() => p.ident()) : [p.ident()];
  let replace: readonly { expr: Expr; name: Ident }[] = [];
  if (p.take("replace"))
    replace = p.parenthesised(() => {
      const expr = parseExpr(p);
      p.expect("as");
      return { expr, name: p.ident() };
    });
  return { kind: "wildcard", qualifier, exclude, replace };
}

function parseGroupBy(p: Cursor): GroupItem[] {
  if (p.isWord("all") && !p.isOp(",", 1)) p.unsupported("GROUP BY ALL");
  return p.list((): GroupItem => {
    if (p.isOp("(", 1) && p.take("rollup")) return { kind: "rollup", sets: parseSets(p) };
    if (p.isOp("(", 1) && p.take("cube")) return { kind: "cube", sets: parseSets(p) };
    if (p.areWords("grouping", "sets")) {
      p.take("grouping", "sets");
      return { kind: "grouping_sets", sets: parseSets(p) };
    }
    return { kind: "expr", expr: parseExpr(p) };
  }, AFTER_SELECT_LIST);
}

function parseSets(p: Cursor): Expr[][] {
  return p.parenthesised(() => {
    if (!p.takeOp("(")) return [parseExpr(p)];
    const set = p.isOp(")") ? [] : p.list(() => parseExpr(p));
    p.expectOp(")");
    return set;
  });
}

/** LIMIT n [OFFSET m], OFFSET m LIMIT n, LIMIT m, n, FETCH FIRST n ROWS ONLY. */
function parseLimit(p: Cursor): Pick<Query, "limit" | "offset"> {
  let limit: Expr | undefined;
  let offset: Expr | undefined;
  for (;;) {
    if (limit === undefined && p.take("limit")) {
      if (p.take("all") || p.take("null")) continue;
      limit = parseExpr(p);
      if (p.takeOp(",")) {
        offset = limit;
        limit = parseExpr(p);
      }
    } else if (offset === undefined && p.take("offset")) {
      offset = parseExpr(p);
      if (!p.take("rows")) p.take("row");
    } else if (limit === undefined && p.take("fetch")) {
      p.expectOneOf("first", "next");
      limit = p.isWord("row") || p.isWord("rows") ? { kind: "number", text: "1" } : parseExpr(p);
      p.expectOneOf("rows", "row");
      p.expect("only");
    } else {
      return { limit, offset };
    }
  }
}
