/**
 * Expressions as written: no names resolved, no types found, no positions kept.
 * Parentheses leave no node; the printer puts back those that precedence asks for.
 * Nodes are plain frozen-by-convention objects: never edited after the parser made them.
 */
import type { ColumnType } from "../../types/mod.ts";
import type { OrderItem, Query } from "./query.ts";

/** A name, already folded to lower case unless it was quoted. */
export interface Ident {
  readonly name: string;
  readonly quoted: boolean;
}

/** `[catalog.][database.]table`, `table.column`, ... : one to four parts. */
export type ObjectName = readonly Ident[];

/** A type as spelled, with what it means to us; `undefined` for names that we do not know. */
export interface TypeName {
  /** Normalised spelling: upper case, one space between words: `TIMESTAMP(3)`, `BIGINT UNSIGNED`. */
  readonly spelled: string;
  readonly type: ColumnType | undefined;
}

export type BinaryOp =
  | "or"
  | "and"
  | "xor"
  | "="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">="
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "||"
  | "&"
  | "|"
  | "^"
  | "<<"
  | ">>"
  | "~"
  | "~*"
  | "!~"
  | "!~*"
  | "@@"
  | "->"
  | "->>"
  | "@>"
  | "<@";

export interface FunctionCall {
  readonly kind: "function";
  /** Lower-cased; may be qualified (`pg_catalog.version`). */
  readonly name: ObjectName;
  readonly args: readonly FunctionArg[];
  readonly distinct: boolean;
  /** ORDER BY inside the parentheses. */
  readonly orderBy: readonly OrderItem[];
  readonly withinGroup: readonly OrderItem[];
  readonly filter?: Expr | undefined;
  readonly nulls?: "ignore" | "respect" | undefined;
  readonly over?: WindowSpec | undefined;
  /** `current_timestamp` and friends, written without parentheses. */
  readonly bare?: boolean | undefined;
}

export type FunctionArg = Expr | { readonly kind: "star" };

export interface WindowSpec {
  /** Name of a WINDOW clause, alone (`OVER w`) or refined (`OVER (w ORDER BY x)`). */
  readonly base?: Ident | undefined;
  /** True for `OVER w`, without parentheses. */
  readonly bare?: boolean | undefined;
  readonly partitionBy: readonly Expr[];
  readonly orderBy: readonly OrderItem[];
  readonly frame?: WindowFrame | undefined;
}

export interface WindowFrame {
  readonly unit: "rows" | "range" | "groups";
  readonly start: FrameBound;
  readonly end?: FrameBound | undefined;
}

export type FrameBound =
  | { readonly kind: "unbounded_preceding" }
  | { readonly kind: "preceding"; readonly expr: Expr }
  | { readonly kind: "current_row" }
  | { readonly kind: "following"; readonly expr: Expr }
  | { readonly kind: "unbounded_following" };

/** How gaps of a RANGE query are filled. */
export type Fill =
  | { readonly kind: "null" }
  | { readonly kind: "prev" }
  | { readonly kind: "linear" }
  | { readonly kind: "constant"; readonly value: Expr };

/** `'10s'` (text as typed) or `(INTERVAL '10' second)`. */
export type RangeDuration =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "interval"; readonly expr: Expr };

