/** The writer as its caller sees it: it gives way, gives memory back whatever happens, and a file is as small as it should be. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadKernel } from "../kernel/mod.ts";
import { T } from "../types/mod.ts";
import { writeParquet } from "./mod.ts";
import { Bench, columnOf, flushColumn, tableOf, type Value } from "./testing/tables.ts";

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

const counting = (rows: number) => Array.from({ length: rows }, (_, i) => BigInt(i));
const noSink = async () => undefined;

/** Text in which hardly anything repeats. */
const noiseText = (length: number) =>
  Array.from({ length: Math.ceil(length / 88) }, (_, i) =>
    createHash("sha512").update(String(i)).digest("base64"),
  )
    .join("")
    .slice(0, length);

/** Bytes per row of the column `v`. */
async function bytesPerRow(rows: number): Promise<number> {
  const [found] = await bench.sql(
    "SELECT sum(total_compressed_size) FROM parquet_metadata($file) WHERE path_in_schema = 'v'",
  );
  return Number(found![0]) / rows;
}

describe("sizes", () => {
  test("times that start over for each series cost one miniblock per series, not a block", async () => {
    const times = Array.from({ length: 10_000 }, (_, i) => BigInt(i % 500) * 10_000_000_000n);
    const column = { name: "v", type: T.timestampNs, values: times };
    const table = tableOf([column], { rowGroupRows: 10_000 });
    await bench.write(table);
    await bench.compare([column], table.order);
    // 500 rows of a series are four blocks: 16 bytes each for the heads, and 256 for the miniblock with the fall.
    expect(await bytesPerRow(10_000)).toBeLessThan((256 + 4 * 16) / 500);
  });

  test("the same for narrow columns, whose differences wrap around at 32 bits", async () => {
    const values = Array.from({ length: 5000 }, (_, i) =>
      BigInt((i % 200) * 21_000_000 - 2_100_000_000),
    );
    const column = { name: "v", type: T.int32, values };
    const table = tableOf([column], { rowGroupRows: 5000 });
    await bench.write(table);
    await bench.compare([column], table.order);
    expect(await bytesPerRow(5000)).toBeLessThan((128 + 2 * 16) / 200);
  });

  test("texts are compressed when that helps, page by page", async () => {
    const rows = 6000;
    const line = (i: number) =>
      `GET /api/v1/items/${(i * 7919) % 10_007} took ${i % 997} ms, status ${200 + (i % 5)}`;
    const noise = (i: number) => createHash("sha512").update(String(i)).digest();
    const same = "long and always the same ".repeat(200);
    const columns = [
      { name: "v", type: T.string, values: Array.from({ length: rows }, (_, i) => line(i)) },
      { name: "w", type: T.binary, values: Array.from({ length: rows }, (_, i) => noise(i)) },
      {
        name: "x",
        type: T.binary,
        values: Array.from({ length: rows }, (_, i) =>
          i < 1000 ? Buffer.from(`${same}${i}`) : noise(i),
        ),
      },
    ];
    const table = tableOf(columns, { rowGroupRows: rows });
    await bench.write(table);
    await bench.compare(columns, table.order);
    const found = await bench.sql(
      "SELECT path_in_schema, compression, total_compressed_size / total_uncompressed_size < 0.6 FROM parquet_metadata($file)",
    );
    expect(Object.fromEntries(found.map(([name, ...rest]) => [name, rest]))).toMatchObject({
      v: ["LZ4_RAW", true],
      w: ["UNCOMPRESSED", false],
      x: ["LZ4_RAW", true],
      ts: ["UNCOMPRESSED", false],
    });
  });

  test(`texts of repeats near and far, short and long (SEED=${SEED})`, async () => {
    const repeat = fc
      .tuple(fc.string({ minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 400 }))
      .map(([part, times]) => part.repeat(times));
    const far = fc
      .tuple(fc.string({ minLength: 4, maxLength: 40 }), fc.integer({ min: 0, max: 70_000 }))
      .map(([part, gap]) => `${part}${noiseText(gap)}${part}`);
    const texts = fc.array(fc.oneof(repeat, far, fc.string({ maxLength: 300 })), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(texts, async (values) => {
        const column = { name: "v", type: T.string, values };
        const table = tableOf([column]);
        await bench.write(table);
        await bench.compare([column], table.order);
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  test("a column that is NULL, one that is constant, and tags cost next to nothing", async () => {
    const rows = 10_000;
    const columns = [
      { name: "a", type: T.float64, values: new Array<Value>(rows).fill(null) },
      { name: "b", type: T.int64, values: new Array<Value>(rows).fill(7n) },
      { name: "c", type: T.float64, values: new Array<Value>(rows).fill(0.1) },
      { name: "d", type: T.bool, values: new Array<Value>(rows).fill(true) },
      { name: "e", type: T.string, values: new Array<Value>(rows).fill("same") },
    ];
    const host = { name: "host", values: columnOf(T.string, ["a"]) };
    await bench.write(tableOf(columns, { rowGroupRows: rows, tags: [host] }));
    const sizes = await bench.sql(
      "SELECT path_in_schema, total_compressed_size FROM parquet_metadata($file) WHERE path_in_schema <> 'ts'",
    );
    expect(sizes.length).toBe(7);
    for (const [name, size] of sizes)
      expect(Number(size), String(name)).toBeLessThan(name === "b" ? 800 : 100);
  });
});

/** Runs of every length around the limits of the hybrid: groups of 8, 63 groups, bytes of a bitmap. */
const LENGTHS = [1, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 503, 504, 505, 512, 1000];

describe("runs", () => {
  test.each(LENGTHS)("of %i and then everything else", async (first) => {
    const values: Value[] = [];
    const nulls: Value[] = [];
    const words: Value[] = [];
    const lengths = [first, ...LENGTHS, first, first];
    lengths.forEach((length, i) => {
      for (let k = 0; k < length; k++) {
        values.push(i % 2 === 0);
        nulls.push(i % 3 === 0 ? null : BigInt(k * k));
        words.push(i % 4 === 1 ? null : `w${i % 4 === 0 ? k % 5 : i}`);
      }
    });
    const columns = [
      { name: "a", type: T.bool, values },
      { name: "b", type: T.int16, values: nulls.map((v) => v && BigInt.asIntN(16, v as bigint)) },
      { name: "c", type: T.string, values: words },
    ];
    const table = tableOf(columns, {
      rowGroupRows: 10_000,
      runs: { rows: Uint32Array.from(lengths) },
      tags: [
        {
          name: "t",
          values: columnOf(
            T.string,
            lengths.map((_, i) => (i % 3 === 0 ? null : `t${i % 5}`)),
          ),
        },
      ],
    });
    await bench.write(table);
    const tag = lengths.flatMap((length, i) =>
      new Array<Value>(length).fill(i % 3 === 0 ? null : `t${i % 5}`),
    );
    await bench.compare([...columns, { name: "t", type: T.string, values: tag }], table.order);
  });
});

describe("the caller", () => {
  test("gets its turns", async () => {
    const rows = 300_000;
    const column = { name: "v", type: T.int64, values: counting(rows) };
    const table = tableOf([column, { ...column, name: "w" }, { ...column, name: "x" }], {
      rowGroupRows: 50_000,
    });
    let turns = 0;
    let done = false;
    const count = () => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await writeParquet(bench.kernel, table, noSink);
    done = true;
    // Four columns of 300,000 values, and a turn for about 400,000.
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  test("may use the kernel between the turns, and two files may be written at once", async () => {
    const rows = 200_000;
    const columns = ["a", "b", "c"].map((name, k) => ({
      name,
      type: T.int64,
      values: counting(rows).map((i) => i * BigInt(k + 3)),
    }));
    const table = tableOf(columns, { rowGroupRows: 70_000 });
    const file = await bench.write(table);
    const parts: Uint8Array[] = [];
    const busy = setInterval(() => bench.kernel.crc32c(new Uint8Array(100_000)), 0);
    await Promise.all([
      writeParquet(bench.kernel, table, async (part) => {
        parts.push(part);
      }),
      writeParquet(bench.kernel, tableOf([columns[2]!]), noSink),
    ]);
    clearInterval(busy);
    expect(Buffer.concat(parts).equals(file)).toBe(true);
  });

  test("gets the kernel's memory back, also when it fails", async () => {
    const live = () => bench.kernel.memoryBytes().dictionaries;
    const column = {
      name: "v",
      type: T.string,
      values: new Array<Value>(1000).fill("x".repeat(100)),
    };
    const before = live();
    await bench.write(tableOf([column], { pieces: [500, 500] }));
    expect(live()).toBe(before);
    const failing = writeParquet(bench.kernel, tableOf([column]), async () => {
      throw new Error("no space");
    });
    await expect(failing).rejects.toThrow("no space");
    expect(live()).toBe(before);
    const refused = { name: "v", type: T.timestampS, values: [2n ** 62n] };
    await expect(bench.write(tableOf([refused]))).rejects.toThrow();
    expect(live()).toBe(before);
  });

  test("is told when the kernel has no memory, and loses none", async () => {
    const small = await loadKernel({ seriesMax: 10, columnsMax: 10, memoryBytesMax: 16 << 20 });
    const before = small.memoryBytes().dictionaries;
    const column = {
      name: "v",
      type: T.string,
      values: new Array<Value>(40).fill("x".repeat(1 << 20)),
    };
    await expect(writeParquet(small, tableOf([column]), noSink)).rejects.toMatchObject({
      code: "resources_exhausted",
    });
    expect(small.memoryBytes().dictionaries).toBe(before);
    const rows = 4_000_000;
    const order = new Uint32Array(rows);
    const time = { name: "ts", type: T.timestampNs, pieces: [undefined] };
    const wide = {
      ...tableOf([{ ...column, values: [null] }]),
      order,
      pieces: [rows],
      time,
      fields: [],
    };
    const many = { ...wide, runs: { rows: Uint32Array.of(rows) } };
    await expect(writeParquet(small, many, noSink)).rejects.toMatchObject({
      code: "resources_exhausted",
    });
    expect(small.memoryBytes().dictionaries).toBe(before);
  });

  test("is told of its mistakes", async () => {
    const column = { name: "v", type: T.int64, values: counting(10) };
    const table = tableOf([column]);
    const write = (wrong: Partial<typeof table>) =>
      writeParquet(bench.kernel, { ...table, ...wrong }, noSink);
    await expect(write({ order: new Uint32Array(9) })).rejects.toThrow("rows of the pieces");
    await expect(write({ order: new Uint32Array(10).fill(10) })).rejects.toThrow("names rows");
    await expect(write({ rowGroupRows: 131_073 })).rejects.toThrow("bounded");
    await expect(write({ pieces: [5, 5] })).rejects.toThrow("column ts has every piece");
    await expect(write({ runs: { rows: Uint32Array.of(9) } })).rejects.toThrow("runs");
    const nullTime = flushColumn("ts", T.timestampNs, [null, ...counting(9)], [10]);
    await expect(write({ time: nullTime })).rejects.toThrow("no NULL");
  });
});
