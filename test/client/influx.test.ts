/** InfluxDB's clients against a real server: the 1.x shell, the official npm SDK, and requests shaped like Telegraf's. */
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { HttpError, InfluxDB, Point, setLogger } from "@influxdata/influxdb-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestServer } from "../harness/server.ts";

// Refusals are what some of these tests are about.
setLogger({ error: () => undefined, warn: () => undefined });

const run = promisify(execFile);

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
}, 120_000);
afterAll(() => server.dispose());

/** The shell of InfluxDB 1.x, once per statement. */
async function shell(statement: string, ...flags: string[]): Promise<string> {
  const to = ["-host", "127.0.0.1", "-port", String(server.port)];
  const { stdout, stderr } = await run("influx", [...to, ...flags, "-execute", statement]);
  return stdout + stderr;
}

/** From Debian's influxdb-client; machines without it skip these tests, visibly. */
const hasShell = spawnSync("influx", ["-version"]).status === 0;

describe.skipIf(!hasShell)("the influx shell", () => {
  test("creates a database, again and again, and sees it", async () => {
    for (let i = 0; i < 2; i++) expect(await shell("CREATE DATABASE shelldb")).toBe("");
    expect(await shell("SHOW DATABASES")).toMatch(/^shelldb$/m);
  });

  test("inserts and selects", async () => {
    const flags = ["-database", "public"];
    await shell('INSERT shell,host=a v=1.5,n=3i,ok=true,s="x y" 1460549358372198212', ...flags);
    const table = await shell("SELECT * FROM shell", ...flags);
    expect(table).toContain("1460549358372198212");
    const json = await shell("SELECT * FROM shell", ...flags, "-format", "json");
    // The shell prints numbers through float64; the last digits are its own loss.
    expect(JSON.parse(json).results[0].series[0]).toMatchObject({
      columns: ["host", "v", "n", "ok", "s", "greptime_timestamp"],
      values: [["a", 1.5, 3, true, "x y", expect.anything()]],
    });
    const text = await shell(
      "SELECT * FROM shell",
      ...flags,
      "-precision",
      "rfc3339",
      "-format",
      "csv",
    );
    expect(text).toContain("2016-04-13T12:09:18.372198212Z");
  });

  test("USE finds a database", async () => {
    await shell("CREATE DATABASE used");
    const typed = ["use used", "insert typed v=1 1", "select * from typed", "exit"];
    const child = spawn("script", [
      ...["-qec", `influx -host 127.0.0.1 -port ${server.port}`, "/dev/null"],
    ]);
    let seen = "";
    child.stdout.on("data", (chunk: Buffer) => {
      seen += chunk.toString();
    });
    const ended = once(child, "close");
    // The shell reads a line only once it has shown its prompt.
    for (const [i, line] of typed.entries()) {
      while (seen.split("\n> ").length < i + 2 && child.exitCode === null)
        await new Promise((resolve) => setTimeout(resolve, 20));
      child.stdin.write(`${line}\n`);
    }
    await ended;
    expect(seen).toContain("Using database used");
    expect(await server.sql("SELECT v FROM used.typed")).toEqual([[1]]);
  });

  test("is told what was wrong", async () => {
    const failed = await shell('INSERT shell,host=a v="x" 2', "-database", "public").catch(
      (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
    );
    expect(failed).toContain("shell.v is Float64, got String");
    const missing = await shell("SELECT * FROM nothing_here", "-database", "public").catch(
      (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
    );
    expect(missing).toContain("nothing_here");
  });
});

describe("@influxdata/influxdb-client", () => {
  const writer = (bucket: string, gzipThreshold: number) =>
    new InfluxDB({ url: `${server.url}/v1/influxdb`, token: "user:password" }).getWriteApi(
      "any",
      bucket,
      "ns",
      { gzipThreshold, maxRetries: 0 },
    );

  test("writes points of every type, plain and gzipped", async () => {
    for (const [name, gzipThreshold] of [
      ["sdk_plain", 1_000_000],
      ["sdk_gzip", 0],
    ] as const) {
      const api = writer("public", gzipThreshold);
      api.writePoint(
        new Point(name)
          .tag("host", "a b,c=d")
          .floatField("f", 0.1)
          .intField("i", Number.MIN_SAFE_INTEGER)
          .uintField("u", 7)
          .booleanField("b", true)
          .stringField("s", 'say "hi"\nthere\\')
          .timestamp("1460549358372198212"),
      );
      await api.close();
      const { text } = await server.query(`SELECT * FROM ${name}`);
      const rows = /"rows":(\[\[.*\]\])/.exec(text)?.[1];
      expect(rows).toBe(
        '[["a b,c=d",true,0.1,-9007199254740991,"say \\"hi\\"\\nthere\\\\",7,1460549358372198212]]',
      );
    }
  });

  test("gets the message of a refused line", async () => {
    const api = writer("public", 0);
    api.writeRecords(["sdk_bad v=1 1", 'sdk_bad v="x" 2', "sdk_bad v=3 3"]);
    const error = await api.close().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(HttpError);
    expect((error as HttpError).statusCode).toBe(400);
    expect((error as HttpError).message).toMatch(
      /partial write: line 2, column \d+: sdk_bad\.v is Float64, got String.*rows written=2 refused=1/,
    );
    expect(await server.sql("SELECT count(*) FROM sdk_bad")).toEqual([[2]]);
  });

  test("an unknown bucket is the caller's fault", async () => {
    const api = writer("no_such_bucket", 0);
    api.writeRecord("m v=1 1");
    await expect(api.close()).rejects.toMatchObject({ statusCode: 400 });
  });
});

describe("requests like Telegraf's", () => {
  const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
    fetch(server.url + path, {
      method: "POST",
      body: typeof body === "string" ? body : new Uint8Array(body),
      headers,
    });

  test.each(["/v1/influxdb", ""])(
    "ping and the probe for the database below '%s'",
    async (prefix) => {
      for (const method of ["GET", "HEAD"]) {
        const ping = await fetch(`${server.url}${prefix}/ping`, { method });
        expect(ping.status).toBe(204);
        expect(ping.headers.get("x-influxdb-version")).toMatch(/^1\.\d+\.\d+$/);
      }
      const probe = await post(
        `${prefix}/query?q=${encodeURIComponent('CREATE DATABASE "telegraf"')}`,
        "",
      );
      expect(probe.status).toBe(200);
      expect(await probe.json()).toEqual({ results: [{ statement_id: 0 }] });
    },
  );

  test("health", async () => {
    const health = await fetch(`${server.url}/v1/influxdb/health`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ status: "pass" });
  });

  const encodings: [string, (text: string) => Uint8Array][] = [
    ["gzip", (text) => gzipSync(text)],
    ["deflate", (text) => deflateSync(text)],
    ["br", (text) => brotliCompressSync(text)],
  ];
  test.each(encodings)("a body in %s", async (encoding, encode) => {
    const name = `enc_${encoding}`;
    const answer = await post(
      "/v1/influxdb/write?db=public&precision=ns",
      encode(`${name},h=a v=1 1\n`),
      {
        "content-encoding": encoding,
      },
    );
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    expect(await server.sql(`SELECT v FROM ${name}`)).toEqual([[1]]);
  });

  test("a gzip bomb is refused, and the server lives", async () => {
    const bomb = gzipSync(Buffer.alloc(512 * 1024 * 1024, "m v=1 1\n"), { level: 1 });
    const answer = await post("/v1/influxdb/write?db=public", bomb, { "content-encoding": "gzip" });
    expect(answer.status).toBe(413);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  test("which database: header, db, bucket, public", async () => {
    for (const db of ["by_header", "by_db", "by_bucket"]) await server.sql(`CREATE DATABASE ${db}`);
    const v2 = "/v1/influxdb/api/v2/write?org=o";
    const requests: [string, string, Record<string, string>][] = [
      ["by_header", `${v2}&bucket=by_bucket&db=by_db`, { "x-greptime-db-name": "by_header" }],
      ["by_db", `${v2}&bucket=by_bucket&db=by_db`, {}],
      ["by_bucket", `${v2}&bucket=by_bucket`, {}],
      ["by_bucket", `${v2}&bucket=by_bucket/autogen`, {}],
      ["public", v2, {}],
      ["public", "/v1/influxdb/write?bucket=by_bucket", {}],
    ];
    for (const [db, path, headers] of requests) {
      const name = `where_${requests.findIndex((request) => request[1] === path && request[2] === headers)}`;
      expect((await post(path, `${name} v=1 1`, headers)).status).toBe(204);
      expect(await server.sql(`SELECT v FROM ${db}.${name}`)).toEqual([[1]]);
    }
  });

  test("every precision; an unknown one is named", async () => {
    const times: [string, string][] = [
      ["", "1700000000000000000"],
      ["n", "1700000000000000000"],
      ["ns", "1700000000000000000"],
      ["u", "1700000000000000"],
      ["us", "1700000000000000"],
      ["ms", "1700000000000"],
      ["s", "1700000000"],
      ["m", "28333333"],
      ["h", "472222"],
    ];
    for (const [precision, time] of times) {
      const name = `precision_${precision || "none"}`;
      const answer = await post(`/v1/influxdb/write?precision=${precision}`, `${name} v=1 ${time}`);
      expect(answer.status).toBe(204);
      const { text } = await server.query(`SELECT greptime_timestamp FROM ${name}`);
      const want = { m: "1699999980000000000", h: "1699999200000000000" }[precision];
      expect(text).toContain(`[[${want ?? "1700000000000000000"}]]`);
    }
    for (const precision of ["xx", "rfc3339", "µ", "constructor"]) {
      const answer = await post(
        `/v1/influxdb/write?precision=${encodeURIComponent(precision)}`,
        "m v=1 1",
      );
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        error: `Failed to convert time precision, name: ${precision}`,
      });
    }
  });

  test("comments, blank lines and nothing at all", async () => {
    for (const body of ["", "\n\n", "# only a comment\n"])
      expect((await post("/v1/influxdb/write", body)).status).toBe(204);
  });

  test("hints", async () => {
    const made = await post("/v1/influxdb/write", "hinted v=1 1", {
      "x-greptime-hints": "append_mode=true, ttl=30d",
    });
    expect(made.status).toBe(204);
    const [[, ddl]] = (await server.sql("SHOW CREATE TABLE hinted")) as [[string, string]];
    expect(ddl).toContain("append_mode = 'true'");
    expect(ddl).toContain("merge_mode = 'last_row'");
    expect(ddl).toContain("ttl = '30days'");
    const no = await post("/v1/influxdb/write", "not_made v=1 1", {
      "x-greptime-hint-auto_create_table": "false",
    });
    expect(no.status).toBe(400);
    expect(((await no.json()) as { error: string }).error).toContain(
      "Table `not_made` does not exist, and `auto_create_table` hint is disabled",
    );
    const bad = await post("/v1/influxdb/write", "m v=1 1", {
      "x-greptime-hint-auto_create_table": "maybe",
    });
    expect(bad.status).toBe(400);
  });

  test("fifty first writers at once", async () => {
    const writes = Array.from({ length: 50 }, (_, i) =>
      post("/v1/influxdb/write", `race,t${i}=x f${i}=${i}i ${i}\n`),
    );
    for (const answer of await Promise.all(writes)) expect(answer.status).toBe(204);
    expect(await server.sql("SELECT count(*) FROM race")).toEqual([[50]]);
    const columns = await server.sql("DESC TABLE race");
    expect(columns).toHaveLength(101);
    for (const i of [0, 7, 49])
      expect(await server.sql(`SELECT f${i} FROM race WHERE t${i} = 'x'`)).toEqual([[i]]);
  });

  test("/query answers in InfluxDB's shape, and says where a statement failed", async () => {
    await post("/v1/influxdb/write", "shape,h=a v=1.5 1700000000000000000");
    const ask = async (q: string, more = "") => {
      const answer = await fetch(
        `${server.url}/v1/influxdb/query?db=public&q=${encodeURIComponent(q)}${more}`,
      );
      return { status: answer.status, text: await answer.text() };
    };
    const select = "SELECT greptime_timestamp, v FROM shape";
    expect((await ask(select)).text.trim()).toBe(
      '{"results":[{"statement_id":0,"series":[{"columns":["greptime_timestamp","v"],"values":[["2023-11-14T22:13:20Z",1.5]]}]}]}',
    );
    expect((await ask(select, "&epoch=ms")).text).toContain("[1700000000000,1.5]");
    const half = await ask(`${select}; SELECT * FROM missing_table`);
    expect(half.status).toBe(200);
    expect(JSON.parse(half.text).results[1].error).toContain("missing_table");
    const whole = await ask("SELECT * FROM missing_table");
    expect(whole.status).toBe(400);
    expect(JSON.parse(whole.text).error).toContain("missing_table");
    expect((await fetch(`${server.url}/v1/influxdb/query`)).status).toBe(400);
  });
});
