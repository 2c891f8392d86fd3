/** The bytes of format 1, as an independent program wrote them. Never regenerate: old logs must stay readable. */
import { describe, expect, test } from "vitest";
import { MemoryDisk } from "../disk/mod.ts";
import {
  decodeRecordHeader,
  decodeSegmentHeader,
  encodeRecordHeader,
  encodeSegmentHeader,
  findRecordHeader,
  RECORD_HEADER_BYTES,
} from "./format.ts";
import { segmentName } from "./segment.ts";
import { collect, openTestWal, writeLog } from "./testing.ts";

const HEADER = Buffer.from(
  "5449444557414c0a0100000071c6ec0403000000000000000200000000000000e80300000000000000002a36fe9c9717",
  "hex",
);
const RECORD = Buffer.from(
  "f75457521e01dd7e4cbb719a0500000007000000000000000000000000010000020000000200000068656c6c6f",
  "hex",
);
const header = {
  number: 3n,
  previous: 2n,
  previousBytes: 1000,
  createdNs: 1_700_000_000_000_000_000n,
};
const record = { region: 7n, kind: "delete", sequence: 1n << 40n, rows: 2 } as const;
const position = { segment: 3n, offset: 48 };

test("segment header", () => {
  expect(encodeSegmentHeader(header)).toEqual(HEADER);
  expect(decodeSegmentHeader(HEADER)).toEqual({ ok: true, value: header });
});

test("record header", () => {
  const bytes = Buffer.alloc(RECORD_HEADER_BYTES);
  encodeRecordHeader(bytes, 0, record, 5, RECORD.readUInt32LE(8), position);
  expect(bytes).toEqual(RECORD.subarray(0, RECORD_HEADER_BYTES));
  expect(decodeRecordHeader(RECORD, 0, position)).toMatchObject({ ok: true, value: record });
});

test("a segment of format 1 is replayed", async () => {
  const folder = new MemoryDisk({ seed: 1 }).openLogFolder();
  await writeLog(folder, segmentName(3n), Buffer.concat([HEADER, RECORD]));
  const { records, report } = await collect(await openTestWal(folder));
  expect(records).toEqual([{ ...record, payload: Buffer.from("hello") }]);
  expect(report.damages).toEqual([]);
});

describe("a record counts only where it was written", () => {
  for (const [name, other] of Object.entries({
    "another offset": { segment: 3n, offset: 49 },
    "another segment": { segment: 4n, offset: 48 },
  }))
    test(name, () => {
      expect(decodeRecordHeader(RECORD, 0, other)).toMatchObject({
        ok: false,
        why: expect.stringContaining("header crc"),
      });
    });
});

test("the search finds a header at every offset and split, and only there", () => {
  for (let offset = 0; offset < 60; offset++) {
    const bytes = Buffer.alloc(120, RECORD.subarray(0, 3));
    RECORD.copy(bytes, offset);
    const start = { segment: 3n, offset: 48 - offset };
    expect(findRecordHeader(bytes, start)).toEqual({ at: offset, valid: true });
    const cut = findRecordHeader(bytes.subarray(0, offset + RECORD_HEADER_BYTES - 1), start);
    expect(cut.valid).toBe(false);
    expect(cut.at).toBeLessThanOrEqual(offset);
  }
});
