import { describe, expect, test } from "vitest";
import { type HttpResponse, HttpResponseParser } from "./http_response.ts";

interface Case {
  readonly bytes: string;
  readonly want: Partial<HttpResponse>;
  /** The body ends with the connection. */
  readonly ends?: boolean;
}

const CASES: Readonly<Record<string, Case>> = {
  "204 without a body": {
    bytes: "HTTP/1.1 204 No Content\r\nDate: x\r\nX-Influxdb-Version: 1.6.7\r\n\r\n",
    want: { status: 204, body: "", closes: false, retryAfterS: null },
  },
  "200 with a length": {
    bytes: "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
    want: { status: 200, body: "hello" },
  },
  "length 0": {
    bytes: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    want: { status: 200, body: "" },
  },
  chunked: {
    bytes:
      "HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\na;x=y\r\npedia\r\n in\r\n0\r\n\r\n",
    want: { status: 400, body: "Wikipedia\r\n in" },
  },
  "chunked with trailers": {
    bytes:
      "HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nA: b\r\nCd: e\r\n\r\n",
    want: { status: 500, body: "a" },
  },
  overload: {
    bytes:
      "HTTP/1.1 429 Too Many\r\nRetry-After: 3\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno",
    want: { status: 429, retryAfterS: 3, closes: true, body: "no" },
  },
  "a date in Retry-After": {
    bytes:
      "HTTP/1.1 503 X\r\nRetry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\nContent-Length: 0\r\n\r\n",
    want: { status: 503, retryAfterS: null },
  },
  "an interim answer first": {
    bytes: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    want: { status: 204, body: "" },
  },
  "a body to the end": {
    bytes: "HTTP/1.0 500 X\r\n\r\nsome text",
    want: { status: 500, body: "some text", closes: true },
    ends: true,
  },
  "a header's name inside another's value": {
    bytes: "HTTP/1.1 200 OK\r\nX: Content-Length: 99\r\nContent-Length: 1\r\n\r\nz",
    want: { status: 200, body: "z" },
  },
};

function parse(pieces: readonly Buffer[], ends: boolean): HttpResponse | null {
  const parser = new HttpResponseParser();
  for (const [i, piece] of pieces.entries()) {
    const response = parser.push(piece);
    if (response !== null) {
      expect(i).toBe(pieces.length - 1);
      return response;
    }
  }
  return ends ? parser.end() : null;
}

describe.each(Object.entries(CASES))("%s", (_name, { bytes, want, ends = false }) => {
  const all = Buffer.from(bytes, "latin1");

  test("whole", () => expect(parse([all], ends)).toMatchObject(want));

  test("split at every byte", () => {
    for (let at = 1; at < all.length; at++)
      expect(parse([all.subarray(0, at), all.subarray(at)], ends)).toMatchObject(want);
  });

  test("byte by byte", () => {
    const pieces = Array.from(all, (_, i) => all.subarray(i, i + 1));
    expect(parse(pieces, ends)).toMatchObject(want);
  });

  test("cut short gives nothing", () => {
    if (!ends) expect(parse([all.subarray(0, -1)], true)).toBeNull();
  });
});

test("one parser reads response after response", () => {
  const parser = new HttpResponseParser();
  for (const { bytes, want, ends } of Object.values(CASES)) {
    if (ends === true) continue;
    expect(parser.push(Buffer.from(bytes, "latin1"))).toMatchObject(want);
  }
});

test("takes only the given length of a reused buffer", () => {
  const parser = new HttpResponseParser();
  const buffer = Buffer.from("HTTP/1.1 204 No Content\r\n\r\nleft from before");
  expect(parser.push(buffer, 27)).toMatchObject({ status: 204 });
});

test("keeps no more of a body than a message needs, and reads past the rest", () => {
  const parser = new HttpResponseParser();
  const head = Buffer.from("HTTP/1.1 500 X\r\nContent-Length: 100000\r\n\r\n");
  expect(parser.push(head)).toBeNull();
  for (let i = 0; i < 99; i++) expect(parser.push(Buffer.alloc(1000, 65))).toBeNull();
  expect(parser.push(Buffer.alloc(1000, 65))!.body).toHaveLength(4096);
});

test.each([
  ["not HTTP", "SSH-2.0-OpenSSH\r\n\r\n"],
  ["a broken length", "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n"],
  ["a broken chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
  ["bytes nobody asked for", "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204"],
  ["an endless head", `HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(20_000)}`],
])("refuses %s", (_what, bytes) => {
  const parser = new HttpResponseParser();
  expect(() => {
    for (let at = 0; at < bytes.length; at += 16_384)
      parser.push(Buffer.from(bytes.slice(at, at + 16_384), "latin1"));
  }).toThrow();
});
