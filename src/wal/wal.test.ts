import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { Bug, Metrics } from "../base/mod.ts";
import { FaultPlan, faultyLogFolder, type LogFolder, openLogFolder } from "../disk/mod.ts";
import { PAYLOAD_BYTES_MAX } from "./format.ts";
import { collect, openTestWal, record, writeLog } from "./testing.ts";

let folder: LogFolder;
beforeEach(async () => {
  folder = await openLogFolder(mkdtempSync(join(tmpdir(), "wal-")));
});

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const segments = async () => (await folder.list()).map(({ name }) => name);

test("what was appended is replayed in order, byte for byte", async () => {
  const wal = await openTestWal(folder);
  await wal.append(record(7n, 0n, 3, "a"));
  await wal.append({ ...record(8n, 5n, 1, "b"), kind: "delete" });
  await wal.append({ ...record(7n, 3n, 2, ""), payload: [Buffer.from("xy"), Buffer.from("z")] });
  await wal.append({ ...record((1n << 64n) - 1n, (1n << 64n) - 6n, 4, ""), payload: [] });
  await wal.close();
  const { records, report } = await collect(await openTestWal(folder));
  expect(records.map((r) => [r.region, r.kind, r.sequence, r.rows, text(r.payload)])).toEqual([
    [7n, "rows", 0n, 3, "a"],
    [8n, "delete", 5n, 1, "b"],
    [7n, "rows", 3n, 2, "xyz"],
    [(1n << 64n) - 1n, "rows", (1n << 64n) - 6n, 4, ""],
  ]);
  expect(report).toMatchObject({ segments: 1, records: 4, skipped: 0, tornBytes: 0, damages: [] });
});

test("an empty log makes no file before the first append, and none at a start without writes", async () => {
  await (await openTestWal(folder)).close();
  expect(await segments()).toEqual([]);
  const wal = await openTestWal(folder);
  await wal.append(record(1n, 0n, 1, "a"));
  await wal.close();
  for (let start = 0; start < 3; start++) {
    const again = await openTestWal(folder);
    await collect(again);
    await again.close();
  }
  expect(await segments()).toHaveLength(1);
});

test("200 appends at once resolve in order and share few syncs", async () => {
  const plan = new FaultPlan();
  const wal = await openTestWal(faultyLogFolder(folder, plan));
  await wal.append(record(1n, 0n, 1, "first"));
  const before = { writes: plan.count("write"), syncs: plan.count("sync") };
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      await wal.append(record(1n, BigInt(i + 1), 1, `${i}`));
      order.push(i);
    }),
  );
  expect(order).toEqual(Array.from({ length: 200 }, (_, i) => i));
  expect(plan.count("write") - before.writes).toBe(1);
  expect(plan.count("sync") - before.syncs).toBe(1);
  await wal.close();
});

test("appends made while a group is being written form the next group", async () => {
  const plan = new FaultPlan();
  const wal = await openTestWal(faultyLogFolder(folder, plan));
  let done = 0;
  // Each chain appends again as soon as it is answered: 8 in flight all the time.
  const chain = async (from: number) => {
    for (let i = 0; i < 25; i++) {
      await wal.append(record(1n, BigInt(from + i), 1, "x".repeat(500)));
      done++;
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, i) => chain(i * 25)));
  await wal.close();
  expect(done).toBe(200);
  // One sync for the segment's header, then one per round of 8.
  expect(plan.count("sync")).toBeLessThanOrEqual(1 + 25 * 2);
});

test("records larger than a segment and than a read piece", async () => {
  const wal = await openTestWal(folder, { segmentBytesMax: 1024 * 1024 });
  const sizes = [10, 5_000_000, 700_000, 700_000, 4_194_304 - 40, 0, 9_000_000];
  for (const [i, size] of sizes.entries())
    await wal.append(record(1n, BigInt(i), 1, String(i).repeat(size)));
  await wal.close();
  const { records } = await collect(await openTestWal(folder));
  expect(records.map((r) => r.payload.length)).toEqual(sizes);
  for (const [i, { payload }] of records.entries())
    expect(payload.every((byte) => byte === 48 + i)).toBe(true);
});

