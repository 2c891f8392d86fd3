/** Rows with named columns: SQL INSERT into an existing table, and (for later protocols) writes that make their table. */
import type { Clock } from "../base/mod.ts";
import { DbError } from "../base/mod.ts";
import { type Catalog, databaseNotFound, type NewColumn, tableNotFound } from "../catalog/mod.ts";
import type { Kernel } from "../kernel/mod.ts";
import type { NamedRows, RegionBatch } from "../types/mod.ts";
import type { WriteHints, WriteReport } from "./api.ts";
import type { Binder } from "./binder.ts";
import type { IngestMetrics } from "./metrics.ts";
import { namedBatch } from "./named_batch.ts";
import { createOptions } from "./options.ts";
import { withoutRows } from "./pick_rows.ts";
import { Refusals } from "./refusals.ts";
import type { TableBinding } from "./table_binding.ts";

export interface NamedWriterParts {
  readonly catalog: Catalog;
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly binder: Binder;
  readonly metrics: IngestMetrics;
  readonly autoCreateTable: boolean;
}

export class NamedWriter {
  readonly #parts: NamedWriterParts;

  constructor(parts: NamedWriterParts) {
    this.#parts = parts;
  }

  /** All rows or none. Returns their number. Throws table_not_found, column_not_found, invalid_arguments and what storage throws. */
  async insertRows(rows: NamedRows): Promise<number> {
    const table = this.#parts.catalog.table(rows.db, rows.table);
    if (table === undefined) throw tableNotFound(rows.db, rows.table);
    const binding = await this.#parts.binder.bindTable(table);
    const batch = this.#batch(binding, rows, (_row, why) => {
      throw new DbError("invalid_arguments", why());
    });
    await this.#write(binding, batch);
    this.#parts.metrics.rows.inc(rows.rows);
    return rows.rows;
  }

  /** Creates the table, adds columns; a row that does not fit is refused alone. `source` names the protocol in messages. */
  async mergeRows(rows: NamedRows, hints: WriteHints, source: string): Promise<WriteReport> {
    const binding = await this.#merge(rows, hints);
    const refusals = new Refusals();
    const refused = new Uint8Array(rows.rows);
    const batch = this.#batch(binding, rows, (row, why) => {
      if (refused[row] === 1) return;
      refused[row] = 1;
      refusals.add(row + 1, () => `${source} row ${row + 1}: ${why()}`);
    });
    const left = refusals.rows === 0 ? batch : withoutRows(batch, refused);
    await this.#write(binding, left);
    this.#parts.metrics.rows.inc(left.rows);
    this.#parts.metrics.refused.inc(refusals.rows);
    return refusals.report(left.rows);
  }

  #batch(
    binding: TableBinding,
    rows: NamedRows,
    refuse: (row: number, why: () => string) => void,
  ): RegionBatch {
    const { kernel, clock } = this.#parts;
    return namedBatch(kernel, binding, rows, clock.nowNs(), refuse);
  }

  async #write(binding: TableBinding, batch: RegionBatch): Promise<void> {
    if (batch.rows === 0 || binding.keepsNothing) return;
    const end = this.#parts.metrics.stage.startTimer({ stage: "write" });
    try {
      await binding.region.write(batch);
    } finally {
      end();
    }
  }

  async #merge(rows: NamedRows, hints: WriteHints): Promise<TableBinding> {
    const { catalog, binder, metrics } = this.#parts;
    const database = catalog.database(rows.db);
    if (database === undefined) throw databaseNotFound(rows.db);
    const columns = rows.columns.map(({ name, role, type }): NewColumn => ({ name, role, type }));
    const end = metrics.stage.startTimer({ stage: "merge" });
    try {
      const { table } = await catalog.merge({
        db: rows.db,
        table: rows.table,
        columns,
        createOptions: createOptions(hints, database.options, undefined),
        autoCreate: this.#parts.autoCreateTable && hints.autoCreateTable !== false,
      });
      return await binder.bindTable(table);
    } finally {
      end();
    }
  }
}
