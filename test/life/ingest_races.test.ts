/** Writers against DDL on the real stack: whatever the order, an acknowledged row is where its table is, and nothing hangs. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WriteReport } from "../../src/ingest/mod.ts";
import { SqlStack } from "../harness/sql_stack.ts";

let stack: SqlStack;
beforeAll(async () => {
  stack = await SqlStack.start();
});
afterAll(() => stack.stop());

function write(lines: string): Promise<WriteReport> {
  const body = [new TextEncoder().encode(lines)];
  return stack.ingest.writeLines({
    db: "public",
    precision: "ns",
    body,
    hints: { options: {} },
  });
}

const count = async (table: string) =>
  Number((await stack.rows(`SELECT count(*) FROM ${table}`))[0]?.[0]);

describe("schema", () => {
  test("fifty first writers, each with a tag and a field of its own", async () => {
    const reports = await Promise.all(
      Array.from({ length: 50 }, (_, i) => write(`first,t${i}=v${i} f${i}=${i}i ${i}`)),
    );
    for (const report of reports) expect(report).toMatchObject({ rowsWritten: 1, rowsRefused: 0 });
    expect(await count("first")).toBe(50);
    for (let i = 0; i < 50; i++)
      expect(await stack.rows(`SELECT t${i}, f${i} FROM first WHERE f${i} IS NOT NULL`)).toEqual([
        [`v${i}`, BigInt(i)],
      ]);
  });

  test("new tags while others read and write: no series loses its tag", async () => {
    const work: Promise<unknown>[] = [];
    for (let i = 0; i < 40; i++) {
      work.push(write(`grow,host=h${i % 5} v=${i} ${i}`));
      work.push(write(`grow,host=h${i % 5},extra${i % 8}=e${i} v=${i} ${1000 + i}`));
      if (i > 0) work.push(stack.rows("SELECT * FROM grow").catch(() => undefined));
      if (i % 10 === 0) await Promise.all(work);
    }
    await Promise.all(work);
    expect(await count("grow")).toBe(80);
    for (let i = 0; i < 40; i++)
      expect(await stack.rows(`SELECT host, v FROM grow WHERE extra${i % 8} = 'e${i}'`)).toEqual([
        [`h${i % 5}`, i],
      ]);
  });

  test("MODIFY COLUMN under load: each row is stored or refused, none half", async () => {
    await write("mod v=1i 0");
    const writes = Array.from({ length: 30 }, (_, i) => write(`mod v=${i}i ${i + 1}`));
    const altered = stack.run("ALTER TABLE mod MODIFY COLUMN v DOUBLE");
    const more = Array.from({ length: 30 }, (_, i) => write(`mod v=${i}i ${i + 100}`));
    await altered;
    const reports = await Promise.all([...writes, ...more]);
    const written = reports.reduce((sum, report) => sum + report.rowsWritten, 1);
    expect(await count("mod")).toBe(written);
    expect(await stack.rows("SELECT count(v) FROM mod")).toEqual([[BigInt(written)]]);
  });
});

describe("DROP, TRUNCATE and CREATE", () => {
  test("a dropped table's name starts from nothing", async () => {
    await write("again,host=a v=1i 1");
    await stack.run("DROP TABLE again");
    await write("again,dc=x v=1.5 2");
    expect(await stack.rows("SELECT * FROM again")).toEqual([["x", 1.5, 2n]]);
    const { slot } = stack.storage.region(stack.catalog.table("public", "again")!.regionIds[0]!)!;
    expect(slot).toBeGreaterThanOrEqual(0);
  });

  test("drops under load: every write is answered, and the last ones are there", async () => {
    const answers: Promise<WriteReport>[] = [];
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 10; i++) answers.push(write(`churn,h=${i} v=${round} ${round * 10 + i}`));
      await Promise.all(answers.slice(-3));
      await stack.run("DROP TABLE IF EXISTS churn");
    }
    for (const report of await Promise.all(answers)) expect(report.rowsWritten).toBe(1);
    await stack.run("DROP TABLE IF EXISTS churn");
    await write("churn,h=end v=1 1");
    expect(await stack.rows("SELECT h, v FROM churn")).toEqual([["end", 1]]);
  });

  test("TRUNCATE keeps the schema and forgets the order of times", async () => {
    await write("trunc,h=a v=1 100");
    await stack.run("TRUNCATE TABLE trunc");
    expect(await count("trunc")).toBe(0);
    await write("trunc,h=a v=2 50");
    expect(await stack.rows("SELECT h, v, greptime_timestamp FROM trunc")).toEqual([["a", 2, 50n]]);
  });

  test("RENAME: lines for the new name go to the table, for the old name to a new one", async () => {
    await write("old,h=a v=1 1");
    await stack.run("ALTER TABLE old RENAME renamed");
    await write("renamed,h=a v=2 2\nold,h=b w=3i 3");
    expect(await stack.rows("SELECT v FROM renamed")).toEqual([[1], [2]]);
    expect(await stack.rows("SELECT h, w FROM old")).toEqual([["b", 3n]]);
  });
});

describe("SQL and lines on one table", () => {
  test("an empty SQL tag is a value, an absent one NULL, and lines mean absent", async () => {
    await stack.run(
      "CREATE TABLE tags (host STRING, ts TIMESTAMP(9) TIME INDEX, v DOUBLE, PRIMARY KEY (host))",
    );
    await stack.run("INSERT INTO tags VALUES ('', 1, 1), (NULL, 1, 2), ('a', 1, 3)");
    await write("tags v=4 2");
    const all = [
      [null, 1n, 2],
      [null, 2n, 4],
      ["", 1n, 1],
      ["a", 1n, 3],
    ];
    expect(await stack.rows("SELECT * FROM tags")).toEqual(all);
    await stack.run("ADMIN FLUSH_TABLE('tags')");
    expect(await stack.rows("SELECT * FROM tags")).toEqual(all);
    expect(await stack.rows("SELECT v FROM tags WHERE host = ''")).toEqual([[1]]);
    expect(await stack.rows("SELECT v FROM tags WHERE host IS NULL ORDER BY v")).toEqual([
      [2],
      [4],
    ]);
  });

  test("tags of every type come back as they went in, before and after a flush", async () => {
    await stack.run(
      `CREATE TABLE typed (i INT, u BIGINT UNSIGNED, b BOOLEAN, f DOUBLE, d DATE, t TIMESTAMP(3), n DECIMAL(10, 2),
         ts TIMESTAMP(9) TIME INDEX, v DOUBLE, PRIMARY KEY (i, u, b, f, d, t, n))`,
    );
    await stack.run(
      "INSERT INTO typed VALUES (-7, 18446744073709551615, true, 0.1, '2024-02-29', 1700000000123, '1.50', 1, 1)",
    );
    const query = "SELECT i, u, b, f, d, t, n, v FROM typed";
    const before = await stack.rows(query);
    expect(before[0]?.slice(0, 4)).toEqual([-7, 18446744073709551615n, true, 0.1]);
    expect(before[0]?.slice(5)).toEqual([1700000000123n, "1.50", 1]);
    await stack.run("ADMIN FLUSH_TABLE('typed')");
    expect(await stack.rows(query)).toEqual(before);
    expect(await stack.rows("SELECT v FROM typed WHERE i = -7 AND b")).toEqual([[1]]);
  });

  test("ns beyond 2^53 are the same by lines and by SQL", async () => {
    await write("digits v=1 1460549358372198212");
    await stack.run("INSERT INTO digits (v, greptime_timestamp) VALUES (2, 1460549358372198213)");
    expect(await stack.rows("SELECT greptime_timestamp FROM digits")).toEqual([
      [1460549358372198212n],
      [1460549358372198213n],
    ]);
  });

  test("a second write to the same row fills in what it carries", async () => {
    await write("fill,h=a x=1 5");
    await write("fill,h=a y=2 5");
    expect(await stack.rows("SELECT x, y FROM fill")).toEqual([[1, 2]]);
  });
});