test("replay hands out what is needed, awaits the visitor, and tells how far it is", async () => {
  const wal = await openTestWal(folder, { segmentBytesMax: 200 });
  for (let i = 0; i < 9; i++) await wal.append(record(BigInt(i % 3), BigInt(i * 10), 10, `${i}`));
  await wal.close();
  const again = await openTestWal(folder);
  const seen: string[] = [];
  const progress: [number, number][] = [];
  let running = 0;
  const report = await again.replay(
    (region) => (region === 0n ? 35n : region === 1n ? undefined : 80n),
    async ({ payload }) => {
      expect(++running).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      seen.push(text(payload));
    },
    (done, total) => progress.push([done, total]),
  );
  // Region 0 has [0,10) [30,40) [60,70), region 2 has [20,30) [50,60) [80,90).
  expect(seen).toEqual(["3", "6", "8"]);
  expect(report).toMatchObject({ records: 9, skipped: 6 });
  const total = (await folder.list()).reduce((sum, file) => sum + file.bytes, 0);
  expect(progress.at(-1)).toEqual([total, total]);
  expect(progress.map(([done]) => done)).toEqual(
    progress.map(([done]) => done).toSorted((a, b) => a - b),
  );
});

test("trim deletes the closed segments that nobody needs, before and after a restart", async () => {
  const wal = await openTestWal(folder, { segmentBytesMax: 150 });
  for (let i = 0; i < 8; i++) await wal.append(record(BigInt(i % 2), BigInt(i), 1, "x".repeat(50)));
  expect(await segments()).toHaveLength(8);
  const bytes = wal.bytes;
  expect(await wal.trim((region) => (region === 0n ? 5n : 2n))).toBe(4);
  // 0 2 4 of region 0 and 1 of region 1 are gone; 3 keeps the oldest.
  expect(await segments()).toHaveLength(4);
  expect(wal.bytes).toBe(bytes / 2);
  expect(wal.oldestRegions()).toEqual([1n]);
  await wal.close();

  const again = await openTestWal(folder);
  expect(await again.trim(() => undefined)).toBe(0);
  expect((await collect(again)).report.records).toBe(4);
  expect(again.oldestRegions()).toEqual([1n]);
  await again.append(record(1n, 8n, 1, "new"));
  expect(await again.trim((region) => (region === 0n ? undefined : 8n))).toBe(4);
  expect(again.oldestRegions()).toEqual([1n]);
  await again.close();
  expect((await collect(await openTestWal(folder))).texts).toEqual(["new"]);
});

test("a failed delete leaves the segment for the next trim", async () => {
  const plan = new FaultPlan();
  const wal = await openTestWal(faultyLogFolder(folder, plan), { segmentBytesMax: 100 });
  for (let i = 0; i < 3; i++) await wal.append(record(1n, BigInt(i), 1, "x".repeat(50)));
  plan.fail({ step: "delete", nth: 1, code: "EIO" });
  expect(await wal.trim(() => 9n)).toBe(1);
  expect(await wal.trim(() => 9n)).toBe(1);
  await wal.close();
});

test("policies: none syncs only when a segment closes, interval soon after the write", async () => {
  const plan = new FaultPlan();
  const none = await openTestWal(faultyLogFolder(folder, plan), { sync: "none" });
  for (let i = 0; i < 5; i++) await none.append(record(1n, BigInt(i), 1, "x"));
  expect(plan.count("sync")).toBe(1);
  await none.close();
  expect(plan.count("sync")).toBe(2);

  const other = await openLogFolder(mkdtempSync(join(tmpdir(), "wal-")));
  const interval = await openTestWal(faultyLogFolder(other, plan), { sync: "interval" });
  await interval.append(record(1n, 0n, 1, "x"));
  await interval.append(record(1n, 1n, 1, "x"));
  expect(plan.count("sync")).toBe(3);
  await expect.poll(() => plan.count("sync")).toBe(4);
  await interval.close();
  expect(plan.count("sync")).toBe(4);
});

