/**
 * Expressions: precedence climbing. The levels are those of the reference's parser; higher binds tighter.
 * Special call syntaxes (CAST, EXTRACT, …) are in special.ts, calls and windows in call.ts.
 */
import type { BinaryOp, Expr, FunctionArg, ObjectName, RangeDuration } from "../ast.ts";
import { NO_EXPRESSION } from "../lex/keywords.ts";
import type { Token } from "../lex/token.ts";
import { parseCall } from "./call.ts";
import type { Cursor } from "./cursor.ts";
import { BINARY_LEVEL, LEVEL } from "./levels.ts";
import { parseQuery, startsQuery } from "./query.ts";
import { parseFill, parseRangeDuration } from "./range.ts";
import { parseSpecial } from "./special.ts";
import { parseType, TYPED_STRING } from "./types.ts";

/** The operator that a token is, if any: `#` is XOR where it is no letter. */
function binaryOp(token: Token): BinaryOp | undefined {
  if (token.kind === "word")
    return token.value === "div"
      ? "/"
      : WORD_OPS.has(token.value)
        ? (token.value as BinaryOp)
        : undefined;
  if (token.kind !== "op") return undefined;
  if (token.value === "#") return "^";
  return Object.hasOwn(BINARY_LEVEL, token.value) ? (token.value as BinaryOp) : undefined;
}

const WORD_OPS = new Set(["or", "and", "xor"]);

const NEGATABLE = new Set(["in", "between", "like", "ilike", "similar", "rlike", "regexp"]);

/** Words that are functions without parentheses. */
const BARE_FUNCTIONS = new Set(
  "current_timestamp current_date current_time current_user session_user user current_catalog current_schema localtime localtimestamp".split(
    " ",
  ),
);

/** An expression of operators that bind tighter than `level`. */
export function parseExpr(p: Cursor, level = 0): Expr {
  return p.nested(() => {
    let left = parsePrefix(p);
    for (;;) {
      const next = nextLevel(p);
      if (next <= level) return left;
      left = parseInfix(p, left, next);
    }
  });
}

function nextLevel(p: Cursor): number {
  const token = p.peek();
  if (token.kind === "op") {
    if (token.value === "::") return LEVEL.cast;
    if (token.value === "[") return LEVEL.postfix;
    const op = binaryOp(token);
    return op === undefined ? 0 : BINARY_LEVEL[op];
  }
  if (token.kind !== "word") return 0;
  switch (token.value) {
    case "or":
    case "and":
    case "xor":
    case "div":
      return BINARY_LEVEL[binaryOp(token)!];
    case "is":
      return LEVEL.is;
    case "in":
    case "between":
      return LEVEL.compare;
    case "like":
    case "ilike":
    case "similar":
    case "rlike":
    case "regexp":
      return LEVEL.like;
    case "not":
      if (!p.isAnyWord(NEGATABLE, 1)) return 0;
      return p.isWord("in", 1) || p.isWord("between", 1) ? LEVEL.compare : LEVEL.like;
    case "at":
      return p.isWord("time", 1) && p.isWord("zone", 2) ? LEVEL.zone : 0;
    case "collate":
      return LEVEL.collate;
    case "range":
      return p.peek(1).kind === "string" || (p.isOp("(", 1) && p.isWord("interval", 2))
        ? LEVEL.postfix
        : 0;
    case "operator":
      return p.isOp("(", 1) ? LEVEL.compare : 0;
    default:
      return 0;
  }
}

function parseInfix(p: Cursor, left: Expr, level: number): Expr {
  const token = p.next();
  if (token.kind === "op") {
    if (token.value === "::") return { kind: "cast", expr: left, type: parseType(p), style: "::" };
    if (token.value === "[") return parseSubscript(p, left);
    return parseBinary(p, left, binaryOp(token)!, level);
  }
  switch (token.value) {
    case "or":
    case "and":
    case "xor":
    case "div":
      return parseBinary(p, left, binaryOp(token)!, level);
    case "is":
      return parseIs(p, left);
    case "at":
      p.expect("time", "zone");
      return { kind: "at_time_zone", expr: left, zone: parseExpr(p, level) };
    case "collate":
      return { kind: "collate", expr: left, collation: parseName(p) };
    case "range":
      return parseRange(p, left);
    case "operator":
      return parseBinary(p, left, parseQualifiedOperator(p), level);
    case "not":
      return parsePredicate(p, left, p.next().value, true);
    default:
      return parsePredicate(p, left, token.value, false);
  }
}

