/** Opening the catalog: the durable state is read, the first databases are made, every region is opened. */
import type { Clock, Logger } from "../base/mod.ts";
import { type ObjectStore, openVersionedLog } from "../disk/mod.ts";
import type { Kernel } from "../kernel/mod.ts";
import type { StorageEngine } from "../storage/mod.ts";
import { regionId } from "../types/mod.ts";
import type { Catalog, SlotKeeper } from "./api.ts";
import { TableCatalog } from "./catalog.ts";
import { DEFAULT_DATABASE, PRIVATE_DATABASE } from "./names.ts";
import { applyAction, type CatalogAction, EMPTY_STATE, tableOfStored } from "./state.ts";

export interface CatalogOptions {
  readonly store: ObjectStore;
  readonly storage: StorageEngine;
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Logger;
  /** Folder of the catalog's files in the store, ending in "/". */
  readonly prefix: string;
  /** Most columns of one table; the kernel has the same limit. */
  readonly columnsMax: number;
}

/**
 * A checkpoint holds every table, a delta only the changed ones: with many tables a checkpoint costs as much as
 * many deltas, and 64 deltas are read in a few milliseconds.
 */
const CHECKPOINT_EVERY = 64;

/** Regions opened at once: enough to hide the latency of the store, few enough to bound memory. */
const OPENING_MAX = 8;

/**
 * Opens the catalog and every region it names. The caller then lets storage recover, which replays the log and removes
 * regions that no table names. Throws Fatal on damage, storage_unavailable.
 */
export async function openCatalog(options: CatalogOptions): Promise<Catalog & SlotKeeper> {
  const { store, storage, kernel, clock, log: logger, prefix, columnsMax } = options;
  const log = await openVersionedLog(store, prefix, {
    empty: EMPTY_STATE,
    apply: applyAction,
    checkpointEvery: CHECKPOINT_EVERY,
    log: logger,
  });
  const createdAtMs = Number(clock.nowNs() / 1_000_000n);
  const missing = [DEFAULT_DATABASE, PRIVATE_DATABASE]
    .filter((name) => !log.state.databases.some((database) => database.name === name))
    .map(
      (name): CatalogAction => ({
        kind: "put_database",
        database: { name, options: {}, createdAtMs },
      }),
    );
  if (missing.length > 0) await log.commit(missing);
  const { databases, tables, nextTableId } = log.state;
  const catalog = new TableCatalog(
    { log, storage, kernel, clock, logger, columnsMax },
    nextTableId,
  );
  for (const database of databases) catalog.loadDatabase(database);
  const queue = tables.values();
  const worker = async () => {
    for (const stored of queue)
      await catalog.loadTable(tableOfStored(stored, [regionId(stored.id, 0)]));
  };
  await Promise.all(Array.from({ length: OPENING_MAX }, worker));
  return catalog;
}
