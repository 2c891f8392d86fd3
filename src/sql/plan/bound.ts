/**
 * A bound expression: DuckDB text with the type and the heading that the dialect gives it.
 * Invariant: DuckDB computes `sql` as exactly duckTypeName(type) (durations are ticks in a BIGINT), and `sql`
 * may stand anywhere without further parentheses.
 */
import type { ColumnType, TimeUnit } from "../../types/mod.ts";
import type { Interval } from "../time/interval.ts";
import type { ScopeColumn } from "./scope.ts";

export type Constant =
  | { readonly kind: "null" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "int"; readonly value: bigint }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "timestamp"; readonly ticks: bigint; readonly unit: TimeUnit }
  | { readonly kind: "date"; readonly days: number }
  | { readonly kind: "interval"; readonly value: Interval };

export interface Bound {
  readonly sql: string;
  readonly type: ColumnType;
  /** Heading if this is a select item without alias, and its part in the heading of a bigger expression. */
  readonly name: string;
  /** Known while planning. */
  readonly constant?: Constant | undefined;
  /** A plain string literal: takes the type of what it meets. */
  readonly untyped?: boolean | undefined;
  /** Nothing but this column. */
  readonly column?: ScopeColumn | undefined;
  /** A column that stands neither in an aggregate nor in a GROUP BY key. */
  readonly loose?: ScopeColumn | undefined;
  readonly hasAggregate?: boolean | undefined;
  readonly hasWindow?: boolean | undefined;
  /** What to group by when this is a key: cheaper than `sql`, which is a function of it and contains it. */
  readonly groupSql?: string | undefined;
}

type Flags = Pick<Bound, "loose" | "hasAggregate" | "hasWindow">;

/** The flags of an expression made of these. */
export function flagsOf(parts: readonly Bound[]): Flags {
  let loose: ScopeColumn | undefined;
  let hasAggregate = false;
  let hasWindow = false;
  for (const part of parts) {
    loose ??= part.loose;
    hasAggregate ||= part.hasAggregate === true;
    hasWindow ||= part.hasWindow === true;
  }
  return { loose, hasAggregate, hasWindow };
}

/** An expression made of `parts`. */
export function made(
  sql: string,
  type: ColumnType,
  name: string,
  parts: readonly Bound[],
  constant?: Constant,
): Bound {
  return { sql, type, name, constant, ...flagsOf(parts) };
}

export function isNullConstant(bound: Bound): boolean {
  return bound.constant?.kind === "null";
}
