/**
 * Which files to compact together. Pure.
 *
 * A task is a set of files that may be merged into rows that are not late: for every late file in it, all files that its time range
 * touches are in it too (late ones transitively). So nothing outside can hold an older version of one of its rows, and its tombstones can go.
 */
import type { SstMeta } from "./manifest.ts";
import { windowIndex } from "./window.ts";

export interface PickOptions {
  readonly windowTicks: bigint;
  /** This many neighbouring files of similar size, or so many late files, start a task. */
  readonly triggerFiles: number;
  /** Everything that can be merged is: late files of any number, and every window to one run of compacted files. */
  readonly full: boolean;
  /** Files wholly before it have expired. */
  readonly expiredBefore: bigint | undefined;
}

export type CompactionTask =
  | { readonly kind: "expire"; readonly files: readonly SstMeta[] }
  | { readonly kind: "merge"; readonly files: readonly SstMeta[] };

/** Files above it are left alone by size-tiered merging: rewriting them gains little. */
const mergeBytesMax = 512 * 1024 * 1024;
/** Files of one tier differ in size by at most this factor, so a row is rewritten once per tier and not once per flush. */
const tierFactor = 4;

export function pickCompaction(
  files: readonly SstMeta[],
  options: PickOptions,
): CompactionTask | undefined {
  const { expiredBefore } = options;
  const expired = expiredBefore === undefined ? [] : files.filter((f) => f.maxTime < expiredBefore);
  if (expired.length > 0) return { kind: "expire", files: expired };
  return pickLate(files, options) ?? pickWindow(files, options);
}

function pickLate(files: readonly SstMeta[], options: PickOptions): CompactionTask | undefined {
  const late = files.filter((f) => f.late);
  if (late.length === 0 || (!options.full && late.length < options.triggerFiles)) return undefined;
  const picked = new Set<SstMeta>([late[0]!]);
  let min = late[0]!.minTime;
  let max = late[0]!.maxTime;
  for (let grown = true; grown; ) {
    grown = false;
    for (const file of late) {
      if (picked.has(file) || file.maxTime < min || file.minTime > max) continue;
      picked.add(file);
      if (file.minTime < min) min = file.minTime;
      if (file.maxTime > max) max = file.maxTime;
      grown = true;
    }
  }
  for (const file of files)
    if (!file.late && file.maxTime >= min && file.minTime <= max) picked.add(file);
  return { kind: "merge", files: [...picked] };
}

function pickWindow(files: readonly SstMeta[], options: PickOptions): CompactionTask | undefined {
  const windows = new Map<bigint, SstMeta[]>();
  for (const file of files) {
    if (file.late) continue;
    const window = windowIndex(file.maxTime, options.windowTicks);
    const group = windows.get(window);
    if (group === undefined) windows.set(window, [file]);
    else group.push(file);
  }
  for (const group of windows.values()) {
    if (options.full) {
      if (group.some((f) => f.level === 0)) return { kind: "merge", files: group };
      continue;
    }
    const run = tierOf(group, options.triggerFiles);
    if (run !== undefined) return { kind: "merge", files: run };
  }
  return undefined;
}

/** Small files of similar size, enough of them to be worth a merge. */
function tierOf(group: readonly SstMeta[], triggerFiles: number): SstMeta[] | undefined {
  const bySize = group.filter((f) => f.bytes < mergeBytesMax).sort((a, b) => a.bytes - b.bytes);
  for (let from = 0; from + triggerFiles <= bySize.length; from++) {
    const limit = Math.max(bySize[from]!.bytes * tierFactor, 64 * 1024);
    const run = bySize.slice(from).filter((f) => f.bytes <= limit);
    if (run.length >= triggerFiles) return run;
  }
  return undefined;
}
