/** The server as a process: start, banner, settings, lock, soft and hard ends, restart. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { MAIN, type StartOptions, TestServer } from "./harness/server.ts";

const servers: TestServer[] = [];
async function start(options: StartOptions = {}): Promise<TestServer> {
  const server = await TestServer.start(options);
  servers.push(server);
  return server;
}
afterEach(async () => {
  for (const server of servers.splice(0)) await server.dispose();
});

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tidemark-files-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** Runs the program to its end, for starts that must fail and for help. */
function run(...args: string[]) {
  const result = spawnSync(process.execPath, [MAIN, ...args], {
    encoding: "utf8",
    timeout: 30_000,
  });
  return { code: result.status, out: result.stdout, err: result.stderr };
}

describe("the main job", () => {
  test("without InfluxDB's paths the banner writes its row by SQL, and that works too", async () => {
    const server = await start({ env: { TIDEMARK_STANDALONE__INFLUXDB__ENABLE: "false" } });
    const statements = /write a row .*"sql=(.*)"/.exec(server.log)?.[1] ?? "";
    expect(await server.sql(statements)).toEqual([[1]]);
    expect(await server.sql("SELECT * FROM cpu")).toEqual([["a", 1_700_000_000_000, 1.5]]);
  });

  test("write a row, query it, open the page; the banner's commands are these", async () => {
    const server = await start();
    expect(server.log).toContain(`${server.url}/v1/influxdb/api/v2/write?db=public&precision=ms`);
    expect(server.log).toContain("--data-urlencode 'sql=SELECT * FROM cpu'");
    const written = await server.write("cpu,host=a usage=1.5 1700000000000", { precision: "ms" });
    expect([written.status, written.text]).toEqual([204, ""]);
    const answer = await server.query("SELECT * FROM cpu");
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/"rows":\[\["a",1\.5,1700000000000000000\]\],"total_rows":1/);
    const page = await fetch(`${server.url}/`);
    expect(page.headers.get("content-type")).toContain("text/html");
    const html = await page.text();
    for (const [, path] of html.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      const part = await fetch(server.url + path);
      expect([path, part.status]).toEqual([path, 200]);
    }
    const redirect = await fetch(`${server.url}/dashboard`, { redirect: "manual" });
    expect([redirect.status, redirect.headers.get("location")]).toEqual([308, "/dashboard/"]);
  });

  test("acknowledged rows are there after kill -9, and after a soft stop", async () => {
    const server = await start();
    await server.write("m,k=a v=1i 1\nm,k=b v=2i 2");
    await server.kill9();
    await server.restart();
    await server.write("m,k=c v=3i 3");
    expect(await server.sql("SELECT k, v FROM m")).toEqual([
      ["a", 1],
      ["b", 2],
      ["c", 3],
    ]);
    expect(await server.stop()).toBe(0);
    expect(server.log).toContain("stopped");
    await server.restart();
    expect(await server.sql("SELECT count(*) FROM m")).toEqual([[3]]);
  });

  test("a stop lets a running request finish", async () => {
    const server = await start();
    await server.write("m v=1 1");
    const lines = Array.from({ length: 50_000 }, (_, i) => `m v=${i} ${i + 2}`).join("\n");
    const writing = server.write(lines);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const stopped = server.stop();
    expect((await writing).status).toBe(204);
    expect(await stopped).toBe(0);
    await server.restart();
    expect(await server.sql("SELECT count(*) FROM m")).toEqual([[50_001]]);
  });
});

