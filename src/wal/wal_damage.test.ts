/** Damaged logs: cut to every length, every byte flipped, named faults. No start fails, nothing is invented. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { Fatal } from "../base/mod.ts";
import { crc32c } from "../codec/mod.ts";
import {
  FaultPlan,
  faultyLogFolder,
  type LogFolder,
  MemoryDisk,
  openLogFolder,
} from "../disk/mod.ts";
import { encodeRecordHeader, encodeSegmentHeader, RECORD_HEADER_BYTES } from "./format.ts";
import { segmentName } from "./segment.ts";
import { collect, copyLog, openTestWal, record, writeLog } from "./testing.ts";

const ONE = segmentName(1n);
const TWO = segmentName(2n);
const memory = () => new MemoryDisk({ seed: 1 }).openLogFolder();

/** Two segments, three records each; `ends` are the offsets after each record in the last one. */
let original: LogFolder;
let texts: string[];
const HEADER = 48;

beforeAll(async () => {
  original = memory();
  texts = Array.from({ length: 6 }, (_, i) => `payload number ${i} `.repeat(i + 1));
  const wal = await openTestWal(original, { segmentBytesMax: 300 });
  for (const [i, text] of texts.entries())
    await wal.append(record(BigInt(i % 2), BigInt(i), 1, text));
  await wal.close();
  expect((await original.list()).map(({ name }) => name).slice(0, 2)).toEqual([ONE, TWO]);
});

/** Where the records of the segments stand, by the lengths that were appended. */
async function layout(): Promise<{ name: string; bytes: number; ends: number[]; from: number }[]> {
  let next = 0;
  return (await original.list()).map(({ name, bytes }) => {
    const ends: number[] = [];
    const from = next;
    for (let at = HEADER; at < bytes; ) {
      at += RECORD_HEADER_BYTES + texts[next++]!.length;
      ends.push(at);
    }
    return { name, bytes, ends, from };
  });
}

async function damaged(name: string, bytes: Uint8Array): Promise<LogFolder> {
  const folder = memory();
  await copyLog(original, folder);
  await writeLog(folder, name, bytes);
  return folder;
}

/** Starts, checks that the log takes new records, and that the next start sees the same and the new one. */
async function start(folder: LogFolder) {
  const wal = await openTestWal(folder);
  const seen = await collect(wal);
  await wal.append(record(9n, 99n, 1, "new"));
  await wal.close();
  const again = await collect(await openTestWal(folder));
  expect(again.texts).toEqual([...seen.texts, "new"]);
  expect(again.report.damages).toEqual(seen.report.damages);
  expect(again.report.tornBytes).toBe(0);
  return seen;
}

test("the last segment cut to every length: whole records stay, the rest is a torn tail", async () => {
  const last = (await layout()).at(-1)!;
  const whole = await original.read(last.name, 0, last.bytes);
  for (let length = 0; length <= last.bytes; length++) {
    const { texts: seen, report } = await start(
      await damaged(last.name, whole.subarray(0, length)),
    );
    const count = last.ends.filter((end) => end <= length).length;
    expect(seen, `cut to ${length}`).toEqual(texts.slice(0, last.from + count));
    const good = count > 0 ? last.ends[count - 1]! : length >= HEADER ? HEADER : 0;
    expect(report.tornBytes).toBe(length - good);
    expect(report.damages).toEqual([]);
  }
});

test("an earlier segment cut to every length: reported, and all other records served", async () => {
  const [first] = await layout();
  const whole = await original.read(ONE, 0, first!.bytes);
  for (let length = 0; length < first!.bytes; length++) {
    const { texts: seen, report } = await start(await damaged(ONE, whole.subarray(0, length)));
    const kept = first!.ends.filter((end) => end <= length).length;
    expect(seen, `cut to ${length}`).toEqual([
      ...texts.slice(0, kept),
      ...texts.slice(first!.ends.length),
    ]);
    expect(report.damages.length).toBeGreaterThanOrEqual(1);
    expect(report.damages.every(({ segment }) => segment === ONE)).toBe(true);
    expect(report.tornBytes).toBe(0);
  }
});

