/**
 * A real disk that is really full, under a real server: writes are refused with 503 and a hint, reads and probes go on, a restart on the
 * full disk works, and when space returns writes resume by themselves. Needs the right to mount a tmpfs; without it, it says so and passes.
 */
import { spawnSync } from "node:child_process";
import { appendFile, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { TestServer } from "../harness/server.ts";

const MIB = 1024 ** 2;
const mountMib = 48;
/** Left to the server beside the filler: some log segments and files. */
const roomMib = 8;

let mountPoint: string;
let mounted = false;
let server: TestServer;

beforeAll(async () => {
  mountPoint = await mkdtemp(join(tmpdir(), "tidemark-full-"));
  const result = spawnSync(
    "mount",
    ["-t", "tmpfs", "-o", `size=${mountMib}m`, "tmpfs", mountPoint],
    { encoding: "utf8" },
  );
  mounted = result.status === 0;
  if (!mounted)
    process.stderr.write(
      `NOT TESTED: a full disk. Mounting a tmpfs is not permitted here: ${result.stderr ?? result.error}\n`,
    );
});
afterAll(async () => {
  if (mounted) spawnSync("umount", ["-l", mountPoint]);
  await rm(mountPoint, { recursive: true, force: true });
});

const filler = () => join(mountPoint, "filler");
const freeSpace = () => rm(filler(), { force: true });

let acked: number;
let sent: number;

beforeEach(async () => {
  acked = 0;
  sent = 0;
  if (!mounted) return;
  await writeFile(filler(), new Uint8Array((mountMib - roomMib) * MIB));
  server = await TestServer.start({
    dataHome: join(mountPoint, "data"),
    env: {
      TIDEMARK_STANDALONE__WAL__FILE_SIZE: "2MB",
      TIDEMARK_STANDALONE__WAL__PURGE_THRESHOLD: "4MB",
      TIDEMARK_STANDALONE__REGION_ENGINE__MITO__GLOBAL_WRITE_BUFFER_SIZE: "4MB",
    },
  });
}, 120_000);
afterEach(async () => {
  if (!mounted) return;
  await server.dispose();
  await rm(join(mountPoint, "data"), { recursive: true, force: true });
});

/** Noise, so that neither log nor files can make it small. */
const noise = () => Array.from({ length: 12 }, () => Math.random().toString(36).slice(2)).join("");
const batchRows = 500;

/** One batch of new rows; counts what was acknowledged. */
async function write() {
  const first = sent;
  sent += batchRows;
  const lines = Array.from(
    { length: batchRows },
    (_, i) => `full,host=h${i % 7} v=${first + i}i,text="${noise()}" ${first + i + 1}`,
  );
  const answer = await server.write(lines.join("\n"));
  if (answer.status === 204) acked += batchRows;
  return answer;
}

/** Writes until the disk is full. Every answer on the way is 204 or the right refusal. */
async function fill(): Promise<void> {
  for (let refusals = 0, tries = 0; refusals < 20; tries++) {
    expect(tries, "the disk gets full").toBeLessThan(1_000);
    const answer = await write();
    if (answer.status === 204) continue;
    refusals++;
    expect(answer.status, answer.text).toBe(503);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(answer.text).toMatch(/no space left on device/i);
  }
}

/** Not a byte is left; then every kind of write is refused in the same way. */
async function refusesEverything(): Promise<void> {
  for (let bytes = MIB; bytes >= 1; bytes >>= 1) while (await appended(bytes));
  // More than what may be left of the log's last page.
  const text = Array.from({ length: 100 }, noise).join("");
  for (const sql of [
    "DELETE FROM full WHERE host = 'h1'",
    `INSERT INTO full (host, text, greptime_timestamp) VALUES ('h1', '${text}', 1)`,
    "CREATE TABLE more (ts TIMESTAMP TIME INDEX)",
    "ALTER TABLE full ADD COLUMN more STRING",
    "ALTER TABLE full MODIFY COLUMN v STRING",
    "TRUNCATE TABLE full",
    "DROP TABLE full",
    "ADMIN FLUSH_TABLE('full')",
  ]) {
    const answer = await server.query(sql);
    expect(answer.status, `${sql}: ${answer.text}`).toBe(503);
    expect(Number(answer.headers.get("retry-after")), sql).toBeGreaterThan(0);
    expect(answer.text, sql).toMatch(/no space left on device/i);
  }
}

/** Adds bytes to the filler; false when there is no room for them. */
async function appended(bytes: number): Promise<boolean> {
  return await appendFile(filler(), new Uint8Array(bytes)).then(
    () => true,
    () => false,
  );
}

async function readable(): Promise<void> {
  const [[rows, distinct]] = (await server.sql(
    "SELECT count(*), count(DISTINCT greptime_timestamp) FROM full",
  )) as [[number, number]];
  expect(distinct, "each row once").toBe(rows);
  const [[lost]] = (await server.sql(
    "SELECT count(*) FROM full WHERE length(text) < 10 OR text IS NULL",
  )) as [[number]];
  expect(lost).toBe(0);
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
}

/** Writes that are taken again, without a restart. */
async function resumes(): Promise<void> {
  const until = performance.now() + 30_000;
  for (;;) {
    const answer = await write();
    if (answer.status === 204) break;
    expect(answer.status, answer.text).toBe(503);
    expect(performance.now(), "writes resume").toBeLessThan(until);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  for (let i = 0; i < 20; i++) expect((await write()).status).toBe(204);
  await server.sql("ADMIN FLUSH_TABLE('full')");
  await server.sql("ADMIN COMPACT_TABLE('full')");
}

async function all(): Promise<number> {
  const [[rows]] = (await server.sql("SELECT count(*) FROM full")) as [[number]];
  return rows;
}

describe("a full disk", () => {
  test("refuses writes, serves reads, and recovers by itself", { timeout: 180_000 }, async () => {
    if (!mounted) return;
    await fill();
    expect((await statfs(mountPoint)).bavail * 4096).toBeLessThan(2 * MIB);
    await refusesEverything();
    await readable();
    expect(await all()).toBe(acked);
    await freeSpace();
    await resumes();
    expect(await all()).toBe(acked);
    await readable();
    await server.kill9();
    await server.restart();
    await readable();
  });

  test("nothing acknowledged is lost, and nothing refused is stored", {
    timeout: 180_000,
  }, async () => {
    if (!mounted) return;
    for (let refusals = 0; refusals < 5; ) if ((await write()).status !== 204) refusals++;
    expect(await all()).toBe(acked);
    for (const end of ["kill", "stop"] as const) {
      if (end === "kill") await server.kill9();
      else await server.stop();
      // The disk is still full.
      await server.restart();
      expect(await all(), `after a ${end} on the full disk`).toBe(acked);
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
      for (let i = 0; i < 5; i++) {
        const answer = await write();
        if (answer.status !== 204) expect(answer.status, answer.text).toBe(503);
      }
      expect(await all()).toBe(acked);
    }
    await freeSpace();
    await resumes();
    expect(await all()).toBe(acked);
    await server.restart();
    expect(await all()).toBe(acked);
  });
});