describe("settings", () => {
  test("flag beats file beats environment", async () => {
    const config = await file(
      "a.toml",
      '[http]\nbody_limit = "2KB"\n[logging]\nlevel = "warn"\n[mysql]\nenable = true\n',
    );
    const server = await start({
      flags: ["--config", config, "--log-level", "info"],
      env: {
        TIDEMARK_STANDALONE__HTTP__BODY_LIMIT: "1KB",
        GREPTIMEDB_STANDALONE__AUTO_CREATE_TABLE: "false",
      },
    });
    expect(server.log).toContain("mysql.enable");
    const shown = await (await fetch(`${server.url}/config`)).text();
    expect(shown).toContain('body_limit = "2KB"');
    expect(shown).toContain('level = "info"');
    expect((await server.write("x".repeat(3_000))).status).toBe(413);
    const refused = await server.write("m v=1 1");
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("auto-create table is disabled");
  });

  test("what is wrong stops the start by name, with code 1 and without a stack", async () => {
    const bad = await file("bad.toml", '[http]\nadr = "x"\nbody_limit = "lots"\n');
    const cases: [string[], RegExp][] = [
      [["-c", bad], /unknown key http\.adr.*http\.addr\?/],
      [["-c", bad], /http\.body_limit \(file .*bad\.toml\)/],
      [["-c", join(folder, "none.toml")], /cannot read the configuration file .*none\.toml/],
      [["--memory-budget", "10MB"], /memory_budget is 10MiB/],
      [["--http-addr", "somewhere"], /http\.addr \(flag --http-addr\)/],
      [["--user-provider", "static_user_provider:file:/none"], /cannot read the user file \/none/],
      [["--no-such-flag"], /unknown option '--no-such-flag'/],
    ];
    for (const [flags, message] of cases) {
      const { code, err } = run("standalone", "start", "--data-home", join(folder, "dh"), ...flags);
      expect(err, flags.join(" ")).toMatch(message);
      expect(err).not.toMatch(/\n\s+at /);
      expect(code).toBe(1);
    }
  });

  test("help lists flags that exist, version tells the version", () => {
    const help = run("standalone", "start", "--help");
    expect(help.code).toBe(0);
    for (const flag of [
      "--http-addr",
      "--data-home",
      "--config-file",
      "--memory-budget",
      "--tls-watch",
    ])
      expect(help.out).toContain(flag);
    expect(help.out).not.toMatch(/mysql|postgres|grpc/i);
    expect(run("--version").out).toMatch(/^tidemark \d+\.\d+\.\d+ /);
  });
});

describe("one data folder, one port, one process", () => {
  test("a second server on the same data folder is refused and the first goes on", async () => {
    const server = await start();
    const second = run(
      "standalone",
      "start",
      "--data-home",
      server.dataHome,
      "--http-addr",
      "127.0.0.1:0",
    );
    expect(second.code).toBe(1);
    expect(second.err).toContain(`in use by process ${server.pid}`);
    expect((await server.query("SELECT 1")).status).toBe(200);
  });

  test("a port in use is refused, and the data folder is free again", async () => {
    const server = await start();
    const home = join(folder, "port");
    const second = run(
      "standalone",
      "start",
      "--data-home",
      home,
      "--http-addr",
      `127.0.0.1:${server.port}`,
    );
    expect(second.code).toBe(1);
    expect(second.err).toContain("EADDRINUSE");
    const third = await start({ dataHome: home });
    expect((await third.query("SELECT 1")).status).toBe(200);
  });
});

test("hash-password prints what a user file takes", async () => {
  const { out, code } = run("user", "hash-password", "--password", "s3cret", "--iterations", "100");
  expect(code).toBe(0);
  const users = await file("users", `ann:ro=${out}`);
  const server = await start({ flags: ["--user-provider", `static_user_provider:file:${users}`] });
  const ask = (pair: string) =>
    fetch(`${server.url}/v1/sql?sql=SELECT%201`, {
      headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` },
    });
  expect((await ask("ann:s3cret")).status).toBe(200);
  expect((await ask("ann:secret")).status).toBe(401);
  expect(server.log).not.toContain("s3cret");
  expect(await (await fetch(`${server.url}/config`)).text()).not.toContain("s3cret");
  expect(await readFile(users, "utf8")).not.toContain("s3cret");
  const both = run("user", "hash-password", "--password", "x", "--password-stdin");
  expect([both.code, both.err]).toEqual([1, expect.stringContaining("either")]);
});
