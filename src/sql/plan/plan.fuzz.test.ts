/**
 * The planner under mutated queries and random calls, on a real DuckDB. Planning gives a plan or a DbError; a plan is
 * SQL that DuckDB accepts, with the types that were promised; scans that hold only what the plan asked for give the
 * same rows as whole tables.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DbError } from "../../base/mod.ts";
import { duckTypeName } from "../../types/mod.ts";
import { AGGREGATES } from "../func/aggregate.ts";
import { functionNames, scalarFunction } from "../func/mod.ts";
import { WINDOW_FUNCTIONS } from "../func/window.ts";
import type { SelectPlan } from "../mod.ts";
import { TestDatabase } from "../testing/fixture.ts";

const seed = Number(process.env.SEED ?? crypto.getRandomValues(new Uint32Array(1))[0]);
const runs = Number(process.env.RUNS ?? 300);
const again = `SEED=${seed} npx vitest run src/sql/plan/plan.fuzz.test.ts`;
const settings = { seed: seed | 0, numRuns: runs, verbose: true };

const db = new TestDatabase();
beforeAll(() => db.open());
afterAll(() => db.close());

const corpus = (() => {
  const folder = join(import.meta.dirname, "../../../test/golden/sql");
  return readdirSync(folder)
    .filter((name) => /^(query|plan)_.*\.sql$/.test(name))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split(/;[ \t]*\n/))
    .map((statement) => statement.replace(/^(--.*\n)+/, "").trim())
    .filter((statement) => statement !== "");
})();

/** Errors that data may cause; all others say that the text is not what DuckDB takes. */
const DATA_ERRORS =
  /^(Conversion|Out of Range|Invalid Input) Error|More than one row returned|Not implemented Error: Unsupported range/;

