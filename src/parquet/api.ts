/** What a flush hands to the Parquet writer: a table in memory, its rows as they arrived, and the order in which they are to be written. */
import type { Column, ColumnType } from "../types/mod.ts";

export interface FlushColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** One per piece of the table; undefined: NULL in all its rows. */
  readonly pieces: readonly (Column | undefined)[];
}

export interface FlushTable {
  /** Rows of each piece. */
  readonly pieces: readonly number[];
  /** Length rows: `order[i]` is the row of the i-th output row, counted over the pieces one after the other. */
  readonly order: Uint32Array;
  /** Consecutive output rows of one series: how many each run has. Their sum is the length of `order`. No run is empty. */
  readonly runs: { readonly rows: Uint32Array };
  /** One value per run. Any type that a field may have. */
  readonly tags: readonly {
    readonly name: string;
    readonly values: Column;
  }[];
  /** One value per run. */
  readonly sids: { readonly name: string; readonly values: Uint32Array };
  readonly time: FlushColumn;
  readonly fields: readonly FlushColumn[];
  /** At most `rowGroupRowsMax`. */
  readonly rowGroupRows: number;
  readonly keyValues: Readonly<Record<string, string>>;
}
