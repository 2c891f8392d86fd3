import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DbError, MemoryBudget, Metrics, silentLogger, systemClock } from "../../base/mod.ts";
import type { Catalog } from "../../catalog/mod.ts";
import { HttpServer } from "../../net/mod.ts";
import type { QueryEngine, Session } from "../../query/mod.ts";
import { type Output, T } from "../../types/mod.ts";
import { opsRoutes, sqlRoutes } from "./mod.ts";

/** Answers by the text of the statement: what counts here is the road from the request to the body. */
let seen: { sql: string; session: Session } | undefined;
let consumed = 0;
let left = false;
async function* execute(sql: string, session: Session): AsyncIterable<Output> {
  seen = { sql, session };
  for (const statement of sql.split(";").map((part) => part.trim())) {
    if (statement.startsWith("SELECT fail"))
      throw new DbError("table_not_found", "Table not found: greptime.public.nope");
    const rows = Number(/rows (\d+)/.exec(statement)?.[1] ?? 1);
    const failAt = Number(/failing (\d+)/.exec(statement)?.[1] ?? -1);
    if (statement.startsWith("INSERT")) yield { kind: "affected", rows };
    else
      yield {
        kind: "records",
        fields: [{ name: "n", type: T.int64 }],
        chunks: count(rows, failAt),
      };
  }
}
async function* count(rows: number, failAt: number) {
  left = false;
  try {
    for (let from = 0; from < rows; from += 2048) {
      const size = Math.min(2048, rows - from);
      const values = BigInt64Array.from({ length: size }, (_, i) => BigInt(from + i));
      if (failAt >= 0 && from >= failAt) throw new DbError("execute_query", "Divide by zero error");
      consumed = from + size;
      yield { rows: size, columns: [{ values }] };
    }
  } finally {
    left = true;
  }
}

let url = "";
let server: HttpServer;
const metrics = new Metrics();
beforeAll(async () => {
  const engine: QueryEngine = { execute, running: () => [], kill: () => false };
  const database = (name: string) => (name === "public" || name === "my-db" ? { name } : undefined);
  const logger = Object.assign(Object.create(silentLogger), { level: "info" });
  server = new HttpServer({
    routes: [
      ...sqlRoutes({
        engine,
        catalog: { database } as unknown as Catalog,
        elapsed: metrics.histogram("e", "e", ["db"]),
      }),
      ...opsRoutes({
        metrics,
        logger,
        version: "1.2.3",
        commit: "abc",
        branch: "main",
        hostname: "h",
        config: 'a = "b"\n',
      }),
    ],
    limits: {
      bodyBytesMax: 1 << 20,
      inFlightBytesMax: 0,
      inFlightWaitMs: 0,
      connectionsMax: 100,
      requestsMax: 100,
      headTimeoutMs: 5_000,
      bodyTimeoutMs: 5_000,
      sendTimeoutMs: 5_000,
      keepAliveMs: 5_000,
      requestTimeoutMs: 0,
    },
    authenticator: {
      anonymous: { name: "greptime", permission: "read_write" },
      authenticate: async () => ({ name: "greptime", permission: "read_write" }),
    },
    budget: new MemoryBudget(1 << 30),
    metrics,
    logger: silentLogger,
    clock: systemClock,
    timezone: "UTC",
    corsOrigins: "*",
    onFatal: () => {},
  });
  url = `http://127.0.0.1:${(await server.listen("127.0.0.1", 0)).port}`;
});
afterAll(() => server.stop(100));

const ask = (query: string, init?: RequestInit) => fetch(`${url}/v1/sql?${query}`, init);

