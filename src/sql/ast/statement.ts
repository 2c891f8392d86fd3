/**
 * Statements as written: nothing resolved, nothing checked against the catalog.
 * Options are texts: `WITH (ttl = '7d', append_mode = true)` is { ttl: "7d", append_mode: "true" }.
 */
import type { Expr, Ident, ObjectName, TypeName } from "./expr.ts";
import type { LiteralRows } from "./literal_rows.ts";
import type { Query } from "./query.ts";

export type Options = Readonly<Record<string, string>>;

export type IndexKind = "inverted" | "skipping" | "fulltext" | "vector";

export type ColumnOption =
  | { readonly kind: "null" }
  | { readonly kind: "not_null" }
  | { readonly kind: "default"; readonly value: Expr }
  | { readonly kind: "comment"; readonly text: string }
  | { readonly kind: "time_index" }
  | { readonly kind: "primary_key" }
  | { readonly kind: "unique" }
  | { readonly kind: "charset"; readonly name: string }
  | { readonly kind: "index"; readonly index: IndexKind; readonly options: Options };

export interface ColumnDef {
  readonly name: Ident;
  readonly type: TypeName;
  readonly options: readonly ColumnOption[];
}

export type TableConstraint =
  | { readonly kind: "time_index"; readonly columns: readonly Ident[] }
  | { readonly kind: "primary_key"; readonly columns: readonly Ident[] };

export interface Partition {
  readonly columns: readonly Ident[];
  /** Text of each expression, as normalised by the printer. */
  readonly expressions: readonly string[];
}

export interface CreateTable {
  readonly kind: "create_table";
  readonly name: ObjectName;
  readonly ifNotExists: boolean;
  readonly columns: readonly ColumnDef[];
  readonly constraints: readonly TableConstraint[];
  readonly partition?: Partition | undefined;
  readonly engine?: string | undefined;
  readonly options: Options;
}

export type AlterOperation =
  | {
      readonly kind: "add_column";
      readonly column: ColumnDef;
      readonly ifNotExists: boolean;
      readonly position?: "first" | { readonly after: Ident } | undefined;
    }
  | { readonly kind: "drop_column"; readonly column: Ident }
  | { readonly kind: "modify_type"; readonly column: Ident; readonly type: TypeName }
  | { readonly kind: "set_default"; readonly column: Ident; readonly value: Expr }
  | { readonly kind: "drop_default"; readonly column: Ident }
  | {
      readonly kind: "set_index";
      readonly column: Ident;
      readonly index: IndexKind;
      readonly options: Options;
    }
  | { readonly kind: "unset_index"; readonly column: Ident; readonly index: IndexKind }
  | { readonly kind: "rename"; readonly to: Ident }
  /** A value of null resets the option. */
  | { readonly kind: "set_options"; readonly options: Readonly<Record<string, string | null>> }
  | { readonly kind: "unset_options"; readonly keys: readonly string[] };

export type InsertSource =
  /** Every value is a literal: the fast path, no object per value. */
  | { readonly kind: "literals"; readonly rows: LiteralRows }
  /** SELECT, or VALUES with expressions. */
  | { readonly kind: "query"; readonly query: Query };

export interface Insert {
  readonly kind: "insert";
  /** REPLACE INTO: the same as INSERT. */
  readonly replace: boolean;
  readonly table: ObjectName;
  /** Empty = all columns in declaration order. */
  readonly columns: readonly Ident[];
  readonly source: InsertSource;
}

/** LIKE and WHERE of a SHOW work on the displayed headings. */
export type ShowFilter =
  | { readonly kind: "like"; readonly pattern: string }
  | { readonly kind: "where"; readonly expr: Expr };

