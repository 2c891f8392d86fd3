import { afterEach, describe, expect, test } from "vitest";
import { fieldColumns, T } from "../types/mod.ts";
import { stages, TestEngine, testSchema } from "./testing.ts";

let db: TestEngine;
afterEach(async () => db.stop());

const cpu = (options: Record<string, string> = {}) =>
  testSchema(1024, ["host", "dc"], { usage: T.float64, n: T.int64, note: T.string }, options);
const t0 = 1_700_000_000_000_000_000n;

/** Applies `write` anew for each stage and asks the same question there. */
async function everyStage(
  options: Record<string, string>,
  write: (db: TestEngine) => Promise<void>,
  want: string[],
  range = {},
  where = "",
): Promise<void> {
  for (const stage of stages) {
    db = await TestEngine.start();
    await db.table("cpu", cpu(options));
    await write(db);
    await db.reach(stage, "cpu");
    expect(await db.read("cpu", range, where), `stage ${stage}`).toEqual([...want].sort());
    if (stage !== stages.at(-1)) await db.stop();
  }
}

const row = (
  host: string,
  time: bigint,
  fields: Record<string, number | bigint | string | null>,
  dc?: string,
) => ({ tags: { host, dc }, time, fields });

describe("every life stage", () => {
  test("rows come back as written, absent tags and fields as NULL", () =>
    everyStage(
      {},
      async (db) => {
        await db.put("cpu", [
          row("a", t0, { usage: 1.5, n: 2n ** 62n, note: "höst, long enough not to be inline" }),
          row("b", t0 + 1n, { n: -1n }, "eu"),
        ]);
      },
      [
        `host=a dc=- @${t0} usage=1.5 n=${2n ** 62n} note=höst, long enough not to be inline`,
        `host=b dc=eu @${t0 + 1n} usage=- n=-1 note=-`,
      ],
    ));

  test("last_row: a rewrite replaces the whole row, also within one batch", () =>
    everyStage(
      {},
      async (db) => {
        await db.put("cpu", [row("a", t0, { usage: 1, n: 1n })]);
        await db.put("cpu", [
          row("a", t0, { usage: 2 }),
          row("a", t0 + 5n, { n: 1n }),
          row("a", t0 + 5n, { n: 2n }),
        ]);
      },
      [`host=a dc=- @${t0} usage=2 n=- note=-`, `host=a dc=- @${t0 + 5n} usage=- n=2 note=-`],
    ));

  test("last_non_null: fields are merged, newest first", () =>
    everyStage(
      { merge_mode: "last_non_null" },
      async (db) => {
        await db.put("cpu", [row("a", t0, { usage: 1, n: 1n })]);
        await db.put("cpu", [row("a", t0, { usage: 2 })]);
        await db.put("cpu", [row("a", t0, { note: "x" })]);
      },
      [`host=a dc=- @${t0} usage=2 n=1 note=x`],
    ));

  test("last_non_null: a delete between two puts leaves only the later put", () =>
    everyStage(
      { merge_mode: "last_non_null" },
      async (db) => {
        await db.put("cpu", [row("a", t0, { usage: 1, n: 1n }), row("b", t0, { n: 5n })]);
        await db.delete("cpu", [{ tags: { host: "a" }, time: t0 }]);
        await db.put("cpu", [row("a", t0, { usage: 3 })]);
      },
      [`host=a dc=- @${t0} usage=3 n=- note=-`, `host=b dc=- @${t0} usage=- n=5 note=-`],
    ));

  test("append mode keeps every duplicate", () =>
    everyStage(
      { append_mode: "true" },
      async (db) => {
        await db.put("cpu", [row("a", t0, { n: 1n }), row("a", t0, { n: 1n })]);
        await db.put("cpu", [row("a", t0 - 5n, { n: 2n })]);
      },
      [
        `host=a dc=- @${t0 - 5n} usage=- n=2 note=-`,
        `host=a dc=- @${t0} usage=- n=1 note=-`,
        `host=a dc=- @${t0} usage=- n=1 note=-`,
      ],
    ));

  test("late rows and deletes across a flush", () =>
    everyStage(
      {},
      async (db) => {
        await db.put("cpu", [row("a", t0 + 100n, { n: 1n }), row("b", t0 + 100n, { n: 1n })]);
        await db.flush("cpu");
        await db.put("cpu", [row("a", t0, { n: 2n }), row("a", t0 + 100n, { n: 3n })]);
        await db.delete("cpu", [{ tags: { host: "b" }, time: t0 + 100n }]);
      },
      [`host=a dc=- @${t0} usage=- n=2 note=-`, `host=a dc=- @${t0 + 100n} usage=- n=3 note=-`],
    ));

  test("a field filter does not bring a deleted or replaced row back", () =>
    everyStage(
      {},
      async (db) => {
        await db.put("cpu", [row("a", t0, { usage: 66.6 }), row("b", t0, { usage: 66.6 })]);
        await db.flush("cpu");
        await db.delete("cpu", [{ tags: { host: "a" }, time: t0 }]);
        await db.put("cpu", [row("b", t0, { usage: 1 })]);
      },
      [],
      {},
      "WHERE c4 = 66.6",
    ));

  test("a time range cuts exactly, inside and outside late parts", () =>
    everyStage(
      {},
      async (db) => {
        await db.put("cpu", [
          row("a", t0, { n: 0n }),
          row("a", t0 + 10n, { n: 1n }),
          row("a", t0 + 20n, { n: 2n }),
        ]);
        await db.flush("cpu");
        await db.put("cpu", [row("a", t0 + 5n, { n: 9n }), row("a", t0 + 30n, { n: 3n })]);
      },
      [
        `host=a dc=- @${t0 + 10n} usage=- n=1 note=-`,
        `host=a dc=- @${t0 + 20n} usage=- n=2 note=-`,
        `host=a dc=- @${t0 + 5n} usage=- n=9 note=-`,
      ],
      { timeMin: t0 + 5n, timeMax: t0 + 20n },
    ));

  test("a delete of a row that never was does not hide a later first write", () =>
    everyStage(
      {},
      async (db) => {
        await db.put("cpu", [row("a", t0, { n: 1n })]);
        await db.delete("cpu", [{ tags: { host: "a" }, time: t0 + 50n }]);
        await db.put("cpu", [row("a", t0 + 50n, { n: 2n })]);
      },
      [`host=a dc=- @${t0} usage=- n=1 note=-`, `host=a dc=- @${t0 + 50n} usage=- n=2 note=-`],
    ));

  test("a column added later is NULL before; a dropped and re-added name does not bring old values back", () =>
    everyStage(
      {},
      async (db) => {
        await db.put("cpu", [row("a", t0, { n: 1n })]);
        await db.flush("cpu");
        const first = cpu();
        const dropped = {
          ...first,
          version: 2,
          columns: first.columns.filter((c) => c.name !== "n"),
        };
        await db.alter("cpu", dropped);
        await db.put("cpu", [row("a", t0 + 1n, { usage: 2 })]);
        const again = {
          ...dropped,
          version: 3,
          nextColumnId: 8,
          columns: [
            ...dropped.columns,
            { id: 7, name: "n", type: T.int64, role: "field" as const, nullable: true },
          ],
        };
        await db.alter("cpu", again);
        await db.put("cpu", [row("a", t0 + 2n, { n: 3n })]);
      },
      [
        `host=a dc=- @${t0} usage=- note=- n=-`,
        `host=a dc=- @${t0 + 1n} usage=2 note=- n=-`,
        `host=a dc=- @${t0 + 2n} usage=- note=- n=3`,
      ],
    ));

  test("TRUNCATE forgets everything before it and nothing after", () =>
    everyStage(
      {},
      async (db) => {
        await db.put("cpu", [row("a", t0, { n: 1n })]);
        await db.flush("cpu");
        await db.put("cpu", [row("a", t0 + 1n, { n: 2n })]);
        await db.region("cpu").truncate();
        await db.put("cpu", [row("a", t0, { n: 3n })]);
      },
      [`host=a dc=- @${t0} usage=- n=3 note=-`],
    ));
});