function parseBinary(p: Cursor, left: Expr, op: BinaryOp, level: number): Expr {
  if (p.isWord("any") || p.isWord("all") || p.isWord("some")) {
    if (p.isOp("(", 1)) {
      const all = p.next().value === "all";
      p.expectOp("(");
      const right: Expr = startsQuery(p, true)
        ? { kind: "subquery", query: parseQuery(p) }
        : parseExpr(p);
      p.expectOp(")");
      return { kind: "quantified", left, op, all, right };
    }
  }
  return { kind: "binary", op, left, right: parseExpr(p, level) };
}

/** `OPERATOR(pg_catalog.~)`: psql writes its operators so. */
function parseQualifiedOperator(p: Cursor): BinaryOp {
  p.expectOp("(");
  while (p.isOp(".", 1)) {
    p.ident();
    p.expectOp(".");
  }
  const token = p.next();
  const op = token.kind === "op" ? binaryOp(token) : undefined;
  if (op === undefined) p.fail("an operator", token);
  p.expectOp(")");
  return op;
}

function parseIs(p: Cursor, expr: Expr): Expr {
  const negated = p.take("not");
  if (p.take("distinct", "from"))
    return { kind: "distinct_from", left: expr, right: parseExpr(p, LEVEL.is), negated };
  for (const test of ["null", "true", "false", "unknown"] as const)
    if (p.take(test)) return { kind: "is", expr, test, negated };
  p.fail("[NOT] NULL | TRUE | FALSE | UNKNOWN | DISTINCT FROM after IS");
}

function parsePredicate(p: Cursor, expr: Expr, word: string, negated: boolean): Expr {
  switch (word) {
    case "between": {
      const low = parseExpr(p, LEVEL.compare);
      p.expect("and");
      return { kind: "between", expr, low, high: parseExpr(p, LEVEL.compare), negated };
    }
    case "in": {
      if (!p.isOp("(")) p.fail("(");
      p.next();
      if (startsQuery(p, true)) {
        const query = parseQuery(p);
        p.expectOp(")");
        return { kind: "in_query", expr, query, negated };
      }
      const list = p.isOp(")") ? [] : p.list(() => parseExpr(p));
      p.expectOp(")");
      return { kind: "in_list", expr, list, negated };
    }
    case "similar":
      p.expect("to");
      break;
  }
  const op =
    word === "similar"
      ? "similar to"
      : word === "rlike" || word === "regexp"
        ? "regexp"
        : (word as "like" | "ilike");
  const pattern = parseExpr(p, LEVEL.like);
  const escapeWith = p.take("escape") ? p.string() : undefined;
  return { kind: "like", expr, pattern, escape: escapeWith, op, negated };
}

function parseSubscript(p: Cursor, expr: Expr): Expr {
  const from = p.isOp(":") ? undefined : parseExpr(p);
  if (p.takeOp(":")) {
    const to = p.isOp("]") ? undefined : parseExpr(p);
    p.expectOp("]");
    return { kind: "slice", expr, from, to };
  }
  p.expectOp("]");
  return { kind: "index", expr, index: from! };
}

function parseRange(p: Cursor, expr: Expr): Expr {
  const range: RangeDuration = parseRangeDuration(p);
  return { kind: "range", expr, range, fill: p.isWord("fill") ? parseFill(p) : undefined };
}

function parsePrefix(p: Cursor): Expr {
  const token = p.peek();
  switch (token.kind) {
    case "number":
      p.next();
      return { kind: "number", text: token.value };
    case "string":
      p.next();
      return { kind: "string", value: token.value };
    case "hex":
      p.next();
      return { kind: "hex", digits: token.value };
    case "parameter":
      p.next();
      return {
        kind: "parameter",
        index: token.value === "" ? p.nextParameter() : Number(token.value),
      };
    case "quoted":
      return parseNamed(p);
    case "op":
      return parsePrefixOperator(p, token);
    case "word":
      return parseWord(p, token);
    case "eof":
      return p.fail("an expression");
  }
}

