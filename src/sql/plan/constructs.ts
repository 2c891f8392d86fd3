/** Expressions with a syntax of their own that are no predicates: CASE, CAST, INTERVAL, sub-queries, arrays, structs. */
import { DbError } from "../../base/mod.ts";
import { type ColumnType, T, typeName } from "../../types/mod.ts";
import type { Expr, Query } from "../ast.ts";
import { parseInterval } from "../time/interval.ts";
import type { Binder } from "./binder.ts";
import { type Bound, flagsOf, isNullConstant, made } from "./bound.ts";
import { bindNamed } from "./calls.ts";
import { castTo, nullOf } from "./cast.ts";
import { compare } from "./compare.ts";
import { notSupported, planError } from "./errors.ts";
import { intervalLiteral, stringLiteral, stringSql } from "./literal.ts";
import { commonType, isInteger } from "./numeric.ts";

export function bindCase(binder: Binder, expr: Extract<Expr, { kind: "case" }>): Bound {
  const operand = expr.operand === undefined ? undefined : binder.bind(expr.operand);
  const parts: Bound[] = operand === undefined ? [] : [operand];
  const whens = expr.whens.map((when) => ({
    when: binder.bind(when.when),
    result: binder.bind(when.result),
  }));
  const otherwise = expr.otherwise === undefined ? undefined : binder.bind(expr.otherwise);
  for (const { when, result } of whens) parts.push(when, result);
  if (otherwise !== undefined) parts.push(otherwise);
  const results = whens.map((when) => when.result);
  if (otherwise !== undefined) results.push(otherwise);
  const type = binder.unify(results, "CASE");
  let sql = "CASE";
  let name = operand === undefined ? "CASE " : `CASE ${operand.name} `;
  for (const { when, result } of whens) {
    const test =
      operand === undefined
        ? binder.condition(when, "CASE WHEN").sql
        : compare("=", operand, when, binder.env.timezone).sql;
    sql += ` WHEN ${test} THEN ${castTo(result, type).sql}`;
    name += `WHEN ${when.name} THEN ${result.name} `;
  }
  if (otherwise !== undefined) {
    sql += ` ELSE ${castTo(otherwise, type).sql}`;
    name += `ELSE ${otherwise.name} `;
  }
  return made(`${sql} END`, type, `${name}END`, parts);
}

export function bindCast(binder: Binder, expr: Extract<Expr, { kind: "cast" }>): Bound {
  const { spelled, type } = expr.type;
  const operand = binder.bind(expr.expr);
  if (type === undefined) return foreignCast(operand, spelled);
  const bound = castTo(operand, type, { safe: expr.style === "try_cast" });
  const arrow = arrowCastName(spelled, type);
  return arrow === undefined
    ? bound
    : { ...bound, name: `arrow_cast(${operand.name},Utf8("${arrow}"))` };
}

/** Types of PostgreSQL that clients write and that change nothing here. */
function foreignCast(operand: Bound, spelled: string): Bound {
  switch (spelled) {
    case "REGCLASS":
    case "REGPROC":
    case "REGTYPE":
    case "NAME":
      return castTo(operand, T.string);
    case "OID":
      return castTo(operand, T.int64);
    default:
      throw new DbError("unsupported", `Unsupported data type: ${spelled}`);
  }
}

export function bindTypedString(expr: Extract<Expr, { kind: "typed_string" }>): Bound {
  const { spelled, type } = expr.type;
  if (type === undefined) throw new DbError("unsupported", `Unsupported data type: ${spelled}`);
  const literal = stringLiteral(expr.value);
  // A TIMESTAMP literal without precision keeps all the digits that it was written with.
  const target = /^TIMESTAMP( |TZ|$)/.test(spelled) ? T.timestampNs : type;
  return castTo(literal, target);
}

export function bindInterval(binder: Binder, expr: Extract<Expr, { kind: "interval" }>): Bound {
  const value = binder.bind(expr.value);
  const { constant } = value;
  const text =
    constant?.kind === "string"
      ? constant.value
      : constant?.kind === "int" || constant?.kind === "float"
        ? String(constant.value)
        : undefined;
  if (text === undefined) throw notSupported("INTERVAL of an expression that is no literal");
  const interval = parseInterval(text, expr.unit);
  if (interval === undefined)
    throw planError(`Parser error: Invalid input syntax for type interval: "${text}"`);
  return intervalLiteral(interval);
}

