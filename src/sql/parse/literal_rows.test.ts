/** The fast path of INSERT … VALUES: what it reads, what it leaves to the parser, and how fast. */
import { describe, expect, test } from "vitest";
import { CELL, cellText, type Insert } from "../ast.ts";
import type { Dialect } from "../dialect.ts";
import { parseStatements } from "../mod.ts";

function insert(values: string, dialect: Dialect = "greptime"): Insert {
  const [parsed] = parseStatements(`INSERT INTO t VALUES ${values}`, dialect);
  if (parsed?.statement.kind !== "insert") throw new Error("no insert");
  return parsed.statement;
}

function cells(values: string, dialect: Dialect = "greptime"): unknown[] {
  const { source } = insert(values, dialect);
  if (source.kind !== "literals") return ["not literal"];
  const names = Object.fromEntries(Object.entries(CELL).map(([name, kind]) => [kind, name]));
  return Array.from(source.rows.kinds, (kind, i) => [names[kind], cellText(source.rows, i)]);
}

describe("literals", () => {
  test("of every kind", () => {
    expect(
      cells("(1, -2, +3, 1.5, .5, 1., -1e3, 'a', '', NULL, true, False, DEFAULT, X'4a')"),
    ).toEqual([
      ["integer", "1"],
      ["integer", "-2"],
      ["integer", "+3"],
      ["decimal", "1.5"],
      ["decimal", ".5"],
      ["decimal", "1."],
      ["decimal", "-1e3"],
      ["string", "a"],
      ["string", ""],
      ["null", "NULL"],
      ["true", "true"],
      ["false", "False"],
      ["default", "DEFAULT"],
      ["hex", "4a"],
    ]);
  });

  test("doubled quotes, and double quotes by dialect", () => {
    expect(cells(`('it''s', "a""b")`)).toEqual([
      ["escaped", "it's"],
      ["escaped", 'a"b'],
    ]);
    expect(cells(`('a', "b")`, "postgres")).toEqual(["not literal"]);
  });

  test("backslashes escape only in MySQL", () => {
    expect(cells(String.raw`('a\nb', 'c\'d')`, "mysql")).toEqual([
      ["escaped", "a\nb"],
      ["escaped", "c'd"],
    ]);
    expect(cells(String.raw`('a\nb')`)).toEqual([["string", String.raw`a\nb`]]);
  });

  test("trailing commas, blanks, line ends", () => {
    expect(cells("\n( 1 ,\t2, ) ,\r\n(3,4),")).toHaveLength(4);
  });
});

describe("what is no literal goes to the parser", () => {
  test.each([
    "(now())",
    "(1 + 1)",
    "(a)",
    "(1), (now())",
    "('1'::INT)",
    "(- 1)",
    "(1 /* c */)",
    "(TRUES)",
    "((1))",
  ])("%s", (values) => {
    expect(insert(values).source.kind).toBe("query");
  });
});

describe("shape", () => {
  test("rows and width", () => {
    const { source } = insert("(1, 2), (3, 4), (5, 6)");
    if (source.kind !== "literals") throw new Error("not literal");
    expect([source.rows.rows, source.rows.width, source.rows.ragged]).toEqual([3, 2, undefined]);
  });

  test("a row of another length is told, not stored", () => {
    const { source } = insert("(1, 2), (3), (4, 5)");
    if (source.kind !== "literals") throw new Error("not literal");
    expect([source.rows.rows, source.rows.ragged, source.rows.kinds.length]).toEqual([2, 1, 4]);
  });

  test("the next statement follows", () => {
    const statements = parseStatements("INSERT INTO t VALUES (1), (2); SELECT 1", "greptime");
    expect(statements.map((s) => s.text)).toEqual(["INSERT INTO t VALUES (1), (2)", "SELECT 1"]);
  });
});

test("a megabyte parses at more than 10 MB/s", () => {
  const row = "('host_1', 1700000000000, 55.25, 'some text'),";
  const text = `INSERT INTO t VALUES ${row.repeat(25_000)}`;
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    parseStatements(text, "greptime");
    best = Math.min(best, performance.now() - start);
  }
  expect(text.length / 1e6 / (best / 1e3)).toBeGreaterThan(10);
});
