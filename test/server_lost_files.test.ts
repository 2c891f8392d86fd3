/** Starts over a data home that lost a part: nothing that is still there may be taken for a left-over of a crash. */
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestServer } from "./harness/server.ts";

let home = "";
let server: TestServer;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "tidemark-lost-"));
  server = await TestServer.start({ dataHome: home });
  await server.write("cpu,host=a busy=1 1700000000000000000");
  await server.sql("ADMIN flush_table('cpu')");
  await server.stop();
});
afterEach(async () => {
  await server.dispose();
  await rm(home, { recursive: true, force: true });
});

async function files(): Promise<string[]> {
  const entries = await readdir(join(home, "data"), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

test("without its catalog a home with tables does not start, loses no file, and is whole again with it", async () => {
  const backup = await mkdtemp(join(tmpdir(), "tidemark-backup-"));
  await cp(join(home, "metadata"), backup, { recursive: true });
  const before = await files();
  expect(before.some((name) => name.endsWith(".parquet"))).toBe(true);
  await rm(join(home, "metadata"), { recursive: true });

  await expect(server.restart()).rejects.toThrow(/metadata\/ is missing or empty, but there are/);
  expect(await files()).toEqual(before);

  await cp(backup, join(home, "metadata"), { recursive: true });
  await rm(backup, { recursive: true });
  await server.restart();
  expect(await server.sql("SELECT host, busy FROM cpu")).toEqual([["a", 1]]);
});

test("without a clean log it starts: everything was flushed at the stop", async () => {
  await rm(join(home, "wal"), { recursive: true });
  await server.restart();
  expect(await server.sql("SELECT host, busy FROM cpu")).toEqual([["a", 1]]);
});
