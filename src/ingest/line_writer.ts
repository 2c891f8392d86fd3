/**
 * Line protocol requests. A request for tables whose columns are all known takes the short way: decode, look up the binding of
 * each slot, write all tables at once; nothing is awaited before the write. Everything else waits for the catalog first.
 * Never keeps rows: what `Region.write` has taken is stored, what it has not is reported.
 */
import { type Clock, DbError, type MemoryBudget } from "../base/mod.ts";
import {
  type Catalog,
  type DatabaseInfo,
  databaseNotFound,
  isVirtualDatabase,
  type SlotKeeper,
} from "../catalog/mod.ts";
import type { Kernel, ParsedBody, ParsedTable } from "../kernel/mod.ts";
import { columnBytes, type RegionBatch } from "../types/mod.ts";
import type { LineWrite, WriteReport } from "./api.ts";
import type { Binder } from "./binder.ts";
import { lineBatch } from "./line_batch.ts";
import { isOverLimit, lineMessage } from "./line_message.ts";
import type { IngestMetrics } from "./metrics.ts";
import { isRefusal, type TableOutcome, throwFailures } from "./outcome.ts";
import { Refusals } from "./refusals.ts";
import type { TableBinding } from "./table_binding.ts";

export interface LineWriterParts {
  readonly catalog: Catalog & SlotKeeper;
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly budget: MemoryBudget;
  readonly binder: Binder;
  readonly metrics: IngestMetrics;
}

/** Rows whose table is dropped and made again are decoded again; more than that is somebody's endless loop. */
const ATTEMPTS_MAX = 4;

/** One request on its way. */
interface LineRequest {
  readonly write: LineWrite;
  readonly database: DatabaseInfo;
  readonly nowNs: bigint;
  readonly refusals: Refusals;
  readonly outcomes: TableOutcome[];
}

export class LineWriter {
  readonly #parts: LineWriterParts;
  /** Requests that hold decoded rows of a slot: until they are done its numbers must stay valid. */
  readonly #inUse = new Map<number, number>();

  constructor(parts: LineWriterParts) {
    this.#parts = parts;
  }

  /** Throws database_not_found, unsupported, and what the storage of good rows threw. */
  async write(write: LineWrite): Promise<WriteReport> {
    const request: LineRequest = {
      write,
      database: this.#database(write.db),
      nowNs: this.#parts.clock.nowNs(),
      refusals: new Refusals(),
      outcomes: [],
    };
    await this.#writeBody(request);
    const { outcomes, refusals } = request;
    const rows = outcomes.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
    this.#parts.metrics.rows.inc(rows);
    this.#parts.metrics.refused.inc(refusals.rows);
    throwFailures(outcomes);
    return refusals.report(rows);
  }

