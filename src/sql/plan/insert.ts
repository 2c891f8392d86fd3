/** The query of INSERT … SELECT / VALUES before planning: DEFAULT and plain strings get the meaning of their targets. */
import { type ColumnType, sqlTypeName } from "../../types/mod.ts";
import type { Expr, Query, QueryBody, SelectItem } from "../ast.ts";
import { parseTimestamp } from "../time/timestamp.ts";
import type { InsertTarget, PlanEnv } from "./api.ts";

export function forInsert(query: Query, targets: readonly InsertTarget[], env: PlanEnv): Query {
  return { ...query, body: bodyForInsert(query.body, targets, env) };
}

function bodyForInsert(body: QueryBody, targets: readonly InsertTarget[], env: PlanEnv): QueryBody {
  switch (body.kind) {
    case "nested":
      return { kind: "nested", query: forInsert(body.query, targets, env) };
    case "values":
      return {
        kind: "values",
        // Each value is cast alone: the values of one column need no common type.
        rows: body.rows.map((row) =>
          row.map((value, i) => {
            const target = targets[i];
            return target === undefined
              ? value
              : castExpr(forTarget(value, target, env), target.type);
          }),
        ),
      };
    case "select": {
      // With a wildcard the positions are not known here; its columns have their own types anyway.
      if (body.items.some((item) => item.kind === "wildcard")) return body;
      const items = body.items.map((item, i): SelectItem => {
        const target = targets[i];
        if (item.kind === "wildcard" || target === undefined) return item;
        return {
          ...item,
          expr: forTarget(item.expr, target, env),
          alias: { name: `${i}`, quoted: true },
        };
      });
      // Aliases would change what GROUP BY and ORDER BY of the query mean.
      return body.groupBy.length === 0 && body.having === undefined ? { ...body, items } : body;
    }
    case "set_operation":
      return body;
  }
}

function castExpr(expr: Expr, type: ColumnType): Expr {
  return { kind: "cast", expr, type: { spelled: sqlTypeName(type), type }, style: "cast" };
}

function forTarget(value: Expr, target: InsertTarget, env: PlanEnv): Expr {
  if (value.kind === "default") return defaultExpr(target);
  if (value.kind !== "string" || target.type.kind !== "timestamp") return value;
  const parsed = parseTimestamp(value.value, env.timezone);
  if (parsed !== undefined) return instantExpr(parsed.ns);
  // A text of digits is a count of the column's unit.
  return /^\s*[+-]?\d+\s*$/.test(value.value)
    ? castExpr(castExpr(value, { kind: "int64" }), target.type)
    : value;
}

/** An instant as an expression that means the same in every zone. */
function instantExpr(ns: bigint): Expr {
  const count: Expr = { kind: "number", text: String(ns < 0n ? -ns : ns) };
  return castExpr(ns < 0n ? { kind: "unary", op: "-", expr: count } : count, {
    kind: "timestamp",
    unit: "ns",
  });
}

function defaultExpr(target: InsertTarget): Expr {
  const { default: value } = target;
  if (value === undefined) return { kind: "null" };
  if (value.kind === "now")
    return {
      kind: "function",
      name: [{ name: "now", quoted: false }],
      args: [],
      distinct: false,
      orderBy: [],
      withinGroup: [],
    };
  const literal = value.value;
  switch (typeof literal) {
    case "string":
      return { kind: "string", value: literal };
    case "boolean":
      return { kind: "bool", value: literal };
    case "number":
    case "bigint": {
      const text = String(literal);
      const number: Expr = { kind: "number", text: text.replace(/^-/, "") };
      return text.startsWith("-") ? { kind: "unary", op: "-", expr: number } : number;
    }
    default:
      return { kind: "null" };
  }
}
