/** A change of a schema that ends half-way: at the flush before its commit, at the commit, or right after it. */
import { afterEach, expect, test } from "vitest";
import { FaultPlan, faultyStore } from "../../src/disk/mod.ts";
import { TestEngine, testSchema } from "../../src/storage/testing.ts";
import { T, type TableSchema } from "../../src/types/mod.ts";

let db: TestEngine;
let plan: FaultPlan;
afterEach(async () => db.stop());

const before = testSchema(1024, ["host"], { n: T.int64 });
const asText: TableSchema = {
  ...before,
  version: 2,
  columns: before.columns.map((c) => (c.name === "n" ? { ...c, type: T.string } : c)),
};
const appending: TableSchema = { ...before, version: 2, options: { append_mode: "true" } };
const row = (time: bigint, n: bigint) => ({ tags: { host: "a" }, time, fields: { n } });
const rows = ["host=a @1 n=1", "host=a @2 n=20"];

async function start(): Promise<void> {
  plan = new FaultPlan();
  db = await TestEngine.start({ wrapStore: (store) => faultyStore(store, plan) });
  await db.table("t", before);
  await db.put("t", [row(1n, 1n), row(2n, 2n), row(3n, 3n)]);
  await db.put("t", [row(2n, 20n)]);
  await db.delete("t", [{ tags: { host: "a" }, time: 3n }]);
}

for (const [name, after] of [
  ["MODIFY COLUMN", asText],
  ["append_mode", appending],
] as const) {
  test(`${name}: the process dies right after the commit`, async () => {
    await start();
    await expect(
      db.region("t").setSchema(after, () => Promise.reject(new Error("killed"))),
    ).rejects.toThrow("killed");
    // The next start's catalog has the new schema: what the log holds of the old kind would be lost or twice.
    await db.table("t", after);
    await db.kill();
    expect(await db.read("t")).toEqual(rows);
  });

  test(`${name}: a commit that is refused changes nothing`, async () => {
    await start();
    await expect(
      db.region("t").setSchema(after, () => Promise.reject(new Error("refused"))),
    ).rejects.toThrow("refused");
    expect(db.region("t").schema).toBe(before);
    await db.put("t", [row(9n, 9n)]);
    await db.kill();
    expect(await db.read("t")).toEqual([...rows, "host=a @9 n=9"]);
  });

  for (const step of ["write", "sync", "rename"] as const)
    test(`${name}: a flush that the disk refuses (${step}) comes before the commit`, async () => {
      await start();
      plan.fail({ step, nth: 1, code: "ENOSPC", lasting: true });
      let committed = false;
      await expect(
        db.region("t").setSchema(after, async () => {
          committed = true;
        }),
      ).rejects.toMatchObject({ code: "storage_unavailable" });
      expect(committed).toBe(false);
      expect(await db.read("t")).toEqual(rows);
      plan.heal();
      await db.alter("t", after);
      expect(await db.read("t")).toEqual(rows);
      await db.kill();
      expect(await db.read("t")).toEqual(rows);
    });
}
