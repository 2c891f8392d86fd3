import { afterEach, expect, test } from "vitest";
import { T } from "../types/mod.ts";
import { TestEngine, type TestRow, testSchema } from "./testing.ts";

let db: TestEngine;
afterEach(async () => db.stop());

const t0 = 1_700_000_000_000_000_000n;
const schema = () =>
  testSchema(1024, ["host", "dc"], { x: T.float64, n: T.int64, s: T.string, ok: T.bool });

/** 50 rounds over 20 series in an order of their own, with NULLs in every field and an absent tag. */
function rows(): TestRow[] {
  return Array.from({ length: 1000 }, (_, i) => ({
    tags: { host: `h${(i * 7) % 20}`, dc: (i * 7) % 20 < 10 ? "eu" : undefined },
    time: t0 + BigInt(Math.floor(i / 20)) * 1_000_000_000n,
    fields: {
      x: i % 3 === 0 ? null : i / 8,
      n: i % 5 === 0 ? null : BigInt(i) * 2n ** 50n,
      s: i % 7 === 0 ? null : "text of some length ".repeat(i % 3),
      ok: i % 11 === 0 ? null : i % 2 === 0,
    },
  }));
}

const creator = async (path: string) => {
  const [row] = await db.duck.rows(`SELECT created_by FROM parquet_file_metadata('${path}')`, [
    { name: "by", type: T.string },
  ]);
  return row![0] as string;
};

test("rows nobody asked for are written by the kernel, sorted, and read back as they were", async () => {
  db = await TestEngine.start();
  await db.table("t", schema());
  await db.put("t", rows());
  await db.flush("t");
  const [file] = db.region("t").files();
  const path = db.store.localPath(file!.path);
  expect(await creator(path)).toMatch(/^tidemark/);
  const unsorted = await db.duck.rows(
    `SELECT count(*) FROM (SELECT (host, coalesce(dc, ''), ts) < lag((host, coalesce(dc, ''), ts)) OVER () AS bad FROM read_parquet('${path}')) WHERE bad`,
    [{ name: "n", type: T.int64 }],
  );
  expect(unsorted).toEqual([[0n]]);
  const direct = await db.read("t");
  expect(direct).toHaveLength(1000);
  await db.stop();

  // The other way, through DuckDB, must give the same.
  db = await TestEngine.start();
  await db.table("t", schema());
  await db.put("t", rows());
  await db.read("t");
  await db.flush("t");
  expect(await creator(db.store.localPath(db.region("t").files()[0]!.path))).toMatch(/DuckDB/);
  expect(await db.read("t")).toEqual(direct);
});

test("compaction and restart read such files like any other", async () => {
  db = await TestEngine.start();
  await db.table("t", schema());
  await db.put("t", rows());
  await db.flush("t");
  const want = await db.read("t");
  await db.put(
    "t",
    rows().map((row) => ({ ...row, time: row.time + 3_600_000_000_000n })),
  );
  await db.put("t", [{ ...rows()[0]!, fields: { x: -1 } }]);
  await db.compact("t");
  await db.kill();
  const got = await db.read("t");
  expect(got).toHaveLength(2000);
  expect(got.filter((row) => want.includes(row))).toHaveLength(999);
});

test("a reader that comes while the file is written sees each row once", async () => {
  db = await TestEngine.start();
  await db.table("t", schema());
  await db.put("t", rows());
  const flushing = db.flush("t");
  const reads: number[] = [];
  for (let i = 0; i < 5; i++) reads.push((await db.read("t")).length);
  await flushing;
  reads.push((await db.read("t")).length);
  expect(new Set(reads)).toEqual(new Set([1000]));
});
