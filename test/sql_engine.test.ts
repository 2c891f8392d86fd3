/** The executor over the real stack: turns, time limits, cancel, KILL, permissions, release of scans, process list. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DbError, type ErrorCode } from "../src/base/mod.ts";
import type { Region, Scan, ScanRequest } from "../src/storage/mod.ts";
import { SqlStack, session } from "./harness/sql_stack.ts";

/** Too many rows to finish in the time of a test: only its end by force ends it. */
const endless =
  "SELECT count(*) FROM many a, many b, many c, many d WHERE a.v + b.v + c.v + d.v = -1";

async function codeOf(work: Promise<unknown>): Promise<ErrorCode | "none"> {
  try {
    await work;
    return "none";
  } catch (error) {
    if (error instanceof DbError) return error.code;
    throw error;
  }
}

async function until(what: () => boolean): Promise<void> {
  for (let i = 0; i < 1_000 && !what(); i++) await new Promise((done) => setTimeout(done, 5));
  expect(what()).toBe(true);
}

/** Until the engine works on `count` statements: they hold their connections, and have had the time to begin. */
async function busy(stack: SqlStack, count: number): Promise<void> {
  await until(() => stack.duck.busy === count);
  await new Promise((done) => setTimeout(done, 150));
}

async function withRows(stack: SqlStack): Promise<void> {
  await stack.run("CREATE TABLE many (v BIGINT, ts TIMESTAMP TIME INDEX)");
  const tuples = Array.from({ length: 5_000 }, (_, i) => `(${i}, ${i})`);
  await stack.run(`INSERT INTO many VALUES ${tuples.join(",")}`);
}

