/** One mention of a table in FROM while it is planned: which columns it needs, which rows it can be spared. */
import { type ColumnSchema, columnById, timeColumn } from "../../types/mod.ts";
import type { PlannedTable, ResolvedTable } from "./api.ts";

export class TableBuilder {
  readonly #used = new Set<number>();
  readonly #tagIn = new Map<number, readonly (string | null)[]>();
  #timeMin: bigint | undefined;
  #timeMax: bigint | undefined;

  constructor(
    readonly table: ResolvedTable,
    /** Position in the plan's list of tables. */
    readonly index: number,
  ) {}

  use(id: number): void {
    this.#used.add(id);
  }

  /** The schema's column, for stored tables. */
  column(id: number): ColumnSchema | undefined {
    return this.table.kind === "table" ? columnById(this.table.schema, id) : undefined;
  }

  isTimeIndex(id: number | undefined): boolean {
    return this.table.kind === "table" && id === this.table.schema.timeIndex;
  }

  /** Are all rows at or after the epoch? */
  get timeIsNonNegative(): boolean {
    return this.#timeMin !== undefined && this.#timeMin >= 0n;
  }

  restrictTime(min: bigint | undefined, max: bigint | undefined): void {
    if (min !== undefined && (this.#timeMin === undefined || min > this.#timeMin))
      this.#timeMin = min;
    if (max !== undefined && (this.#timeMax === undefined || max < this.#timeMax))
      this.#timeMax = max;
  }

  restrictTag(id: number, values: readonly (string | null)[]): void {
    const known = this.#tagIn.get(id);
    this.#tagIn.set(id, known === undefined ? values : known.filter((v) => values.includes(v)));
  }

  /** The value of a tag that every row has, if the conditions say so. */
  fixedTag(id: number): boolean {
    return this.#tagIn.get(id)?.length === 1;
  }

  /** With `extra` columns besides those in use. */
  build(extra: readonly number[] = []): PlannedTable {
    const used = new Set([...this.#used, ...extra]);
    // A scan of no column would not know how many rows there are.
    if (used.size === 0 && this.table.kind === "table") used.add(timeColumn(this.table.schema).id);
    return {
      table: this.table,
      columns: [...used].sort((a, b) => a - b),
      timeMin: this.#timeMin,
      timeMax: this.#timeMax,
      tagIn: [...this.#tagIn].map(([id, values]) => ({ id, values })),
    };
  }
}
