/** Queries as written: SELECT, VALUES, set operations, CTEs, the FROM clause. Nothing resolved. */
import type { Expr, Fill, Ident, ObjectName, RangeDuration, WindowSpec } from "./expr.ts";

export interface OrderItem {
  readonly expr: Expr;
  readonly descending: boolean;
  /** Undefined = the dialect's: ASC NULLS LAST, DESC NULLS FIRST. */
  readonly nulls?: "first" | "last" | undefined;
}

export interface Query {
  readonly with?: With | undefined;
  readonly body: QueryBody;
  readonly orderBy: readonly OrderItem[];
  /** `LIMIT NULL` and `LIMIT ALL` are `undefined`. */
  readonly limit?: Expr | undefined;
  readonly offset?: Expr | undefined;
}

export interface With {
  readonly recursive: boolean;
  readonly ctes: readonly Cte[];
}

export interface Cte {
  readonly name: Ident;
  readonly columns: readonly Ident[];
  readonly query: Query;
}

export type QueryBody = Select | SetOperation | Values | NestedQuery;

export interface SetOperation {
  readonly kind: "set_operation";
  readonly op: "union" | "intersect" | "except";
  readonly all: boolean;
  readonly left: QueryBody;
  readonly right: QueryBody;
}

export interface Values {
  readonly kind: "values";
  readonly rows: readonly (readonly Expr[])[];
}

/** A parenthesised query as an operand of a set operation or as a whole query. */
export interface NestedQuery {
  readonly kind: "nested";
  readonly query: Query;
}

export interface Select {
  readonly kind: "select";
  readonly distinct?: Distinct | undefined;
  readonly items: readonly SelectItem[];
  /** Comma-separated list. */
  readonly from: readonly TableRef[];
  readonly where?: Expr | undefined;
  readonly groupBy: readonly GroupItem[];
  readonly having?: Expr | undefined;
  readonly windows: readonly { readonly name: Ident; readonly spec: WindowSpec }[];
  readonly qualify?: Expr | undefined;
  readonly align?: Align | undefined;
}

export type Distinct =
  | { readonly kind: "distinct" }
  | { readonly kind: "on"; readonly exprs: readonly Expr[] };

export type SelectItem =
  | { readonly kind: "expr"; readonly expr: Expr; readonly alias?: Ident | undefined }
  | {
      readonly kind: "wildcard";
      /** `t.*`: the parts before the star; empty for a plain `*`. */
      readonly qualifier: ObjectName;
      readonly exclude: readonly Ident[];
      readonly replace: readonly { readonly expr: Expr; readonly name: Ident }[];
    };

export type GroupItem =
  | { readonly kind: "expr"; readonly expr: Expr }
  | { readonly kind: "rollup"; readonly sets: readonly (readonly Expr[])[] }
  | { readonly kind: "cube"; readonly sets: readonly (readonly Expr[])[] }
  | { readonly kind: "grouping_sets"; readonly sets: readonly (readonly Expr[])[] };

export interface TableAlias {
  readonly name: Ident;
  readonly columns: readonly Ident[];
}

export type JoinKind =
  | "inner"
  | "left"
  | "right"
  | "full"
  | "cross"
  | "left_semi"
  | "left_anti"
  | "right_semi"
  | "right_anti";

export type JoinConstraint =
  | { readonly kind: "on"; readonly expr: Expr }
  | { readonly kind: "using"; readonly columns: readonly Ident[] }
  | { readonly kind: "natural" }
  | { readonly kind: "none" };

export type TableRef =
  | { readonly kind: "table"; readonly name: ObjectName; readonly alias?: TableAlias | undefined }
  | {
      readonly kind: "derived";
      readonly query: Query;
      readonly lateral: boolean;
      readonly alias?: TableAlias | undefined;
    }
  | {
      readonly kind: "table_function";
      readonly name: ObjectName;
      readonly args: readonly Expr[];
      readonly lateral: boolean;
      readonly alias?: TableAlias | undefined;
    }
  | {
      readonly kind: "join";
      readonly join: JoinKind;
      readonly left: TableRef;
      readonly right: TableRef;
      readonly constraint: JoinConstraint;
    };

/** The ALIGN clause of a RANGE query. */
export interface Align {
  readonly step: RangeDuration;
  /** `NOW`, a string, or an expression; undefined = the session zone's calendar. */
  readonly to?:
    | { readonly kind: "now" }
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "expr"; readonly expr: Expr }
    | undefined;
  /** Undefined = the table's primary key; empty = one group. */
  readonly by?: readonly Expr[] | undefined;
  readonly fill?: Fill | undefined;
}
