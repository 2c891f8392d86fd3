/**
 * Damaged bytes in a data home, under a real server: log, manifest, catalog, series files and SSTs, cut or flipped at random places. The
 * server starts, or says in one line which file is damaged and ends; what it serves is what was written; damage is reported.
 * TRIES=50 for the long form; SEED=n repeats the places.
 */
import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { prng } from "../harness/prng.ts";
import { TestServer } from "../harness/server.ts";

const tries = Number(process.env.TRIES ?? 3);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const timeout = 60_000 + tries * 20_000;

/** A data home as kill -9 left it: two flushed files of table a, one of b, and rows of both in the log only. */
let model: string;
let home: string;
let server: TestServer | undefined;
let random: () => number;

const day = 86_400_000;
const perBatch = 400;
/** Row i of a table: everything in it follows from i. */
const line = (table: string, i: number, time: number) =>
  `${table},host=h${i % 7} v=${i}i,f=${i / 8},t="text ${i}" ${time}`;
const batch = (table: string, first: number, time: number) =>
  Array.from({ length: perBatch }, (_, i) => line(table, first + i, time + i)).join("\n");

beforeAll(async () => {
  random = prng(seed);
  model = await mkdtemp(join(tmpdir(), "tidemark-damage-model-"));
  const first = await TestServer.start({ dataHome: model });
  const write = async (lines: string) =>
    expect((await first.write(lines, { precision: "ms" })).status).toBe(204);
  await write(batch("a", 0, 1_000));
  await write(batch("b", 0, 1_000));
  await first.sql("ADMIN FLUSH_TABLE('a')");
  await write(batch("a", perBatch, 100 * day));
  for (const table of ["a", "b"]) await first.sql(`ADMIN FLUSH_TABLE('${table}')`);
  for (let k = 2; k < 12; k++)
    for (const table of ["a", "b"]) await write(batch(table, k * perBatch, 200 * day + k * 1_000));
  await first.kill9();
  // A socket, which cannot be copied.
  await rm(join(model, ".lock"), { recursive: true, force: true });
}, 180_000);
afterAll(() => rm(model, { recursive: true, force: true }));
afterEach(async () => {
  await server?.dispose();
  server = undefined;
  if (home !== undefined) await rm(home, { recursive: true, force: true });
});

/** The paths below the data home whose names match. */
async function files(pattern: RegExp): Promise<string[]> {
  const entries = await readdir(model, { recursive: true });
  return entries.filter((name) => pattern.test(name)).sort();
}

interface Start {
  /** undefined: the server runs. Else what it said before it ended. */
  readonly ended: string | undefined;
}

/** Copies the model, damages the copy, starts a server on it. */
async function startDamaged(damage: (home: string) => Promise<unknown>): Promise<Start> {
  await server?.dispose();
  if (home !== undefined) await rm(home, { recursive: true, force: true });
  home = await mkdtemp(join(tmpdir(), "tidemark-damage-"));
  await cp(model, home, { recursive: true });
  await damage(home);
  try {
    server = await TestServer.start({ dataHome: home });
    return { ended: undefined };
  } catch (error) {
    expect(String(error), "it ends by itself").toContain("the server ended with 1");
    return { ended: String(error) };
  }
}

async function flip(path: string, from: number, to: number): Promise<number> {
  const bytes = await readFile(path);
  const at = from + Math.floor(random() * (to - from));
  bytes[at]! ^= 1 << Math.floor(random() * 8);
  await writeFile(path, bytes);
  return at;
}

/** Rows that a table answers with, each checked against what was written; or the error's text. */
async function rowsOf(table: string, where = ""): Promise<Set<number> | string> {
  const sql = `SELECT host, v, f, t, CAST(greptime_timestamp AS BIGINT) FROM ${table} ${where}`;
  const answer = await server!.query(sql);
  if (answer.status !== 200) return answer.text;
  const rows = JSON.parse(answer.text).output[0].records.rows as unknown[][];
  const seen = new Set<number>();
  for (const [host, v, f, t] of rows) {
    const i = v as number;
    expect(seen.has(i), `row ${i} twice`).toBe(false);
    seen.add(i);
    // The tag may be lost with the record that brought it; no row may have another's.
    if (!String(host).startsWith("lost series"))
      expect(host, `tag of row ${i} of ${table}`).toBe(`h${i % 7}`);
    expect([f, t], `row ${i} of ${table}`).toEqual([i / 8, `text ${i}`]);
  }
  return seen;
}

const all = (batches: number) => Array.from({ length: batches * perBatch }, (_, i) => i);
const flushed = { a: 2, b: 1 } as const;