test("every byte of every segment flipped: at most the record it is in is lost, nothing is invented", async () => {
  const segments = await layout();
  for (const [index, { name, bytes, ends, from }] of segments.entries()) {
    const whole = await original.read(name, 0, bytes);
    for (let at = 0; at < bytes; at++) {
      const flipped = Buffer.from(whole);
      flipped[at]! ^= 1 << (at % 8);
      const { texts: seen, report } = await start(await damaged(name, flipped));
      const hit = at < HEADER ? undefined : from + ends.findIndex((end) => at < end);
      expect(seen, `${name} byte ${at}`).toEqual(texts.filter((_, i) => i !== hit));
      const tail = index === segments.length - 1 && hit === texts.length - 1;
      expect(report.damages.length, `${name} byte ${at}`).toBe(tail ? 0 : 1);
      expect(report.tornBytes > 0).toBe(tail);
      if (!tail) expect(report.damages[0]!.segment).toBe(name);
    }
  }
});

test("a damaged stretch is copied aside once, byte for byte, and nothing else changes", async () => {
  const [first] = await layout();
  const bytes = Buffer.from(await original.read(ONE, 0, first!.bytes));
  bytes[first!.ends[0]! + RECORD_HEADER_BYTES]! ^= 1;
  const folder = await damaged(ONE, bytes);
  for (let start = 0; start < 2; start++) {
    const { report } = await collect(await openTestWal(folder));
    expect(report.damages).toEqual([
      {
        segment: ONE,
        offset: first!.ends[0],
        why: expect.stringMatching(/^payload crc \w+, want \w+$/),
      },
    ]);
    const copy = (await folder.list()).filter(({ name }) => name.includes("damaged"));
    expect(copy).toEqual([
      { name: `${ONE}.damaged-${first!.ends[0]}`, bytes: first!.ends[1]! - first!.ends[0]! },
    ]);
    expect(Buffer.from(await folder.read(copy[0]!.name, 0, copy[0]!.bytes))).toEqual(
      bytes.subarray(first!.ends[0], first!.ends[1]),
    );
  }
});

test("when the copy cannot be made, the log starts and the segment is never trimmed", async () => {
  const [first] = await layout();
  const bytes = Buffer.from(await original.read(ONE, 0, first!.bytes));
  bytes[HEADER + 5]! ^= 1;
  const plan = new FaultPlan();
  plan.fail({ step: "write", nth: 1, code: "ENOSPC" });
  const folder = await damaged(ONE, bytes);
  const wal = await openTestWal(faultyLogFolder(folder, plan));
  expect((await collect(wal)).report.damages).toHaveLength(1);
  await wal.append(record(1n, 100n, 1, "new"));
  await wal.trim(() => undefined);
  expect((await folder.list()).map(({ name }) => name)).toContain(ONE);
  await wal.close();
});

describe("named faults", () => {
  const zeros = (length: number) => new Uint8Array(length);
  const faults: Record<
    string,
    { change(bytes: Buffer): Uint8Array; torn: boolean; lost: boolean }
  > = {
    "zeros after the end": {
      change: (b) => Buffer.concat([b, zeros(5000)]),
      torn: true,
      lost: false,
    },
    "garbage after the end": {
      change: (b) => Buffer.concat([b, Buffer.alloc(5000, "WR\xf7T", "latin1")]),
      torn: true,
      lost: false,
    },
    "record marks after the end": {
      change: (b) => Buffer.concat([b, Buffer.alloc(8000, Buffer.from([0xf7, 0x54, 0x57, 0x52]))]),
      torn: true,
      lost: false,
    },
    "a header that promises 256 MiB": {
      change: (b) => {
        const header = Buffer.alloc(RECORD_HEADER_BYTES);
        const position = { segment: lastNumber, offset: b.length };
        encodeRecordHeader(header, 0, record(1n, 1n, 1, ""), 256 * 1024 * 1024, 0, position);
        return Buffer.concat([b, header, zeros(100)]);
      },
      torn: true,
      lost: false,
    },
    "a valid record of another place": {
      change: (b) => Buffer.concat([b, b.subarray(HEADER)]),
      torn: true,
      lost: false,
    },
    "zeros over the first record": {
      change: (b) => Buffer.from(b).fill(0, HEADER, HEADER + 40),
      torn: false,
      lost: true,
    },
  };
  let lastNumber = 0n;
  for (const [name, { change, torn, lost }] of Object.entries(faults))
    test(name, async () => {
      const last = (await layout()).at(-1)!;
      lastNumber = BigInt(last.name.slice(0, 20));
      const whole = Buffer.from(await original.read(last.name, 0, last.bytes));
      const { texts: seen, report } = await start(await damaged(last.name, change(whole)));
      // The last segment holds one record or more; only its first can be hit here.
      const want = lost ? texts.filter((_, i) => i !== last.from) : texts;
      expect(seen).toEqual(want);
      expect(report.tornBytes > 0).toBe(torn || (lost && last.ends.length === 1));
    });
});

