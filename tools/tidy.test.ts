/**
 * The house rules that a compiler does not know: who may import whom, what only one folder may touch, how long a file may be.
 * A rule is loosened here, in the open, or not at all.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Low to high: a folder imports only folders to its left. Folders below protocol/ share a place and never import each other. */
const ORDER = [
  ...["base", "types", "kernel", "codec", "parquet", "disk", "duck", "wal", "storage", "catalog"],
  ...["sql", "query", "ingest", "auth", "net", "protocol", "server"],
];

const LINES_MAX = 400;
/** Files that are longer, with how long they may be: this list only shrinks. */
const RATCHET: Readonly<Record<string, number>> = {};

function files(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return /^(node_modules|dist|out|generated)$/.test(entry.name) ? [] : files(path);
    return [path];
  });
}
const isTest = (path: string) => /\.(test|fuzz|bench)\.ts$|(^|\/)testing(\.ts$|\/)/.test(path);
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
/** The text with comments blanked out, so that a rule may be spoken of. Line numbers stay. */
const code = (path: string) =>
  read(path)
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .replace(/(^|\s)\/\/.*$/gm, "$1");

const sources = files("src").filter((path) => /\.c?ts$/.test(path));
const shipped = sources.filter((path) => !isTest(path));
const typescript = ["src", "kernels", "bench", "test", "tools", "ui"]
  .flatMap(files)
  .filter((path) => path.endsWith(".ts"));

/** "src/protocol/http/sql.ts" → "protocol/http"; "src/wal/x/y.ts" → "wal". */
function folderOf(path: string): string {
  const [, first, second] = path.split("/");
  return first === "protocol" ? `${first}/${second}` : first!;
}
const rank = (folder: string) => ORDER.indexOf(folder.split("/")[0]!);

interface Import {
  readonly from: string;
  readonly to: string;
}
function importsOf(path: string): Import[] {
  const pattern = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;
  return [...code(path).matchAll(pattern)].map((match) => ({
    from: path,
    to: relative(ROOT, join(ROOT, dirname(path), match[1]!)),
  }));
}

/** Every match of a pattern in a file, as "path:line text". */
function found(path: string, pattern: RegExp): string[] {
  return code(path)
    .split("\n")
    .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : []));
}

describe("arrows", () => {
  const crossing = shipped
    .flatMap(importsOf)
    .filter(({ from, to }) => to.startsWith("src/") && folderOf(from) !== folderOf(to));

  test("every folder has its place", () => {
    const unknown = new Set(sources.map(folderOf).filter((folder) => rank(folder) < 0));
    expect([...unknown]).toEqual([]);
    expect(crossing.length).toBeGreaterThan(100);
  });

  test("a folder imports only folders below it", () => {
    const wrong = crossing.filter(({ from, to }) => rank(folderOf(from)) <= rank(folderOf(to)));
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("through the front door: mod.ts, or api.ts for its types", () => {
    const wrong = crossing.filter(({ to }) => !/\/(mod|api)\.ts$/.test(to));
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("the server's code imports nothing from bench, test, tools or ui, and ui nothing from it", () => {
    const wrong = [
      ...shipped.flatMap(importsOf).filter(({ to }) => !to.startsWith("src/")),
      ...files("ui")
        .filter((path) => path.endsWith(".ts"))
        .flatMap(importsOf)
        .filter(({ to }) => !to.startsWith("ui/")),
    ];
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });
});

describe("what comes in through the door", () => {
  const outside = (...folders: string[]) =>
    shipped.filter((path) => !folders.some((folder) => path.startsWith(`src/${folder}`)));

  test("time: no clock but the one handed in", () => {
    const pattern = /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bhrtime\b/;
    const wrong = outside("server/", "base/clock.ts").flatMap((path) => found(path, pattern));
    expect(wrong).toEqual([]);
  });

  test("files: only disk/ and, for what is not data, server/ and the kernels' loader", () => {
    const wrong = outside("server/", "disk/", "kernel/load.ts").flatMap((path) =>
      found(path, /"(node:)?fs(\/promises)?"/),
    );
    expect(wrong).toEqual([]);
  });

  test("the process: only server/ ends it, reads its environment or its arguments", () => {
    const pattern = /\bprocess\.(exit|env|argv|exitCode|on)\b/;
    const wrong = outside("server/").flatMap((path) => found(path, pattern));
    expect(wrong).toEqual([]);
  });

  test("no console: there is a log", () => {
    expect(shipped.flatMap((path) => found(path, /\bconsole\./))).toEqual([]);
  });
});

describe("files", () => {
  test(`at most ${LINES_MAX} lines, and the ratchet only goes down`, () => {
    const wrong: string[] = [];
    for (const path of [
      ...shipped,
      ...typescript.filter((path) => /^(kernels|ui|bench)/.test(path)),
    ]) {
      const lines = read(path).split("\n").length - 1;
      const allowed = RATCHET[path];
      if (allowed === undefined && lines > LINES_MAX) wrong.push(`${path} has ${lines} lines`);
      if (allowed !== undefined && lines > allowed) wrong.push(`${path} grew to ${lines} lines`);
      if (allowed !== undefined && lines <= LINES_MAX) wrong.push(`${path} left the ratchet list`);
    }
    expect(wrong).toEqual([]);
  });

  test("each opens by saying what it holds", () => {
    const wrong = shipped.filter((path) => !/^(#!.*\n)?\/\*\*/.test(read(path)));
    expect(wrong).toEqual([]);
  });

  test("nothing is left for later, switched off or let through", () => {
    const marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X"].join("|");
    const pattern = new RegExp(
      `\\b(${marks})\\b|\\.(only|skip|todo)\\(|@ts-(ignore|nocheck)|biome-ignore lint|\\bas any[;,)\\]>]`,
    );
    const wrong = typescript
      .filter((path) => path !== "tools/tidy.test.ts")
      .flatMap((path) =>
        read(path)
          .split("\n")
          .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : [])),
      );
    expect(wrong).toEqual([]);
  });
});

test("every dependency is explained in docs/dependencies.md", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  const page = read("docs/dependencies.md");
  const missing = Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) => !page.includes(`\`${name}\``),
  );
  expect(missing).toEqual([]);
});