export function bindScalarSubquery(binder: Binder, query: Query): Bound {
  const { sql, fields } = binder.planner.subquery(query, binder.scope);
  const [field, ...more] = fields;
  if (field === undefined || more.length > 0)
    throw planError("Scalar subquery should only return one column");
  return { sql: `(${sql})`, type: field.type, name: field.name };
}

export function bindStruct(fields: readonly (readonly [string, Bound])[]): Bound {
  const sql = fields.map(([name, value]) => `${stringSql(name)}: ${value.sql}`).join(", ");
  const type: ColumnType = {
    kind: "struct",
    fields: fields.map(([name, value]) => [name, value.type]),
  };
  const names = fields.map(([name, value]) => `Utf8("${name}"),${value.name}`).join(",");
  const parts = fields.map(([, value]) => value);
  return made(`{${sql}}`, type, `named_struct(${names})`, parts);
}

export function bindIndex(target: Bound, index: Bound): Bound {
  const name = `${target.name}[${index.name}]`;
  if (target.type.kind === "struct" && index.constant?.kind === "string") {
    const key = index.constant.value;
    const field = target.type.fields.find(([fieldName]) => fieldName === key);
    if (field === undefined) throw planError(`Field ${key} not found in struct`);
    return made(`struct_extract(${target.sql}, ${stringSql(key)})`, field[1], name, [target]);
  }
  if (target.type.kind !== "list")
    throw planError(
      `The expression to get an indexed field is only valid for List, got ${typeName(target.type)}`,
    );
  const { item } = target.type;
  if (isNullConstant(index)) return nullOf(item, name);
  const position = castTo(index, T.int64).sql;
  return made(`list_extract(${target.sql}, ${position})`, item, name, [target, index]);
}

export function bindSlice(binder: Binder, expr: Extract<Expr, { kind: "slice" }>): Bound {
  const target = binder.bind(expr.expr);
  if (target.type.kind !== "list") throw planError("only arrays can be sliced");
  const parts = [target];
  const bound = (side: Expr | undefined) => {
    if (side === undefined) return undefined;
    const value = castTo(binder.bind(side), T.int64);
    parts.push(value);
    return value;
  };
  const from = bound(expr.from);
  const to = bound(expr.to);
  const sql = `list_slice(${target.sql}, ${from?.sql ?? "NULL"}, ${to?.sql ?? "NULL"})`;
  const name = `${target.name}[${from?.name ?? ""}:${to?.name ?? ""}]`;
  return { sql, type: target.type, name, ...flagsOf(parts) };
}

export function bindConcat(binder: Binder, left: Bound, right: Bound, name: string): Bound {
  if (left.type.kind === "list" || right.type.kind === "list")
    return { ...bindNamed(binder, "array_concat", [left, right]), name };
  if (isNullConstant(left) || isNullConstant(right)) return nullOf(T.string, name);
  const sql = `(${castTo(left, T.string).sql} || ${castTo(right, T.string).sql})`;
  return made(sql, T.string, name, [left, right]);
}

export function bindBits(op: "&" | "|" | "^" | "<<" | ">>", left: Bound, right: Bound): Bound {
  const word = op === "^" ? "BIT_XOR" : op;
  const name = `${left.name} ${word} ${right.name}`;
  const type = commonType(left.type, right.type);
  if (type === undefined || !isInteger(type))
    throw planError(
      `Cannot infer common type for bitwise operation ${typeName(left.type)} ${word} ${typeName(right.type)}`,
    );
  const a = castTo(left, type).sql;
  const b = castTo(right, type).sql;
  if (op === "^") return made(`xor(${a}, ${b})`, type, name, [left, right]);
  return made(`(${a} ${op} ${b})`, type, name, [left, right]);
}

/** The dialect's own type names become a function call, which shows in headings. */
function arrowCastName(spelled: string, type: ColumnType): string | undefined {
  if (type.kind === "timestamp")
    return `Timestamp(${{ s: "s", ms: "ms", us: "µs", ns: "ns" }[type.unit]})`;
  return /^(U?INT(8|16|32|64)|FLOAT(32|64|8|4)|INT(2|4))$/.test(spelled)
    ? typeName(type)
    : undefined;
}
