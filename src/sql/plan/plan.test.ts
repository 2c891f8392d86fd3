/** Plans that are not of SELECT, session settings, and error mapping: on a real DuckDB. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { T } from "../../types/mod.ts";
import { mapEngineError, parseStatements, planDelete, planInsert } from "../mod.ts";
import { NOW_NS, TestDatabase, testEnv } from "../testing/fixture.ts";

const db = new TestDatabase();
beforeAll(() => db.open());
afterAll(() => db.close());

describe("planInsert", () => {
  const targets = [
    { name: "host", type: T.string },
    { name: "ts", type: T.timestampMs, default: { kind: "now" as const } },
    { name: "v", type: T.float64, default: { kind: "literal" as const, value: -1.5 } },
  ];

  async function rows(sql: string, timezone = "UTC") {
    const [parsed] = parseStatements(`INSERT INTO x ${sql}`, "greptime");
    if (parsed?.statement.kind !== "insert" || parsed.statement.source.kind !== "query")
      throw new Error("no query");
    const plan = planInsert(parsed.statement.source.query, targets, testEnv({ timezone }));
    expect(plan.fields).toEqual(targets.map(({ name, type }) => ({ name, type })));
    const ran = await db.runPlan(plan);
    expect(ran.types).toEqual(["VARCHAR", "TIMESTAMP_MS", "DOUBLE"]);
    return ran.rows.map((row) => row.map(String).join(" | "));
  }

  test("VALUES with calls, DEFAULT, and values of several types in one column", async () => {
    expect(
      await rows(
        "VALUES ('a', now(), 1), (NULL, 1704067200000, 2.5), ('b', DEFAULT, DEFAULT), ('c', '2024-01-01T00:00:00Z', '7')",
      ),
    ).toEqual([
      "a | 2024-06-01 12:00:00.123 | 1",
      "null | 2024-01-01 00:00:00 | 2.5",
      "b | 2024-06-01 12:00:00.123 | -1.5",
      "c | 2024-01-01 00:00:00 | 7",
    ]);
    expect(NOW_NS).toBe(1_717_243_200_123_456_789n);
  });

  test("SELECT by position, cast to the targets", async () => {
    expect(await rows("SELECT host, ts, n FROM t WHERE n = 10")).toEqual([
      "b | 2024-01-01 00:00:00 | 10",
    ]);
    expect(await rows("SELECT n, ts, v FROM t WHERE n = 10")).toEqual([
      "10 | 2024-01-01 00:00:00 | 1.5",
    ]);
    expect(await rows("SELECT * FROM (SELECT host, us, u8 FROM u WHERE host = 'a')")).toEqual([
      "a | 2024-05-06 07:08:09.123 | 200",
    ]);
  });

  test("plain strings are read in the session's zone, casts in UTC", async () => {
    expect(await rows("SELECT 'a', '2024-01-01 08:00:00', 1", "+08:00")).toEqual([
      "a | 2024-01-01 00:00:00 | 1",
    ]);
    expect(await rows("SELECT 'a', '2024-01-01 08:00:00'::TIMESTAMP, 1", "+08:00")).toEqual([
      "a | 2024-01-01 08:00:00 | 1",
    ]);
    expect(await rows("VALUES ('a' || 'b', '2024-01-01 08:00:00', 1)", "Asia/Shanghai")).toEqual([
      "ab | 2024-01-01 00:00:00 | 1",
    ]);
  });

  test("the number of columns must match", async () => {
    await expect(rows("SELECT 1, 2")).rejects.toThrow("Column count doesn't match insert query!");
    await expect(rows("VALUES (1 + 1)")).rejects.toThrow(
      "Column count doesn't match insert query!",
    );
  });
});

describe("planDelete", () => {
  async function rows(where: string | undefined) {
    const text = `DELETE FROM t${where === undefined ? "" : ` WHERE ${where}`}`;
    const [parsed] = parseStatements(text, "greptime");
    if (parsed?.statement.kind !== "delete") throw new Error("no delete");
    const plan = planDelete({ db: "public", name: "t" }, parsed.statement.where, testEnv());
    expect(plan.fields.map((field) => field.name)).toEqual(["host", "region", "ts"]);
    const { rows } = await db.runPlan(plan);
    return rows.map((row) => row.map(String).join(" | ")).sort();
  }

  test("tags in key order and time of the rows under a condition", async () => {
    expect(await rows("n > 5 AND ts >= '2024-01-01 00:01:00'")).toEqual([
      "a | us | 2024-01-01 01:00:00.25",
      "b | eu | 2024-01-01 00:01:00",
    ]);
    expect(await rows(undefined)).toHaveLength(5);
    expect(await rows("host IN (SELECT host FROM u)")).toHaveLength(2);
  });

  test("refuses what is no condition, and tables that do not exist", async () => {
    await expect(rows("n")).rejects.toThrow("non-boolean predicate");
    await expect(rows("nope = 1")).rejects.toThrow("No field named nope");
    expect(() => planDelete({ db: "public", name: "nope" }, undefined, testEnv())).toThrow(
      "Table not found: greptime.public.nope",
    );
  });
});

describe("the session's time zone", () => {
  const value = async (sql: string, timezone: string) =>
    String((await db.run(sql, testEnv({ timezone }))).rows[0]?.[0]);

  test("reads strings beside timestamps", async () => {
    expect(await value("SELECT count(*) FROM t WHERE ts = '2024-01-01 08:00:00'", "+08:00")).toBe(
      "1",
    );
    expect(
      await value(
        "SELECT count(*) FROM t WHERE ts >= '2024-01-01 08:00:30' AND ts < '2024-01-01 09:00:00'",
        "Asia/Shanghai",
      ),
    ).toBe("2");
  });

  test("date_format and to_unixtime use it, casts and date_trunc do not", async () => {
    const one = "FROM t WHERE n = 10";
    expect(await value(`SELECT date_format(ts, '%F %T') ${one}`, "+08:00")).toBe(
      "2024-01-01 08:00:00",
    );
    expect(await value(`SELECT date_format(ts, '%F %T') ${one}`, "America/New_York")).toBe(
      "2023-12-31 19:00:00",
    );
    expect(
      await value("SELECT date_format('2024-07-01T12:00:00Z', '%F %T')", "America/New_York"),
    ).toBe("2024-07-01 08:00:00");
    expect(await value("SELECT to_unixtime('2024-01-01 08:00:00')", "+08:00")).toBe("1704067200");
    expect(await value(`SELECT ts::STRING ${one}`, "+08:00")).toBe("2024-01-01T00:00:00");
    expect(await value("SELECT timezone()", "+08:00")).toBe("+08:00");
  });
});

describe("mapEngineError", () => {
  async function mapped(sql: string) {
    try {
      await db.run(sql);
    } catch (error) {
      const { answer, message } = mapEngineError((error as Error).message);
      return `${answer.code} ${message}`;
    }
    return "no error";
  }

  test.each([
    ["SELECT n / (i - i) FROM t WHERE i = 1", "3001 Divide by zero error"],
    [
      "SELECT (n * 100)::TINYINT FROM t WHERE n = 10",
      "3001 Cast error: Can't cast value 1000 to type Int8",
    ],
    [
      "SELECT (v * 1e300)::BIGINT FROM t WHERE n = 10",
      "3001 Cast error: Can't cast value 1.5e+300 to type Int64",
    ],
    [
      "SELECT s::DOUBLE FROM t WHERE s = 'x'",
      "3001 Cast error: Cannot cast string 'x' to value of Float64 type",
    ],
    [
      "SELECT (n + 9223372036854775800) FROM t WHERE n = 10",
      "3001 Arithmetic overflow: Overflow happened on: 10 + 9223372036854775800",
    ],
    ["SELECT s ~ '(' FROM t", /^3001 .*missing \)/],
  ])("%s", async (sql, want) => {
    const got = await mapped(sql);
    if (typeof want === "string") expect(got).toBe(want);
    else expect(got).toMatch(want);
  });

  test("classes of messages", () => {
    const code = (message: string) => mapEngineError(message).code;
    expect(code("INTERRUPT Error: Interrupted!")).toBe("cancelled");
    expect(code("Out of Memory Error: failed to allocate 1 GiB")).toBe("resources_exhausted");
    expect(code("Binder Error: x")).toBe("plan_query");
    expect(code("Catalog Error: x")).toBe("plan_query");
    expect(code("Parser Error: x")).toBe("invalid_syntax");
    expect(code("Not implemented Error: x")).toBe("unsupported");
    expect(code("INTERNAL Error: x")).toBe("internal");
    expect(code("something else")).toBe("execute_query");
  });
});

test("a chain of thousands of ORs needs no deep stack", async () => {
  const where = Array.from({ length: 3_000 }, (_, i) => `host = 'h${i}'`).join(" OR ");
  const ran = await db.run(`SELECT n FROM t WHERE ${where} OR host = 'a'`);
  expect(ran.rows).toHaveLength(2);
  expect(ran.plan.tables[0]?.tagIn[0]?.values).toHaveLength(3_001);
});

test("nesting beyond reason is refused, not a crash", () => {
  const deep = `SELECT ${"(".repeat(5_000)}1${")".repeat(5_000)}`;
  expect(() => parseStatements(deep, "greptime")).toThrow("recursion limit exceeded");
});

test("planning a point query takes well under a millisecond", () => {
  const sql =
    "SELECT max(usage_user), date_trunc('minute', greptime_timestamp) FROM cpu WHERE hostname = 'host_0' AND greptime_timestamp >= '2023-06-11T00:00:00Z' AND greptime_timestamp < '2023-06-11T01:00:00Z' GROUP BY date_trunc('minute', greptime_timestamp)";
  for (let i = 0; i < 500; i++) db.plan(sql);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 30; round++) {
    const start = performance.now();
    for (let i = 0; i < 20; i++) db.plan(sql).sql(["cpu"]);
    best = Math.min(best, (performance.now() - start) / 20);
  }
  expect(best).toBeLessThan(0.3);
});