export type Expr =
  | { readonly kind: "null" }
  | { readonly kind: "bool"; readonly value: boolean }
  /** Digits as written, without a sign: `1`, `1.5`, `1e3`. */
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "string"; readonly value: string }
  /** `X'41'` or `0x41`; hex digits only. */
  | { readonly kind: "hex"; readonly digits: string }
  /** `?` or `$1`; index from 1 (`?` are numbered from left to right). */
  | { readonly kind: "parameter"; readonly index: number }
  /** DEFAULT as a value of INSERT. */
  | { readonly kind: "default" }
  | { readonly kind: "column"; readonly name: ObjectName }
  | { readonly kind: "unary"; readonly op: "-" | "+" | "not" | "~"; readonly expr: Expr }
  | {
      readonly kind: "binary";
      readonly op: BinaryOp;
      readonly left: Expr;
      readonly right: Expr;
    }
  | {
      readonly kind: "is";
      readonly expr: Expr;
      readonly test: "null" | "true" | "false" | "unknown";
      readonly negated: boolean;
    }
  | {
      readonly kind: "distinct_from";
      readonly left: Expr;
      readonly right: Expr;
      readonly negated: boolean;
    }
  | {
      readonly kind: "between";
      readonly expr: Expr;
      readonly low: Expr;
      readonly high: Expr;
      readonly negated: boolean;
    }
  | {
      readonly kind: "in_list";
      readonly expr: Expr;
      readonly list: readonly Expr[];
      readonly negated: boolean;
    }
  | {
      readonly kind: "in_query";
      readonly expr: Expr;
      readonly query: Query;
      readonly negated: boolean;
    }
  | {
      readonly kind: "like";
      readonly expr: Expr;
      readonly pattern: Expr;
      readonly escape?: string | undefined;
      readonly op: "like" | "ilike" | "similar to" | "regexp";
      readonly negated: boolean;
    }
  /** `x = ANY (…)`, `x > ALL (…)`. */
  | {
      readonly kind: "quantified";
      readonly left: Expr;
      readonly op: BinaryOp;
      readonly all: boolean;
      readonly right: Expr;
    }
  | {
      readonly kind: "case";
      readonly operand?: Expr | undefined;
      readonly whens: readonly { readonly when: Expr; readonly result: Expr }[];
      readonly otherwise?: Expr | undefined;
    }
  | {
      readonly kind: "cast";
      readonly expr: Expr;
      readonly type: TypeName;
      readonly style: "cast" | "try_cast" | "::";
    }
  /** `DATE '2024-01-01'`, `TIMESTAMP '…'`. */
  | { readonly kind: "typed_string"; readonly type: TypeName; readonly value: string }
  /** `INTERVAL '1' DAY`: value without unit is the whole text. Unit is upper-cased as typed. */
  | { readonly kind: "interval"; readonly value: Expr; readonly unit?: string | undefined }
  | FunctionCall
  /** Field upper-cased as typed. */
  | { readonly kind: "extract"; readonly field: string; readonly expr: Expr }
  | {
      readonly kind: "trim";
      readonly side: "both" | "leading" | "trailing" | undefined;
      readonly what?: Expr | undefined;
      readonly expr: Expr;
    }
  /** `SUBSTRING(x FROM a FOR b)`; the comma form is an ordinary function. */
  | {
      readonly kind: "substring";
      readonly expr: Expr;
      readonly from?: Expr | undefined;
      readonly length?: Expr | undefined;
    }
  | { readonly kind: "position"; readonly needle: Expr; readonly haystack: Expr }
  | {
      readonly kind: "overlay";
      readonly expr: Expr;
      readonly what: Expr;
      readonly from: Expr;
      readonly length?: Expr | undefined;
    }
  | { readonly kind: "exists"; readonly query: Query; readonly negated: boolean }
  | { readonly kind: "subquery"; readonly query: Query }
  | { readonly kind: "array"; readonly items: readonly Expr[] }
  | { readonly kind: "tuple"; readonly items: readonly Expr[] }
  | { readonly kind: "struct"; readonly fields: readonly (readonly [string, Expr])[] }
  | { readonly kind: "index"; readonly expr: Expr; readonly index: Expr }
  | {
      readonly kind: "slice";
      readonly expr: Expr;
      readonly from?: Expr | undefined;
      readonly to?: Expr | undefined;
    }
  | { readonly kind: "at_time_zone"; readonly expr: Expr; readonly zone: Expr }
  | { readonly kind: "collate"; readonly expr: Expr; readonly collation: ObjectName }
  /** `agg(x) RANGE '10s' [FILL mode]`. */
  | {
      readonly kind: "range";
      readonly expr: Expr;
      readonly range: RangeDuration;
      readonly fill?: Fill | undefined;
    };
