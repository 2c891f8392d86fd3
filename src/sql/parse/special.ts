/** Expressions with a syntax of their own: CASE, CAST, INTERVAL, EXTRACT, TRIM, SUBSTRING, POSITION, … */
import type { Expr } from "../ast.ts";
import type { Cursor } from "./cursor.ts";
import { parseArray, parseExpr } from "./expr.ts";
import { LEVEL } from "./levels.ts";
import { parseQuery, startsQuery } from "./query.ts";
import { parseType } from "./types.ts";

const INTERVAL_UNITS = new Set(
  "year years quarter quarters month months week weeks day days hour hours minute minutes second seconds millisecond milliseconds microsecond microseconds nanosecond nanoseconds decade decades century centuries millennium millennia".split(
    " ",
  ),
);

/** The expression that starts with this word, or undefined if the word is an ordinary name here. */
export function parseSpecial(p: Cursor, word: string): Expr | undefined {
  if (!p.isOp("(", 1)) {
    switch (word) {
      case "case":
        return parseCase(p);
      case "interval":
        return parseInterval(p);
      case "array":
        if (!p.isOp("[", 1)) return undefined;
        p.next();
        return parseArray(p);
      default:
        return undefined;
    }
  }
  switch (word) {
    case "case":
      return parseCase(p);
    case "cast":
    case "try_cast":
      return parseCast(p, word);
    case "interval":
      return parseInterval(p);
    case "exists":
      return parseExists(p);
    case "extract":
      return parseExtract(p);
    case "trim":
      return parseTrim(p);
    case "substring":
    case "substr":
      return parseSubstring(p);
    case "position":
      return parsePosition(p);
    case "overlay":
      return parseOverlay(p);
    default:
      return undefined;
  }
}

function parseCase(p: Cursor): Expr {
  p.expect("case");
  const operand = p.isWord("when") ? undefined : parseExpr(p);
  const whens: { when: Expr; result: Expr }[] = [];
  do {
    p.expect("when");
    const when = parseExpr(p);
    p.expect("then");
    whens.push({ when, result: parseExpr(p) });
  } while (p.isWord("when"));
  const otherwise = p.take("else") ? parseExpr(p) : undefined;
  p.expect("end");
  return { kind: "case", operand, whens, otherwise };
}

function parseCast(p: Cursor, style: "cast" | "try_cast"): Expr {
  p.next();
  p.expectOp("(");
  const expr = parseExpr(p);
  p.expect("as");
  const type = parseType(p);
  p.expectOp(")");
  return { kind: "cast", expr, type, style };
}

function parseInterval(p: Cursor): Expr | undefined {
  const value = p.peek(1);
  const starts =
    value.kind === "string" ||
    value.kind === "number" ||
    value.kind === "parameter" ||
    (value.kind === "op" && (value.value === "-" || value.value === "("));
  // `interval` may also be the name of a column.
  if (!starts) return undefined;
  const mark = p.mark();
  p.next();
  const expr = parseExpr(p, LEVEL.cast);
  const unit = p.isAnyWord(INTERVAL_UNITS) ? p.next().value.toUpperCase() : undefined;
  if (unit === undefined && expr.kind !== "string") {
    // `interval - 1`, `interval(x)`: not an interval after all.
    if (value.kind !== "op") p.fail("an interval unit");
    p.reset(mark);
    return undefined;
  }
  return { kind: "interval", value: expr, unit };
}

function parseExists(p: Cursor): Expr {
  p.next();
  p.expectOp("(");
  if (!startsQuery(p, true)) p.fail("SELECT, VALUES, or a subquery");
  const query = parseQuery(p);
  p.expectOp(")");
  return { kind: "exists", query, negated: false };
}

function parseExtract(p: Cursor): Expr {
  p.next();
  p.expectOp("(");
  const field = p.peek().kind === "string" ? p.string() : p.ident().name;
  if (!p.takeOp(",")) p.expect("from");
  const expr = parseExpr(p);
  p.expectOp(")");
  return { kind: "extract", field: field.toUpperCase(), expr };
}

function parseTrim(p: Cursor): Expr {
  p.next();
  p.expectOp("(");
  const side = (["both", "leading", "trailing"] as const).find((word) => p.take(word));
  if (side !== undefined && p.take("from")) return finishTrim(p, side, undefined);
  const first = parseExpr(p);
  if (p.take("from")) return finishTrim(p, side, first);
  const what = p.takeOp(",") ? parseExpr(p) : undefined;
  p.expectOp(")");
  return { kind: "trim", side, what, expr: first };
}

function finishTrim(
  p: Cursor,
  side: "both" | "leading" | "trailing" | undefined,
  what: Expr | undefined,
): Expr {
  const expr = parseExpr(p);
  p.expectOp(")");
  return { kind: "trim", side, what, expr };
}

function parseSubstring(p: Cursor): Expr {
  p.next();
  p.expectOp("(");
  const expr = parseExpr(p);
  let from: Expr | undefined;
  let length: Expr | undefined;
  if (p.takeOp(",") || p.take("from")) from = parseExpr(p);
  if (p.takeOp(",") || p.take("for")) length = parseExpr(p);
  p.expectOp(")");
  return { kind: "substring", expr, from, length };
}

function parsePosition(p: Cursor): Expr | undefined {
  const mark = p.mark();
  p.next();
  p.expectOp("(");
  const needle = parseExpr(p, LEVEL.compare);
  if (!p.take("in")) {
    // `position(haystack, needle)` is an ordinary function.
    p.reset(mark);
    return undefined;
  }
  const haystack = parseExpr(p);
  p.expectOp(")");
  return { kind: "position", needle, haystack };
}

function parseOverlay(p: Cursor): Expr | undefined {
  const mark = p.mark();
  p.next();
  p.expectOp("(");
  const expr = parseExpr(p);
  if (!p.take("placing")) {
    p.reset(mark);
    return undefined;
  }
  const what = parseExpr(p);
  p.expect("from");
  const from = parseExpr(p);
  const length = p.take("for") ? parseExpr(p) : undefined;
  p.expectOp(")");
  return { kind: "overlay", expr, what, from, length };
}