function parsePrefixOperator(p: Cursor, token: Token): Expr {
  switch (token.value) {
    case "-":
    case "+":
      p.next();
      return { kind: "unary", op: token.value, expr: parseExpr(p, LEVEL.times) };
    case "~":
      p.next();
      return { kind: "unary", op: "~", expr: parseExpr(p, LEVEL.plus) };
    case "(": {
      p.next();
      if (startsQuery(p, false)) {
        const query = parseQuery(p);
        p.expectOp(")");
        return { kind: "subquery", query };
      }
      const items = p.list(() => parseExpr(p));
      p.expectOp(")");
      return items.length === 1 ? items[0]! : { kind: "tuple", items };
    }
    case "[":
      return parseArray(p);
    case "{":
      return parseStruct(p);
    default:
      return p.fail("an expression");
  }
}

/** `[1, 2]`, after the word ARRAY if any. */
export function parseArray(p: Cursor): Expr {
  p.expectOp("[");
  const items = p.isOp("]") ? [] : p.list(() => parseExpr(p));
  p.expectOp("]");
  return { kind: "array", items };
}

function parseStruct(p: Cursor): Expr {
  p.expectOp("{");
  const fields = p.list((): readonly [string, Expr] => {
    const name = p.peek().kind === "string" ? p.string() : p.ident().name;
    p.expectOp(":");
    return [name, parseExpr(p)];
  });
  p.expectOp("}");
  return { kind: "struct", fields };
}

function parseWord(p: Cursor, token: Token): Expr {
  const word = token.value;
  switch (word) {
    case "null":
      p.next();
      return { kind: "null" };
    case "true":
    case "false":
      p.next();
      return { kind: "bool", value: word === "true" };
    case "not":
      p.next();
      if (p.isWord("exists") && p.isOp("(", 1)) {
        const exists = parsePrefix(p);
        if (exists.kind === "exists") return { ...exists, negated: true };
        return { kind: "unary", op: "not", expr: exists };
      }
      return { kind: "unary", op: "not", expr: parseExpr(p, LEVEL.not) };
    case "default":
      if (p.isOp("(", 1) || p.isOp(".", 1)) break;
      p.next();
      return { kind: "default" };
  }
  if (TYPED_STRING.has(word)) {
    const typed = parseTypedString(p);
    if (typed !== undefined) return typed;
  }
  const special = parseSpecial(p, word);
  if (special !== undefined) return special;
  if (BARE_FUNCTIONS.has(word) && !p.isOp("(", 1) && !p.isOp(".", 1)) {
    p.next();
    return {
      kind: "function",
      name: [{ name: word, quoted: false }],
      args: [],
      distinct: false,
      orderBy: [],
      withinGroup: [],
      bare: true,
    };
  }
  if (NO_EXPRESSION.has(word) && !p.isOp("(", 1) && !p.isOp(".", 1)) p.fail("an expression");
  return parseNamed(p);
}

/** `TIMESTAMP(3) '…'`: a type directly before a string. */
function parseTypedString(p: Cursor): Expr | undefined {
  const mark = p.mark();
  const hasString = p.peek(1).kind === "string";
  const hasArgs = p.isOp("(", 1) && p.peek(2).kind === "number" && p.isOp(")", 3);
  if (!hasString && !(hasArgs && p.peek(4).kind === "string") && !p.isWord("with", 1))
    return undefined;
  const type = parseType(p);
  const value = p.peek();
  if (value.kind !== "string") {
    p.reset(mark);
    return undefined;
  }
  p.next();
  return { kind: "typed_string", type, value: value.value };
}

/** A column, a qualified column, or a call. */
function parseNamed(p: Cursor): Expr {
  const name = parseName(p);
  if (p.isOp("(")) return parseCall(p, name);
  return { kind: "column", name };
}

/** `a`, `a.b`, `a.b.c`, ... Stops before `.*`. */
export function parseName(p: Cursor): ObjectName {
  const parts = [p.ident()];
  while (p.isOp(".") && !p.isOp("*", 1)) {
    p.next();
    parts.push(p.ident());
  }
  return parts;
}

/** An argument of a call: an expression or `*`. */
export function parseArg(p: Cursor): FunctionArg {
  if (p.isOp("*") && (p.isOp(")", 1) || p.isOp(",", 1))) {
    p.next();
    return { kind: "star" };
  }
  return parseExpr(p);
}