test("zero-byte segments are normal, first, middle or last", async () => {
  const folder = memory();
  await copyLog(original, folder);
  const count = (await folder.list()).length;
  await writeLog(folder, segmentName(BigInt(count + 1)), new Uint8Array(0));
  await writeLog(folder, segmentName(BigInt(count + 3)), new Uint8Array(0));
  const { texts: seen, report } = await start(folder);
  expect(seen).toEqual(texts);
  expect(report.damages).toEqual([]);
});

test("a torn tail is still torn when the creation of the next segment was cut short", async () => {
  const last = (await layout()).at(-1)!;
  const whole = await original.read(last.name, 0, last.bytes);
  for (const length of [0, 1, 30, 47]) {
    const folder = await damaged(last.name, whole.subarray(0, last.bytes - 1));
    const next = segmentName(BigInt(last.name.slice(0, 20)) + 1n);
    await writeLog(folder, next, Buffer.alloc(length, "T"));
    const { texts: seen, report } = await start(folder);
    expect(seen).toEqual(texts.slice(0, -1));
    expect(report.damages).toEqual([]);
  }
});

test("bytes of a log inside a payload are never taken for records, not even when the payload is damaged", async () => {
  const folder = memory();
  const inner = Buffer.concat(
    await Promise.all(
      (await original.list()).map(({ name, bytes }) => original.read(name, 0, bytes)),
    ),
  );
  const wal = await openTestWal(folder);
  await wal.append(record(1n, 0n, 1, "before"));
  await wal.append({ ...record(1n, 1n, 1, ""), payload: [inner] });
  await wal.append(record(1n, 2n, 1, "after"));
  await wal.close();
  const bytes = Buffer.from(await folder.read(ONE, 0, (await folder.list())[0]!.bytes));
  const at = HEADER + RECORD_HEADER_BYTES + "before".length;
  bytes[at]! ^= 255; // the mark of the outer record: the scan now goes through its payload
  await writeLog(folder, ONE, bytes);
  expect((await collect(await openTestWal(folder))).texts).toEqual(["before", "after"]);
});

test("a long damaged stretch full of record marks is passed in linear time", async () => {
  const folder = memory();
  const wal = await openTestWal(folder);
  const marks = Buffer.alloc(8 * 1024 * 1024, Buffer.from([0xf7, 0x54, 0x57, 0x52]));
  await wal.append({ ...record(1n, 0n, 1, ""), payload: [marks] });
  await wal.append(record(1n, 1n, 1, "after"));
  await wal.close();
  const bytes = Buffer.from(await folder.read(ONE, 0, (await folder.list())[0]!.bytes));
  bytes[HEADER]! ^= 255;
  await writeLog(folder, ONE, bytes);
  const started = performance.now();
  expect((await collect(await openTestWal(folder))).texts).toEqual(["after"]);
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("a newer format and a disk that cannot be read are Fatal and change nothing", async () => {
  const folder = memory();
  await copyLog(original, folder);
  const header = encodeSegmentHeader({ number: 9n, previous: 0n, previousBytes: 0, createdNs: 0n });
  header.writeUInt32LE(2, 8);
  header.writeUInt32LE(crc32c(header.subarray(16), crc32c(header.subarray(0, 12))), 12);
  await writeLog(folder, segmentName(9n), header);
  const files = await folder.list();
  await expect(collect(await openTestWal(folder))).rejects.toThrow(/format 2.*format 1/);
  expect(await folder.list()).toEqual(files);

  const plan = new FaultPlan();
  const unreadable = await openTestWal(faultyLogFolder(original, plan));
  plan.fail({ step: "read", nth: 3, code: "EIO", lasting: true });
  await expect(collect(unreadable)).rejects.toThrow(Fatal);
});

test("the same rules on a real disk: torn tail and one flipped byte", async () => {
  const folder = await openLogFolder(mkdtempSync(join(tmpdir(), "wal-")));
  await copyLog(original, folder);
  const last = (await layout()).at(-1)!;
  const file = await folder.open(last.name);
  await file.truncate(last.bytes - 3);
  await file.close();
  const bytes = Buffer.from(await folder.read(ONE, 0, (await layout())[0]!.bytes));
  bytes[HEADER + RECORD_HEADER_BYTES]! ^= 1;
  await writeLog(folder, ONE, bytes);
  const { texts: seen, report } = await start(folder);
  expect(seen).toEqual(texts.slice(1, -1));
  expect(report.damages).toHaveLength(1);
});
