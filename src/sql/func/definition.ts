/** What a scalar function is to the planner: how many arguments, and from them a text with its type. */
import { type ColumnType, T, typeName } from "../../types/mod.ts";
import type { Binder } from "../plan/binder.ts";
import { type Bound, type Constant, isNullConstant } from "../plan/bound.ts";
import { castTo, nullOf } from "../plan/cast.ts";
import { planError } from "../plan/errors.ts";
import { isInteger, isNumeric } from "../plan/numeric.ts";

export interface ScalarResult {
  /** May stand anywhere without further parentheses. */
  readonly sql: string;
  readonly type: ColumnType;
  readonly constant?: Constant | undefined;
  /** Heading, if it is not `name(args)`. */
  readonly name?: string | undefined;
  /** See Bound. */
  readonly groupSql?: string | undefined;
}

export interface ScalarDefinition {
  readonly min: number;
  readonly max: number;
  /** Name in headings, if it differs from the one that was typed. */
  readonly shown?: string | undefined;
  readonly bind: (args: readonly Bound[], binder: Binder) => ScalarResult;
}

export type Table = Readonly<Record<string, ScalarDefinition>>;

export const ANY = Number.POSITIVE_INFINITY;

/** A function of `count` arguments, or of min to max ones. */
export function scalar(
  count: number | readonly [min: number, max: number],
  bind: ScalarDefinition["bind"],
  shown?: string,
): ScalarDefinition {
  const [min, max] = typeof count === "number" ? [count, count] : count;
  return { min, max, bind, shown };
}

/** An argument as a string; numbers and the like are written out. */
export function text(arg: Bound): string {
  return isNullConstant(arg) ? "NULL::VARCHAR" : castTo(arg, T.string).sql;
}

/** An argument as a double. Throws plan_query unless it is a number, or a string that may be one. */
export function double(arg: Bound, name: string): string {
  if (isNullConstant(arg)) return nullOf(T.float64).sql;
  if (!isNumeric(arg.type) && arg.type.kind !== "string") throw notNumeric(arg, name);
  return castTo(arg, T.float64).sql;
}

/** An argument as a 64-bit integer. */
export function integer(arg: Bound, name: string): string {
  if (isNullConstant(arg)) return nullOf(T.int64).sql;
  if (!isInteger(arg.type) && arg.type.kind !== "string" && arg.type.kind !== "float64")
    throw planError(`Function '${name}' expects an integer but received ${typeName(arg.type)}`);
  return castTo(arg, T.int64).sql;
}

/** An argument that must be a number, as it is; a string is read as a double. */
export function number(arg: Bound, name: string): Bound {
  if (isNullConstant(arg)) return nullOf(T.float64);
  if (isNumeric(arg.type)) return arg;
  if (arg.type.kind === "string") return castTo(arg, T.float64);
  throw notNumeric(arg, name);
}

function notNumeric(arg: Bound, name: string): Error {
  return planError(
    `Function '${name}' expects NativeType::Numeric but received NativeType::${typeName(arg.type)}`,
  );
}
