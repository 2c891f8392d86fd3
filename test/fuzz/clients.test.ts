/**
 * Slow, broken and hostile clients against a real server: each gets the answer of the protocol or is cut off, others are served meanwhile,
 * and memory stays within its budget.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { prng } from "../harness/prng.ts";
import { TestServer } from "../harness/server.ts";

const MIB = 1024 ** 2;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const budgetMib = 384;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    flags: ["--memory-budget", `${budgetMib}MB`],
    env: {
      TIDEMARK_STANDALONE__HTTP__BODY_TIMEOUT: "2s",
      TIDEMARK_STANDALONE__HTTP__HEADER_TIMEOUT: "2s",
      TIDEMARK_STANDALONE__HTTP__MAX_CONNECTIONS: "1200",
      TIDEMARK_STANDALONE__HTTP__BODY_LIMIT: "32MB",
    },
  });
  await server.write("alive v=1i 1");
}, 120_000);
afterAll(() => server.dispose());

const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  // Whatever happened: the server is there, answers, and has kept to its memory.
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  expect(await server.sql("SELECT v FROM alive")).toEqual([[1]]);
  expect(server.exitCode).toBeUndefined();
  expect(await peakMib()).toBeLessThan(budgetMib * 2.5);
});

async function peakMib(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** A raw connection, and what it receives until it is closed. */
async function open(): Promise<{ socket: Socket; received: Promise<string> }> {
  const socket = connect(server.port, "127.0.0.1");
  sockets.push(socket);
  await once(socket, "connect");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  return { socket, received: once(socket, "close").then(() => text) };
}

const head = (length: number) =>
  `POST /v1/influxdb/api/v2/write?db=public HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`;

describe("slow senders", () => {
  test("half a body, then silence: 408, and nothing of it is stored", async () => {
    const { socket, received } = await open();
    socket.write(`${head(1000)}half v=1i 1\nhalf v=2i 2\nhal`);
    expect(await received).toMatch(/^HTTP\/1\.1 408 .*http\.body_timeout/s);
    expect((await server.query("SELECT * FROM half")).text).toMatch(/not found/i);
  });

  test("half a body, then gone: nothing of it is stored", async () => {
    for (let i = 0; i < 20; i++) {
      const { socket } = await open();
      socket.write(`${head(1000)}half v=1i 1\nhalf v=2i 2\n`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      socket.destroy();
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await server.query("SELECT * FROM half")).text).toMatch(/not found/i);
  });

  test("byte by byte, fast enough: 204", async () => {
    const body = "slow,host=ä v=1i 1\nslow,host=ß v=2i 2";
    const { socket, received } = await open();
    socket.setNoDelay(true);
    for (const byte of Buffer.from(head(Buffer.byteLength(body)) + body)) {
      socket.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await received).toMatch(/^HTTP\/1\.1 204 /);
    expect(await server.sql("SELECT host, v FROM slow ORDER BY v")).toEqual([
      ["ä", 1],
      ["ß", 2],
    ]);
  });

  test("byte by byte, for ever: cut off by the time limits of head and body", async () => {
    for (const start of ["POST /v1/sql HTTP/1.1\r\nx-slow: ", head(100_000)]) {
      const { socket, received } = await open();
      socket.write(start);
      const timer = setInterval(() => socket.write("a"), 50);
      const text = await received;
      clearInterval(timer);
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
    }
  });

  test("a thousand idle connections: others are served", async () => {
    const idle = await Promise.all(Array.from({ length: 1_000 }, open));
    const started = performance.now();
    expect((await server.write("crowd v=1i 1")).status).toBe(204);
    expect(await server.sql("SELECT v FROM crowd")).toEqual([[1]]);
    expect(performance.now() - started).toBeLessThan(5_000);
    // Those that never send a head are closed by its time limit.
    await Promise.all(idle.map(({ received }) => received));
  });
});

