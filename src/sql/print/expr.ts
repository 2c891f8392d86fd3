/**
 * Expressions → text of the Greptime dialect. Parentheses stand only where precedence asks for them, and
 * what is printed parses to an equal tree.
 */
import type {
  BinaryOp,
  Expr,
  FrameBound,
  FunctionCall,
  Ident,
  ObjectName,
  OrderItem,
  WindowSpec,
} from "../ast.ts";
import { NO_EXPRESSION } from "../lex/keywords.ts";
import { quoteString } from "../lex/string_literal.ts";
import { BINARY_LEVEL, LEVEL } from "../parse/levels.ts";
import { printQuery } from "./query.ts";

/** Binds tighter than every operator. */
const PRIMARY = 200;

/** Words with a call syntax of their own: a function of such a name is quoted. */
const SPECIAL_CALL = new Set(
  "case cast try_cast interval exists extract trim substring substr position overlay array not row".split(
    " ",
  ),
);

export function printIdent(ident: Ident): string {
  return ident.quoted ? `"${ident.name.replaceAll('"', '""')}"` : ident.name;
}

export function printName(name: ObjectName): string {
  return name.map(printIdent).join(".");
}

/** An expression that stands where operators of `level` and looser need parentheses. */
export function printExpr(expr: Expr, level = 0): string {
  const text = printBare(expr);
  return levelOf(expr) < level ? `(${text})` : text;
}

const list = (exprs: readonly Expr[]) => exprs.map((e) => printExpr(e)).join(", ");

function levelOf(expr: Expr): number {
  switch (expr.kind) {
    case "binary":
    case "quantified":
      return BINARY_LEVEL[expr.op];
    case "unary":
      return { "-": LEVEL.times, "+": LEVEL.times, "~": LEVEL.plus, not: LEVEL.not }[expr.op];
    case "is":
    case "distinct_from":
      return LEVEL.is;
    case "between":
    case "in_list":
    case "in_query":
      return LEVEL.compare;
    case "like":
      return LEVEL.like;
    case "at_time_zone":
      return LEVEL.zone;
    case "collate":
      return LEVEL.collate;
    case "cast":
      return expr.style === "::" ? LEVEL.cast : PRIMARY;
    case "interval":
      return LEVEL.cast + 1;
    default:
      return PRIMARY;
  }
}

