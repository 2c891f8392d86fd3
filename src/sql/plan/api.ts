/**
 * What the planner asks for and what it gives. Planning is pure: no I/O, no clock of its own.
 * A plan names its sources; the executor opens a storage scan for each and hands back relation texts.
 */
import type { ColumnType, DefaultValue, ResultField, TableSchema } from "../../types/mod.ts";

/** A table as the planner finds it. Relations given to `SelectPlan.sql` expose each column as `c<id>`. */
export type ResolvedTable =
  | {
      readonly kind: "table";
      readonly db: string;
      readonly name: string;
      readonly schema: TableSchema;
    }
  /** information_schema and the like: rows made in memory. Ids are positions from 0. */
  | {
      readonly kind: "virtual";
      readonly db: string;
      readonly name: string;
      readonly columns: readonly ResultField[];
    };

export interface PlanEnv {
  /** The session's database, for names without one. */
  readonly db: string;
  /** IANA name or "+08:00". */
  readonly timezone: string;
  /** Start of the statement, nanoseconds since the epoch: now() is this for the whole statement. */
  readonly nowNs: bigint;
  /** Text of version(). */
  readonly version: string;
  readonly user: string;
  /** Value of connection_id(). */
  readonly connectionId: number;
  /** Undefined: the planner answers "Table not found". Names are already folded. */
  resolveTable(db: string, name: string): ResolvedTable | undefined;
}

/** One table of the FROM clauses, once per mention. */
export interface PlannedTable {
  readonly table: ResolvedTable;
  /** Ids of the columns that the SQL text uses, ascending; never empty for a stored table. */
  readonly columns: readonly number[];
  /** Ticks of the time index, inclusive; undefined is open. min > max means that no row can match. */
  readonly timeMin?: bigint | undefined;
  readonly timeMax?: bigint | undefined;
  /** Tags known to be one of these values. The SQL text still filters: this only prunes. */
  readonly tagIn: readonly { readonly id: number; readonly values: readonly (string | null)[] }[];
}

export interface SelectPlan {
  /** Result columns: names and types of the dialect. DuckDB's result has duckTypeName of each type. */
  readonly fields: readonly ResultField[];
  readonly tables: readonly PlannedTable[];
  /** DuckDB SQL. `relations[i]` is what to write in FROM for `tables[i]`: a name or a parenthesised query. */
  sql(relations: readonly string[]): string;
  /** The text ends in the implicit ORDER BY (tags, time) of an unordered scan. */
  readonly implicitOrder: boolean;
  /**
   * Only with an implicit order: the same rows in any order, for when sorting them would cost too much (it
   * reads all tags, and with LIMIT the whole table). The executor knows how many rows there are and decides.
   */
  readonly unordered?: SelectPlan | undefined;
}

/** A column that INSERT … SELECT fills. */
export interface InsertTarget {
  readonly name: string;
  readonly type: ColumnType;
  /** What DEFAULT in a VALUES row means; undefined = NULL. */
  readonly default?: DefaultValue | undefined;
}
