/**
 * Compaction: several SSTs become fewer, with late rows folded in, deleted and expired rows gone. It reads like a scan and writes like a
 * flush; inputs stay until the manifest names the outputs and the last reader has left. Work is cut by window and by rank of series, so
 * that a sort never holds more than `compactionSliceRows` rows at once.
 */
import { DbError } from "../base/mod.ts";
import { fieldColumns, mergeMode, T, type TableSchema, tagColumns } from "../types/mod.ts";
import type { CompactionTask } from "./compaction_pick.ts";
import { damageText, withChecksums } from "./file_checks.ts";
import { needsOf, removeOutputs, writeFile } from "./flush.ts";
import type { SstMeta } from "./manifest.ts";
import type { RegionImpl } from "./region.ts";
import { expiredBefore } from "./region_view.ts";
import { buildRelation } from "./relation.ts";
import type { SelectNeeds } from "./source.ts";
import { sstSources } from "./sst.ts";
import { windowIndex } from "./window.ts";

/** Thrown inside when the region changed under the task (truncated, dropped): nothing is lost, nothing is installed. */
export class CompactionOvertaken extends Error {}

/** Runs one task. Resolves with the bytes written. */
export async function runCompaction(
  region: RegionImpl,
  task: CompactionTask,
  windowTicks: bigint,
): Promise<number> {
  const inputs = task.files;
  region.pins.pin(inputs);
  const outputs: SstMeta[] = [];
  try {
    if (task.kind === "merge") await merge(region, inputs, windowTicks, outputs);
    const add = await withChecksums(region.deps.store, outputs);
    await region.maintenance.run(async () => {
      const alive = new Set(region.version.files.map((f) => f.id));
      if (region.dropped || inputs.some((f) => !alive.has(f.id))) throw new CompactionOvertaken();
      const remove = inputs.map((f) => f.id);
      await region.manifest.commit([{ kind: "edit", add, remove }]);
      await region.install({ add, remove, flushed: [] });
    });
    return outputs.reduce((sum, f) => sum + f.bytes, 0);
  } catch (cause) {
    await removeOutputs(region, outputs);
    if (cause instanceof CompactionOvertaken) return 0;
    throw cause;
  } finally {
    region.pins.unpin(inputs);
  }
}

async function merge(
  region: RegionImpl,
  inputs: readonly SstMeta[],
  windowTicks: bigint,
  outputs: SstMeta[],
): Promise<void> {
  const { schema, deps } = region;
  for (const file of inputs) {
    const damage = await region.host.checks.check(file);
    if (damage !== undefined) throw new DbError("execute_query", damageText(file, damage));
  }
  await region.series.sync(schema, region.seriesLog.logged);
  const maxSequence = inputs.reduce((max, f) => (f.maxSequence > max ? f.maxSequence : max), 0n);
  const expired = expiredBefore(region);
  const fields = fieldColumns(schema).map((c) => c.id);
  // One ranking for the whole task: slices cut by different ones would lose or repeat rows.
  const rank = await region.series.rank(schema);
  try {
    for (const window of windowsOf(inputs, windowTicks)) {
      if (expired !== undefined && window.max < expired) continue;
      const touched = inputs.filter((f) => f.maxTime >= window.min && f.minTime <= window.max);
      const { sources } = sstSources(deps.store, touched, window.min, window.max);
      const rows = sources.reduce((sum, s) => sum + s.rows, 0);
      const cut = await slicesOf(region, schema, rank, rows);
      for (const slice of cut) {
        if (region.dropped) throw new CompactionOvertaken();
        const needs: SelectNeeds = {
          ...needsOf(region, schema, fields),
          timeMin: expired !== undefined && expired > window.min ? expired : window.min,
          timeMax: window.max,
          keyRange: slice.keyRange,
        };
        const relation = buildRelation(sources, needs, mergeMode(schema));
        const file = await writeFile(region, {
          schema,
          rankTable: rank.table,
          rankRange: slice.rankRange,
          rowsSql: `SELECT * FROM ${relation.sql}`,
          rowsExpected: Math.ceil(rows / cut.length),
          late: false,
          hasDeletes: false,
          level: "compaction",
          maxSequence,
        });
        if (file !== undefined) outputs.push(file);
      }
    }
  } finally {
    rank.release();
  }
}

