/** What readers see of a region: a pinned snapshot as a relation, and its numbers. Nothing here changes the region. */
import { DbError } from "../base/mod.ts";
import { isOutOfMemory } from "../duck/mod.ts";
import { mergeMode, timeColumn, UNIT_NANOS } from "../types/mod.ts";
import type { RegionStats, Scan, ScanRequest, SstInfo } from "./api.ts";
import { damageText } from "./file_checks.ts";
import type { SstMeta } from "./manifest.ts";
import type { Generation } from "./memtable.ts";
import type { RegionImpl } from "./region.ts";
import { buildRelation } from "./relation.ts";
import { sstSources } from "./sst.ts";

/**
 * A snapshot as of now. Writers do not wait meanwhile: a generation or a part that came while another was made ready would be seen without
 * its rows, so it is tried again until nothing new has come. Rows that do not fit into the engine's memory are flushed first.
 */
export async function scanRegion(region: RegionImpl, request: ScanRequest): Promise<Scan> {
  region.lastScanMs = region.deps.clock.monotonicMs();
  for (let flushed = false; ; ) {
    region.checkAlive();
    try {
      await catchUp(region);
      const scan = snapshot(region, request);
      if (scan !== undefined) return scan;
    } catch (error) {
      region.checkAlive();
      if (flushed || !isOutOfMemory(error)) throw error;
      flushed = true;
      await region.flush("Memory").catch(() => {
        throw error;
      });
    }
  }
}

/** Brings the series table and the tables of all generations up to now. */
async function catchUp(region: RegionImpl): Promise<void> {
  await region.series.sync(region.schema, region.seriesLog.logged);
  for (const generation of generationsOf(region))
    try {
      await generation.ready();
    } catch (cause) {
      // Flushed meanwhile: its rows are in files.
      if (generationsOf(region).includes(generation)) throw cause;
    }
}

function generationsOf(region: RegionImpl): readonly Generation[] {
  return [...region.version.frozen, region.version.active];
}

/** One moment: nothing is awaited here. Undefined when something new came since `catchUp`. */
function snapshot(region: RegionImpl, request: ScanRequest): Scan | undefined {
  region.checkAlive();
  const { deps, schema } = region;
  const { files } = region.version;
  const generations = generationsOf(region);
  if (!generations.every((generation) => generation.isReady)) return undefined;
  if (!region.series.syncNow(schema, region.seriesLog.logged)) return undefined;
  for (const generation of generations) generation.sync();
  const timeMin = later(request.timeMin, expiredBefore(region));
  const read = files.filter(
    (f) =>
      (timeMin === undefined || f.maxTime >= timeMin) &&
      (request.timeMax === undefined || f.minTime <= request.timeMax),
  );
  refuseDamaged(region, read);
  const { sources: fileSources, pruned } = sstSources(deps.store, files, timeMin, request.timeMax);
  const sources = [...fileSources, ...generations.flatMap((g) => g.sources())];
  const relation = buildRelation(
    sources,
    {
      schema,
      columns: request.columns,
      timeMin,
      timeMax: request.timeMax,
      tagIn: request.tagIn ?? [],
      seriesTable: region.series.name,
      seriesEscaped: region.series.escaped,
    },
    mergeMode(schema),
  );
  for (const generation of generations) generation.pin();
  region.pins.pin(files);
  deps.metrics.scanSources.observe(sources.length);
  let released = false;
  return {
    relation: relation.sql,
    notes: [
      `region ${region.id}: ${files.length - pruned} of ${files.length} files`,
      ...relation.notes,
    ],
    check: async (error) => {
      await region.host.checks.suspect(read, error);
      refuseDamaged(region, read);
    },
    release: () => {
      if (released) return;
      released = true;
      for (const generation of generations)
        generation
          .unpin()
          .catch((error) => deps.log.error({ error }, "dropping a memtable failed"));
      region.pins.unpin(files);
    },
  };
}

function refuseDamaged(region: RegionImpl, files: readonly SstMeta[]): void {
  for (const file of files) {
    const damage = region.host.checks.damageOf(file);
    if (damage !== undefined) throw new DbError("execute_query", damageText(file, damage));
  }
}

/** Rows older than this have outlived the table's TTL. Ticks of the time index. */
export function expiredBefore(region: RegionImpl): bigint | undefined {
  const { deps, schema } = region;
  const ttlNs = deps.ttlNs(schema);
  if (ttlNs === undefined) return undefined;
  return (deps.clock.nowNs() - ttlNs) / UNIT_NANOS[timeColumn(schema).type.unit];
}

function later(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined) return b;
  return b === undefined || a > b ? a : b;
}

export function regionStats(region: RegionImpl): RegionStats {
  const { files, frozen, active } = region.version;
  const memtableRows = frozen.reduce((sum, g) => sum + g.rows, active.rows);
  const sstRows = files.reduce((sum, f) => sum + f.rows, 0);
  return {
    regionId: region.id,
    rows: memtableRows + sstRows,
    memtableBytes: region.memtableBytes,
    memtableRows,
    sstBytes: files.reduce((sum, f) => sum + f.bytes, 0),
    sstFiles: files.length,
    sstRows,
    manifestBytes: region.manifest.bytes,
    series: region.deps.kernel.seriesCount(region.slot),
    committedSequence: region.nextSequence - 1n,
    flushedSequence: region.manifest.state.neededSequence - 1n,
    manifestVersion: region.manifest.version,
  };
}

export function regionFiles(region: RegionImpl): SstInfo[] {
  return region.version.files.map((f) => ({
    fileId: f.id,
    path: f.name,
    bytes: f.bytes,
    rows: f.rows,
    level: f.level,
    late: f.late,
    minTime: f.minTime,
    maxTime: f.maxTime,
    maxSequence: f.maxSequence,
  }));
}
