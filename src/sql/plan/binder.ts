/**
 * Expressions of one SELECT, bound: names resolved, types found, headings made, DuckDB text written.
 * The binder knows where it stands (are aggregates allowed here, what is grouped) and refuses what does not
 * belong there. Calls are bound in calls.ts, comparisons in compare.ts, arithmetic in arith.ts.
 */
import { type ColumnType, T, typeName } from "../../types/mod.ts";
import type { BinaryOp, Expr, Query, WindowSpec } from "../ast.ts";
import type { AggregateCall } from "../func/aggregate.ts";
import type { PlanEnv } from "./api.ts";
import { arithmetic, negate } from "./arith.ts";
import { type Bound, made } from "./bound.ts";
import { bindCall, bindNamed } from "./calls.ts";
import { type CompareOp, compare, inList } from "./compare.ts";
import {
  bindBits,
  bindCase,
  bindCast,
  bindConcat,
  bindIndex,
  bindInterval,
  bindScalarSubquery,
  bindSlice,
  bindStruct,
  bindTypedString,
} from "./constructs.ts";
import { notSupported, planError } from "./errors.ts";
import { boolLiteral, hexLiteral, nullLiteral, numberLiteral, stringLiteral } from "./literal.ts";
import { commonType, isInteger } from "./numeric.ts";
import {
  bindBetween,
  bindInQuery,
  bindIs,
  bindLike,
  bindQuantified,
  bindRegex,
} from "./predicates.ts";
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
        return bindIs(this, expr);
      case "distinct_from": {
        const op = expr.negated ? "IS NOT DISTINCT FROM" : "IS DISTINCT FROM";
        return compare(op, this.bind(expr.left), this.bind(expr.right), this.env.timezone);
      }
      case "between":
        return bindBetween(this, expr);
      case "in_list":
        return inList(
          this.bind(expr.expr),
          this.bindAll(expr.list),
          expr.negated,
          this.env.timezone,
        );
      case "in_query":
        return bindInQuery(this, expr);
      case "like":
        return bindLike(this, expr);
      case "quantified":
        return bindQuantified(this, expr);
      case "case":
        return bindCase(this, expr);
      case "cast":
        return bindCast(this, expr);
      case "typed_string":
        return bindTypedString(expr);
      case "interval":
        return bindInterval(this, expr);
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
        return bindScalarSubquery(this, expr.query);
      case "array":
        return bindNamed(this, "make_array", this.bindAll(expr.items));
      case "struct":
        return bindStruct(expr.fields.map(([name, value]) => [name, this.bind(value)]));
      case "index":
        return bindIndex(this.bind(expr.expr), this.bind(expr.index));
      case "slice":
        return bindSlice(this, expr);
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
        return bindConcat(this, left, right, name);
      case "&":
      case "|":
      case "^":
      case "<<":
      case ">>":
        return bindBits(op, left, right);
      case "~":
      case "~*":
      case "!~":
      case "!~*":
        return bindRegex(op, left, right);
      case "@@":
        return bindNamed(this, "matches_term", parts);
      case "->":
      case "->>":
      case "@>":
      case "<@":
        throw notSupported(`Operator ${op}`);
    }
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
}

const isTime = (type: ColumnType) => type.kind === "timestamp" || type.kind === "date";
