/** The row encoder alone: what only its own folder can arrange. Its output is read back in src/parquet. */
import { describe, expect, test } from "vitest";
import { type Column, T } from "../types/mod.ts";
import type { Kernel } from "./api.ts";
import { WasmKernel } from "./kernel.ts";
import { loadRaw } from "./load.ts";
import type { EncodedChunk } from "./mod.ts";
import { newKernel, texts } from "./testing/shorthand.ts";

const ROWS = 5000;
const RUNS = Uint32Array.of(1000, 1, 3999);
const halfNull = new Uint8Array(ROWS / 8).fill(0b0101_1010);

const numbers: Column = {
  type: T.int64,
  values: BigInt64Array.from({ length: ROWS }, (_, i) => BigInt(i * i)),
  validity: halfNull,
};
const columns: readonly Column[] = [
  numbers,
  { type: T.float64, values: Float64Array.from({ length: ROWS }, (_, i) => Math.sqrt(i)) },
  { type: T.float32, values: Float32Array.from({ length: ROWS }, (_, i) => i % 5) },
  { type: T.bool, values: Uint8Array.from({ length: ROWS }, (_, i) => (i >> 5) & 1) },
  {
    type: { kind: "decimal", precision: 38, scale: 0 },
    values: BigInt64Array.from({ length: 2 * ROWS }, (_, i) => BigInt(i)),
  },
  texts(Array.from({ length: ROWS }, (_, i) => (i % 3 === 0 ? null : `line ${i * 7919}`))),
  texts(Array.from({ length: ROWS }, (_, i) => `w${i % 40}`)),
];

/** Every column in two chunks, and tags of three runs. */
function everything(kernel: Kernel): EncodedChunk[] {
  const order = Uint32Array.from({ length: ROWS }, (_, i) => (i * 7) % ROWS);
  const encoder = kernel.encodeRows(order, ROWS);
  const chunks: EncodedChunk[] = [];
  const take = (chunk: EncodedChunk) => chunks.push({ ...chunk, pages: [...chunk.pages] });
  for (const column of columns) {
    encoder.begin(column.type, false, ROWS, 1 << 20);
    encoder.add(column, ROWS);
    take(encoder.rows(0, 3000));
    take(encoder.rows(3000, ROWS));
  }
  const tags = [texts(["a", null, "b"]), { type: T.uint32, values: Uint32Array.of(3, 1, 2) }];
  for (const tag of tags) {
    encoder.begin(tag.type, false, 3, 100);
    encoder.add(tag, 3);
    take(encoder.runs(0, RUNS));
  }
  encoder.free();
  return chunks;
}

test("addresses above 2 GiB are addresses like any other", async () => {
  const limits = { seriesMax: 1000, columnsMax: 100 };
  const raw = await loadRaw(limits);
  // Never touched, so it costs no memory of the machine.
  expect(raw.take(0x9000_0000) >>> 0).toBeGreaterThan(0);
  const low = everything(await newKernel());
  expect(low.map((chunk) => chunk.encoding)).toContain("delta_length");
  expect(everything(new WasmKernel(raw, limits))).toEqual(low);
});

test("a page of integers, byte by byte", async () => {
  const kernel = await newKernel();
  const encoder = kernel.encodeRows(Uint32Array.of(2, 0, 3, 1), 4);
  encoder.begin(T.int64, false, 4, 0);
  encoder.add({ type: T.int64, values: BigInt64Array.of(7n, 9n, 5n, 8n) }, 4);
  const chunk = encoder.rows(0, 4);
  encoder.free();
  expect(chunk.encoding).toBe("delta");
  expect(chunk.range).toEqual({
    low: Uint8Array.of(5, 0, 0, 0, 0, 0, 0, 0),
    high: Uint8Array.of(9, 0, 0, 0, 0, 0, 0, 0),
  });
  const [page] = [...chunk.pages];
  // A run of four ones.
  expect(page!.levels).toEqual(Uint8Array.of(8, 1));
  // 5 7 8 9: blocks of 128 in 4 miniblocks, 4 values, the first 5; least difference 1; one bit each: 1 0 0.
  const head = [0x80, 0x01, 4, 4, 10];
  expect(page!.values).toEqual(Uint8Array.of(...head, 2, 1, 0, 0, 0, 0b001, 0, 0, 0));
});

describe("misuse is a Bug", () => {
  test.each([
    ["a chunk before the column is complete", (e: Encoder) => e.rows(0, 3), "complete"],
    ["rows past the end", (e: Encoder) => e.rows(0, 5), "within the rows"],
    ["more values than were said", (e: Encoder) => e.add(numbers, 9), "pieces have its rows"],
    ["texts in a column of numbers", (e: Encoder) => e.add(texts(["a"]), 1), "fixed width"],
    ["runs without values", (e: Encoder) => e.runs(0, Uint32Array.of(1, 1)), "every run"],
  ] as const)("%s", async (_, use, message) => {
    const kernel = await newKernel();
    const encoder = kernel.encodeRows(Uint32Array.of(0, 1, 2, 3), 4);
    expect(() => encoder.rows(0, 4)).toThrow("has begun");
    encoder.begin(T.int64, false, 4, 0);
    encoder.add(numbers, 1);
    expect(() => use(encoder)).toThrow(message);
    encoder.free();
  });
});

type Encoder = ReturnType<Kernel["encodeRows"]>;