const plainType = (name: string) => name.replaceAll('"', "").replace(/,\s+/g, ",");
const volatile = /\b(random|rand|uuid)\(/i;

async function check(sql: string): Promise<void> {
  let plan: SelectPlan;
  try {
    plan = db.plan(sql);
  } catch (error) {
    if (error instanceof DbError) return;
    if (error instanceof Error && error.message.startsWith("no query")) return;
    throw new Error(`${again}\n${sql}`, { cause: error });
  }
  const text = plan.sql(plan.tables.map((table) => table.table.name));
  try {
    const ran = await db.runPlan(plan);
    expect(ran.types.map(plainType), `${again}\n${sql}\n${text}`).toEqual(
      plan.fields.map((field) => plainType(duckTypeName(field.type))),
    );
    if (volatile.test(sql)) return;
    const whole = await db.runPlan(plan, true);
    const sorted = (rows: readonly (readonly unknown[])[]) =>
      rows.map((row) => row.map(String).join("|")).sort();
    // LIMIT without ORDER BY may choose other rows.
    if (
      /\blimit\b|\bfetch\b|offset|first_value|last_value|array_agg|string_agg|nth_value|over/i.test(
        sql,
      )
    )
      expect(ran.rows.length, `${again}\n${sql}\n${text}`).toBe(whole.rows.length);
    else expect(sorted(ran.rows), `${again}\n${sql}\n${text}`).toEqual(sorted(whole.rows));
  } catch (error) {
    const { message } = error as Error;
    if (DATA_ERRORS.test(message)) return;
    throw new Error(`${again}\n${sql}\n${text}`, { cause: error });
  }
}

describe("queries", () => {
  test("of the corpus", async () => {
    for (const sql of corpus) await check(sql);
  });

  test("mutated", async () => {
    const words = corpus.flatMap((sql) => sql.split(/(?<=[\s(),])|(?=[\s(),])/));
    const mutation = fc.record({
      sql: fc.constantFrom(...corpus),
      at: fc.nat(),
      cut: fc.nat({ max: 3 }),
      put: fc.array(fc.constantFrom(...words), { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(mutation, async ({ sql, at, cut, put }) => {
        const tokens = sql.split(/(?<=[\s(),])|(?=[\s(),])/);
        tokens.splice(at % tokens.length, cut, ...put);
        await check(tokens.join(""));
      }),
      settings,
    );
  });
});

/** Arguments of every type: literals, columns, NULL. */
const argument = fc.constantFrom(
  "NULL",
  "1",
  "-3",
  "2.5",
  "0",
  "'a'",
  "''",
  "'2024-01-01 00:00:00'",
  "'5'",
  "true",
  "DATE '2024-02-29'",
  "INTERVAL '1 day'",
  "now()",
  "X'41'",
  "[1, 2]",
  "['a']",
  "'nan'::DOUBLE",
  "u.host",
  "u.ts",
  "u.name",
  "u.f",
  "u.d",
  "u.day",
  "u.u8",
  "u.u64",
  "u.bin",
  "u.us",
  "t.v",
  "t.n",
  "t.i",
  "t.b",
  "t.ts",
  "cpu.greptime_timestamp",
);
const FROM = "FROM t JOIN u ON t.host = u.host CROSS JOIN cpu";

describe("calls with arguments of every type", () => {
  const scalars = [...functionNames()];

  test("scalar functions", async () => {
    const call = fc.constantFrom(...scalars).chain((name) => {
      const { min, max } = scalarFunction(name)!;
      return fc
        .array(argument, { minLength: min, maxLength: Math.min(max, min + 2) })
        .map((args) => `${name}(${args.join(", ")})`);
    });
    await fc.assert(
      fc.asyncProperty(call, (text) => check(`SELECT ${text} AS x ${FROM}`)),
      { ...settings, numRuns: runs * 3 },
    );
  });

  test("aggregates", async () => {
    const call = fc
      .tuple(
        fc.constantFrom(...AGGREGATES.keys()),
        fc.array(argument, { minLength: 1, maxLength: 2 }),
        fc.constantFrom("", " ORDER BY t.ts", " ORDER BY t.n DESC"),
        fc.constantFrom("", " FILTER (WHERE t.b)"),
        fc.constantFrom("", " GROUP BY t.region"),
      )
      .map(
        ([name, args, order, filter, group]) =>
          `SELECT ${name}(${args.join(", ")}${order})${filter} AS x ${FROM}${group}`,
      );
    await fc.assert(fc.asyncProperty(call, check), { ...settings, numRuns: runs * 2 });
  });

  test("window functions", async () => {
    const call = fc
      .tuple(
        fc.constantFrom(...WINDOW_FUNCTIONS.keys(), "sum", "avg", "count", "max", "first_value"),
        fc.array(argument, { maxLength: 3 }),
        fc.constantFrom(
          "",
          "PARTITION BY t.region",
          "ORDER BY t.n",
          "PARTITION BY t.host ORDER BY t.ts DESC",
        ),
        fc.constantFrom("", " ROWS 1 PRECEDING", " RANGE UNBOUNDED PRECEDING"),
      )
      .map(
        ([name, args, window, frame]) =>
          `SELECT ${name}(${args.join(", ")}) OVER (${window}${frame}) AS x ${FROM}`,
      );
    await fc.assert(fc.asyncProperty(call, check), settings);
  });

  test("operators and predicates", async () => {
    const op = fc.constantFrom(
      ..."+ - * / % = <> < <= > >= || & | ^ << >> ~ !~ AND OR LIKE".split(" "),
      "IS DISTINCT FROM",
      "NOT LIKE",
    );
    const shape = fc.tuple(argument, op, argument).map(([a, o, b]) => `${a} ${o} ${b}`);
    const other = fc
      .tuple(
        argument,
        argument,
        argument,
        fc.constantFrom(
          "TINYINT",
          "INT",
          "BIGINT",
          "UINT8",
          "BIGINT UNSIGNED",
          "FLOAT",
          "DOUBLE",
          "BOOLEAN",
          "STRING",
          "BINARY",
          "DATE",
          "TIMESTAMP(0)",
          "TIMESTAMP",
          "TIMESTAMP(6)",
          "TIMESTAMP(9)",
          "DECIMAL(10, 2)",
          "INTERVAL",
        ),
        fc.nat({ max: 6 }),
      )
      .map(
        ([a, b, c, type, kind]) =>
          [
            `${a} IN (${b}, ${c})`,
            `${a} BETWEEN ${b} AND ${c}`,
            `CASE WHEN ${a} THEN ${b} ELSE ${c} END`,
            `CASE ${a} WHEN ${b} THEN 1 END`,
            `coalesce(${a}, ${b}, ${c})`,
            `CAST(${a} AS ${type})`,
            `TRY_CAST(${a} AS ${type})`,
          ][kind]!,
      );
    await fc.assert(
      fc.asyncProperty(fc.oneof(shape, other), (text) => check(`SELECT ${text} AS x ${FROM}`)),
      { ...settings, numRuns: runs * 3 },
    );
  });

  test("conditions on the time index and tags prune no row that counts", async () => {
    const literal = fc.oneof(
      fc.integer({ min: -2, max: 3_700_000 }).map((ms) => `${1_704_067_199_000 + ms}`),
      fc
        .tuple(
          fc.integer({ min: -1, max: 3_700 }),
          fc.constantFrom("", ".25", ".2500001", ".999999999", ".0000001"),
        )
        .map(
          ([s, f]) =>
            `'${new Date(1_704_067_200_000 + s * 1_000).toISOString().slice(0, 19)}${f}Z'`,
        ),
    );
    const atom = fc.oneof(
      fc
        .tuple(fc.constantFrom("<", "<=", ">", ">=", "=", "!="), literal, fc.boolean())
        .map(([op, l, flip]) => (flip ? `${l} ${op} ts` : `ts ${op} ${l}`)),
      fc.tuple(literal, literal).map(([a, b]) => `ts BETWEEN ${a} AND ${b}`),
      fc.constantFrom(
        "host = 'a'",
        "'b' = host",
        "host IN ('a', 'b')",
        "host IS NULL",
        "host NOT IN ('a')",
        "region = 'eu'",
        "n > 5",
        "host IN ('a', NULL)",
        "host = region",
      ),
    );
    const condition = fc
      .tuple(
        atom,
        fc.array(fc.tuple(fc.constantFrom(" AND ", " OR "), fc.boolean(), atom), { maxLength: 4 }),
      )
      .map(
        ([first, rest]) =>
          first + rest.map(([glue, negate, a]) => `${glue}${negate ? `NOT (${a})` : a}`).join(""),
      );
    const from = fc.constantFrom(
      "SELECT n FROM t",
      "SELECT n FROM (SELECT * FROM t WHERE n < 15) q",
      "SELECT n FROM (SELECT host, region, max(ts) AS ts, sum(n) AS n FROM t GROUP BY host, region) q",
      "SELECT n FROM (SELECT * FROM t ORDER BY n LIMIT 2) q",
      "SELECT n, p.x FROM (SELECT host AS x FROM cpu JOIN u ON true) p LEFT JOIN t ON p.x = t.host",
      "SELECT n, p.x FROM t RIGHT JOIN (SELECT 'b' AS x UNION ALL SELECT 'zz') p ON p.x = t.host",
      "SELECT n FROM (SELECT t.*, p.x FROM (VALUES ('b'), ('zz')) AS p(x) LEFT JOIN t ON p.x = t.host) q",
      "SELECT n FROM (SELECT *, row_number() OVER (ORDER BY n) AS r FROM t) q",
      "SELECT last_value(n ORDER BY ts) FROM t",
      "SELECT t.n FROM t FULL JOIN (SELECT 'a' AS host UNION ALL SELECT 'y') p USING (host)",
    );
    await fc.assert(
      fc.asyncProperty(from, condition, (query, where) => check(`${query} WHERE ${where}`)),
      { ...settings, numRuns: runs * 3 },
    );
  });
});