test("flushed files are sorted by tags and time", async () => {
  db = await TestEngine.start();
  await db.table("cpu", cpu());
  const rows = Array.from({ length: 5000 }, (_, i) =>
    row(`h${(i * 7919) % 50}`, t0 + BigInt(Math.floor(i / 50)), { n: BigInt(i) }),
  );
  await db.put("cpu", rows);
  await db.flush("cpu");
  const [file] = db.region("cpu").files();
  const out = await db.duck.rows(
    `SELECT count(*) FROM (SELECT (host, ts) < lag((host, ts)) OVER () AS bad FROM read_parquet('${db.store.localPath(file!.path)}')) WHERE bad`,
    [{ name: "n", type: T.int64 }],
  );
  expect(out).toEqual([[0n]]);
  expect(file).toMatchObject({ rows: 5000, late: false, minTime: t0, maxTime: t0 + 99n });
});

test("a restart keeps sequences growing and trims what is flushed", async () => {
  db = await TestEngine.start();
  await db.table("cpu", cpu());
  await db.put("cpu", [row("a", t0, { n: 1n }), row("a", t0 + 1n, { n: 1n })]);
  await db.flush("cpu");
  const before = db.region("cpu").stats().committedSequence;
  await db.kill();
  expect(db.region("cpu").stats()).toMatchObject({
    committedSequence: before,
    memtableRows: 0,
    sstRows: 2,
  });
  await db.put("cpu", [row("a", t0 + 2n, { n: 1n })]);
  expect(db.region("cpu").stats().committedSequence).toBeGreaterThan(before);
});