interface Span {
  readonly min: bigint;
  readonly max: bigint;
}

/** The windows that the files reach into, cut to the files' range. */
function windowsOf(files: readonly SstMeta[], windowTicks: bigint): Span[] {
  const spans = new Map<bigint, Span>();
  for (const file of files) {
    const last = windowIndex(file.maxTime, windowTicks);
    for (let w = windowIndex(file.minTime, windowTicks); w <= last; ) {
      const start = w * windowTicks;
      const end = start + windowTicks - 1n;
      const min = file.minTime > start ? file.minTime : start;
      const max = file.maxTime < end ? file.maxTime : end;
      const known = spans.get(w);
      spans.set(
        w,
        known === undefined
          ? { min, max }
          : {
              min: known.min < min ? known.min : min,
              max: known.max > max ? known.max : max,
            },
      );
      // A file over very many windows was written as one on purpose; it stays one.
      if (last - w > windowsPerFileMax) {
        spans.set(w, { min, max: file.maxTime });
        break;
      }
      w++;
    }
  }
  return joinOverlapping([...spans.values()]);
}

/** Beyond it the gaps between a file's rows outweigh the gain of separate files. */
const windowsPerFileMax = 64n;

function joinOverlapping(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort((a, b) => (a.min < b.min ? -1 : a.min > b.min ? 1 : 0));
  const joined: Span[] = [];
  for (const span of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && span.min <= last.max)
      joined[joined.length - 1] = { min: last.min, max: span.max > last.max ? span.max : last.max };
    else joined.push(span);
  }
  return joined;
}

interface RankSlice {
  readonly rankRange: { readonly from: number; readonly to: number } | undefined;
  readonly keyRange: SelectNeeds["keyRange"];
}

/** Cuts the series into stretches of equal number, with the first tag's range of each so that other row groups are not read. */
async function slicesOf(
  region: RegionImpl,
  schema: TableSchema,
  rank: { readonly table: string; readonly series: number },
  rows: number,
): Promise<RankSlice[]> {
  const count = Math.min(Math.ceil(rows / region.deps.limits.compactionSliceRows), rank.series);
  if (count <= 1) return [{ rankRange: undefined, keyRange: undefined }];
  const perSlice = Math.ceil(rank.series / count);
  const starts = Array.from({ length: count }, (_, i) => 1 + i * perSlice).filter(
    (r) => r <= rank.series,
  );
  const tag = tagColumns(schema)[0];
  const prunable = tag !== undefined && tag.type.kind === "string" && !region.series.escaped;
  const keys = prunable
    ? await firstTags(region, rank.table, tag.id, starts)
    : new Map<number, string | null>();
  return starts.map((from, i) => {
    const to = starts[i + 1] ?? rank.series + 1;
    const keyFrom = keys.get(from) ?? undefined;
    const keyTo = keys.get(to) ?? undefined;
    const known = tag !== undefined && (keyFrom !== undefined || keyTo !== undefined);
    return {
      rankRange: { from, to },
      keyRange: known ? { id: tag.id, from: keyFrom, to: keyTo } : undefined,
    };
  });
}

async function firstTags(
  region: RegionImpl,
  rankTable: string,
  id: number,
  ranks: readonly number[],
): Promise<Map<number, string | null>> {
  const rows = await region.deps.duck.rows(
    `SELECT k.rank, s.c${id} FROM ${rankTable} k JOIN ${region.series.name} s USING (sid) WHERE k.rank IN (${ranks.join(", ")})`,
    [
      { name: "rank", type: T.uint32 },
      { name: "tag", type: T.string },
    ],
  );
  return new Map(rows.map(([r, tag]) => [r as number, tag as string | null]));
}
