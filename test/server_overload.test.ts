/** More than the server can take: it refuses in a way that clients retry, answers probes, keeps to its memory, and loses nothing it took. */
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestServer } from "./harness/server.ts";

const MIB = 1024 ** 2;
const BUDGET_MIB = 384;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    flags: ["--memory-budget", `${BUDGET_MIB}MB`],
    env: {
      TIDEMARK_STANDALONE__WRITE_BYTES_EXHAUSTED_POLICY: "wait(20ms)",
      TIDEMARK_STANDALONE__HTTP__BODY_LIMIT: "16MB",
      TIDEMARK_STANDALONE__MAX_SERIES: "5000",
      TIDEMARK_STANDALONE__MAX_CONCURRENT_QUERIES: "1",
      TIDEMARK_STANDALONE__MAX_WAITING_QUERIES: "2",
    },
  });
});
afterAll(() => server.dispose());

async function rssMib(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

const healthy = async () => (await fetch(`${server.url}/health`)).status;

test("more bodies than memory: 204 or 429 with a hint, and every 204 is stored", async () => {
  // 24 bodies of about 6 MiB at once, where 48 MiB may be held.
  const body = (k: number) =>
    Array.from(
      { length: 60_000 },
      (_, i) => `w,k=${k} a=${i}.5,b="${"x".repeat(70)}" ${i + 1}`,
    ).join("\n");
  const bodies = Array.from({ length: 24 }, (_, k) => body(k));
  expect(bodies[0]!.length).toBeGreaterThan(5 * MIB);
  const answers = await Promise.all(bodies.map((text) => server.write(text)));
  expect(await healthy()).toBe(200);
  const stored = answers.flatMap(({ status }, k) => (status === 204 ? [k] : []));
  const refused = answers.filter(({ status }) => status !== 204);
  for (const { status, headers } of refused) {
    expect([429, 503]).toContain(status);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect(stored.length).toBeGreaterThan(0);
  expect(refused.length).toBeGreaterThan(0);
  const counts = await server.sql("SELECT k, count(*) FROM w GROUP BY k");
  expect(
    counts.map(([k, n]) => [Number(k), n]).sort((a, b) => Number(a[0]) - Number(b[0])),
  ).toEqual(stored.map((k) => [k, 60_000]));
  expect(await rssMib()).toBeLessThan(BUDGET_MIB * 2.5);
});

describe("single requests that ask for too much", () => {
  test("a zip bomb", async () => {
    const bomb = gzipSync(Buffer.alloc(256 * MIB, "m v=1\n"));
    const answer = await server.write(bomb, {}, { "content-encoding": "gzip" });
    expect(answer.status).toBe(413);
    expect(answer.text).toContain("16MiB");
  });
  test("series without end: the rows of known series are stored, the others refused by name", async () => {
    const lines = Array.from({ length: 6_000 }, (_, i) => `s,id=${i} v=1 1`).join("\n");
    const answer = await server.write(lines);
    expect([400, 429, 503]).toContain(answer.status);
    expect(answer.text).toMatch(/series/);
    const [[stored]] = (await server.sql("SELECT count(*) FROM s")) as [[number]];
    expect(stored).toBeGreaterThan(4_000);
    expect(stored).toBeLessThan(6_000);
    expect((await server.write("s,id=1 v=2 2")).status).toBe(204);
  });
  test("a statement over its time", async () => {
    const answer = await fetch(
      `${server.url}/v1/sql?${new URLSearchParams({ sql: "SELECT count(*) FROM w a CROSS JOIN w b CROSS JOIN w c" })}`,
      { headers: { "x-greptime-timeout": "300ms" } },
    );
    expect(answer.status).toBe(504);
    expect(await healthy()).toBe(200);
  });
});

test("more statements than may run or wait: 503 with a hint", async () => {
  const slow = () =>
    fetch(
      `${server.url}/v1/sql?${new URLSearchParams({ sql: "SELECT count(*) FROM w a CROSS JOIN w b CROSS JOIN w c" })}`,
      { headers: { "x-greptime-timeout": "1s" } },
    );
  const answers = await Promise.all(Array.from({ length: 6 }, slow));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses.filter((status) => status === 503).length).toBe(3);
  expect(statuses.filter((status) => status === 504).length).toBe(3);
  for (const { status, headers } of answers)
    if (status === 503) expect(headers.get("retry-after")).not.toBeNull();
  expect((await server.query("SELECT 1")).status).toBe(200);
});
