/** OVER: partition, order and frame, as text and as heading. */
import type { FrameBound, WindowFrame, WindowSpec } from "../ast.ts";
import type { Binder } from "./binder.ts";
import type { Bound } from "./bound.ts";
import { bindOrder, orderName, orderSql } from "./calls.ts";
import { planError } from "./errors.ts";

export interface BoundWindow {
  /** What stands in the parentheses after OVER. */
  readonly sql: string;
  /** ` PARTITION BY [a] ORDER BY [b ASC NULLS LAST] RANGE BETWEEN …`. */
  readonly name: string;
  readonly parts: readonly Bound[];
}

export function bindOver(binder: Binder, spec: WindowSpec): BoundWindow {
  const whole = resolveBase(binder, spec);
  const partition = binder.bindAll(whole.partitionBy);
  const order = bindOrder(binder, whole.orderBy);
  const frame = whole.frame ?? defaultFrame(order.length > 0);
  const bounds: Bound[] = [];
  const { sql: frameSql, name: frameName } = bindFrame(binder, frame, bounds);
  const sql: string[] = [];
  let name = "";
  if (partition.length > 0) {
    sql.push(`PARTITION BY ${partition.map((p) => p.sql).join(", ")}`);
    name += ` PARTITION BY [${partition.map((p) => p.name).join(", ")}]`;
  }
  if (order.length > 0) {
    sql.push(`ORDER BY ${orderSql(order)}`);
    name += ` ORDER BY [${orderName(order)}]`;
  }
  // DuckDB's default frame is the dialect's: left out, so that ranking functions accept it.
  if (whole.frame !== undefined) sql.push(frameSql);
  return {
    sql: sql.join(" "),
    name: `${name} ${frameName}`,
    parts: [...partition, ...order.map((o) => o.bound), ...bounds],
  };
}

/** A window that builds on a named one takes its partition and order from there. */
function resolveBase(binder: Binder, spec: WindowSpec): WindowSpec {
  if (spec.base === undefined) return spec;
  const base = binder.windows.get(spec.base.name);
  if (base === undefined) throw planError(`The window ${spec.base.name} is not defined!`);
  const whole = resolveBase(binder, base);
  return {
    partitionBy: spec.partitionBy.length > 0 ? spec.partitionBy : whole.partitionBy,
    orderBy: spec.orderBy.length > 0 ? spec.orderBy : whole.orderBy,
    frame: spec.frame ?? whole.frame,
  };
}

function defaultFrame(ordered: boolean): WindowFrame {
  return ordered
    ? { unit: "range", start: { kind: "unbounded_preceding" }, end: { kind: "current_row" } }
    : {
        unit: "rows",
        start: { kind: "unbounded_preceding" },
        end: { kind: "unbounded_following" },
      };
}

function bindFrame(
  binder: Binder,
  frame: WindowFrame,
  parts: Bound[],
): { readonly sql: string; readonly name: string } {
  const end = frame.end ?? { kind: "current_row" };
  const [startSql, startName] = bindBound(binder, frame.start, parts);
  const [endSql, endName] = bindBound(binder, end, parts);
  const unit = frame.unit.toUpperCase();
  return {
    sql: `${unit} BETWEEN ${startSql} AND ${endSql}`,
    name: `${unit} BETWEEN ${startName} AND ${endName}`,
  };
}

function bindBound(binder: Binder, bound: FrameBound, parts: Bound[]): [string, string] {
  switch (bound.kind) {
    case "unbounded_preceding":
      return ["UNBOUNDED PRECEDING", "UNBOUNDED PRECEDING"];
    case "unbounded_following":
      return ["UNBOUNDED FOLLOWING", "UNBOUNDED FOLLOWING"];
    case "current_row":
      return ["CURRENT ROW", "CURRENT ROW"];
    case "preceding":
    case "following": {
      const distance = binder.bind(bound.expr);
      parts.push(distance);
      const shown =
        distance.constant !== undefined && "value" in distance.constant
          ? String(distance.constant.kind === "interval" ? distance.name : distance.constant.value)
          : distance.name;
      const word = bound.kind.toUpperCase();
      return [`${distance.sql} ${word}`, `${shown} ${word}`];
    }
  }
}