describe("one stack", () => {
  let stack: SqlStack;
  /** Scans that are open: every scan of every region passes by here. */
  let open = 0;
  beforeAll(async () => {
    stack = await SqlStack.start({ concurrencyMax: 2, queueMax: 1 });
    await withRows(stack);
    const region = [...stack.storage.regions()][0] as Region;
    const scan = region.scan.bind(region);
    region.scan = async (request: ScanRequest): Promise<Scan> => {
      const real = await scan(request);
      open++;
      return {
        ...real,
        release() {
          open--;
          real.release();
        },
      };
    };
  });
  afterAll(async () => {
    await stack.stop();
  });

  const idle = () => stack.query.running().length === 0 && open === 0 && stack.duck.busy === 0;

  test("a statement that runs too long is ended", async () => {
    const started = performance.now();
    const on = session({ timeoutMs: 50 });
    await expect(stack.run(endless, on)).rejects.toThrow("longer than its limit of 50 ms");
    expect(await codeOf(stack.run(endless, on))).toBe("deadline_exceeded");
    expect(performance.now() - started).toBeLessThan(5_000);
    await until(idle);
  });

  test("the caller's signal ends it, before and while it runs", async () => {
    expect(await codeOf(stack.run("SELECT 1", stack.session, AbortSignal.abort()))).toBe(
      "cancelled",
    );
    const abort = new AbortController();
    const running = codeOf(stack.run(endless, stack.session, abort.signal));
    await busy(stack, 1);
    abort.abort();
    expect(await running).toBe("cancelled");
    await until(idle);
  });

  test("KILL ends it by id and by number, and says whether there was one", async () => {
    for (const form of ["id", "number"]) {
      const running = codeOf(stack.run(endless));
      await busy(stack, 1);
      const [entry] = stack.query.running();
      expect(entry?.sql).toBe(endless);
      const id = entry!.id;
      const text = form === "id" ? `KILL '${id}'` : `KILL QUERY ${id.split("/")[1]}`;
      expect((await stack.run(text)).affected).toBe(1);
      expect(await running).toBe("cancelled");
      expect((await stack.run(text)).affected).toBe(0);
    }
    await until(idle);
  });

  test("a reader may stop its own statements only", async () => {
    const running = codeOf(stack.run(endless, session({ user: "ann" })));
    await busy(stack, 1);
    const id = stack.query.running()[0]!.id;
    const kill = (user: string) =>
      codeOf(stack.run(`KILL '${id}'`, session({ user, permission: "read" })));
    expect(await kill("bob")).toBe("permission_denied");
    expect(await kill("ann")).toBe("none");
    expect(await running).toBe("cancelled");
  });

  test("readers take turns, a bounded number waits, the rest is refused; KILL never waits", async () => {
    const running = [codeOf(stack.run(endless)), codeOf(stack.run(endless))];
    await busy(stack, 2);
    const waiting = codeOf(stack.run(endless));
    await until(() => stack.query.running().length === 3);
    expect(await codeOf(stack.run("SELECT 1"))).toBe("resources_exhausted");
    // What reads no table is not held up.
    expect(await codeOf(stack.run("INSERT INTO many VALUES (1, 1)"))).toBe("none");
    expect((await stack.rows("SHOW PROCESSLIST")).length).toBe(4);
    const ids = stack.query.running().map((entry) => entry.id);
    // The one that waits first, so that it never gets its turn.
    for (const id of ids.reverse()) expect((await stack.run(`KILL '${id}'`)).affected).toBe(1);
    expect(await waiting).toBe("cancelled");
    expect(await Promise.all(running)).toEqual(["cancelled", "cancelled"]);
    await until(idle);
    expect(await stack.rows("SELECT 1")).toEqual([[1n]]);
  });

  test("a result that is left early gives everything back", async () => {
    const outputs = stack.query.execute("SELECT a.v FROM many a, many b", stack.session);
    for await (const output of outputs) {
      if (output.kind !== "records") throw new Error("rows expected");
      for await (const chunk of output.chunks) {
        expect(chunk.rows).toBeGreaterThan(0);
        expect(open).toBe(2);
        break;
      }
      await until(idle);
    }
  });

  test("an Output that nobody reads gives everything back when the next is asked for", async () => {
    const outputs = stack.query.execute("SELECT * FROM many; SELECT 2", stack.session);
    const iterator = outputs[Symbol.asyncIterator]();
    await iterator.next();
    expect(open).toBe(1);
    await iterator.next();
    expect(open).toBe(0);
    await iterator.return?.();
    await until(idle);
  });

  test("an error of the engine releases the scans", async () => {
    expect(await codeOf(stack.run("SELECT v / (v - v) FROM many"))).toBe("execute_query");
    await until(idle);
  });

  test("an empty time range opens no scan", async () => {
    expect(await stack.rows("SELECT count(*) FROM many WHERE ts > 5 AND ts < 3")).toEqual([[0n]]);
    expect(open).toBe(0);
  });

  test("200 statements at once on two turns: all answered or refused, none lost", async () => {
    const wide = await SqlStack.start({ concurrencyMax: 2, queueMax: 200 });
    await withRows(wide);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        wide.rows(`SELECT count(*), max(v) FROM many WHERE v <= ${i}`),
      ),
    );
    expect(answers).toEqual(Array.from({ length: 200 }, (_, i) => [[BigInt(i + 1), BigInt(i)]]));
    await wide.stop();
  });

  test("each statement of a text runs before the next; the first error ends the text", async () => {
    expect(
      await codeOf(stack.run("CREATE TABLE first (ts TIMESTAMP TIME INDEX); SELECT * FROM nope")),
    ).toBe("table_not_found");
    expect(stack.catalog.table("public", "first")).toBeDefined();
    // A syntax error anywhere runs nothing.
    expect(
      await codeOf(stack.run("CREATE TABLE second (ts TIMESTAMP TIME INDEX); SELECT FROM FROM")),
    ).toBe("invalid_syntax");
    expect(stack.catalog.table("public", "second")).toBeUndefined();
  });

  test.each<[string, ErrorCode | "none", ErrorCode | "none"]>([
    ["SELECT * FROM many LIMIT 1", "none", "permission_denied"],
    ["SHOW TABLES", "none", "permission_denied"],
    ["DESC many", "none", "permission_denied"],
    ["EXPLAIN SELECT 1", "none", "permission_denied"],
    ["USE public", "none", "none"],
    ["SET time_zone = 'UTC'", "none", "none"],
    ["INSERT INTO many VALUES (1, 1)", "permission_denied", "none"],
    ["INSERT INTO many VALUES (1 + 1, 1)", "permission_denied", "none"],
    ["INSERT INTO many SELECT * FROM many LIMIT 1", "permission_denied", "permission_denied"],
    ["DELETE FROM many WHERE v = -1", "permission_denied", "none"],
    ["CREATE TABLE p (ts TIMESTAMP TIME INDEX)", "permission_denied", "none"],
    ["ALTER TABLE p ADD COLUMN x INT", "permission_denied", "none"],
    ["TRUNCATE p", "permission_denied", "none"],
    ["DROP TABLE p", "permission_denied", "none"],
    ["CREATE DATABASE p", "permission_denied", "none"],
    ["DROP DATABASE p", "permission_denied", "none"],
    ["ADMIN flush_table('many')", "permission_denied", "none"],
  ])("%s: a reader %s, a writer %s", async (sql, reader, writer) => {
    expect(await codeOf(stack.run(sql, session({ permission: "read" })))).toBe(reader);
    expect(await codeOf(stack.run(sql, session({ permission: "write" })))).toBe(writer);
  });

  test("EXPLAIN shows what was pruned and what the engine does", async () => {
    const rows = await stack.rows("EXPLAIN SELECT count(*) FROM many WHERE ts >= 10 AND v > 1");
    expect(rows.map((row) => row[0])).toEqual(["logical_plan", "physical_plan"]);
    expect(String(rows[0]![1])).toMatch(/^SELECT count\(\*\) FROM many WHERE .*\n/);
    expect(String(rows[0]![1])).toContain("greptime.public.many\n  ");
    expect(String(rows[0]![1])).toContain("merge: none needed");
    expect(String(rows[1]![1])).toMatch(/AGGREGATE/);
    const json = await stack.rows("EXPLAIN FORMAT JSON SELECT 1");
    expect(JSON.parse(String(json[1]![1]))).toBeInstanceOf(Array);
  });

  test("EXPLAIN ANALYZE counts the rows without returning them", async () => {
    const rows = await stack.rows("EXPLAIN ANALYZE SELECT v FROM many WHERE v > 10 AND v < 16");
    expect(rows[0]!.slice(0, 2)).toEqual([0, 0]);
    expect(String(rows[1]![2])).toMatch(/rows=\d+ time=/);
    expect(rows.at(-1)).toEqual([null, null, " Total rows: 5"]);
    await until(idle);
  });

  test.each([
    ["EXPLAIN EXPLAIN SELECT 1", "plan_query"],
    ["EXPLAIN FORMAT GRAPHVIZ SELECT 1", "unsupported"],
    ["EXPLAIN SELECT * FROM nope", "table_not_found"],
  ])("%s is refused", async (sql, code) => {
    expect(await codeOf(stack.run(sql))).toBe(code);
  });

  test("SHOW CREATE TABLE prints backticks to MySQL sessions", async () => {
    const on = session({ protocol: "mysql", dialect: "mysql" });
    const [row] = await stack.rows("SHOW CREATE TABLE many", on);
    expect(String(row![1])).toContain("CREATE TABLE IF NOT EXISTS `many` (\n  `v` BIGINT NULL,");
  });

  test("version() is what each protocol's clients expect", async () => {
    const version = async (protocol: "http" | "mysql" | "postgres") =>
      (await stack.rows("SELECT version()", session({ protocol })))[0]![0];
    expect(await version("http")).toBe("0.1.0");
    expect(await version("mysql")).toBe("8.4.2-GreptimeDB-0.1.0");
    expect(await version("postgres")).toBe("PostgreSQL 16.3 GreptimeDB 0.1.0");
  });

  test("stages and outcomes are counted", async () => {
    const text = await stack.metrics.text();
    expect(text).toMatch(/greptime_query_stage_elapsed_count\{stage="plan"\} [1-9]/);
    expect(text).toMatch(/greptime_query_stage_elapsed_count\{stage="execute"\} [1-9]/);
    expect(text).toMatch(
      /greptime_query_statements_total\{kind="query",outcome="DeadlineExceeded"\} [1-9]/,
    );
    expect(text).toMatch(/greptime_query_running 0/);
  });
});

