import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import type { User } from "../auth/api.ts";
import { Bug, DbError, MemoryBudget, Metrics, silentLogger, systemClock } from "../base/mod.ts";
import type { Authenticator, Ctx, HttpLimits, Route } from "./api.ts";
import { HttpServer } from "./http_server.ts";

const LIMITS: HttpLimits = {
  bodyBytesMax: 1 << 20,
  inFlightBytesMax: 4 << 20,
  inFlightWaitMs: 100,
  connectionsMax: 100,
  requestsMax: 50,
  headTimeoutMs: 500,
  bodyTimeoutMs: 400,
  sendTimeoutMs: 400,
  keepAliveMs: 5_000,
  requestTimeoutMs: 0,
};
const ROOT: User = { name: "root", permission: "read_write" };
const OPEN: Authenticator = { anonymous: ROOT, authenticate: async () => ROOT };

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

async function serve(
  routes: readonly Route[],
  options: { limits?: Partial<HttpLimits>; authenticator?: Authenticator } = {},
) {
  const budget = new MemoryBudget(1 << 30);
  const server = new HttpServer({
    routes,
    limits: { ...LIMITS, ...options.limits },
    authenticator: options.authenticator ?? OPEN,
    budget,
    metrics: new Metrics(),
    logger: silentLogger,
    clock: systemClock,
    timezone: "UTC",
    corsOrigins: "*",
    onFatal: () => {},
  });
  const { port } = await server.listen("127.0.0.1", 0);
  running.push({ stop: () => server.stop(100) });
  return { server, budget, port, url: `http://127.0.0.1:${port}` };
}

const post = (path: string, handler: (ctx: Ctx) => Promise<void>): Route => ({
  methods: ["POST"],
  path,
  access: "open",
  handler,
});
const get = (path: string, handler: (ctx: Ctx) => Promise<void>): Route => ({
  ...post(path, handler),
  methods: ["GET"],
});

/** Answers with the size and hash of the body. */
const digest = post("/digest", async (ctx) => {
  const pieces = await ctx.body();
  const hash = createHash("sha256");
  let bytes = 0;
  for (const piece of pieces) {
    hash.update(piece);
    bytes += piece.length;
  }
  await ctx.json(200, { bytes, hash: hash.digest("hex") });
});

const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Sends raw bytes, returns everything that comes back until the server closes or `ms` pass. */
async function raw(port: number, parts: (string | Uint8Array | number)[], ms = 3_000) {
  const socket: Socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  socket.on("error", () => {});
  await once(socket, "connect");
  for (const part of parts)
    if (typeof part === "number") await new Promise((resolve) => setTimeout(resolve, part));
    else socket.write(part);
  await Promise.race([
    once(socket, "close"),
    new Promise((resolve) => setTimeout(resolve, ms).unref()),
  ]);
  socket.destroy();
  return text;
}

