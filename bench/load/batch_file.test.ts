import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SeriesGenerator } from "../lp/series.ts";
import { isFinished, openBatchFile, writeBatchFile } from "./batch_file.ts";
import type { BatchSource } from "./source.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "batch-file-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ROWS = 2350;
const generator = () => new SeriesGenerator({ series: 1000, rows: ROWS, seed: 5 });

function wanted(): string {
  const lines = generator();
  const buffer = Buffer.alloc(ROWS * lines.lineBytesMax);
  return buffer.toString("latin1", 0, lines.fill(buffer, 0, ROWS).bytes);
}

async function readAll(source: BatchSource): Promise<{ text: string; rows: number[] }> {
  const buffer = Buffer.alloc(100 + source.batchBytesMax);
  let text = "";
  const rows: number[] = [];
  for (;;) {
    const filled = await source.next(buffer, 100);
    if (filled.rows === 0) break;
    rows.push(filled.rows);
    text += buffer.toString("latin1", 100, 100 + filled.bytes);
  }
  await source.close();
  return { text, rows };
}

test("gives back every line in order, in batches", async () => {
  const path = join(folder, "whole");
  const seen: number[] = [];
  await writeBatchFile(path, generator(), 1000, (rows) => seen.push(rows));
  expect(seen[seen.length - 1]).toBe(ROWS);
  expect(isFinished(path)).toBe(true);
  const source = openBatchFile(path);
  expect([source.rowsTotal, source.batchesTotal]).toEqual([ROWS, 3]);
  const { text, rows } = await readAll(source);
  expect(rows).toEqual([1000, 1000, 350]);
  expect(text === wanted()).toBe(true);
});

test("a file without its end is not finished, wherever it was cut", async () => {
  const path = join(folder, "cut");
  await writeBatchFile(path, generator(), 1000, () => {});
  const whole = readFileSync(path);
  for (const bytes of [0, 1, 8, 1000, whole.length - 9, whole.length - 1]) {
    writeFileSync(path, whole.subarray(0, bytes));
    expect(isFinished(path)).toBe(false);
    expect(() => openBatchFile(path)).toThrow("not a finished batch file");
  }
  writeFileSync(path, whole);
  appendFileSync(path, "x");
  expect(isFinished(path)).toBe(false);
});

test("a failing generator leaves no file", async () => {
  const path = join(folder, "failed");
  const broken = {
    lineBytesMax: 10,
    rowsTotal: 10,
    fill: () => {
      throw new Error("out of lines");
    },
  };
  await expect(writeBatchFile(path, broken, 5, () => {})).rejects.toThrow("out of lines");
  expect(existsSync(path)).toBe(false);
  expect(existsSync(`${path}.partial`)).toBe(false);
  expect(isFinished(path)).toBe(false);
});
