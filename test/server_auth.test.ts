/** Each endpoint × {no credentials, wrong ones, read-only, write-only, read-write} → its status. Never 400: clients drop data on 400. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestServer } from "./harness/server.ts";

let server: TestServer;
beforeAll(async () => {
  const users = "static_user_provider:cmd:rw=p1,ro:ro=p2,wo:wo=p3";
  server = await TestServer.start({ flags: ["--user-provider", users] });
  const setup = await ask(
    { path: "/v1/influxdb/write?db=public", body: "m v=1 1" },
    basic("rw:p1"),
  );
  expect(setup).toBe(204);
});
afterAll(() => server.dispose());

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;

interface Endpoint {
  readonly path: string;
  readonly body?: string;
  readonly form?: Readonly<Record<string, string>>;
}

async function ask(endpoint: Endpoint, authorization?: string): Promise<number> {
  const post = endpoint.body !== undefined || endpoint.form !== undefined;
  const answer = await fetch(server.url + endpoint.path, {
    method: post ? "POST" : "GET",
    redirect: "manual",
    ...(post ? { body: endpoint.body ?? new URLSearchParams(endpoint.form) } : {}),
    headers: authorization === undefined ? {} : { authorization },
  });
  await answer.arrayBuffer();
  return answer.status;
}

const sql = (text: string): Endpoint => ({ path: "/v1/sql", form: { sql: text } });
const line = "m v=2 2";

/** Endpoint, then the status for: none, wrong, ro, wo, rw. */
const table: [string, Endpoint, number, number, number, number, number][] = [
  ["select", sql("SELECT * FROM m"), 401, 401, 200, 403, 200],
  ["show", sql("SHOW TABLES"), 401, 401, 200, 403, 200],
  ["insert", sql("INSERT INTO m (greptime_timestamp, v) VALUES (3, 3)"), 401, 401, 403, 200, 200],
  [
    "create",
    sql("CREATE TABLE IF NOT EXISTS c (ts TIMESTAMP TIME INDEX)"),
    401,
    401,
    403,
    200,
    200,
  ],
  ["delete", sql("DELETE FROM m WHERE greptime_timestamp = 99"), 401, 401, 403, 200, 200],
  ["flush", sql("ADMIN flush_table('m')"), 401, 401, 403, 200, 200],
  ["sql parse", { path: "/v1/sql/parse", form: { sql: "SELECT 1" } }, 401, 401, 200, 200, 200],
  [
    "influx write v1",
    { path: "/v1/influxdb/write?db=public", body: line },
    401,
    401,
    403,
    204,
    204,
  ],
  [
    "influx write v2",
    { path: "/v1/influxdb/api/v2/write?bucket=public", body: line },
    401,
    401,
    403,
    204,
    204,
  ],
  ["influx write, bare path", { path: "/write?db=public", body: line }, 401, 401, 403, 204, 204],
  ["influx query", { path: "/v1/influxdb/query?q=SHOW+DATABASES" }, 401, 401, 200, 403, 200],
  ["influx query, bare path", { path: "/query?q=SHOW+DATABASES" }, 401, 401, 200, 403, 200],
  ["influx ping", { path: "/v1/influxdb/ping" }, 204, 204, 204, 204, 204],
  ["influx health", { path: "/v1/influxdb/health" }, 200, 200, 200, 200, 200],
  ["config", { path: "/config" }, 401, 401, 200, 200, 200],
  ["log level", { path: "/debug/log_level", body: "info" }, 401, 401, 403, 200, 200],
  ["health", { path: "/health" }, 200, 200, 200, 200, 200],
  ["v1 health", { path: "/v1/health" }, 200, 200, 200, 200, 200],
  ["ready", { path: "/ready" }, 200, 200, 200, 200, 200],
  ["status", { path: "/status" }, 200, 200, 200, 200, 200],
  ["metrics", { path: "/metrics" }, 200, 200, 200, 200, 200],
  ["page", { path: "/dashboard/" }, 200, 200, 200, 200, 200],
];

describe("Basic", () => {
  for (const [name, endpoint, none, wrong, ro, wo, rw] of table)
    test(name, async () => {
      const got = [
        await ask(endpoint),
        await ask(endpoint, basic("rw:no")),
        await ask(endpoint, basic("ro:p2")),
        await ask(endpoint, basic("wo:p3")),
        await ask(endpoint, basic("rw:p1")),
      ];
      expect(got).toEqual([none, wrong, ro, wo, rw]);
    });
});

describe("the ways of InfluxDB's clients", () => {
  const path = "/v1/influxdb/api/v2/write?db=public";
  test("token, query parameters", async () => {
    expect(await ask({ path, body: line }, "Token wo:p3")).toBe(204);
    expect(await ask({ path, body: line }, "token wo:no")).toBe(401);
    expect(await ask({ path: `${path}&u=rw&p=p1`, body: line })).toBe(204);
    expect(await ask({ path: `${path}&u=ro&p=p2`, body: line })).toBe(403);
    expect(await ask({ path: `${path}&u=rw&p=no`, body: line })).toBe(401);
  });
  test("a missing login says so with the reference's code", async () => {
    const answer = await fetch(server.url + path, { method: "POST", body: line });
    expect(answer.headers.get("x-greptime-err-code")).toBe("7003");
    expect(await answer.text()).toContain("Not found influx http authorization info");
  });
});
