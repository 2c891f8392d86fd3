/** Calls: arguments, DISTINCT, ORDER BY, FILTER, WITHIN GROUP, OVER; window specifications. */
import type {
  Expr,
  FrameBound,
  FunctionArg,
  ObjectName,
  OrderItem,
  WindowFrame,
  WindowSpec,
} from "../ast.ts";
import type { Cursor } from "./cursor.ts";
import { parseArg, parseExpr } from "./expr.ts";
import { parseQuery } from "./query.ts";

/** After the name, at `(`. */
export function parseCall(p: Cursor, name: ObjectName): Expr {
  p.expectOp("(");
  const distinct = p.take("distinct");
  if (!distinct) p.take("all");
  let args: FunctionArg[] = [];
  if (p.isWord("select") || p.isWord("with")) {
    args = [{ kind: "subquery", query: parseQuery(p) }];
  } else if (!p.isOp(")") && !p.areWords("order", "by")) {
    args = p.list(() => parseArg(p));
  }
  let nulls = parseNulls(p);
  const orderBy = parseOrderBy(p);
  nulls ??= parseNulls(p);
  p.expectOp(")");
  let withinGroup: readonly OrderItem[] = [];
  if (p.take("within", "group")) {
    p.expectOp("(");
    withinGroup = parseOrderBy(p);
    p.expectOp(")");
  }
  let filter: Expr | undefined;
  if (p.isWord("filter") && p.isOp("(", 1)) {
    p.next();
    p.next();
    p.expect("where");
    filter = parseExpr(p);
    p.expectOp(")");
  }
  nulls ??= parseNulls(p);
  const over = p.take("over") ? parseOver(p) : undefined;
  // Function names are matched in lower case, quoted or not.
  const folded = name.map((part) => ({ name: part.name.toLowerCase(), quoted: false }));
  return {
    kind: "function",
    name: folded,
    args,
    distinct,
    orderBy,
    withinGroup,
    filter,
    nulls,
    over,
  };
}

function parseNulls(p: Cursor): "ignore" | "respect" | undefined {
  if (p.take("ignore", "nulls")) return "ignore";
  if (p.take("respect", "nulls")) return "respect";
  return undefined;
}

/** `ORDER BY …`, or nothing. */
export function parseOrderBy(p: Cursor): readonly OrderItem[] {
  if (!p.take("order", "by")) return [];
  return p.list(() => {
    const expr = parseExpr(p);
    const descending = p.take("desc");
    if (!descending) p.take("asc");
    let nulls: OrderItem["nulls"];
    if (p.take("nulls")) nulls = p.expectOneOf("first", "last");
    return { expr, descending, nulls };
  });
}

function parseOver(p: Cursor): WindowSpec {
  if (!p.isOp("(")) return { base: p.ident(), bare: true, partitionBy: [], orderBy: [] };
  return parseWindowSpec(p);
}

/** `( [base] [PARTITION BY …] [ORDER BY …] [frame] )`. */
export function parseWindowSpec(p: Cursor): WindowSpec {
  p.expectOp("(");
  const startsClause =
    p.isOp(")") || p.areWords("partition", "by") || p.areWords("order", "by") || isFrame(p);
  const base = startsClause ? undefined : p.ident();
  const partitionBy = p.take("partition", "by") ? p.list(() => parseExpr(p), AFTER_PARTITION) : [];
  const orderBy = parseOrderBy(p);
  const frame = isFrame(p) ? parseFrame(p) : undefined;
  p.expectOp(")");
  return { base, partitionBy, orderBy, frame };
}

const AFTER_PARTITION = new Set(["order", "rows", "range", "groups"]);

function isFrame(p: Cursor): boolean {
  return p.isWord("rows") || p.isWord("range") || p.isWord("groups");
}

function parseFrame(p: Cursor): WindowFrame {
  const unit = p.expectOneOf("rows", "range", "groups");
  if (!p.take("between")) return { unit, start: parseBound(p) };
  const start = parseBound(p);
  p.expect("and");
  return { unit, start, end: parseBound(p) };
}

function parseBound(p: Cursor): FrameBound {
  if (p.take("current", "row")) return { kind: "current_row" };
  if (p.take("unbounded", "preceding")) return { kind: "unbounded_preceding" };
  if (p.take("unbounded", "following")) return { kind: "unbounded_following" };
  const expr = parseExpr(p);
  return { kind: p.expectOneOf("preceding", "following"), expr };
}
