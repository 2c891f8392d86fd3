/** Databases and tables: one writer, idempotent steps, durable before visible. */
import type { ColumnSchema, ColumnType, DefaultValue, TableSchema } from "../types/mod.ts";

export interface DatabaseInfo {
  readonly name: string;
  /** Small integer for the kernel; stable within the process. */
  readonly handle: number;
  readonly options: Readonly<Record<string, string>>;
  readonly createdAtMs: number;
}

export interface TableInfo {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly schema: TableSchema;
  readonly engine: string;
  readonly createdAtMs: number;
  readonly regionIds: readonly bigint[];
  /** Partition rule as written: columns and expressions. Stored and shown; rows are routed by a later issue. */
  readonly partition?:
    | { readonly columns: readonly string[]; readonly expressions: readonly string[] }
    | undefined;
}

export interface NewColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly role: ColumnSchema["role"];
  readonly nullable?: boolean;
  readonly default?: DefaultValue | undefined;
  readonly comment?: string | undefined;
  readonly indexes?: ColumnSchema["indexes"];
}

export interface NewTable {
  readonly db: string;
  readonly name: string;
  readonly columns: readonly NewColumn[];
  /** Names of tags in key order. */
  readonly primaryKey: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  readonly engine?: string;
  readonly partition?: TableInfo["partition"];
}

export type AlterStep =
  | {
      readonly kind: "add_column";
      readonly column: NewColumn;
      readonly ifNotExists: boolean;
      readonly position?: "first" | { readonly after: string } | undefined;
    }
  | { readonly kind: "drop_column"; readonly name: string }
  | { readonly kind: "modify_type"; readonly name: string; readonly type: ColumnType }
  | {
      readonly kind: "set_default";
      readonly name: string;
      readonly value: DefaultValue | undefined;
    }
  | {
      readonly kind: "set_index";
      readonly name: string;
      readonly index: string;
      readonly options: Readonly<Record<string, string>> | undefined;
    }
  | {
      readonly kind: "set_comment";
      readonly name: string | undefined;
      readonly comment: string | undefined;
    }
  | { readonly kind: "rename"; readonly to: string }
  | {
      readonly kind: "set_options";
      readonly options: Readonly<Record<string, string | undefined>>;
    };

/** Columns that a write needs. Existing ones must agree in role and type, else the conflict is reported, not thrown. */
export interface SchemaWish {
  readonly db: string;
  readonly table: string;
  readonly columns: readonly NewColumn[];
  /** For a table that does not exist yet; the wish's tags become the key in this order. */
  readonly createOptions: Readonly<Record<string, string>>;
  readonly autoCreate: boolean;
}

export interface MergeResult {
  readonly table: TableInfo;
  readonly conflicts: readonly {
    readonly name: string;
    readonly existing: ColumnSchema;
    readonly wished: NewColumn;
  }[];
}

export interface Catalog {
  databases(): readonly DatabaseInfo[];
  database(name: string): DatabaseInfo | undefined;
  createDatabase(
    name: string,
    options: Readonly<Record<string, string>>,
    ifNotExists: boolean,
  ): Promise<void>;
  alterDatabase(name: string, options: Readonly<Record<string, string | undefined>>): Promise<void>;
  /** Drops its tables too. */
  dropDatabase(name: string, ifExists: boolean): Promise<void>;

  tables(db: string): readonly TableInfo[];
  table(db: string, name: string): TableInfo | undefined;
  tableById(id: number): TableInfo | undefined;
  createTable(table: NewTable, ifNotExists: boolean): Promise<TableInfo>;
  alterTable(db: string, name: string, steps: readonly AlterStep[]): Promise<TableInfo>;
  dropTable(db: string, name: string, ifExists: boolean): Promise<void>;
  truncateTable(db: string, name: string): Promise<void>;
  /** Creates the table or adds the missing columns: serialized, idempotent, never loses a concurrent writer's column. */
  merge(wish: SchemaWish): Promise<MergeResult>;
  /** ttl of a table: its own, else its database's, else undefined (forever). Nanoseconds; 0n for 'instant'. */
  ttlNs(table: TableInfo): bigint | undefined;
}

/** For ingest: lines make names known to the kernel before the catalog has (or refuses) them. */
export interface SlotKeeper {
  /**
   * Forgets, in the kernel, what no table has: the whole slot when there is no such table, else the tags and fields that its
   * schema lacks. Does nothing while `inUse` says that decoded rows of the slot are on their way. Never rejects.
   */
  releaseSlot(db: string, table: string, inUse: (slot: number) => boolean): Promise<void>;
}
