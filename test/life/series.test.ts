/** The series dictionary over restarts: a row is never without its tags, whatever happened between its series and its record. */
import { afterEach, expect, test } from "vitest";
import { TestEngine, testSchema } from "../../src/storage/testing.ts";
import { T } from "../../src/types/mod.ts";

let db: TestEngine;
afterEach(async () => db.stop());

const table = () => testSchema(1024, ["host"], { n: T.int64 });
const row = (host: string, time: bigint, n: bigint) => ({ tags: { host }, time, fields: { n } });
const parse = (line: string) =>
  db.kernel.parseLines(0, [new TextEncoder().encode(line)], "ns", 0n).tables[0]!;

test("the first lines of a new table come before its region", async () => {
  db = await TestEngine.start();
  const parsed = parse("cpu,host=a n=1i 5");
  await db.table("cpu", table());
  await db.region("cpu").write({
    rows: 1,
    sids: parsed.sids,
    times: parsed.timesNs,
    fields: [{ id: 3, column: parsed.fields[0]!.column }],
  });
  await db.kill();
  expect(await db.read("cpu")).toEqual(["host=a @5 n=1"]);
});

test("TRUNCATE keeps the series that only the log held", async () => {
  db = await TestEngine.start();
  await db.table("cpu", table());
  await db.put("cpu", [row("a", 1n, 1n), row("b", 1n, 1n)]);
  await db.region("cpu").truncate();
  await db.put("cpu", [row("b", 5n, 3n)]);
  for (let kills = 0; kills < 2; kills++) {
    await db.kill();
    expect(await db.read("cpu")).toEqual(["host=b @5 n=3"]);
    await db.flush("cpu");
  }
});

for (const truncate of [false, true])
  test(`a ${truncate ? "TRUNCATE" : "flush"} between a new tag's first line and its ALTER`, async () => {
    db = await TestEngine.start();
    const first = table();
    await db.table("cpu", first);
    await db.put("cpu", [row("a", 1n, 1n)]);
    const parsed = parse("cpu,host=x,dc=eu n=7i 9");
    if (truncate) await db.region("cpu").truncate();
    else await db.flush("cpu");
    await db.alter("cpu", {
      ...first,
      version: 2,
      nextColumnId: 5,
      primaryKey: [1, 4],
      columns: [
        ...first.columns,
        { id: 4, name: "dc", type: T.string, role: "tag", nullable: true },
      ],
    });
    await db.region("cpu").write({
      rows: 1,
      sids: parsed.sids,
      times: parsed.timesNs,
      fields: [{ id: 3, column: parsed.fields[0]!.column }],
    });
    const want = [...(truncate ? [] : ["host=a dc=- @1 n=1"]), "host=x dc=eu @9 n=7"];
    expect(await db.read("cpu")).toEqual(want);
    for (let kills = 0; kills < 2; kills++) {
      await db.kill();
      expect(await db.read("cpu")).toEqual(want);
      await db.flush("cpu");
    }
  });
