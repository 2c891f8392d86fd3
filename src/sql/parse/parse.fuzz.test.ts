/** The parser under random texts: whatever comes in, an answer or a DbError comes out, and printing is stable. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DbError } from "../../base/mod.ts";
import type { Expr, ParsedStatement, Statement } from "../ast.ts";
import type { Dialect } from "../dialect.ts";
import { formatStatement, parseExpression, parseStatements } from "../mod.ts";
import { printExpr } from "../print/expr.ts";

const seed = Number(process.env.SEED ?? crypto.getRandomValues(new Uint32Array(1))[0]);
const runs = Number(process.env.RUNS ?? 400);
const again = `SEED=${seed} npx vitest run src/sql/parse/parse.fuzz.test.ts`;
const settings = { seed: seed | 0, numRuns: runs, verbose: true };
const dialects: readonly Dialect[] = ["greptime", "mysql", "postgres"];

/** Every statement of the goldens: the corpus to mutate. */
const corpus = (() => {
  const folder = join(import.meta.dirname, "../../../test/golden/sql");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split(/;[ \t]*\n/))
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
})();

function parse(text: string, dialect: Dialect): ParsedStatement[] | undefined {
  try {
    return parseStatements(text, dialect);
  } catch (error) {
    if (!(error instanceof DbError))
      throw new Error(`${again}\non: ${JSON.stringify(text)}`, { cause: error });
    return undefined;
  }
}

/** Literal rows hold offsets into their text, and `(- 1)` becomes a literal once printed: compare the text. */
function comparable(statement: Statement): unknown {
  if (statement.kind === "explain")
    return { ...statement, statement: comparable(statement.statement) };
  return statement.kind === "insert" ? formatStatement(statement) : statement;
}

function checkRoundTrip(text: string): void {
  for (const { statement } of parse(text, "greptime") ?? []) {
    const printed = formatStatement(statement);
    let reparsed: ParsedStatement[];
    try {
      reparsed = parseStatements(printed, "greptime");
    } catch (error) {
      throw new Error(`${again}\n${JSON.stringify(text)} was printed as ${printed}`, {
        cause: error,
      });
    }
    expect(
      reparsed.map((p) => comparable(p.statement)),
      `${again}\n${text}\n${printed}`,
    ).toEqual([comparable(statement)]);
  }
}

describe("the corpus", () => {
  test("parses to what its printed form parses to", () => {
    expect(corpus.length).toBeGreaterThan(500);
    for (const text of corpus) checkRoundTrip(text);
  });

  test("every prefix gives an answer or a DbError, in every dialect", () => {
    for (const text of corpus.slice(0, 150))
      for (let end = 0; end < text.length; end += 3)
        for (const dialect of dialects) parse(text.slice(0, end), dialect);
  });
});

describe("random texts", () => {
  test("bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        for (const dialect of dialects) parse(text, dialect);
      }),
      settings,
    );
  });

  test("words and operators", () => {
    const pieces = [
      ..."select from where group by order limit ( ) , ; . * + - / % :: [ ] { } ' \" ` = <> < >= and or not in is null like between case when then else end cast as interval '1 day' 1 1.5 a t. count( over ( partition insert into values ( 1 ) create table time index with union all range '5s' align fill exists ( select".split(
        " ",
      ),
      "\n",
      "--",
      "/*",
      "*/",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (words) => {
        const text = words.join(" ");
        for (const dialect of dialects) parse(text, dialect);
        checkRoundTrip(text);
      }),
      settings,
    );
  });

  test("mutations of statements", () => {
    const mutation = fc.record({
      text: fc.constantFrom(...corpus),
      at: fc.nat(),
      cut: fc.nat({ max: 8 }),
      put: fc.oneof(
        fc.constantFrom(
          "",
          "(",
          ")",
          "'",
          '"',
          ",",
          ";",
          " ",
          "--",
          "/*",
          "NOT ",
          "::INT",
          "\0",
          "é",
        ),
        fc.string({ maxLength: 4 }),
      ),
    });
    fc.assert(
      fc.property(mutation, ({ text, at, cut, put }) => {
        const from = at % (text.length + 1);
        const mutated = text.slice(0, from) + put + text.slice(from + cut);
        for (const dialect of dialects) parse(mutated, dialect);
        checkRoundTrip(mutated);
      }),
      settings,
    );
  });
});