describe(`SEED=${seed}`, () => {
  test("the last log segment is cut anywhere", { timeout }, async () => {
    const segment = (await files(/\.wal$/)).at(-1)!;
    const { size } = await stat(join(model, segment));
    for (let i = 0; i < tries; i++) {
      const at = Math.floor(random() * size);
      const { ended } = await startDamaged((home) => truncate(join(home, segment), at));
      expect(ended, `cut at ${at}`).toBeUndefined();
      for (const table of ["a", "b"] as const) {
        const rows = await rowsOf(table);
        expect(rows, `cut at ${at}`).toBeInstanceOf(Set);
        // Whole batches from the front: what was flushed, and the log up to the cut.
        const count = (rows as Set<number>).size;
        expect(count % perBatch, `cut at ${at}`).toBe(0);
        expect(count).toBeGreaterThanOrEqual(flushed[table] * perBatch);
        for (const i of all(flushed[table])) expect((rows as Set<number>).has(i)).toBe(true);
      }
      expect((await server!.write(line("a", 99_999, 300 * day), { precision: "ms" })).status).toBe(
        204,
      );
    }
  });

  test("a bit of the log flips", { timeout }, async () => {
    const segment = (await files(/\.wal$/)).at(-1)!;
    const { size } = await stat(join(model, segment));
    for (let i = 0; i < tries; i++) {
      let at = 0;
      const { ended } = await startDamaged(async (home) => {
        at = await flip(join(home, segment), 0, size);
      });
      expect(ended, `flip at ${at}`).toBeUndefined();
      expect(server!.log, `flip at ${at}`).toMatch(/damage in the log|cut the torn tail|damages=0/);
      for (const table of ["a", "b"] as const) {
        const rows = await rowsOf(table);
        expect(rows, `flip at ${at}`).toBeInstanceOf(Set);
        for (const i of all(flushed[table])) expect((rows as Set<number>).has(i)).toBe(true);
        expect((rows as Set<number>).size, `flip at ${at}`).toBeGreaterThanOrEqual(
          (flushed[table] === 2 ? 12 : 11) * perBatch - 2 * perBatch,
        );
      }
    }
  });

  for (const [what, pattern] of [
    ["manifest", /\/manifest\//],
    ["catalog", /^metadata\//],
    ["series file", /\.series$/],
  ] as const)
    test(`a bit of a ${what} flips`, { timeout }, async () => {
      const names = await files(pattern);
      for (let i = 0; i < tries; i++) {
        const name = names[Math.floor(random() * names.length)]!;
        const { size } = await stat(join(model, name));
        const { ended } = await startDamaged((home) => flip(join(home, name), 0, size));
        // Either it is not needed (an older version, a pointer), or the end names the file.
        if (ended !== undefined) {
          const file = name.split("/").at(-1)!;
          expect(ended).toContain(file);
          expect(ended).toMatch(/is damaged|cannot be applied|is missing/);
          continue;
        }
        for (const table of ["a", "b"] as const)
          expect(await rowsOf(table), name).toEqual(
            new Set(
              table === "a" ? all(12) : [...all(1), ...all(12).filter((i) => i >= 2 * perBatch)],
            ),
          );
      }
    });

  for (const [what, from, to] of [
    ["footer", -300, 0],
    ["page", 4, -3_000],
  ] as const)
    test(`a bit of an SST's ${what} flips`, { timeout }, async () => {
      // The first table's files; one of them holds the rows of the first second.
      const names = await files(/\/1024\/.*\.parquet$/);
      for (let i = 0; i < tries; i++) {
        const name = names[Math.floor(random() * names.length)]!;
        const { size } = await stat(join(model, name));
        const { ended } = await startDamaged((home) =>
          flip(join(home, name), from < 0 ? size + from : from, size + to),
        );
        expect(ended).toBeUndefined();
        // At the latest when the look at all files is over.
        const deadline = performance.now() + 15_000;
        while (!server!.log.includes("an SST is damaged") && performance.now() < deadline)
          await new Promise((resolve) => setTimeout(resolve, 50));
        expect(server!.log).toContain(name);
        const answer = await rowsOf("a");
        expect(answer, "the query says which file is damaged").toMatch(/is damaged/);
        expect(answer).toContain(name);
        // Other times and tables go on, and so do writes.
        const sound = await rowsOf("a", "WHERE greptime_timestamp >= '1970-06-01'");
        expect(sound).toEqual(new Set(all(12).filter((i) => i >= 2 * perBatch)));
        expect((await rowsOf("b")) as Set<number>).toContain(0);
        expect((await server!.write("b v=1i 1")).status).toBe(204);
        const compaction = await server!.query("ADMIN COMPACT_TABLE('a')");
        expect(compaction.status).not.toBe(200);
        expect(compaction.text).toContain(name);
        expect((await fetch(`${server!.url}/health`)).status).toBe(200);
        const metrics = await (await fetch(`${server!.url}/metrics`)).text();
        expect(metrics).toMatch(/^tidemark_damaged_files 1$/m);
      }
    });

  test("an SST is missing", { timeout }, async () => {
    const [name] = await files(/\/1024\/.*\.parquet$/);
    const { ended } = await startDamaged((home) => rm(join(home, name!)));
    expect(ended).toBeUndefined();
    const answer = await rowsOf("a");
    expect(answer).toMatch(/is damaged: it is missing/);
    expect(answer).toContain(name);
    expect(await rowsOf("b")).toBeInstanceOf(Set);
  });
});
