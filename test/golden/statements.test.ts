/**
 * Text goldens: each `statements/*.sql` runs on a stack of its own, statement by statement in one session, and must give
 * `*.result` exactly. `UPDATE=1 npx vitest run test/golden` writes the results anew: read the diff before you commit it.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { DbError } from "../../src/base/mod.ts";
import { SqlStack, session } from "../harness/sql_stack.ts";

const folder = fileURLToPath(new URL("statements", import.meta.url));

/** Statements of a file: each ends with a semicolon at the end of a line; comments before it belong to it. */
function statementsOf(text: string): string[] {
  return text
    .split(/;[ \t]*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

async function resultOf(sql: string): Promise<string> {
  const stack = await SqlStack.start();
  const on = session();
  const parts: string[] = [];
  try {
    for (const statement of statementsOf(sql)) {
      let answer: string;
      try {
        answer = await stack.text(statement, on);
      } catch (error) {
        if (!(error instanceof DbError)) throw error;
        answer = `Error: ${error.answer.code}(${error.answer.name}), ${error.message}\n`;
      }
      parts.push(`${statement};\n\n${answer}`);
    }
  } finally {
    await stack.stop();
  }
  return parts.join("\n");
}

const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();

test.each(files)("%s", async (name) => {
  const path = join(folder, name.replace(/\.sql$/, ".result"));
  const got = await resultOf(await readFile(join(folder, name), "utf8"));
  if (process.env.UPDATE === "1") await writeFile(path, got);
  else expect(got).toBe(await readFile(path, "utf8"));
});