describe("random expressions", () => {
  const leaf: fc.Arbitrary<Expr> = fc.oneof(
    fc.constantFrom<Expr>(
      { kind: "null" },
      { kind: "bool", value: true },
      { kind: "number", text: "1" },
      { kind: "number", text: "2.5e3" },
      { kind: "column", name: [{ name: "a", quoted: false }] },
      {
        kind: "column",
        name: [
          { name: "T x", quoted: true },
          { name: "B", quoted: true },
        ],
      },
      {
        kind: "typed_string",
        type: { spelled: "DATE", type: { kind: "date" } },
        value: "2024-01-01",
      },
    ),
    fc.string({ maxLength: 5 }).map((value): Expr => ({ kind: "string", value })),
  );
  const { expr } = fc.letrec<{ expr: Expr }>((tie) => {
    const e = tie("expr");
    const node: fc.Arbitrary<Expr> = fc.oneof(
      fc.record({
        kind: fc.constant("binary" as const),
        op: fc.constantFrom(
          "or",
          "and",
          "xor",
          "=",
          "!=",
          "<",
          "+",
          "-",
          "*",
          "/",
          "||",
          "&",
          "|",
          "^",
          "<<",
          "~",
          "@@",
        ),
        left: e,
        right: e,
      }),
      fc.record({
        kind: fc.constant("unary" as const),
        op: fc.constantFrom("-", "+", "not", "~"),
        expr: e,
      }),
      fc.record({
        kind: fc.constant("is" as const),
        expr: e,
        test: fc.constantFrom("null", "true", "unknown"),
        negated: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant("distinct_from" as const),
        left: e,
        right: e,
        negated: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant("between" as const),
        expr: e,
        low: e,
        high: e,
        negated: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant("in_list" as const),
        expr: e,
        list: fc.array(e, { minLength: 1, maxLength: 3 }),
        negated: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant("like" as const),
        expr: e,
        pattern: e,
        escape: fc.constantFrom(undefined, "!"),
        op: fc.constantFrom("like", "ilike", "similar to", "regexp"),
        negated: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant("cast" as const),
        expr: e,
        type: fc.constant({ spelled: "BIGINT", type: { kind: "int64" as const } }),
        style: fc.constantFrom("cast", "try_cast", "::"),
      }),
      fc.record({
        kind: fc.constant("case" as const),
        operand: fc.option(e, { nil: undefined }),
        whens: fc.array(fc.record({ when: e, result: e }), { minLength: 1, maxLength: 2 }),
        otherwise: fc.option(e, { nil: undefined }),
      }),
      fc.record({ kind: fc.constant("index" as const), expr: e, index: e }),
      fc.record({ kind: fc.constant("at_time_zone" as const), expr: e, zone: e }),
      fc.record({ kind: fc.constant("array" as const), items: fc.array(e, { maxLength: 3 }) }),
      fc.array(e, { maxLength: 3 }).map(
        (args): Expr => ({
          kind: "function",
          name: [{ name: "f", quoted: false }],
          args,
          distinct: false,
          orderBy: [],
          withinGroup: [],
        }),
      ),
    );
    return { expr: fc.oneof({ depthSize: "small", withCrossShrink: true }, leaf, node) };
  });

  test("print to a text that parses to the same tree", () => {
    fc.assert(
      fc.property(expr, (tree) => {
        const printed = printExpr(tree);
        expect(parseExpression(printed, "greptime"), `${again}\n${printed}`).toEqual(tree);
      }),
      settings,
    );
  });
});
