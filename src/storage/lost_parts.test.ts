/** What a region does when a part of its data is damaged or gone: the rest is served, nothing is removed behind the user's back. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { T } from "../types/mod.ts";
import { TestEngine, testSchema } from "./testing.ts";

let db: TestEngine;
afterEach(async () => db.stop());

const t0 = 1_700_000_000_000_000_000n;
const row = (host: string, n: bigint) => ({ tags: { host }, time: t0 + n, fields: { n } });

test("a damaged record takes its own rows along, not those of series it defined", async () => {
  db = await TestEngine.start();
  await db.table("t", testSchema(1024, ["host"], { n: T.int64 }));
  await db.put("t", [row("a", 1n)]);
  await db.put("t", [row("second-host", 2n)]);
  await db.put("t", [row("c", 3n)]);
  await db.put("t", [row("second-host", 4n)]);
  const folder = join(db.home, "wal");
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".wal"))!);
  const bytes = readFileSync(file);
  bytes[bytes.indexOf("second-host")]! ^= 1;
  writeFileSync(file, bytes);
  await db.kill();
  expect(await db.read("t")).toEqual([
    `host=a @${t0 + 1n} n=1`,
    `host=c @${t0 + 3n} n=3`,
    `host=lost series 1 @${t0 + 4n} n=4`,
  ]);
  // The made-up series is one like any other from here on.
  await db.put("t", [row("second-host", 5n)]);
  await db.compact("t");
  await db.kill();
  expect(await db.read("t")).toHaveLength(4);
});

test("a region without its manifest does not start, and keeps its files", async () => {
  db = await TestEngine.start();
  await db.table("t", testSchema(1024, ["host"], { n: T.int64 }));
  await db.put("t", [row("a", 1n)]);
  await db.flush("t");
  const { path } = db.region("t").files()[0]!;
  const manifest = join(db.home, path.replace(/[^/]+$/, "manifest"));
  const saved = readdirSync(manifest).map(
    (name) => [name, readFileSync(join(manifest, name))] as const,
  );
  rmSync(manifest, { recursive: true });
  await expect(db.kill()).rejects.toThrow(/manifest of region 4398046511104 is gone/);
  expect(await db.store.head(path)).toBeDefined();
  await db.store.put(`${path.replace(/[^/]+$/, "manifest/")}${saved[0]![0]}`, saved[0]![1]);
  for (const [name, bytes] of saved) writeFileSync(join(manifest, name), bytes);
  await db.kill();
  expect(await db.read("t")).toEqual([`host=a @${t0 + 1n} n=1`]);
});