function printBare(expr: Expr): string {
  switch (expr.kind) {
    case "null":
      return "NULL";
    case "bool":
      return expr.value ? "true" : "false";
    case "number":
      return expr.text;
    case "string":
      return quoteString(expr.value);
    case "hex":
      return `X'${expr.digits}'`;
    case "parameter":
      return `$${expr.index}`;
    case "default":
      return "DEFAULT";
    case "column":
      return printName(expr.name);
    case "unary":
      return printUnary(expr);
    case "binary":
      return printBinary(expr);
    case "is":
      return `${printExpr(expr.expr, LEVEL.is)} IS ${expr.negated ? "NOT " : ""}${expr.test.toUpperCase()}`;
    case "distinct_from":
      return `${printExpr(expr.left, LEVEL.is)} IS ${expr.negated ? "NOT " : ""}DISTINCT FROM ${printExpr(expr.right, LEVEL.is + 1)}`;
    case "between":
      return `${printExpr(expr.expr, LEVEL.compare)} ${not(expr.negated)}BETWEEN ${printExpr(expr.low, LEVEL.compare + 1)} AND ${printExpr(expr.high, LEVEL.compare + 1)}`;
    case "in_list":
      return `${printExpr(expr.expr, LEVEL.compare)} ${not(expr.negated)}IN (${list(expr.list)})`;
    case "in_query":
      return `${printExpr(expr.expr, LEVEL.compare)} ${not(expr.negated)}IN (${printQuery(expr.query)})`;
    case "like":
      return printLike(expr);
    case "quantified":
      return `${printExpr(expr.left, BINARY_LEVEL[expr.op])} ${opText(expr.op)} ${expr.all ? "ALL" : "ANY"} ${
        expr.right.kind === "subquery" ? printExpr(expr.right) : `(${printExpr(expr.right)})`
      }`;
    case "case":
      return printCase(expr);
    case "cast":
      if (expr.style === "::") return `${printExpr(expr.expr, LEVEL.cast)}::${expr.type.spelled}`;
      return `${expr.style.toUpperCase()}(${printExpr(expr.expr)} AS ${expr.type.spelled})`;
    case "typed_string":
      return `${expr.type.spelled} ${quoteString(expr.value)}`;
    case "interval":
      return `INTERVAL ${printExpr(expr.value, LEVEL.cast + 1)}${expr.unit === undefined ? "" : ` ${expr.unit}`}`;
    case "function":
      return printCall(expr);
    case "extract":
      return `EXTRACT(${printField(expr.field)} FROM ${printExpr(expr.expr)})`;
    case "trim":
      return printTrim(expr);
    case "substring":
      return `SUBSTRING(${printExpr(expr.expr)}${
        expr.from === undefined ? "" : ` FROM ${printExpr(expr.from)}`
      }${expr.length === undefined ? "" : ` FOR ${printExpr(expr.length)}`})`;
    case "position":
      return `POSITION(${printExpr(expr.needle, LEVEL.compare + 1)} IN ${printExpr(expr.haystack)})`;
    case "overlay":
      return `OVERLAY(${printExpr(expr.expr)} PLACING ${printExpr(expr.what)} FROM ${printExpr(expr.from)}${
        expr.length === undefined ? "" : ` FOR ${printExpr(expr.length)}`
      })`;
    case "exists":
      return `${not(expr.negated)}EXISTS (${printQuery(expr.query)})`;
    case "subquery":
      return `(${printQuery(expr.query)})`;
    case "array":
      return `[${list(expr.items)}]`;
    case "tuple":
      return `(${list(expr.items)})`;
    case "struct":
      return `{${expr.fields.map(([name, value]) => `${quoteString(name)}: ${printExpr(value)}`).join(", ")}}`;
    case "index":
      return `${printExpr(expr.expr, LEVEL.postfix)}[${printExpr(expr.index)}]`;
    case "slice":
      return `${printExpr(expr.expr, LEVEL.postfix)}[${expr.from === undefined ? "" : printExpr(expr.from)}:${
        expr.to === undefined ? "" : printExpr(expr.to)
      }]`;
    case "at_time_zone":
      return `${printExpr(expr.expr, LEVEL.zone)} AT TIME ZONE ${printExpr(expr.zone, LEVEL.zone + 1)}`;
    case "collate":
      return `${printExpr(expr.expr, LEVEL.collate)} COLLATE ${printName(expr.collation)}`;
    case "range":
      return `${printExpr(expr.expr, LEVEL.postfix)} RANGE ${printDuration(expr.range)}${
        expr.fill === undefined ? "" : ` ${printFill(expr.fill)}`
      }`;
  }
}

const not = (negated: boolean) => (negated ? "NOT " : "");

function printUnary(expr: Extract<Expr, { kind: "unary" }>): string {
  if (expr.op === "not") {
    // `NOT EXISTS` without parentheses is one node.
    const operand = printExpr(expr.expr, LEVEL.not + 1);
    return expr.expr.kind === "exists" ? `NOT (${operand})` : `NOT ${operand}`;
  }
  return `${expr.op}${printExpr(expr.expr, (expr.op === "~" ? LEVEL.plus : LEVEL.times) + 1)}`;
}

const opText = (op: BinaryOp) => (op === "!=" ? "<>" : op.toUpperCase());

/** Walks the left spine in a loop: a chain of thousands of ORs is an ordinary statement. */
function printBinary(expr: Extract<Expr, { kind: "binary" }>): string {
  const tail: string[] = [];
  let left: Expr = expr;
  for (;;) {
    if (left.kind !== "binary") break;
    const level: number = BINARY_LEVEL[left.op];
    tail.push(` ${opText(left.op)} ${printExpr(left.right, level + 1)}`);
    const next: Expr = left.left;
    left = next;
    if (levelOf(next) < level) return `(${printBare(next)})${tail.reverse().join("")}`;
    if (next.kind !== "binary") break;
  }
  return `${printBare(left)}${tail.reverse().join("")}`;
}

function printLike(expr: Extract<Expr, { kind: "like" }>): string {
  const escapeClause = expr.escape === undefined ? "" : ` ESCAPE ${quoteString(expr.escape)}`;
  return `${printExpr(expr.expr, LEVEL.like)} ${not(expr.negated)}${expr.op.toUpperCase()} ${printExpr(expr.pattern, LEVEL.like + 1)}${escapeClause}`;
}

