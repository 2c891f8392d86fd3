import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { SeriesGenerator } from "../lp/series.ts";
import { Loader, type LoadOptions, type LoadResult } from "./loader.ts";
import { generated } from "./source.ts";

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  call: number,
  body: string,
) => void;

interface Load {
  readonly result: LoadResult;
  readonly bodies: readonly string[];
}

async function load(
  rows: number,
  answer: Answer,
  options: Partial<LoadOptions> = {},
): Promise<Load> {
  const bodies: string[] = [];
  let calls = 0;
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      answer(request, response, ++calls, body);
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const loader = new Loader(
    { host: "127.0.0.1", port, path: "/write?db=x", headers: { "Content-Type": "text/plain" } },
    generated(new SeriesGenerator({ series: 1000, rows, seed: 3 }), 100),
    {
      workers: 3,
      warmupBatches: 0,
      secondsMax: 60,
      rowsMax: Number.POSITIVE_INFINITY,
      ...options,
    },
  );
  return { result: await loader.run(), bodies };
}

const ok: Answer = (_request, response) => response.writeHead(204).end();
const linesIn = (bodies: readonly string[]) => bodies.join("").trimEnd().split("\n");

test("sends every line once, with the target's path and headers", async () => {
  const heads: string[] = [];
  const { result, bodies } = await load(2050, (request, response) => {
    heads.push(`${request.method} ${request.url} ${request.headers["content-type"]}`);
    response.writeHead(204).end();
  });
  expect(new Set(heads)).toEqual(new Set(["POST /write?db=x text/plain"]));
  expect(new Set(linesIn(bodies)).size).toBe(2050);
  expect(result).toMatchObject({ rows: 2050, rowsAcknowledged: 2050, batches: 21, errors: 0 });
  expect(result.cutShort).toBe(false);
  // The tail batch of 50 rows is not among the latencies.
  expect(result.latency.count).toBe(20);
  expect(result.rowsBySecond.reduce((sum, n) => sum + n, 0)).toBe(2050);
});

test("the warm-up is stored and counted, not measured", async () => {
  const { result, bodies } = await load(1000, ok, { warmupBatches: 4 });
  expect(linesIn(bodies)).toHaveLength(1000);
  expect(result).toMatchObject({ rows: 600, rowsAcknowledged: 1000, batches: 6 });
});

test("waits and repeats when the server is overloaded", async () => {
  const { result, bodies } = await load(300, (_request, response, call) => {
    if (call === 1) response.writeHead(503, { "Retry-After": "0" }).end("busy");
    else if (call === 2) response.writeHead(429, { "Retry-After": "0" }).end();
    else response.writeHead(204).end();
  });
  expect(result).toMatchObject({ rows: 300, retries: 2, errors: 0 });
  expect(new Set(linesIn(bodies)).size).toBe(300);
});

test("repeats on a new connection when one breaks", async () => {
  const { result } = await load(500, (request, response, call) => {
    if (call === 2) request.socket.destroy();
    else response.writeHead(204).end();
  });
  expect(result).toMatchObject({ rows: 500, retries: 1, errors: 0 });
});

test("goes on when the server closes after each answer", async () => {
  const { result } = await load(700, (_request, response) =>
    response.writeHead(204, { Connection: "close" }).end(),
  );
  expect(result).toMatchObject({ rows: 700, errors: 0 });
});

test("counts refusals, keeps their words, and gives up when there are only refusals", async () => {
  const { result } = await load(10_000, (_request, response, call) => {
    if (call <= 2) response.writeHead(204).end();
    else response.writeHead(400).end("unable to parse line 7");
  });
  expect(result.rows).toBe(200);
  expect(result.errors).toBeGreaterThanOrEqual(20);
  expect(result.errors).toBeLessThan(25);
  expect(result.errorSamples[0]).toBe("400: unable to parse line 7");
  expect(result.cutShort).toBe(true);
});

test("stops at the limit of rows, with whole batches", async () => {
  const { result } = await load(10_000, ok, { rowsMax: 950 });
  expect(result).toMatchObject({ rows: 1000, cutShort: true });
});

test("stops at the limit of time", async () => {
  const slow: Answer = (_request, response) =>
    void setTimeout(() => response.writeHead(204).end(), 50);
  const { result } = await load(100_000, slow, { secondsMax: 0.5 });
  expect(result.cutShort).toBe(true);
  expect(result.rows).toBeGreaterThan(0);
  expect(result.seconds).toBeLessThan(2);
});

test("throws when nobody listens", async () => {
  const source = generated(new SeriesGenerator({ series: 1000, rows: 10, seed: 3 }), 10);
  const target = { host: "127.0.0.1", port: 1, path: "/", headers: {} };
  const options = { workers: 1, warmupBatches: 0, secondsMax: 1, rowsMax: 10 };
  await expect(new Loader(target, source, options).run()).rejects.toThrow("ECONNREFUSED");
});
