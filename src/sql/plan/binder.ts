/**
 * Expressions of one SELECT, bound: names resolved, types found, headings made, DuckDB text written.
 * The binder knows where it stands (are aggregates allowed here, what is grouped) and refuses what does not
 * belong there. Calls are bound in calls.ts, comparisons in compare.ts, arithmetic in arith.ts.
 */

import { DbError } from "../../base/mod.ts";
import { type ColumnType, T, typeName } from "../../types/mod.ts";
import type { BinaryOp, Expr, Query, WindowSpec } from "../ast.ts";
import type { AggregateCall } from "../func/aggregate.ts";
import { parseInterval } from "../time/interval.ts";
import type { PlanEnv } from "./api.ts";
import { arithmetic, negate } from "./arith.ts";
import { type Bound, flagsOf, isNullConstant, made } from "./bound.ts";
import { bindCall, bindNamed } from "./calls.ts";
import { castTo, nullOf } from "./cast.ts";
import { type CompareOp, compare, inList } from "./compare.ts";
import { notSupported, planError } from "./errors.ts";
import {
  boolLiteral,
  hexLiteral,
  intervalLiteral,
  nullLiteral,
  numberLiteral,
  stringLiteral,
  stringSql,
} from "./literal.ts";
import { commonType, isInteger } from "./numeric.ts";
import { displayName, type Scope, type ScopeColumn } from "./scope.ts";

/** What a sub-query is, once planned. */
export interface BoundQuery {
  readonly sql: string;
  readonly fields: readonly { readonly name: string; readonly type: ColumnType }[];
}

/** What the binder needs of the one who plans the query around it. */
export interface QueryPlanner {
  readonly env: PlanEnv;
  subquery(query: Query, scope: Scope): BoundQuery;
}

/** Where an expression stands. */
export interface Place {
  /** Name of the clause, for errors. */
  readonly clause: string;
  readonly aggregates: boolean;
  readonly windows: boolean;
}

export class Binder {
  /** Texts of the GROUP BY keys: an expression with such a text is grouped. */
  groupKeys: ReadonlySet<string> = new Set();
  /** Named windows of the SELECT. */
  windows: ReadonlyMap<string, WindowSpec> = new Map();
  /** Aliases of select items, visible in this place. */
  aliases: ReadonlyMap<string, Bound> = new Map();
  /** Aggregates bound so far, for rewrites that depend on all of them. */
  readonly aggregateCalls: AggregateCall[] = [];
  /** first_value and last_value see one row per group already: see edge.ts. */
  edgeRows = false;
  #inAggregate = false;
  #inWindow = false;

  constructor(
    readonly planner: QueryPlanner,
    readonly scope: Scope,
    public place: Place,
  ) {}

  get env(): PlanEnv {
    return this.planner.env;
  }

  bind(expr: Expr): Bound {
    const bound = this.#bind(expr);
    return bound.loose !== undefined && this.groupKeys.has(bound.sql)
      ? { ...bound, loose: undefined }
      : bound;
  }

  bindAll(exprs: readonly Expr[]): Bound[] {
    return exprs.map((expr) => this.bind(expr));
  }

  /** An expression that must be a boolean. */
  bindCondition(expr: Expr): Bound {
    return this.condition(this.bind(expr), this.place.clause);
  }

  condition(bound: Bound, where: string): Bound {
    if (bound.type.kind === "bool") return bound;
    if (bound.type.kind === "null") return { ...bound, sql: "NULL::BOOLEAN", type: T.bool };
    throw planError(
      `Cannot create filter with non-boolean predicate '${bound.name}' returning ${typeName(bound.type)} in ${where}`,
    );
  }