function printCase(expr: Extract<Expr, { kind: "case" }>): string {
  const operand = expr.operand === undefined ? "" : ` ${printExpr(expr.operand)}`;
  const whens = expr.whens.map((w) => ` WHEN ${printExpr(w.when)} THEN ${printExpr(w.result)}`);
  const otherwise = expr.otherwise === undefined ? "" : ` ELSE ${printExpr(expr.otherwise)}`;
  return `CASE${operand}${whens.join("")}${otherwise} END`;
}

function printField(field: string): string {
  return /^[A-Z_]+$/.test(field) ? field : quoteString(field);
}

function printTrim(expr: Extract<Expr, { kind: "trim" }>): string {
  const operand = printExpr(expr.expr);
  if (expr.side === undefined)
    return `TRIM(${operand}${expr.what === undefined ? "" : `, ${printExpr(expr.what)}`})`;
  const what = expr.what === undefined ? "" : `${printExpr(expr.what)} `;
  return `TRIM(${expr.side.toUpperCase()} ${what}FROM ${operand})`;
}

function printCall(call: FunctionCall): string {
  const name = call.name
    .map(({ name: part }) => {
      const plain = /^[a-z_][a-z0-9_$]*$/.test(part);
      const free = !SPECIAL_CALL.has(part) && !NO_EXPRESSION.has(part);
      return plain && free ? part : `"${part.replaceAll('"', '""')}"`;
    })
    .join(".");
  if (call.bare) return name.toUpperCase();
  const args = call.args.map((arg) => (arg.kind === "star" ? "*" : printExpr(arg))).join(", ");
  let text = `${name}(${call.distinct ? "DISTINCT " : ""}${args}`;
  if (call.orderBy.length > 0)
    text += `${args === "" ? "" : " "}ORDER BY ${printOrder(call.orderBy)}`;
  text += ")";
  if (call.withinGroup.length > 0)
    text += ` WITHIN GROUP (ORDER BY ${printOrder(call.withinGroup)})`;
  if (call.filter !== undefined) text += ` FILTER (WHERE ${printExpr(call.filter)})`;
  if (call.nulls !== undefined) text += ` ${call.nulls.toUpperCase()} NULLS`;
  if (call.over !== undefined)
    text += ` OVER ${call.over.bare ? printIdent(call.over.base!) : printWindow(call.over)}`;
  return text;
}

export function printOrder(items: readonly OrderItem[]): string {
  return items
    .map(
      (item) =>
        printExpr(item.expr) +
        (item.descending ? " DESC" : "") +
        (item.nulls === undefined ? "" : ` NULLS ${item.nulls.toUpperCase()}`),
    )
    .join(", ");
}

export function printWindow(spec: WindowSpec): string {
  const parts: string[] = [];
  if (spec.base !== undefined) parts.push(printIdent(spec.base));
  if (spec.partitionBy.length > 0) parts.push(`PARTITION BY ${list(spec.partitionBy)}`);
  if (spec.orderBy.length > 0) parts.push(`ORDER BY ${printOrder(spec.orderBy)}`);
  if (spec.frame !== undefined) {
    const { unit, start, end } = spec.frame;
    parts.push(
      end === undefined
        ? `${unit.toUpperCase()} ${printBound(start)}`
        : `${unit.toUpperCase()} BETWEEN ${printBound(start)} AND ${printBound(end)}`,
    );
  }
  return `(${parts.join(" ")})`;
}

function printBound(bound: FrameBound): string {
  switch (bound.kind) {
    case "current_row":
      return "CURRENT ROW";
    case "unbounded_preceding":
      return "UNBOUNDED PRECEDING";
    case "unbounded_following":
      return "UNBOUNDED FOLLOWING";
    case "preceding":
    case "following":
      return `${printExpr(bound.expr)} ${bound.kind.toUpperCase()}`;
  }
}

export function printDuration(range: Extract<Expr, { kind: "range" }>["range"]): string {
  return range.kind === "text" ? quoteString(range.text) : `(${printExpr(range.expr)})`;
}

export function printFill(fill: NonNullable<Extract<Expr, { kind: "range" }>["fill"]>): string {
  if (fill.kind === "constant") return `FILL ${printExpr(fill.value, LEVEL.times)}`;
  return `FILL ${fill.kind.toUpperCase()}`;
}