test("a sync that fails after the answer: the acknowledged records stay, the next go to a new segment", async () => {
  for (const sync of ["interval", "none"] as const) {
    const here = await openLogFolder(mkdtempSync(join(tmpdir(), "wal-")));
    const plan = new FaultPlan();
    const wal = await openTestWal(faultyLogFolder(here, plan), { sync, segmentBytesMax: 400 });
    await wal.append(record(1n, 0n, 1, "before"));
    plan.fail({ step: "sync", nth: 1, code: "EIO" });
    if (sync === "interval") await expect.poll(() => plan.count("sync")).toBe(2);
    await wal.append(record(1n, 1n, 1, "x".repeat(400)));
    await wal.append(record(1n, 2n, 1, "after"));
    await wal.close();
    expect((await collect(await openTestWal(here))).texts).toEqual([
      "before",
      "x".repeat(400),
      "after",
    ]);
  }
});

test("limits and misuse", async () => {
  const wal = await openTestWal(folder);
  const huge = { ...record(1n, 0n, 1, ""), payload: [new Uint8Array(PAYLOAD_BYTES_MAX + 1)] };
  await expect(wal.append(huge)).rejects.toMatchObject({ code: "payload_too_large" });
  await expect(wal.append(record(1n, 0n, 0, "no rows"))).rejects.toThrow(Bug);
  await expect(wal.append(record(1n << 64n, 0n, 1, "region"))).rejects.toThrow(Bug);
  await wal.append(record(1n, 0n, 1, "fine"));
  await wal.close();
  await wal.close();
  await expect(wal.append(record(1n, 1n, 1, "late"))).rejects.toMatchObject({
    code: "storage_unavailable",
  });
  const again = await openTestWal(folder);
  await expect(again.append(record(1n, 1n, 1, "early"))).rejects.toThrow("replayed before");
});

test("close waits for what is queued", async () => {
  const wal = await openTestWal(folder);
  const appends = Array.from({ length: 50 }, (_, i) => wal.append(record(1n, BigInt(i), 1, "x")));
  await wal.close();
  await Promise.all(appends);
  expect((await collect(await openTestWal(folder))).report.records).toBe(50);
});

test("other files in the folder are left alone", async () => {
  await writeLog(folder, "notes.txt", Buffer.from("mine"));
  const wal = await openTestWal(folder);
  await wal.append(record(1n, 0n, 1, "a"));
  await wal.close();
  expect((await collect(await openTestWal(folder))).texts).toEqual(["a"]);
  expect(await segments()).toContain("notes.txt");
});

test("metrics count records, groups, bytes and failures", async () => {
  const metrics = new Metrics();
  const plan = new FaultPlan();
  const wal = await openTestWal(faultyLogFolder(folder, plan), { metrics });
  await wal.append(record(1n, 0n, 1, "x".repeat(60)));
  plan.fail({ step: "write", nth: 1, code: "ENOSPC" });
  await wal.append(record(1n, 1n, 1, "x")).catch(() => undefined);
  const page = await metrics.text();
  expect(page).toContain('greptime_logstore_op_bytes_total{optype="append"} 100');
  expect(page).toContain('greptime_logstore_op_elapsed_count{optype="append"} 1');
  expect(page).toContain("tidemark_wal_group_records_count 1");
  expect(page).toContain('tidemark_wal_failures_total{step="write"} 1');
  expect(page).toContain("tidemark_wal_bytes 148");
  await wal.close();
});

test("a quiet log whose segment nobody needs goes on in a new one", async () => {
  const wal = await openTestWal(folder);
  const big = "x".repeat(700_000);
  await wal.append(record(1n, 1n, 1, big));
  await wal.append(record(1n, 2n, 1, big));
  expect(await wal.trim(() => 3n)).toBe(1);
  expect(wal.bytes).toBeLessThan(1_000);
  const pending = wal.append(record(1n, 3n, 1, "after"));
  expect(await wal.trim(() => 3n)).toBe(0);
  await pending;
  await wal.close();
  const again = await openTestWal(folder);
  expect((await collect(again)).texts).toEqual(["after"]);
  await again.close();
});
