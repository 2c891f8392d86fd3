import { expect, test } from "vitest";
import { type PickOptions, pickCompaction } from "./compaction_pick.ts";
import type { SstMeta } from "./manifest.ts";

const file = (
  id: string,
  minTime: number,
  maxTime: number,
  more: Partial<SstMeta> = {},
): SstMeta => ({
  id,
  name: `${id}.parquet`,
  bytes: 1_000_000,
  rows: 1000,
  minTime: BigInt(minTime),
  maxTime: BigInt(maxTime),
  late: false,
  hasDeletes: false,
  level: 0,
  maxSequence: 1n,
  columns: [],
  ...more,
});
const options: PickOptions = {
  windowTicks: 100n,
  triggerFiles: 3,
  full: false,
  expiredBefore: undefined,
};
const picked = (files: SstMeta[], more: Partial<PickOptions> = {}) => {
  const task = pickCompaction(files, { ...options, ...more });
  return task === undefined
    ? undefined
    : `${task.kind} ${task.files
        .map((f) => f.id)
        .sort()
        .join(" ")}`;
};

test("nothing to do for few files", () => {
  expect(picked([])).toBeUndefined();
  expect(picked([file("a", 0, 10), file("b", 20, 30)])).toBeUndefined();
});

test("enough similar files of one window are merged, other windows are left alone", () => {
  expect(
    picked([file("a", 0, 10), file("b", 20, 30), file("c", 40, 50), file("d", 110, 120)]),
  ).toBe("merge a b c");
});

test("files of another size tier are not rewritten with the small ones", () => {
  const big = file("big", 0, 10, { bytes: 100_000_000 });
  expect(picked([big, file("a", 20, 30), file("b", 40, 50)])).toBeUndefined();
  expect(picked([big, file("a", 20, 30), file("b", 40, 50), file("c", 60, 70)])).toBe(
    "merge a b c",
  );
});

test("a late file brings along every file it touches, and late ones transitively", () => {
  const files = [
    file("a", 0, 10),
    file("b", 11, 20),
    file("c", 21, 30),
    file("far", 500, 600),
    file("l1", 5, 12, { late: true }),
    file("l2", 12, 22, { late: true }),
    file("l3", 550, 560, { late: true }),
  ];
  expect(picked(files)).toBe("merge a b c l1 l2");
  // One late file is too few; merging in-order files beside it is safe, since it stays newer than all of them.
  expect(picked(files.slice(0, 5))).toBe("merge a b c");
  expect(picked(files.slice(0, 5), { full: true })).toBe("merge a b l1");
});

test("full compaction ends: a window of compacted files is left alone", () => {
  expect(picked([file("a", 0, 10)], { full: true })).toBe("merge a");
  expect(
    picked([file("a", 0, 10, { level: 1 }), file("b", 0, 10, { level: 1 })], { full: true }),
  ).toBeUndefined();
  expect(picked([file("a", 0, 10, { level: 1 }), file("b", 0, 10)], { full: true })).toBe(
    "merge a b",
  );
});

test("expired files go first", () => {
  expect(picked([file("a", 0, 10), file("b", 20, 30)], { expiredBefore: 15n })).toBe("expire a");
});