test("orphan files of an interrupted flush are removed at start", async () => {
  db = await TestEngine.start();
  await db.table("cpu", cpu());
  await db.put("cpu", [row("a", t0, { n: 1n })]);
  await db.flush("cpu");
  const folder = db
    .region("cpu")
    .files()[0]!
    .path.replace(/[^/]+$/, "");
  await db.store.put(`${folder}deadbeef.parquet`, new Uint8Array(10));
  await db.store.put("data/greptime/public/9999/9999_0000000000/x.parquet", new Uint8Array(10));
  await db.kill();
  expect(
    (await db.store.list("data/"))
      .map((o) => o.name)
      .filter((n) => n.includes("deadbeef") || n.includes("9999")),
  ).toEqual([]);
  expect(await db.read("cpu")).toHaveLength(1);
});

test("readers keep their snapshot during flush, compaction and DROP", async () => {
  db = await TestEngine.start();
  await db.table("cpu", cpu());
  await db.put("cpu", [row("a", t0, { n: 1n })]);
  await db.flush("cpu");
  await db.put("cpu", [row("a", t0 + 1n, { n: 2n })]);
  const region = db.region("cpu");
  const scan = await region.scan({ columns: fieldColumns(region.schema).map((c) => c.id) });
  await db.compact("cpu");
  await db.engine.dropRegion(region.id);
  const rows = await db.duck.rows(`SELECT c5 FROM ${scan.relation} ORDER BY 1`, [
    { name: "n", type: T.int64 },
  ]);
  expect(rows).toEqual([[1n], [2n]]);
  scan.release();
});

test("rows past their TTL are not shown and go at compaction", async () => {
  db = await TestEngine.start({ ttlNs: () => 1_000_000_000n });
  await db.table("cpu", cpu());
  const now = BigInt(Date.now()) * 1_000_000n;
  await db.put("cpu", [
    row("a", now - 3_600_000_000_000n, { n: 1n }),
    row("a", now + 60_000_000_000n, { n: 2n }),
  ]);
  expect(await db.read("cpu")).toHaveLength(1);
  await db.compact("cpu");
  expect(db.region("cpu").stats().sstRows).toBe(1);
});