test("DELETE of more rows than a batch removes exactly those, while it reads them", async () => {
  const stack = await SqlStack.start();
  await stack.run("CREATE TABLE big (host STRING PRIMARY KEY, v BIGINT, ts TIMESTAMP TIME INDEX)");
  const rows = 150_000;
  for (let from = 0; from < rows; from += 50_000) {
    const tuples = Array.from(
      { length: 50_000 },
      (_, i) => `('h${i % 7}',${from + i},${from + i})`,
    );
    await stack.run(`INSERT INTO big VALUES ${tuples.join(",")}`);
  }
  expect((await stack.run("DELETE FROM big WHERE v % 10 != 0")).affected).toBe(135_000);
  expect(await stack.rows("SELECT count(*), sum(v % 10) FROM big")).toEqual([[15_000n, 0n]]);
  expect((await stack.run("DELETE FROM big")).affected).toBe(15_000);
  expect(await stack.rows("SELECT count(*) FROM big")).toEqual([[0n]]);
  await stack.stop();
});

test("INSERT … SELECT of more rows than a batch copies each once", async () => {
  const stack = await SqlStack.start();
  await withRows(stack);
  await stack.run(
    "CREATE TABLE copy_ (host STRING PRIMARY KEY, v BIGINT, ts TIMESTAMP TIME INDEX)",
  );
  const copy = `INSERT INTO copy_ SELECT 'h' || (b.v % 3), a.v, a.v * 100 + b.v
    FROM many a, (SELECT * FROM many WHERE v < 30) b`;
  expect((await stack.run(copy)).affected).toBe(150_000);
  expect(await stack.rows("SELECT count(*), count(DISTINCT host), sum(v) FROM copy_")).toEqual([
    [150_000n, 3n, 30n * ((4_999n * 5_000n) / 2n)],
  ]);
  await stack.stop();
});