describe("/v1/sql", () => {
  test("GET, form, query string wins over form, context of the session", async () => {
    const answer = await ask("sql=SELECT%201", {
      headers: { "x-greptime-timezone": "Asia/Tokyo" },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-greptime-format")).toBe("greptimedb_v1");
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(Number(answer.headers.get("x-greptime-execution-time"))).toBeGreaterThanOrEqual(0);
    expect((await answer.json()).output[0].records.rows).toEqual([[0]]);
    expect(seen?.session).toMatchObject({ db: "public", timezone: "Asia/Tokyo", user: "greptime" });
    const form = new URLSearchParams({ sql: "INSERT 1 + 1 = 2 & so", db: "my-db" });
    await ask("", { method: "POST", body: form });
    expect(seen?.sql).toBe("INSERT 1 + 1 = 2 & so");
    expect(seen?.session.db).toBe("my-db");
    await ask("sql=SELECT%202&db=public", { method: "POST", body: form });
    expect([seen?.sql, seen?.session.db]).toEqual(["SELECT 2", "public"]);
    await ask("sql=SELECT%203&db=information_schema");
    expect(seen?.session.db).toBe("information_schema");
  });

  test("several statements", async () => {
    const body = await (await ask("sql=INSERT%20rows%203;SELECT%201")).json();
    expect(body.output).toHaveLength(2);
    expect(body.output[0]).toEqual({ affectedrows: 3 });
  });

  test("limit cuts the rows and stops the statement", async () => {
    const body = await (await ask("sql=SELECT%20rows%201000000&limit=3000")).json();
    const { records } = body.output[0];
    expect([records.total_rows, records.rows.length, records.rows.at(-1)]).toEqual([
      3000,
      3000,
      [2999],
    ]);
    expect(consumed).toBe(4096);
    expect(left).toBe(true);
    expect((await (await ask("sql=SELECT%201&limit=0")).json()).output[0].records.rows).toEqual([]);
  });

  test("a large answer is whole", async () => {
    const answer = await ask("sql=SELECT%201%20/*%20rows%20500000%20*/&format=csv");
    const lines = (await answer.text()).split("\r\n");
    expect(lines).toHaveLength(500_001);
    expect(lines[499_999]).toBe("499999");
  });

  const wrong: [string, number, number, string][] = [
    ["", 400, 1004, "sql parameter is required."],
    ["sql=SELECT%20fail", 400, 4001, "Table not found"],
    ["sql=INSERT%20rows%202;SELECT%20fail", 400, 4001, "Table not found"],
    ["sql=SELECT%20rows%2050000%20failing%2040000", 500, 3001, "Divide by zero"],
    ["sql=SELECT%201&db=nope", 400, 4004, "nope"],
    ["sql=SELECT%201&limit=-1", 400, 1004, "limit"],
    ["sql=SELECT%201&format=influxdb_v1&epoch=days", 400, 1004, "epoch"],
    ["sql=SELECT%201&format=arrow&compression=zstd", 400, 1001, "compression"],
    ["sql=SELECT%201;SELECT%202&format=csv", 400, 1004, "one statement"],
    ["sql=SELECT%201;SELECT%202&format=table", 400, 1004, "one statement"],
  ];
  for (const [query, status, code, text] of wrong)
    test(`${query || "nothing"} → ${status} ${code}`, async () => {
      const answer = await ask(query);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("x-greptime-err-code")).toBe(String(code));
      expect(answer.headers.get("x-greptime-err-msg")).toContain(text);
      const body = await answer.json();
      expect(body).toMatchObject({ code });
      expect(body.error).toContain(text);
      expect(body.execution_time_ms).toBeGreaterThanOrEqual(0);
    });

  test("a failure after the answer began cuts the connection: never a short but proper answer", async () => {
    const answer = await ask("sql=SELECT%20rows%201000000%20failing%20900000");
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  test("a client that leaves ends the statement", async () => {
    const abort = new AbortController();
    const answer = await ask("sql=SELECT%20rows%20100000000", { signal: abort.signal });
    await answer.body!.getReader().read();
    abort.abort();
    await expect.poll(() => left, { timeout: 5_000 }).toBe(true);
    expect(consumed).toBeLessThan(100_000_000);
  });
});

describe("operations", () => {
  test("health", async () => {
    for (const path of ["/health", "/v1/health", "/ready"])
      for (const method of ["GET", "POST"]) {
        const answer = await fetch(url + path, { method });
        expect([answer.status, await answer.text()]).toEqual([200, "{}"]);
      }
  });
  test("status, config, metrics", async () => {
    expect(await (await fetch(`${url}/status`)).json()).toEqual({
      commit: "abc",
      branch: "main",
      rustc_version: expect.stringContaining("node v"),
      hostname: "h",
      version: "1.2.3",
    });
    expect(await (await fetch(`${url}/config`)).text()).toBe('a = "b"\n');
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    expect(await answer.text()).toMatch(
      /greptime_servers_http_requests_total\{method="GET",path="\/status",code="200"\} \d+/,
    );
  });
  test("log level", async () => {
    const set = (body: string) => fetch(`${url}/debug/log_level`, { method: "POST", body });
    expect(await (await set("debug")).text()).toBe("Log Level changed from info to debug");
    expect(await (await set("mito2=trace, warn")).text()).toBe(
      "Log Level changed from debug to warn",
    );
    expect((await set("loud")).status).toBe(400);
  });
});