export type Show =
  | {
      readonly what: "databases";
      readonly full: boolean;
      readonly filter?: ShowFilter | undefined;
    }
  | {
      readonly what: "tables";
      readonly full: boolean;
      readonly db?: Ident | undefined;
      readonly filter?: ShowFilter | undefined;
    }
  | {
      readonly what: "table_status" | "views" | "flows" | "triggers";
      readonly db?: Ident | undefined;
      readonly filter?: ShowFilter | undefined;
    }
  | {
      readonly what: "columns";
      readonly full: boolean;
      readonly table: ObjectName;
      readonly db?: Ident | undefined;
      readonly filter?: ShowFilter | undefined;
    }
  | {
      readonly what: "index" | "region";
      readonly table: ObjectName;
      readonly db?: Ident | undefined;
      readonly filter?: ShowFilter | undefined;
    }
  | {
      readonly what: "create_table";
      readonly name: ObjectName;
      /** `FOR POSTGRES_FOREIGN_TABLE`. */
      readonly postgresForeign: boolean;
    }
  | { readonly what: "create_view" | "create_flow"; readonly name: ObjectName }
  | { readonly what: "create_database"; readonly name: Ident }
  | { readonly what: "flow_status" | "search_path" | "warnings" }
  | {
      readonly what: "charset" | "collation" | "status";
      readonly filter?: ShowFilter | undefined;
    }
  /** `SHOW VARIABLES [v | LIKE 'x']` and `SHOW v`; name upper-cased. */
  | {
      readonly what: "variable";
      readonly name?: string | undefined;
      readonly filter?: ShowFilter | undefined;
    }
  | { readonly what: "processlist"; readonly full: boolean };

export type CommentTarget =
  | { readonly kind: "table"; readonly name: ObjectName }
  | { readonly kind: "column"; readonly table: ObjectName; readonly column: Ident }
  | { readonly kind: "flow"; readonly name: ObjectName };

export type Statement =
  | {
      readonly kind: "create_database";
      readonly name: Ident;
      readonly ifNotExists: boolean;
      readonly options: Options;
    }
  | {
      readonly kind: "alter_database";
      readonly name: Ident;
      readonly change:
        | { readonly kind: "set"; readonly options: Options }
        | { readonly kind: "unset"; readonly keys: readonly string[] };
    }
  | { readonly kind: "drop_database"; readonly name: Ident; readonly ifExists: boolean }
  | { readonly kind: "use"; readonly name: Ident }
  | CreateTable
  | {
      readonly kind: "create_table_like";
      readonly name: ObjectName;
      readonly ifNotExists: boolean;
      readonly source: ObjectName;
    }
  | {
      readonly kind: "alter_table";
      readonly name: ObjectName;
      readonly operations: readonly AlterOperation[];
    }
  | {
      readonly kind: "drop_table";
      readonly names: readonly ObjectName[];
      readonly ifExists: boolean;
    }
  | {
      readonly kind: "drop_view" | "drop_flow";
      readonly name: ObjectName;
      readonly ifExists: boolean;
    }
  | {
      readonly kind: "truncate";
      readonly name: ObjectName;
      /** FILE RANGE pairs, as literals; empty = the whole table. */
      readonly ranges: readonly (readonly [Expr, Expr])[];
    }
  | { readonly kind: "comment"; readonly target: CommentTarget; readonly text: string | null }
  | Insert
  | { readonly kind: "delete"; readonly table: ObjectName; readonly where?: Expr | undefined }
  | { readonly kind: "query"; readonly query: Query }
  | { readonly kind: "show"; readonly show: Show }
  | { readonly kind: "describe"; readonly name: ObjectName }
  | {
      readonly kind: "explain";
      readonly analyze: boolean;
      readonly verbose: boolean;
      /** Upper-cased: TEXT, JSON, GRAPHVIZ. */
      readonly format?: string | undefined;
      readonly statement: Statement;
    }
  | {
      readonly kind: "set";
      readonly scope?: "session" | "local" | "global" | undefined;
      /** Upper-cased, without `@@`: TIME_ZONE (also for SET TIME ZONE and TIMEZONE), READ_PREFERENCE, ... */
      readonly name: string;
      /** Texts of the values; DEFAULT and other bare words as typed. */
      readonly values: readonly string[];
    }
  | { readonly kind: "admin"; readonly name: string; readonly args: readonly Expr[] }
  | {
      readonly kind: "kill";
      readonly what?: "query" | "connection" | undefined;
      readonly id: string;
    };

/** A statement and the text that it was written as (without the final semicolon). */
export interface ParsedStatement {
  readonly statement: Statement;
  readonly text: string;
}