describe("bodies", () => {
  const body = Buffer.from("cpu,host=a usage=1.5 1700000000000\n".repeat(20_000).slice(0, 700_000));

  // One raw block per 128 KiB: a zstd writer of ten lines, so that the test needs no other library.
  function zstdStore(bytes: Uint8Array): Buffer {
    const parts = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58])]; // window 2 MiB
    for (let at = 0; at < bytes.length; at += 131_072) {
      const block = bytes.subarray(at, at + 131_072);
      const last = at + 131_072 >= bytes.length ? 1 : 0;
      const head = (block.length << 3) | last;
      parts.push(Buffer.from([head & 255, (head >> 8) & 255, head >> 16]), Buffer.from(block));
    }
    return Buffer.concat(parts);
  }

  const encoders = {
    identity: (b: Uint8Array) => b,
    gzip: (b: Uint8Array) => gzipSync(b),
    deflate: (b: Uint8Array) => deflateSync(b),
    br: (b: Uint8Array) => brotliCompressSync(b),
    zstd: zstdStore,
  };
  for (const [encoding, encode] of Object.entries(encoders))
    test(`${encoding} arrives whole`, async () => {
      const { url, budget } = await serve([digest]);
      const answer = await fetch(`${url}/digest`, {
        method: "POST",
        body: new Uint8Array(encode(body)),
        headers: { "content-encoding": encoding },
      });
      expect(await answer.json()).toEqual({ bytes: body.length, hash: sha(body) });
      expect(budget.used("in_flight")).toBe(0);
    });

  test("raw deflate and a chain of two are understood", async () => {
    const { url } = await serve([digest]);
    for (const [header, bytes] of [
      ["deflate", deflateRawSync(body)],
      ["gzip, gzip", gzipSync(gzipSync(body))],
    ] as const) {
      const answer = await fetch(`${url}/digest`, {
        method: "POST",
        body: new Uint8Array(bytes),
        headers: { "content-encoding": header },
      });
      expect(await answer.json()).toEqual({ bytes: body.length, hash: sha(body) });
    }
  });

  // 256 zstd blocks of 128 KiB made of one repeated byte each: 1 KB that says 32 MiB.
  function zstdBomb(): Buffer {
    const parts = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58])];
    for (let i = 0; i < 256; i++) {
      const head = (131_072 << 3) | (1 << 1) | (i === 255 ? 1 : 0);
      parts.push(Buffer.from([head & 255, (head >> 8) & 255, (head >> 16) & 255, 0]));
    }
    return Buffer.concat(parts);
  }
  const zeros = Buffer.alloc(64 << 20);
  const bombs = {
    gzip: () => gzipSync(zeros),
    deflate: () => deflateSync(zeros),
    br: () => brotliCompressSync(zeros.subarray(0, 16 << 20)),
    zstd: zstdBomb,
    "gzip, gzip": () => gzipSync(gzipSync(zeros)),
  };
  for (const [encoding, make] of Object.entries(bombs))
    test(`a ${encoding} bomb is refused with 413`, async () => {
      const { url, budget } = await serve([digest]);
      const answer = await fetch(`${url}/digest`, {
        method: "POST",
        body: new Uint8Array(make()),
        headers: { "content-encoding": encoding },
      });
      expect(answer.status).toBe(413);
      expect((await answer.json()).error).toContain("inflates to more than 1MiB");
      expect(budget.used("in_flight")).toBe(0);
    });

  // A window of 8 MiB and a million blocks of nothing: cheap to send, dear to decode.
  const zstdCrumbs = Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x68]),
    Buffer.alloc(300_000),
    Buffer.from([1, 0, 0]),
  ]);
  // One segment that claims 4 GiB of content.
  const zstdClaim = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0]);
  const zstdWindow = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 1, 0, 0]); // 2 GiB
  const damages: Record<string, [string, Uint8Array, number, string]> = {
    "cut gzip": ["gzip", gzipSync(body).subarray(0, 900), 400, "damaged"],
    "plain text called gzip": ["gzip", Buffer.from("cpu v=1"), 400, "damaged"],
    "cut br": ["br", brotliCompressSync(body).subarray(0, 20), 400, "damaged"],
    "cut zstd": ["zstd", zstdStore(body).subarray(0, 5_000), 400, "damaged"],
    "plain text called zstd": ["zstd", Buffer.from("cpu v=1 1700000000"), 400, "damaged"],
    "zstd with a huge window": ["zstd", zstdWindow, 413, "window"],
    "zstd of crumbs": ["zstd", zstdCrumbs, 413, "small blocks"],
    "zstd that claims 4 GiB": ["zstd", zstdClaim, 413, "inflates to more"],
    "unknown encoding": ["snappy", Buffer.from("x"), 415, "snappy"],
    "three encodings": ["gzip, gzip, gzip", Buffer.from("x"), 415, "too many"],
  };
  for (const [name, [encoding, bytes, status, text]] of Object.entries(damages))
    test(`${name} → ${status}`, async () => {
      const { url } = await serve([digest]);
      const answer = await fetch(`${url}/digest`, {
        method: "POST",
        body: new Uint8Array(bytes),
        headers: { "content-encoding": encoding },
      });
      expect(answer.status).toBe(status);
      expect((await answer.json()).error).toContain(text);
    });

  test("an empty body is empty, even when called gzip", async () => {
    const { url } = await serve([digest]);
    const answer = await fetch(`${url}/digest`, {
      method: "POST",
      headers: { "content-encoding": "gzip" },
    });
    expect(await answer.json()).toMatchObject({ bytes: 0 });
  });

  test("a declared length above the limit is refused before it is sent", async () => {
    const { port } = await serve([digest]);
    const text = await raw(port, [
      "POST /digest HTTP/1.1\r\nhost: x\r\ncontent-length: 9999999\r\nexpect: 100-continue\r\n\r\n",
    ]);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).not.toContain("100 Continue");
    expect(text.toLowerCase()).toContain("connection: close");
  });

  test("a chunked body above the limit is refused while it is still being sent", async () => {
    const { port } = await serve([digest]);
    const chunk = Buffer.concat([
      Buffer.from("40000\r\n"),
      Buffer.alloc(0x40000, 97),
      Buffer.from("\r\n"),
    ]);
    const text = await raw(port, [
      "POST /digest HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n",
      ...Array.from({ length: 8 }, () => chunk),
      "0\r\n\r\n",
    ]);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain("http.body_limit");
  });

  test("Expect: 100-continue is answered once the body is wanted", async () => {
    const { port } = await serve([digest]);
    const text = await raw(
      port,
      [
        "POST /digest HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n",
        100,
        "abc",
      ],
      2_000,
    );
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });
});

