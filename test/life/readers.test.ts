/**
 * Readers while tables are flushed, compacted, truncated, dropped and made again, on a real server: each answer is one moment between the
 * last acknowledged and the last sent change, whole batches only, and nothing but "table not found" is ever an error.
 * SECONDS=60 for the long form.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestServer } from "../harness/server.ts";

const ms = Number(process.env.SECONDS ?? 8) * 1_000;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    env: {
      TIDEMARK_STANDALONE__REGION_ENGINE__MITO__GLOBAL_WRITE_BUFFER_SIZE: "2MB",
      TIDEMARK_STANDALONE__WAL__FILE_SIZE: "1MB",
    },
  });
}, 120_000);
afterAll(() => server.dispose());

/** Runs all of it until the time is over; the first failure ends the test. */
async function together(...work: ((running: () => boolean) => Promise<void>)[]): Promise<void> {
  const until = performance.now() + ms;
  let failed = false;
  const running = () => !failed && performance.now() < until;
  await Promise.all(
    work.map((one) =>
      one(running).catch((error) => {
        failed = true;
        throw error;
      }),
    ),
  );
}

const admin = (table: string) => async (running: () => boolean) => {
  while (running()) {
    for (const what of ["FLUSH", "COMPACT"]) {
      const answer = await server.query(`ADMIN ${what}_TABLE('${table}')`);
      if (!/not found/i.test(answer.text)) expect(answer.status, answer.text).toBe(200);
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
};

test("rewrites of whole batches: all rows are of one version", {
  timeout: ms + 60_000,
}, async () => {
  const keys = 60;
  let sent = 0;
  let acked = 0;
  let reads = 0;
  const write = async () => {
    const version = ++sent;
    // Two of three rows are rewritten at their time (late), the third moves on (in order): one batch is both.
    const lines = Array.from(
      { length: keys },
      (_, i) => `rw,host=h${i} v=${version}i ${i % 3 === 2 ? 1000 + version : 1000}`,
    );
    const answer = await server.write(lines.join("\n"));
    expect(answer.status, answer.text).toBe(204);
    acked = version;
  };
  await write();
  const shapes = [
    "SELECT count(*), min(v), max(v) FROM rw WHERE greptime_timestamp = 1000",
    "SELECT count(*), min(v), max(v) FROM (SELECT host, v FROM rw WHERE greptime_timestamp <= 1000) t",
    "SELECT count(host), min(v), max(v) FROM rw WHERE greptime_timestamp <= 1000",
  ];
  const read = async (running: () => boolean) => {
    while (running()) {
      const least = acked;
      const sql = shapes[reads++ % shapes.length]!;
      const [row] = await server.sql(sql);
      const [count, min, max] = row as [number, number, number];
      const what = `${sql}: ${count} rows, versions ${min} to ${max}, acknowledged ${least}, sent ${sent}`;
      expect([count, min], what).toEqual([(2 * keys) / 3, max]);
      expect(max, what).toBeGreaterThanOrEqual(least);
      expect(max, what).toBeLessThanOrEqual(sent);
      const inOrder = await server.sql(
        "SELECT v, count(*) FROM rw WHERE greptime_timestamp > 1000 GROUP BY v ORDER BY v",
      );
      expect(inOrder, "each version is whole, none is missing").toEqual(
        inOrder.map((_, i) => [i + 1, keys / 3]),
      );
      expect(inOrder.length).toBeGreaterThanOrEqual(least);
    }
  };
  const writing = async (running: () => boolean) => {
    while (running()) await write();
  };
  await together(writing, read, read, admin("rw"));
  expect(reads).toBeGreaterThan(20);
  expect(sent).toBeGreaterThan(10);
});

test("TRUNCATE and DROP: all rows of a batch or none, or no table", {
  timeout: ms + 60_000,
}, async () => {
  const rows = 40;
  let reads = 0;
  let absent = 0;
  const write = async () => {
    const lines = Array.from({ length: rows }, (_, i) => `gone,host=h${i} v=${i}i ${1000 + i}`);
    const answer = await server.write(lines.join("\n"));
    expect(answer.status, answer.text).toBe(204);
  };
  const change = async (running: () => boolean) => {
    for (let turn = 0; running(); turn++) {
      await write();
      await write();
      const sql = turn % 3 === 2 ? "DROP TABLE gone" : "TRUNCATE TABLE gone";
      const answer = await server.query(sql);
      expect(answer.status, answer.text).toBe(200);
    }
  };
  const shapes = [
    "SELECT count(*) FROM gone",
    "SELECT count(host) FROM gone WHERE host <> ''",
    "SELECT count(*) FROM (SELECT host, max(v) FROM gone GROUP BY host) t",
    "SELECT count(*) FROM gone a JOIN gone b ON a.host = b.host AND a.greptime_timestamp = b.greptime_timestamp",
  ];
  const read = async (running: () => boolean) => {
    while (running()) {
      const sql = shapes[reads++ % shapes.length]!;
      const answer = await server.query(sql);
      if (answer.status !== 200) {
        expect(answer.text, sql).toMatch(/"code":4001,.*not found/i);
        absent++;
        continue;
      }
      const [[count]] = JSON.parse(answer.text).output[0].records.rows;
      expect([0, rows], `${sql}: ${count}`).toContain(count);
    }
  };
  await together(change, read, read, read, admin("gone"));
  expect(reads).toBeGreaterThan(20);
  expect(absent).toBeLessThan(reads);
});