describe("heads", () => {
  test("a header of 1 MiB: 431", async () => {
    const { socket, received } = await open();
    socket.write(`GET /health HTTP/1.1\r\nhost: x\r\nx-large: ${"a".repeat(MIB)}\r\n\r\n`);
    expect(await received).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("10,000 headers: refused", async () => {
    const { socket, received } = await open();
    const headers = Array.from({ length: 10_000 }, (_, i) => `x-${i}: ${i}\r\n`).join("");
    socket.write(`GET /health HTTP/1.1\r\nhost: x\r\n${headers}\r\n`);
    expect(await received).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  test("lengths that contradict each other, or are none: 400", async () => {
    for (const more of [
      "content-length: 5\r\ntransfer-encoding: chunked\r\n",
      "content-length: 5\r\ncontent-length: 6\r\n",
      "content-length: -1\r\n",
      "content-length: 99999999999999999999\r\n",
      "transfer-encoding: gzip\r\n",
    ]) {
      const { socket, received } = await open();
      socket.write(`POST /v1/sql HTTP/1.1\r\nhost: x\r\n${more}\r\nsql=1`);
      expect(await received, more).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
  });
});

/** 10 GB, in pieces that each format can repeat. */
const bombBytes = 10 * 1024 * MIB;
const bombs: Readonly<Record<string, () => Uint8Array>> = {
  // Members may follow each other.
  gzip: () => repeated(gzipSync(Buffer.alloc(64 * MIB, "m v=1\n")), bombBytes / (64 * MIB)),
  // A block that ends on a byte and is not the last one may be repeated; two bytes of header stand before the first.
  deflate: () => {
    const flush = { finishFlush: constants.Z_FULL_FLUSH };
    const piece = deflateSync(Buffer.alloc(64 * MIB, "m v=1\n"), flush);
    return Buffer.concat([
      piece.subarray(0, 2),
      repeated(piece.subarray(2), bombBytes / (64 * MIB)),
    ]);
  },
  // Half a gigabyte only: a brotli stream cannot be put together from pieces.
  br: () =>
    brotliCompressSync(Buffer.alloc(512 * MIB), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
    }),
  // A frame with a window of 128 KiB, then blocks that repeat one byte: 128 KiB in four bytes.
  zstd: () => {
    const bytes = 128 * 1024;
    const header = (bytes << 3) | 2;
    const block = Buffer.from([header & 0xff, (header >> 8) & 0xff, header >> 16, 10]);
    const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]);
    const last = Buffer.from(block);
    last[0]! |= 1;
    return Buffer.concat([frame, repeated(block, bombBytes / bytes), last]);
  },
};

function repeated(piece: Uint8Array, times: number): Buffer {
  const all = Buffer.alloc(piece.length * times);
  for (let i = 0; i < times; i++) all.set(piece, i * piece.length);
  return all;
}

describe("zip bombs", () => {
  for (const [encoding, make] of Object.entries(bombs))
    test(encoding, async () => {
      const bomb = make();
      expect(bomb.length).toBeLessThan(16 * MIB);
      const started = performance.now();
      const answer = await server.write(bomb, {}, { "content-encoding": encoding });
      expect(answer.status, answer.text).toBe(413);
      expect(answer.text).toContain("inflates to more than 32MiB");
      expect(performance.now() - started).toBeLessThan(10_000);
    });
});

describe("line protocol", () => {
  test("invalid UTF-8 refuses its lines only", async () => {
    const lines = [
      "utf,host=a v=1i 1",
      "utf,host=\xff v=2i 2",
      "utf\xc3,host=b v=3i 3",
      'utf,host=c t="\xe2\x82" 4',
      "utf,host=d v=5i 5",
    ];
    const answer = await server.write(Buffer.from(lines.join("\n"), "latin1"));
    expect(answer.status, answer.text).toBe(400);
    expect(answer.text).toMatch(/line 2.*rows written=2 refused=3/s);
    expect(await server.sql("SELECT host, v FROM utf ORDER BY v")).toEqual([
      ["a", 1],
      ["d", 5],
    ]);
  });

  test("10,000 fields, in one line and in 10,000 lines: no more than columns and memory allow, the rest refused by name", async () => {
    const fields = Array.from({ length: 10_000 }, (_, i) => `f${i}=${i}i`);
    const one = await server.write(`wide ${fields.join(",")} 1`);
    expect(one.status, one.text).toBe(400);
    expect(one.text).toMatch(/wide has as many columns as it may have/);
    const many = await server.write(fields.map((f, i) => `wide2 ${f} ${i + 1}`).join("\n"));
    expect(many.status, many.text.slice(0, 300)).toBe(400);
    expect(many.text).toMatch(
      /wide2 has as many columns as it may have|not enough memory for this line/,
    );
    const [[rows]] = (await server.sql("SELECT count(*) FROM wide2")) as [[number]];
    expect(Number(/rows written=(\d+)/.exec(many.text)?.[1])).toBe(rows);
    // One column is the time; the memory may allow fewer.
    expect(rows).toBeLessThanOrEqual(4_095);
    expect(rows).toBeGreaterThan(1_000);
    expect((await server.write("wide2 f0=5i 99999")).status).toBe(204);
  });

  test("tags, names and texts of 1 MiB: stored whole, or refused by name", async () => {
    const large = "x".repeat(MIB);
    for (const [what, line, select] of [
      ["tag value", `lt,host=${large} v=1i 1`, "SELECT length(host), v FROM lt"],
      ["text", `lf t="${large}",v=1i 1`, "SELECT length(t), v FROM lf"],
      ["tag name", `ln,${large}=a v=1i 1`, undefined],
      ["field name", `lfn ${large}=1i 1`, undefined],
      ["measurement", `${large} v=1i 1`, undefined],
    ] as const) {
      const answer = await server.write(`${line}\nafter v=1i 1`);
      expect([204, 400], `${what}: ${answer.text.slice(0, 300)}`).toContain(answer.status);
      // An answer does not repeat a megabyte.
      expect(answer.text.length, what).toBeLessThan(10_000);
      if (answer.status === 204 && select !== undefined)
        expect(await server.sql(select), what).toEqual([[MIB, 1]]);
      expect(await server.sql("SELECT v FROM after")).toEqual([[1]]);
    }
  });
});

test(`noise on every route (SEED=${seed}): never a server error`, async () => {
  const random = prng(seed);
  const pick = (n: number) => Math.floor(random() * n);
  const alphabet = [...'ab,= "\\\n1i.e-\0ä#t\r'];
  const paths = [
    "/v1/influxdb/api/v2/write?db=public",
    "/v1/influxdb/write?db=public&precision=x",
    "/v1/sql?db=public",
    "/v1/sql?db=nope&format=csv",
    "/v1/influxdb/query?q=",
    "/nothing/here",
  ];
  for (let i = 0; i < 300; i++) {
    const length = pick(400);
    const body =
      pick(3) === 0
        ? Buffer.from(Array.from({ length }, () => pick(256)))
        : Buffer.from(Array.from({ length }, () => alphabet[pick(alphabet.length)]).join(""));
    const headers: Record<string, string> = {};
    if (pick(4) === 0) headers["content-encoding"] = ["gzip", "zstd", "br", "x"][pick(4)]!;
    if (pick(3) === 0) headers["content-type"] = "application/x-www-form-urlencoded";
    const path = paths[pick(paths.length)]!;
    const answer = await fetch(server.url + path, { method: "POST", body, headers });
    expect(answer.status, `${path} ${JSON.stringify(body.toString("latin1"))}`).toBeLessThan(500);
    await answer.arrayBuffer();
  }
});