  /** The arguments of an aggregate: columns are free there, other aggregates are not. */
  insideAggregate<X>(name: string, bind: () => X): X {
    if (!this.place.aggregates)
      throw planError(`Aggregate function '${name}' is not allowed in ${this.place.clause}`);
    if (this.#inAggregate) throw planError(`Aggregate function calls cannot be nested: '${name}'`);
    this.#inAggregate = true;
    try {
      return bind();
    } finally {
      this.#inAggregate = false;
    }
  }

  /** Inside OVER and the arguments of a window function. */
  insideWindow<X>(name: string, bind: () => X): X {
    if (!this.place.windows)
      throw planError(`Window function '${name}' is not allowed in ${this.place.clause}`);
    if (this.#inWindow || this.#inAggregate)
      throw planError(`Window function calls cannot be nested: '${name}'`);
    this.#inWindow = true;
    try {
      return bind();
    } finally {
      this.#inWindow = false;
    }
  }

  #bind(expr: Expr): Bound {
    switch (expr.kind) {
      case "null":
        return nullLiteral;
      case "bool":
        return boolLiteral(expr.value);
      case "number":
        return numberLiteral(expr.text);
      case "string":
        return stringLiteral(expr.value);
      case "hex":
        return hexLiteral(expr.digits);
      case "parameter":
        throw planError(`Placeholder $${expr.index} has no value`);
      case "default":
        throw planError("DEFAULT is only allowed as a value of INSERT");
      case "column":
        return this.#column(expr.name.map((part) => part.name));
      case "unary":
        return this.#unary(expr.op, this.bind(expr.expr));
      case "binary":
        return this.#binaryChain(expr);
      case "is":
        return this.#is(expr);
      case "distinct_from": {
        const op = expr.negated ? "IS NOT DISTINCT FROM" : "IS DISTINCT FROM";
        return compare(op, this.bind(expr.left), this.bind(expr.right), this.env.timezone);
      }
      case "between":
        return this.#between(expr);
      case "in_list":
        return inList(
          this.bind(expr.expr),
          this.bindAll(expr.list),
          expr.negated,
          this.env.timezone,
        );
      case "in_query":
        return this.#inQuery(expr);
      case "like":
        return this.#like(expr);
      case "quantified":
        return this.#quantified(expr);
      case "case":
        return this.#case(expr);
      case "cast":
        return this.#cast(expr);
      case "typed_string":
        return this.#typedString(expr);
      case "interval":
        return this.#interval(expr);
      case "function":
        return bindCall(this, expr);
      case "extract":
        return bindNamed(this, "date_part", [stringLiteral(expr.field), this.bind(expr.expr)]);
      case "trim": {
        const name = { both: "btrim", leading: "ltrim", trailing: "rtrim" }[expr.side ?? "both"];
        const args = [expr.expr, ...(expr.what === undefined ? [] : [expr.what])];
        return bindNamed(this, name, this.bindAll(args));
      }
      case "substring": {
        const from: Expr = expr.from ?? { kind: "number", text: "1" };
        const args = [expr.expr, from, ...(expr.length === undefined ? [] : [expr.length])];
        return bindNamed(this, "substr", this.bindAll(args));
      }
      case "position":
        return bindNamed(this, "strpos", this.bindAll([expr.haystack, expr.needle]));
      case "overlay": {
        const args = [expr.expr, expr.what, expr.from];
        if (expr.length !== undefined) args.push(expr.length);
        return bindNamed(this, "overlay", this.bindAll(args));
      }
      case "exists": {
        const { sql } = this.planner.subquery(expr.query, this.scope);
        const text = `${expr.negated ? "NOT " : ""}EXISTS (${sql})`;
        return { sql: `(${text})`, type: T.bool, name: expr.negated ? "NOT EXISTS" : "EXISTS" };
      }
      case "subquery":
        return this.#scalarSubquery(expr.query);
      case "array":
        return bindNamed(this, "make_array", this.bindAll(expr.items));
      case "struct":
        return this.#struct(expr.fields.map(([name, value]) => [name, this.bind(value)]));
      case "index":
        return this.#index(this.bind(expr.expr), this.bind(expr.index));
      case "slice":
        return this.#slice(expr);
      case "collate":
        // Every collation is the binary one.
        return this.bind(expr.expr);
      case "tuple":
        throw notSupported("A row of values as an expression");
      case "at_time_zone":
        throw notSupported("AT TIME ZONE");
      case "range":
        throw notSupported("RANGE … ALIGN");
    }
  }

  #column(parts: readonly string[]): Bound {
    if (parts.length === 1) {
      const alias = this.aliases.get(parts[0]!);
      // A column hides an alias of the same name, except where only the alias exists.
      if (alias !== undefined && this.scope.tryResolve(parts) === undefined) return alias;
    }
    return this.column(this.scope.resolve(parts));
  }

  /** A reference to a column that is already found. */
  column(column: ScopeColumn): Bound {
    column.relation.table?.use(column.id!);
    const outer = !this.scope.relations.includes(column.relation);
    const grouped = this.groupKeys.has(column.sql);
    return {
      sql: column.sql,
      type: column.type,
      name: displayName(column),
      column,
      loose: outer || grouped || this.#inAggregate ? undefined : column,
    };
  }