  #database(name: string): DatabaseInfo {
    const database = this.#parts.catalog.database(name);
    if (database !== undefined) return database;
    if (isVirtualDatabase(name))
      throw new DbError("unsupported", `Schema \`${name}\` is read-only`);
    throw databaseNotFound(name);
  }

  /** Decodes and writes; tables that vanished under their rows are decoded again. */
  async #writeBody(request: LineRequest): Promise<void> {
    const badLines = new Set<number>();
    let only: ReadonlySet<string> | undefined;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const { tables } = this.#parse(request, only, badLines);
      const wanted = only;
      const stale = await this.#writeTables(
        request,
        wanted === undefined ? tables : tables.filter(({ table }) => wanted.has(table)),
      );
      if (stale.length === 0) return;
      only = new Set(stale);
    }
    throw new DbError(
      "region_busy",
      `${[...(only ?? [])].join(", ")}: dropped and created again and again while rows are written`,
      { retryAfterSec: 1 },
    );
  }

  #parse(
    { write, database, nowNs, refusals }: LineRequest,
    only: ReadonlySet<string> | undefined,
    badLines: Set<number>,
  ): ParsedBody {
    const { kernel, catalog, metrics } = this.#parts;
    const end = metrics.stage.startTimer({ stage: "parse" });
    const body = kernel.parseLines(database.handle, write.body, write.precision, nowNs);
    end();
    for (const error of body.errors) {
      // A second look at the body finds the same bad lines again, and those of tables that are done.
      if (badLines.has(error.line) || (only !== undefined && !only.has(error.table ?? "")))
        continue;
      badLines.add(error.line);
      refusals.add(error.line, () =>
        lineMessage(error, write.precision, (table) => catalog.table(write.db, table)),
      );
      if (isOverLimit(error)) refusals.addOverLimit(1);
    }
    if (only === undefined) refusals.addUnnamed(body.errorCount - body.errors.length);
    return body;
  }

  /** Writes all tables at once. Returns the names of those whose rows have to be decoded again. */
  async #writeTables(request: LineRequest, tables: readonly ParsedTable[]): Promise<string[]> {
    const { budget, catalog } = this.#parts;
    const bytes = tables.reduce((sum, table) => sum + parsedBytes(table), 0);
    for (const { slot } of tables) this.#inUse.set(slot, (this.#inUse.get(slot) ?? 0) + 1);
    budget.add("in_flight", bytes);
    let outcomes: readonly TableOutcome[] = [];
    try {
      outcomes = await Promise.all(tables.map((table) => this.#writeTable(request, table)));
    } finally {
      budget.add("in_flight", -bytes);
      for (const { slot } of tables) this.#leave(slot);
    }
    for (const { table, strays } of outcomes)
      if (strays)
        await catalog.releaseSlot(request.write.db, table, (slot) => this.#inUse.has(slot));
    request.outcomes.push(...outcomes.filter(({ stale }) => !stale));
    return outcomes.filter(({ stale }) => stale).map(({ table }) => table);
  }

  #leave(slot: number): void {
    const left = this.#inUse.get(slot)! - 1;
    if (left === 0) this.#inUse.delete(slot);
    else this.#inUse.set(slot, left);
  }

  /** Rejects only with a Bug: what happens to one table must not hide what happened to the others. */
  async #writeTable(request: LineRequest, parsed: ParsedTable): Promise<TableOutcome> {
    const { table } = parsed;
    const { kernel, binder } = this.#parts;
    const refusals = new Refusals();
    const known = binder.current(parsed);
    const done = (outcome: Partial<TableOutcome>): TableOutcome => {
      if (outcome.stale !== true) request.refusals.addAll(refusals);
      // Columns that were new and then refused, or not stored, may be known to the kernel and to nobody else.
      const strays = known === undefined && (refusals.rows > 0 || outcome.failure !== undefined);
      return { table, rowsWritten: 0, stale: false, strays, ...outcome };
    };
    try {
      const binding = known ?? (await this.#bind(request, parsed));
      if (binding === undefined) return done({ stale: true });
      const batch = lineBatch(
        kernel,
        parsed,
        binding,
        known === undefined,
        request.nowNs,
        refusals,
      );
      if (batch.rows > 0 && !binding.keepsNothing && !(await this.#store(binding, batch)))
        return done({ stale: true });
      return done({ rowsWritten: batch.rows });
    } catch (error) {
      if (!(error instanceof DbError)) throw error;
      if (!isRefusal(error)) return done({ failure: error });
      const line = parsed.lines[0]!;
      refusals.add(line, () => `line ${line}: ${error.message}`, parsed.rows);
      return done({});
    }
  }

  /** False when the table was dropped before its region took the rows. */
  async #store(binding: TableBinding, batch: RegionBatch): Promise<boolean> {
    const end = this.#parts.metrics.stage.startTimer({ stage: "write" });
    try {
      await binding.region.write(batch);
      return true;
    } catch (error) {
      if (error instanceof DbError && error.code === "table_not_found") return false;
      throw error;
    } finally {
      end();
    }
  }

  async #bind({ write, database }: LineRequest, parsed: ParsedTable) {
    const { binder, metrics } = this.#parts;
    const end = metrics.stage.startTimer({ stage: "merge" });
    try {
      return await binder.bind(database, parsed, write.hints);
    } finally {
      end();
    }
  }
}

function parsedBytes({ sids, timesNs, lines, fields }: ParsedTable): number {
  let bytes = sids.byteLength + timesNs.byteLength + lines.byteLength;
  for (const { column } of fields) bytes += columnBytes(column);
  return bytes;
}
