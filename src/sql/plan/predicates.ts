/** Predicates with a syntax of their own: IS, BETWEEN, IN (query), LIKE, regular expressions, ANY and ALL. */
import { T, typeName } from "../../types/mod.ts";
import type { Expr } from "../ast.ts";
import type { Binder } from "./binder.ts";
import { type Bound, isNullConstant, made } from "./bound.ts";
import { castTo } from "./cast.ts";
import { compare } from "./compare.ts";
import { notSupported, planError } from "./errors.ts";
import { stringSql } from "./literal.ts";
import { commonType } from "./numeric.ts";

export function bindIs(binder: Binder, expr: Extract<Expr, { kind: "is" }>): Bound {
  const operand = binder.bind(expr.expr);
  const word = expr.negated ? "IS NOT" : "IS";
  const name = `${operand.name} ${word} ${expr.test.toUpperCase()}`;
  if (expr.test === "null") return made(`(${operand.sql} ${word} NULL)`, T.bool, name, [operand]);
  const { sql } = binder.condition(operand, `IS ${expr.test.toUpperCase()}`);
  if (expr.test === "unknown") return made(`(${sql} ${word} NULL)`, T.bool, name, [operand]);
  const distinct = expr.negated ? "IS DISTINCT FROM" : "IS NOT DISTINCT FROM";
  return made(`(${sql} ${distinct} ${expr.test.toUpperCase()})`, T.bool, name, [operand]);
}

export function bindBetween(binder: Binder, expr: Extract<Expr, { kind: "between" }>): Bound {
  const operand = binder.bind(expr.expr);
  const low = binder.bind(expr.low);
  const high = binder.bind(expr.high);
  const zone = binder.env.timezone;
  const a = compare(">=", operand, low, zone).sql;
  const b = compare("<=", operand, high, zone).sql;
  const word = expr.negated ? "NOT BETWEEN" : "BETWEEN";
  const sql = expr.negated ? `(NOT (${a} AND ${b}))` : `(${a} AND ${b})`;
  const name = `${operand.name} ${word} ${low.name} AND ${high.name}`;
  return made(sql, T.bool, name, [operand, low, high]);
}

export function bindInQuery(binder: Binder, expr: Extract<Expr, { kind: "in_query" }>): Bound {
  const operand = binder.bind(expr.expr);
  const query = binder.planner.subquery(expr.query, binder.scope);
  const [field, ...more] = query.fields;
  if (field === undefined || more.length > 0)
    throw planError("A sub-query of IN must have one column");
  const type = commonType(operand.type, field.type);
  if (type === undefined)
    throw planError(
      `Cannot infer common type of ${typeName(operand.type)} and ${typeName(field.type)} for IN`,
    );
  const inner = castTo({ sql: "q.c0", type: field.type, name: "" }, type).sql;
  const list = inner === "q.c0" ? query.sql : `SELECT ${inner} FROM (${query.sql}) AS q`;
  const word = expr.negated ? "NOT IN" : "IN";
  const sql = `(${castTo(operand, type).sql} ${word} (${list}))`;
  return made(sql, T.bool, word, [operand]);
}

export function bindLike(binder: Binder, expr: Extract<Expr, { kind: "like" }>): Bound {
  if (expr.op === "similar to") throw notSupported("SIMILAR TO");
  const operand = binder.bind(expr.expr);
  const pattern = binder.bind(expr.pattern);
  if (expr.op === "regexp") return bindRegex(expr.negated ? "!~" : "~", operand, pattern);
  const word = `${expr.negated ? "NOT " : ""}${expr.op.toUpperCase()}`;
  const escapeName = expr.escape === undefined ? "" : ` CHAR '${expr.escape}'`;
  const name = `${operand.name} ${word} ${pattern.name}${escapeName}`;
  if (expr.escape !== undefined && [...expr.escape].length !== 1)
    throw planError("Invalid escape character in LIKE expression");
  const text = (bound: Bound) => {
    if (isNullConstant(bound)) return "NULL::VARCHAR";
    if (bound.type.kind !== "string")
      throw planError(
        `There isn't a common type to coerce ${typeName(operand.type)} and ${typeName(pattern.type)} in LIKE expression`,
      );
    return bound.sql;
  };
  const plain =
    pattern.constant?.kind === "string" && !pattern.constant.value.includes(expr.escape ?? "\\");
  const escapeSql = plain ? "" : ` ESCAPE ${stringSql(expr.escape ?? "\\")}`;
  const sql = `(${text(operand)} ${word} ${text(pattern)}${escapeSql})`;
  return made(sql, T.bool, name, [operand, pattern]);
}

export function bindQuantified(binder: Binder, expr: Extract<Expr, { kind: "quantified" }>): Bound {
  const left = binder.bind(expr.left);
  const word = expr.all ? "ALL" : "ANY";
  if (!["=", "!=", "<", "<=", ">", ">="].includes(expr.op))
    throw notSupported(`${expr.op} ${word}`);
  if (expr.right.kind === "subquery") {
    const query = binder.planner.subquery(expr.right.query, binder.scope);
    return made(`(${left.sql} ${expr.op} ${word} (${query.sql}))`, T.bool, word, [left]);
  }
  const right = binder.bind(expr.right);
  if (right.type.kind !== "list") throw planError(`${word} needs an array or a sub-query`);
  const list = castTo(right, { kind: "list", item: left.type }).sql;
  const sql = `(${left.sql} ${expr.op} ${word} (SELECT unnest(${list})))`;
  return made(sql, T.bool, `${left.name} ${expr.op} ${word}(${right.name})`, [left, right]);
}

export function bindRegex(op: "~" | "~*" | "!~" | "!~*", left: Bound, right: Bound): Bound {
  const name = `${left.name} ${op} ${right.name}`;
  const flags = op.endsWith("*") ? ", 'i'" : "";
  const match = `regexp_matches(${castTo(left, T.string).sql}, ${castTo(right, T.string).sql}${flags})`;
  return made(op.startsWith("!") ? `(NOT ${match})` : match, T.bool, name, [left, right]);
}