  #unary(op: "-" | "+" | "not" | "~", operand: Bound): Bound {
    switch (op) {
      case "+":
        return operand;
      case "-":
        return negate(operand);
      case "not":
        return made(`(NOT ${this.condition(operand, "NOT").sql})`, T.bool, `NOT ${operand.name}`, [
          operand,
        ]);
      case "~":
        if (!isInteger(operand.type))
          throw planError(`~ needs an integer, got ${typeName(operand.type)}`);
        return made(`(~${operand.sql})`, operand.type, `~${operand.name}`, [operand]);
    }
  }

  /** Walks the left spine in a loop: thousands of ORs must not need thousands of stack frames. */
  #binaryChain(expr: Extract<Expr, { kind: "binary" }>): Bound {
    const spine: Extract<Expr, { kind: "binary" }>[] = [];
    let left: Expr = expr;
    while (left.kind === "binary") {
      spine.push(left);
      left = left.left;
    }
    let bound = this.bind(left);
    for (let i = spine.length - 1; i >= 0; i--) {
      const { op } = spine[i]!;
      if (op === "and" || op === "or") {
        // A run of one connective becomes one flat list.
        const parts = [bound];
        for (; i >= 0 && spine[i]!.op === op; i--) parts.push(this.bind(spine[i]!.right));
        i++;
        bound = this.#connect(op, parts);
      } else {
        bound = this.binary(op, bound, this.bind(spine[i]!.right));
      }
      if (bound.loose !== undefined && this.groupKeys.has(bound.sql))
        bound = { ...bound, loose: undefined };
    }
    return bound;
  }

  #connect(op: "and" | "or", parts: readonly Bound[]): Bound {
    const word = op.toUpperCase();
    const sql = parts.map((part) => this.condition(part, word).sql).join(` ${word} `);
    return made(`(${sql})`, T.bool, parts.map((part) => part.name).join(` ${word} `), parts);
  }

  binary(op: BinaryOp, left: Bound, right: Bound): Bound {
    const name = `${left.name} ${op} ${right.name}`;
    const parts = [left, right];
    switch (op) {
      case "and":
      case "or":
        return this.#connect(op, parts);
      case "xor":
        return made(
          `(${this.condition(left, "XOR").sql} <> ${this.condition(right, "XOR").sql})`,
          T.bool,
          `${left.name} XOR ${right.name}`,
          parts,
        );
      case "=":
      case "!=":
      case "<":
      case "<=":
      case ">":
      case ">=":
        return compare(op satisfies CompareOp, left, right, this.env.timezone);
      case "+":
      case "-":
      case "*":
      case "/":
      case "%":
        return arithmetic(op, left, right);
      case "||":
        return this.#concat(left, right, name);
      case "&":
      case "|":
      case "^":
      case "<<":
      case ">>":
        return this.#bits(op, left, right);
      case "~":
      case "~*":
      case "!~":
      case "!~*":
        return this.#regex(op, left, right);
      case "@@":
        return bindNamed(this, "matches_term", parts);
      case "->":
      case "->>":
      case "@>":
      case "<@":
        throw notSupported(`Operator ${op}`);
    }
  }

  #concat(left: Bound, right: Bound, name: string): Bound {
    if (left.type.kind === "list" || right.type.kind === "list")
      return { ...bindNamed(this, "array_concat", [left, right]), name };
    if (isNullConstant(left) || isNullConstant(right)) return nullOf(T.string, name);
    const sql = `(${castTo(left, T.string).sql} || ${castTo(right, T.string).sql})`;
    return made(sql, T.string, name, [left, right]);
  }

  #bits(op: "&" | "|" | "^" | "<<" | ">>", left: Bound, right: Bound): Bound {
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

  #regex(op: "~" | "~*" | "!~" | "!~*", left: Bound, right: Bound): Bound {
    const name = `${left.name} ${op} ${right.name}`;
    const flags = op.endsWith("*") ? ", 'i'" : "";
    const match = `regexp_matches(${castTo(left, T.string).sql}, ${castTo(right, T.string).sql}${flags})`;
    return made(op.startsWith("!") ? `(NOT ${match})` : match, T.bool, name, [left, right]);
  }

  #is(expr: Extract<Expr, { kind: "is" }>): Bound {
    const operand = this.bind(expr.expr);
    const word = expr.negated ? "IS NOT" : "IS";
    const name = `${operand.name} ${word} ${expr.test.toUpperCase()}`;
    if (expr.test === "null") return made(`(${operand.sql} ${word} NULL)`, T.bool, name, [operand]);
    const { sql } = this.condition(operand, `IS ${expr.test.toUpperCase()}`);
    if (expr.test === "unknown") return made(`(${sql} ${word} NULL)`, T.bool, name, [operand]);
    const distinct = expr.negated ? "IS DISTINCT FROM" : "IS NOT DISTINCT FROM";
    return made(`(${sql} ${distinct} ${expr.test.toUpperCase()})`, T.bool, name, [operand]);
  }

  #between(expr: Extract<Expr, { kind: "between" }>): Bound {
    const operand = this.bind(expr.expr);
    const low = this.bind(expr.low);
    const high = this.bind(expr.high);
    const zone = this.env.timezone;
    const a = compare(">=", operand, low, zone).sql;
    const b = compare("<=", operand, high, zone).sql;
    const word = expr.negated ? "NOT BETWEEN" : "BETWEEN";
    const sql = expr.negated ? `(NOT (${a} AND ${b}))` : `(${a} AND ${b})`;
    const name = `${operand.name} ${word} ${low.name} AND ${high.name}`;
    return made(sql, T.bool, name, [operand, low, high]);
  }

  #inQuery(expr: Extract<Expr, { kind: "in_query" }>): Bound {
    const operand = this.bind(expr.expr);
    const query = this.planner.subquery(expr.query, this.scope);
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

  #like(expr: Extract<Expr, { kind: "like" }>): Bound {
    if (expr.op === "similar to") throw notSupported("SIMILAR TO");
    const operand = this.bind(expr.expr);
    const pattern = this.bind(expr.pattern);
    if (expr.op === "regexp") return this.#regex(expr.negated ? "!~" : "~", operand, pattern);
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

  #quantified(expr: Extract<Expr, { kind: "quantified" }>): Bound {
    const left = this.bind(expr.left);
    const word = expr.all ? "ALL" : "ANY";
    if (!["=", "!=", "<", "<=", ">", ">="].includes(expr.op))
      throw notSupported(`${expr.op} ${word}`);
    if (expr.right.kind === "subquery") {
      const query = this.planner.subquery(expr.right.query, this.scope);
      return made(`(${left.sql} ${expr.op} ${word} (${query.sql}))`, T.bool, word, [left]);
    }
    const right = this.bind(expr.right);
    if (right.type.kind !== "list") throw planError(`${word} needs an array or a sub-query`);
    const list = castTo(right, { kind: "list", item: left.type }).sql;
    const sql = `(${left.sql} ${expr.op} ${word} (SELECT unnest(${list})))`;
    return made(sql, T.bool, `${left.name} ${expr.op} ${word}(${right.name})`, [left, right]);
  }

  #case(expr: Extract<Expr, { kind: "case" }>): Bound {
    const operand = expr.operand === undefined ? undefined : this.bind(expr.operand);
    const parts: Bound[] = operand === undefined ? [] : [operand];
    const whens = expr.whens.map((when) => ({
      when: this.bind(when.when),
      result: this.bind(when.result),
    }));
    const otherwise = expr.otherwise === undefined ? undefined : this.bind(expr.otherwise);
    for (const { when, result } of whens) parts.push(when, result);
    if (otherwise !== undefined) parts.push(otherwise);
    const results = whens.map((when) => when.result);
    if (otherwise !== undefined) results.push(otherwise);
    const type = this.unify(results, "CASE");
    let sql = "CASE";
    let name = operand === undefined ? "CASE " : `CASE ${operand.name} `;
    for (const { when, result } of whens) {
      const test =
        operand === undefined
          ? this.condition(when, "CASE WHEN").sql
          : compare("=", operand, when, this.env.timezone).sql;
      sql += ` WHEN ${test} THEN ${castTo(result, type).sql}`;
      name += `WHEN ${when.name} THEN ${result.name} `;
    }
    if (otherwise !== undefined) {
      sql += ` ELSE ${castTo(otherwise, type).sql}`;
      name += `ELSE ${otherwise.name} `;
    }
    return made(`${sql} END`, type, `${name}END`, parts);
  }

  /** The one type of several expressions. */
  unify(bounds: readonly Bound[], what: string): ColumnType {
    let type: ColumnType = T.null;
    for (const bound of bounds) {
      // A plain string beside a time is a time.
      const other: ColumnType = bound.untyped && isTime(type) ? type : bound.type;
      const common: ColumnType | undefined =
        type.kind === "string" && isTime(other) ? other : commonType(type, other);
      if (common === undefined)
        throw planError(
          `${what}: cannot find a common type of ${typeName(type)} and ${typeName(bound.type)}`,
        );
      type = common;
    }
    return type;
  }

  #cast(expr: Extract<Expr, { kind: "cast" }>): Bound {
    const { spelled, type } = expr.type;
    const operand = this.bind(expr.expr);
    if (type === undefined) return this.#foreignCast(operand, spelled);
    const bound = castTo(operand, type, { safe: expr.style === "try_cast" });
    const arrow = arrowCastName(spelled, type);
    return arrow === undefined
      ? bound
      : { ...bound, name: `arrow_cast(${operand.name},Utf8("${arrow}"))` };
  }

  /** Types of PostgreSQL that clients write and that change nothing here. */
  #foreignCast(operand: Bound, spelled: string): Bound {
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

  #typedString(expr: Extract<Expr, { kind: "typed_string" }>): Bound {
    const { spelled, type } = expr.type;
    if (type === undefined) throw new DbError("unsupported", `Unsupported data type: ${spelled}`);
    const literal = stringLiteral(expr.value);
    // A TIMESTAMP literal without precision keeps all the digits that it was written with.
    const target = /^TIMESTAMP( |TZ|$)/.test(spelled) ? T.timestampNs : type;
    return castTo(literal, target);
  }

  #interval(expr: Extract<Expr, { kind: "interval" }>): Bound {
    const value = this.bind(expr.value);
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

  #scalarSubquery(query: Query): Bound {
    const { sql, fields } = this.planner.subquery(query, this.scope);
    const [field, ...more] = fields;
    if (field === undefined || more.length > 0)
      throw planError("Scalar subquery should only return one column");
    return { sql: `(${sql})`, type: field.type, name: field.name };
  }

  #struct(fields: readonly (readonly [string, Bound])[]): Bound {
    const sql = fields.map(([name, value]) => `${stringSql(name)}: ${value.sql}`).join(", ");
    const type: ColumnType = {
      kind: "struct",
      fields: fields.map(([name, value]) => [name, value.type]),
    };
    const names = fields.map(([name, value]) => `Utf8("${name}"),${value.name}`).join(",");
    const parts = fields.map(([, value]) => value);
    return made(`{${sql}}`, type, `named_struct(${names})`, parts);
  }

  #index(target: Bound, index: Bound): Bound {
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
    const position = castTo(index, T.int64).sql;
    return made(`list_extract(${target.sql}, ${position})`, target.type.item, name, [
      target,
      index,
    ]);
  }

  #slice(expr: Extract<Expr, { kind: "slice" }>): Bound {
    const target = this.bind(expr.expr);
    if (target.type.kind !== "list") throw planError("only arrays can be sliced");
    const parts = [target];
    const bound = (side: Expr | undefined) => {
      if (side === undefined) return undefined;
      const value = castTo(this.bind(side), T.int64);
      parts.push(value);
      return value;
    };
    const from = bound(expr.from);
    const to = bound(expr.to);
    const sql = `list_slice(${target.sql}, ${from?.sql ?? "NULL"}, ${to?.sql ?? "NULL"})`;
    const name = `${target.name}[${from?.name ?? ""}:${to?.name ?? ""}]`;
    return { sql, type: target.type, name, ...flagsOf(parts) };
  }
}

const isTime = (type: ColumnType) => type.kind === "timestamp" || type.kind === "date";

/** The dialect's own type names become a function call, which shows in headings. */
function arrowCastName(spelled: string, type: ColumnType): string | undefined {
  if (type.kind === "timestamp")
    return `Timestamp(${{ s: "s", ms: "ms", us: "µs", ns: "ns" }[type.unit]})`;
  return /^(U?INT(8|16|32|64)|FLOAT(32|64|8|4)|INT(2|4))$/.test(spelled)
    ? typeName(type)
    : undefined;
}
