/** Every way an InfluxDB client logs in, and what each kind of user may do. */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestServer } from "../harness/server.ts";

let server: TestServer;
beforeAll(async () => {
  const users = "static_user_provider:cmd:rw=secret,reader:ro=secret,writer:wo=secret";
  server = await TestServer.start({ flags: ["--user-provider", users], wait: true });
}, 120_000);
afterAll(() => server.dispose());

const basic = (name: string, password: string) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

function write(headers: Record<string, string>, parameters = ""): Promise<Response> {
  return fetch(`${server.url}/v1/influxdb/write?db=public${parameters}`, {
    method: "POST",
    body: new Uint8Array(gzipSync("m v=1 1\n")),
    headers: { "content-encoding": "gzip", ...headers },
  });
}

describe("logins", () => {
  const good: [string, Record<string, string>, string][] = [
    ["Token", { authorization: "Token rw:secret" }, ""],
    ["token in lower case", { authorization: "token rw:secret" }, ""],
    ["Basic", { authorization: basic("rw", "secret") }, ""],
    ["x-greptime-auth", { "x-greptime-auth": basic("rw", "secret") }, ""],
    ["u and p", {}, "&u=rw&p=secret"],
  ];
  test.each(good)("%s", async (_name, headers, parameters) => {
    expect((await write(headers, parameters)).status).toBe(204);
  });

  const bad: [string, Record<string, string>, string, number][] = [
    ["none", {}, "", 7003],
    ["u without p", {}, "&u=rw", 7003],
    ["wrong password", { authorization: "Token rw:wrong" }, "", 7002],
    ["unknown user", { authorization: "Token nobody:secret" }, "", 7000],
    ["no colon", { authorization: "Token rwsecret" }, "", 7004],
    ["another scheme", { authorization: "Bearer x" }, "", 7004],
  ];
  test.each(bad)("%s is 401, never 400", async (_name, headers, parameters, code) => {
    const answer = await write(headers, parameters);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code, error: expect.any(String) });
  });

  test("ping and health ask nobody", async () => {
    for (const path of ["/v1/influxdb/ping", "/v1/influxdb/health", "/ping"])
      expect((await fetch(server.url + path)).ok).toBe(true);
  });
});

describe("permissions", () => {
  test("a reader may not write, a writer may not read", async () => {
    expect((await write({ authorization: "Token reader:secret" })).status).toBe(403);
    expect((await write({ authorization: "Token writer:secret" })).status).toBe(204);
    const select = (name: string) =>
      fetch(`${server.url}/v1/influxdb/query?db=public&q=SELECT+1`, {
        headers: { authorization: `Token ${name}:secret` },
      });
    expect((await select("reader")).status).toBe(200);
    expect((await select("writer")).status).toBe(403);
  });
});
