import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLogFolder } from "../disk/mod.ts";
import { collect, openTestWal, record } from "./testing.ts";

const folderHere = () => openLogFolder(mkdtempSync(join(tmpdir(), "wal-")));

test("what was appended is replayed in order, byte for byte", async () => {
  const folder = await folderHere();
  const wal = await openTestWal(folder);
  await wal.append(record(7n, 0n, 3, "a"));
  await wal.append({ ...record(8n, 5n, 1, "b"), kind: "delete" });
  await wal.append({ ...record(7n, 3n, 2, ""), payload: [Buffer.from("xy"), Buffer.from("z")] });
  await wal.close();
  const { records, report } = await collect(await openTestWal(folder));
  expect(records.map((r) => [r.region, r.kind, r.sequence, r.rows, text(r.payload)])).toEqual([
    [7n, "rows", 0n, 3, "a"],
    [8n, "delete", 5n, 1, "b"],
    [7n, "rows", 3n, 2, "xyz"],
  ]);
  expect(report).toMatchObject({ segments: 1, records: 3, skipped: 0, tornBytes: 0, damages: [] });
});

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
