import { expect, test } from "vitest";
import type { TableInfo } from "../../catalog/mod.ts";
import { type ColumnSchema, T } from "../../types/mod.ts";
import { defaultSql, defaultText } from "./default_text.ts";
import { optionLines, withClause } from "./option_text.ts";
import { planLines, planRows } from "./plan_tree.ts";
import { createDatabaseText, createTableText, foreignTableText } from "./show_create.ts";
import { timestampText } from "./timestamp_text.ts";

const column = (
  id: number,
  name: string,
  type: ColumnSchema["type"],
  rest: Partial<ColumnSchema> = {},
): ColumnSchema => ({ id, name, type, role: "field", nullable: true, ...rest });

const table: TableInfo = {
  id: 1024,
  db: "public",
  name: "cpu",
  engine: "mito",
  createdAtMs: 0,
  regionIds: [],
  schema: {
    tableId: 1024,
    version: 0,
    columns: [
      column(0, "host", T.string, { role: "tag", indexes: { inverted: {} } }),
      column(1, 'a"b', T.uint32, { role: "tag", nullable: false, default: literal(7) }),
      column(2, "usage", T.float64, { default: literal(0), comment: "it's a gauge" }),
      column(3, "log", T.string, {
        indexes: { fulltext: { granularity: "10240", analyzer: "English" } },
        default: literal("o'k"),
      }),
      column(4, "ts", T.timestampMs, { role: "time", nullable: false, default: { kind: "now" } }),
    ],
    primaryKey: [0, 1],
    timeIndex: 4,
    nextColumnId: 5,
    options: { ttl: "7days", append_mode: "true", "compaction.type": "twcs" },
  },
};

function literal(value: string | number | bigint | boolean | null) {
  return { kind: "literal", value } as const;
}

test("SHOW CREATE TABLE has the exact layout", () => {
  expect(createTableText(table, undefined, '"')).toBe(`CREATE TABLE IF NOT EXISTS "cpu" (
  "host" STRING NULL INVERTED INDEX,
  "a""b" INT UNSIGNED NOT NULL DEFAULT 7,
  "usage" DOUBLE NULL DEFAULT 0.0 COMMENT 'it''s a gauge',
  "log" STRING NULL DEFAULT 'o''k' FULLTEXT INDEX WITH(analyzer = 'English', granularity = '10240'),
  "ts" TIMESTAMP(3) NOT NULL DEFAULT current_timestamp(),
  TIME INDEX ("ts"),
  PRIMARY KEY ("host", "a""b")
)

ENGINE=mito
WITH(
  append_mode = 'true',
  'compaction.type' = 'twcs',
  ttl = '7days'
)`);
});

test("without options the text ends in an empty line; the database's ttl is shown", () => {
  const bare = { ...table, schema: { ...table.schema, options: {}, primaryKey: [] } };
  expect(createTableText(bare, undefined, "`")).toMatch(
    /^ {2}TIME INDEX \(`ts`\)\n\)\n\nENGINE=mito\n$/m,
  );
  expect(createTableText(bare, "1day", '"')).toMatch(/ENGINE=mito\nWITH\(\n {2}ttl = '1day'\n\)$/);
});

test("a partition rule stands where the empty line was", () => {
  const partition = { columns: ["host"], expressions: ["host < 'm'", "host >= 'm'"] };
  expect(createTableText({ ...table, partition }, undefined, '"')).toContain(
    `\n)\nPARTITION ON COLUMNS ("host") (\n  host < 'm',\n  host >= 'm'\n)\nENGINE=mito\n`,
  );
});

test("a foreign table for PostgreSQL", () => {
  expect(foreignTableText(table)).toBe(`CREATE FOREIGN TABLE ft_cpu (
  "host" VARCHAR,
  "a""b" INT8,
  "usage" FLOAT8,
  "log" VARCHAR,
  "ts" TIMESTAMP
)
SERVER greptimedb
OPTIONS (table_name 'cpu')`);
});

test("SHOW CREATE DATABASE with and without options", () => {
  const db = { name: "d", handle: 1, createdAtMs: 0, options: {} };
  expect(createDatabaseText(db)).toBe("CREATE DATABASE IF NOT EXISTS d");
  expect(createDatabaseText({ ...db, options: { ttl: "7days" } })).toBe(
    "CREATE DATABASE IF NOT EXISTS d\nWITH(\n  ttl = '7days'\n)",
  );
});

test("options as lines, ttl first", () => {
  expect(optionLines({ append_mode: "true", ttl: "7days" })).toBe(
    "'ttl'='7days'\n'append_mode'='true'\n",
  );
  expect(withClause({})).toBeUndefined();
});

test.each([
  [0n, "s", "1970-01-01 00:00:00"],
  [1_700_000_000_123n, "ms", "2023-11-14 22:13:20.123"],
  [-1n, "ms", "1969-12-31 23:59:59.999"],
  [1n, "us", "1970-01-01 00:00:00.000001"],
  [1_460_549_358_372_198_212n, "ns", "2016-04-13 12:09:18.372198212"],
  [8_210_266_876_799n, "s", "+262142-12-31 23:59:59"],
  [-8_334_601_228_800n, "s", "-262143-01-01 00:00:00"],
] as const)("%s %s", (ticks, unit, want) => {
  expect(timestampText(ticks, unit)).toBe(want);
});

test("defaults bare and as SQL", () => {
  expect(defaultText(literal(0n), T.timestampMs)).toBe("1970-01-01 00:00:00+0000");
  expect(defaultSql(literal(0n), T.timestampMs)).toBe("'1970-01-01 00:00:00+0000'");
  expect(defaultSql(literal(null), T.string)).toBe("NULL");
  expect(defaultSql(literal("2024-01-02"), T.date)).toBe("'2024-01-02'");
  expect(defaultSql(literal(true), T.bool)).toBe("true");
});

test("plans as lists", () => {
  const plan = JSON.stringify([
    {
      name: "FILTER ",
      extra_info: { Expression: "a > 1", Type: "x" },
      children: [{ name: "SCAN", children: [] }],
    },
  ]);
  expect(planLines(plan)).toEqual(["FILTER: Expression=[a > 1]", "  SCAN"]);
  const ran = JSON.stringify({
    latency: 1,
    children: [
      {
        operator_name: "EXPLAIN_ANALYZE",
        operator_cardinality: 0,
        children: [
          { operator_name: "SCAN", operator_cardinality: 3, operator_timing: 0.0015, children: [] },
        ],
      },
    ],
  });
  expect(planLines(ran)).toEqual(["SCAN rows=3 time=1.500ms"]);
  expect(planRows(ran)).toBe(3);
});
