/**
 * Text goldens of the SQL layer. `sql/<name>.sql` holds statements that end in `;` at the end of a line; beside it
 * `<name>.result` holds each statement and what came of it. What is shown depends on the name's first word:
 *   parse_*  the statement as printed again, or the error
 *   plan_*   DuckDB's text, and for each scan its columns, time range and tags
 *   query_*  headings with types, and the rows that DuckDB computes over the tables of the fixture
 * UPDATE_GOLDEN=1 writes the results anew: read the diff against the specification before keeping it.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DbError } from "../../src/base/mod.ts";
import { formatStatement, mapEngineError, parseStatements } from "../../src/sql/mod.ts";
import { TestDatabase } from "../../src/sql/testing/fixture.ts";
import { duckTypeName, typeName } from "../../src/types/mod.ts";

const folder = join(import.meta.dirname, "sql");
const db = new TestDatabase();

beforeAll(() => db.open());
afterAll(() => db.close());

function statementsOf(text: string): string[] {
  return text
    .split(/;[ \t]*\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

function errorText(error: unknown): string {
  if (!(error instanceof DbError)) throw error;
  return `Error: ${error.answer.code}(${error.answer.name}), ${error.message}`;
}

function show(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${value}'`;
  return String(value);
}

function runParse(statement: string): string {
  return parseStatements(statement, "greptime")
    .map((parsed) => formatStatement(parsed.statement))
    .join(";\n");
}

function runPlan(statement: string): string {
  const plan = db.plan(statement);
  const lines = [plan.sql(plan.tables.map((table) => table.table.name))];
  for (const { table, columns, timeMin, timeMax, tagIn } of plan.tables) {
    let line = `scan ${table.name} columns ${columns.join(",")}`;
    if (timeMin !== undefined || timeMax !== undefined)
      line += ` time [${timeMin ?? ""}, ${timeMax ?? ""}]`;
    for (const { id, values } of tagIn) line += ` tag ${id} in (${values.map(show).join(", ")})`;
    lines.push(line);
  }
  return lines.join("\n");
}

/** DuckDB quotes the fields of structs in type names; it also leaves out blanks. */
const plainType = (name: string) => name.replaceAll('"', "").replace(/,\s+/g, ",");

async function runQuery(statement: string): Promise<string> {
  const plan = db.plan(statement);
  let ran: Awaited<ReturnType<TestDatabase["runPlan"]>>;
  try {
    ran = await db.runPlan(plan);
  } catch (error) {
    throw mapEngineError((error as Error).message);
  }
  const types = plan.fields.map((field) => plainType(duckTypeName(field.type)));
  expect(ran.types.map(plainType), statement).toEqual(types);
  const heading = plan.fields.map((field) => `${field.name}: ${typeName(field.type)}`);
  const rows = ran.rows.map((row) => row.map(show).join(" | "));
  return [heading.join(" | "), ...rows].join("\n");
}

const RUNNERS: Readonly<Record<string, (statement: string) => string | Promise<string>>> = {
  parse: runParse,
  plan: runPlan,
  query: runQuery,
};

describe.each(readdirSync(folder).filter((name) => name.endsWith(".sql")))("%s", (file) => {
  test("gives the golden result", async () => {
    const run = RUNNERS[file.split("_")[0]!]!;
    const blocks: string[] = [];
    for (const statement of statementsOf(readFileSync(join(folder, file), "utf8"))) {
      const bare = statement.replace(/^(--.*\n)+/, "");
      let result: string;
      try {
        result = await run(bare);
      } catch (error) {
        result = errorText(error);
      }
      blocks.push(`${bare};\n\n${result}\n`);
    }
    const actual = blocks.join("\n");
    const path = join(folder, file.replace(/\.sql$/, ".result"));
    if (process.env.UPDATE_GOLDEN === "1") writeFileSync(path, actual);
    expect(actual).toBe(readFileSync(path, "utf8"));
  });
});