describe("slow and broken clients", () => {
  test("half a body → 408 after the body time-out", async () => {
    const { port } = await serve([digest]);
    const text = await raw(port, [
      "POST /digest HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc",
    ]);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain("http.body_timeout");
  });

  test("half a head → 408", async () => {
    const { port } = await serve([digest]);
    const text = await raw(port, ["POST /digest HTTP/1.1\r\nhost: x\r\n"], 5_000);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("not HTTP → 400; a head too large → 431", async () => {
    const { port } = await serve([digest]);
    expect(await raw(port, ["hello there\r\n\r\n"])).toMatch(/^HTTP\/1\.1 400 /);
    const huge = `GET /?x=${"a".repeat(70_000)} HTTP/1.1\r\nhost: x\r\n\r\n`;
    expect(await raw(port, [huge])).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("a client that goes away aborts the signal", async () => {
    let aborted: unknown;
    const waiting = get("/wait", async (ctx) => {
      await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
      aborted = ctx.signal.reason;
      throw aborted;
    });
    const { port } = await serve([waiting]);
    await raw(port, ["GET /wait HTTP/1.1\r\nhost: x\r\n\r\n"], 100);
    await expect.poll(() => aborted).toBeInstanceOf(DbError);
    expect((aborted as DbError).code).toBe("cancelled");
  });

  test("a client that does not read its answer is cut off; the writer feels back-pressure", async () => {
    let written = 0;
    let failure: unknown;
    const flood = get("/flood", async (ctx) => {
      const writer = ctx.stream(200);
      const chunk = new Uint8Array(1 << 20);
      try {
        for (;;) {
          await writer.write(chunk);
          written += chunk.length;
        }
      } catch (error) {
        failure = error;
        throw error;
      }
    });
    const { port } = await serve([flood]);
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write("GET /flood HTTP/1.1\r\nhost: x\r\n\r\n");
    await expect.poll(() => failure, { timeout: 5_000 }).toBeInstanceOf(DbError);
    socket.destroy();
    expect(written).toBeLessThan(64 << 20);
  });

  test("pipelined requests are answered in order", async () => {
    const slow = get("/slow", async (ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await ctx.send(200, "slow");
    });
    const fast = get("/fast", (ctx) => ctx.send(200, "fast"));
    const { port } = await serve([slow, fast]);
    const text = await raw(port, [
      "GET /slow HTTP/1.1\r\nhost: x\r\n\r\nGET /fast HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    ]);
    expect(text.match(/slow|fast/g)).toEqual(["slow", "fast"]);
  });
});

describe("routing and errors", () => {
  const routes: Route[] = [
    get("/a/:name", (ctx) => ctx.json(200, ctx.params)),
    get("/a/b", (ctx) => ctx.send(200, "literal")),
    get("/files/*", (ctx) => ctx.json(200, ctx.params)),
    get("/bug", async () => {
      throw new Bug("two and two are five");
    }),
    get("/silent", async () => {}),
    get("/busy", async () => {
      throw new DbError("rate_limited", "later\nplease ü", { retryAfterSec: 7 });
    }),
  ];

  test("literal, parameter, rest, HEAD, 404, 405", async () => {
    const { url } = await serve(routes);
    expect(await (await fetch(`${url}/a/b`)).text()).toBe("literal");
    expect(await (await fetch(`${url}/a/x%2Fy%20z`)).json()).toEqual({ name: "x/y z" });
    expect(await (await fetch(`${url}/files/p/q.txt?x=1`)).json()).toEqual({ "*": "p/q.txt" });
    const head = await fetch(`${url}/a/b`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      "7",
      "",
    ]);
    const none = await fetch(`${url}/nothing`);
    expect([none.status, (await none.json()).code]).toEqual([404, 1004]);
    expect((await fetch(`${url}/a/%ff`)).status).toBe(404);
    const wrong = await fetch(`${url}/a/b`, { method: "POST", body: "x" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  test("errors carry code, headers and retry hint; internals are masked", async () => {
    const { url } = await serve(routes);
    const busy = await fetch(`${url}/busy`);
    expect(busy.status).toBe(429);
    expect(busy.headers.get("retry-after")).toBe("7");
    expect(busy.headers.get("x-greptime-err-code")).toBe("6001");
    expect(busy.headers.get("x-greptime-err-msg")).toBe("later please ?");
    expect(await busy.json()).toMatchObject({ code: 6001, error: "later\nplease ü" });
    for (const path of ["/bug", "/silent"]) {
      const bug = await fetch(`${url}${path}`);
      expect(bug.status).toBe(500);
      expect(await bug.json()).toMatchObject({ code: 1003, error: "Internal error: 1003" });
    }
  });

  test("CORS: preflight and simple requests", async () => {
    const { url } = await serve(routes);
    const headers = { origin: "http://elsewhere", "access-control-request-method": "POST" };
    const preflight = await fetch(`${url}/a/b`, { method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("GET");
  });
});

describe("limits over all requests", () => {
  test("bodies past the in-flight budget wait, then get 429", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hold = post("/hold", async (ctx) => {
      await ctx.body();
      await gate;
      await ctx.send(204);
    });
    const { url, budget } = await serve([hold, digest], {
      limits: { inFlightBytesMax: 1 << 20, inFlightWaitMs: 150 },
    });
    const body = new Uint8Array(700_000);
    const first = fetch(`${url}/hold`, { method: "POST", body });
    await expect.poll(() => budget.used("in_flight")).toBe(700_000);
    const refused = await fetch(`${url}/digest`, { method: "POST", body });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    const waiting = fetch(`${url}/digest`, { method: "POST", body });
    setTimeout(release, 50);
    expect((await first).status).toBe(204);
    expect((await waiting).status).toBe(200);
    expect(budget.used("in_flight")).toBe(0);
  });

  test("more requests than allowed → 503 with a hint; probes are still answered", async () => {
    const wait = get("/wait", async (ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      await ctx.send(204);
    });
    const probe: Route = { ...get("/health", (ctx) => ctx.send(200, "{}")), probe: true };
    const { url } = await serve([wait, probe], { limits: { requestsMax: 1 } });
    const first = fetch(`${url}/wait`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = await fetch(`${url}/wait`);
    expect([second.status, second.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await first).status).toBe(204);
  });

  test("the request time limit answers 408", async () => {
    const wait = get("/wait", async (ctx) => {
      await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
      throw new Error("something that broke because of the abort");
    });
    const { url } = await serve([wait], { limits: { requestTimeoutMs: 100 } });
    expect((await fetch(`${url}/wait`)).status).toBe(408);
  });

  test("stop lets a running request finish and refuses new ones", async () => {
    const wait = get("/wait", async (ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      await ctx.send(200, "done");
    });
    const { url, server } = await serve([wait]);
    const answer = fetch(`${url}/wait`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const stopped = server.stop(2_000);
    expect(await (await answer).text()).toBe("done");
    await stopped;
    await expect(fetch(`${url}/wait`)).rejects.toThrow();
    running.length = 0;
  });
});

describe("sessions and hints", () => {
  const show: Route = {
    methods: ["GET", "POST"],
    path: "/show",
    access: "open",
    handler: async (ctx) => {
      const form = await ctx.form();
      await ctx.json(200, {
        session: ctx.session(ctx.database(ctx.query.get("bucket"))),
        hints: ctx.writeHints(),
        q: ctx.query.get("q"),
        form: [...form],
      });
    },
  };

  test("database: header, then db, then fallback, then public", async () => {
    const { url } = await serve([show]);
    const db = async (query: string, headers: Record<string, string> = {}) =>
      (await (await fetch(`${url}/show${query}`, { headers })).json()).session.db;
    expect(await db("")).toBe("public");
    expect(await db("?bucket=b")).toBe("b");
    expect(await db("?bucket=b&db=a")).toBe("a");
    expect(await db("?db=greptime-a%20b")).toBe("a b");
    expect(await db("?db=my-db")).toBe("my-db");
    expect(await db("?db=a", { "x-greptime-db-name": "h" })).toBe("h");
  });

  test("zone, time limit, decoding, form, hints", async () => {
    const { url } = await serve([show]);
    const answer = await fetch(`${url}/show?q=a+b%2Bc%C3%BC`, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded; charset=utf-8",
        "x-greptime-timezone": "+8:00",
        "x-greptime-timeout": "2s",
        "x-greptime-hints": "ttl=7d, auto_create_table=false",
      },
      body: "sql=SELECT+1%3B&x=",
    });
    expect(await answer.json()).toEqual({
      session: {
        db: "public",
        timezone: "+08:00",
        user: "root",
        permission: "read_write",
        protocol: "http",
        dialect: "greptime",
        timeoutMs: 2000,
      },
      hints: { options: { ttl: "7d" }, autoCreateTable: false },
      q: "a b+cü",
      form: [
        ["sql", "SELECT 1;"],
        ["x", ""],
      ],
    });
    const bad = { "x-greptime-hint-auto_create_table": "maybe" };
    expect((await fetch(`${url}/show`, { headers: bad })).status).toBe(400);
  });
});

describe("authentication", () => {
  const users: Record<string, User> = {
    "rw:p:w": { name: "rw", permission: "read_write" },
    "ro:p": { name: "ro", permission: "read" },
    "wo:p": { name: "wo", permission: "write" },
  };
  const authenticator: Authenticator = {
    anonymous: undefined,
    authenticate: async (name, password) => {
      const user = users[`${name}:${password}`];
      if (user === undefined) throw new DbError("password_mismatch", `no, ${name}`);
      return user;
    },
  };
  const ok = (ctx: Ctx) => ctx.send(200, ctx.user.name);
  const routes: Route[] = [
    { methods: ["GET"], path: "/open", access: "open", handler: ok },
    { methods: ["GET"], path: "/basic", access: "auth", handler: ok },
    { methods: ["GET"], path: "/influx", access: "auth", scheme: "influx", handler: ok },
    { methods: ["GET"], path: "/write", access: "auth", permission: "write", handler: ok },
    { methods: ["GET"], path: "/read", access: "auth", permission: "read", handler: ok },
  ];
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;
  const cases: [string, Record<string, string>, number][] = [
    ["/open", {}, 200],
    ["/basic", {}, 401],
    ["/basic", { authorization: basic("rw:p:w") }, 200],
    ["/basic", { "x-greptime-auth": basic("rw:p:w"), authorization: basic("rw:no") }, 200],
    ["/basic", { authorization: basic("rw:no") }, 401],
    ["/basic", { authorization: "Basic !!!" }, 401],
    ["/basic", { authorization: basic("nocolon") }, 401],
    ["/basic", { authorization: "Bearer abc" }, 401],
    ["/basic", { authorization: "Token rw:p:w" }, 401],
    ["/basic?u=rw&p=p:w", {}, 401],
    ["/influx", {}, 401],
    ["/influx", { authorization: "tOkEn rw:p:w" }, 200],
    ["/influx", { authorization: basic("ro:p") }, 200],
    ["/influx?u=rw&p=p%3Aw", {}, 200],
    ["/influx?u=rw", {}, 401],
    ["/influx?u=rw&p=p%3Aw", { authorization: basic("rw:no") }, 401],
    ["/write", { authorization: basic("ro:p") }, 403],
    ["/write", { authorization: basic("wo:p") }, 200],
    ["/read", { authorization: basic("wo:p") }, 403],
    ["/read", { authorization: basic("ro:p") }, 200],
  ];
  for (const [path, headers, status] of cases)
    test(`${path} ${JSON.stringify(headers)} → ${status}`, async () => {
      const { url } = await serve(routes, { authenticator });
      const answer = await fetch(`${url}${path}`, { headers });
      expect(answer.status).toBe(status);
      if (status !== 401) return;
      expect(answer.headers.get("www-authenticate")).toContain("Basic");
      expect((await answer.json()).code).toBeGreaterThanOrEqual(7000);
    });
});
