/** Encoded batches: round trips over every type, sizes, golden bytes, damage. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { Bug } from "../base/mod.ts";
import {
  type Column,
  type ColumnType,
  type FixedArray,
  isNull,
  isVar,
  type RegionBatch,
  T,
  valueBytes,
} from "../types/mod.ts";
import type { Kernel } from "./mod.ts";
import { Random, SEED } from "./testing/prng.ts";
import { newKernel, texts } from "./testing/shorthand.ts";

let kernel: Kernel;
beforeAll(async () => {
  kernel = await newKernel();
});

const TYPES: readonly ColumnType[] = [
  ...[T.int8, T.int16, T.int32, T.int64, T.uint8, T.uint16, T.uint32, T.uint64],
  ...[T.float32, T.float64, T.bool, T.date, T.string, T.binary, T.json],
  ...[T.timestampS, T.timestampMs, T.timestampUs, T.timestampNs],
  { kind: "decimal", precision: 38, scale: 10 },
  { kind: "decimal", precision: 5, scale: -3 },
  { kind: "vector", dim: 3 },
  { kind: "time", unit: "ns" },
  { kind: "duration", unit: "us" },
];

/** Values that stay narrow, jump, or use every bit. */
const word = fc.oneof(
  fc.bigInt(0n, 3n),
  fc.bigInt(-200n, 200n),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  fc.constantFrom(0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)),
);

function fixedArray(type: ColumnType, words: readonly bigint[]): FixedArray {
  const view = BigInt64Array.from(words);
  const narrow = words.map((w) => Number(BigInt.asIntN(32, w)));
  switch (type.kind) {
    case "int8":
      return Int8Array.from(narrow);
    case "int16":
      return Int16Array.from(narrow);
    case "int32":
    case "date":
      return Int32Array.from(narrow);
    case "uint8":
      return Uint8Array.from(narrow);
    case "uint16":
      return Uint16Array.from(narrow);
    case "uint32":
      return Uint32Array.from(narrow);
    case "bool":
      return Uint8Array.from(narrow, (n) => n & 1);
    case "uint64":
      return new BigUint64Array(view.buffer);
    case "float32":
      return Float32Array.from(narrow, (n, i) => (i % 3 === 0 ? n : n / 7));
    case "float64":
      return i64sAsDoubles(view);
    default:
      return view;
  }
}

/** Half of them small integers, half any bit pattern, NaNs and all. */
function i64sAsDoubles(words: BigInt64Array): Float64Array {
  const any = new Float64Array(words.buffer);
  return any.map((value, i) => (i % 2 === 0 ? Number(words[i]) % 1000 : value));
}

const validityOf = (rows: number) =>
  fc.option(fc.uint8Array({ minLength: (rows + 7) >> 3, maxLength: (rows + 7) >> 3 }), {
    nil: undefined,
    freq: 2,
  });

function columnOf(type: ColumnType, rows: number): fc.Arbitrary<Column> {
  const data: fc.Arbitrary<Column> =
    valueBytes(type) === 0
      ? fc
          .array(fc.uint8Array({ maxLength: 40 }), { minLength: rows, maxLength: rows })
          .map((values) => {
            const offsets = new Uint32Array(rows + 1);
            values.forEach((value, i) => {
              offsets[i + 1] = offsets[i]! + value.length;
            });
            return { type, offsets, bytes: new Uint8Array(Buffer.concat(values)) };
          })
      : fc
          .array(word, {
            minLength: type.kind === "decimal" ? 2 * rows : rows,
            maxLength: type.kind === "decimal" ? 2 * rows : rows,
          })
          .map((words) => ({ type, values: fixedArray(type, words) }));
  return fc
    .tuple(data, validityOf(rows))
    .map(([column, validity]) => (validity === undefined ? column : { ...column, validity }));
}

const batches: fc.Arbitrary<RegionBatch> = fc.integer({ min: 0, max: 70 }).chain((rows) =>
  fc
    .tuple(
      fc.array(fc.nat(0xffff_ffff), { minLength: rows, maxLength: rows }),
      fc.array(word, { minLength: rows, maxLength: rows }),
      fc.array(
        fc.tuple(
          fc.nat(100_000),
          fc.constantFrom(...TYPES).chain((type) => columnOf(type, rows)),
        ),
        { maxLength: 6 },
      ),
    )
    .map(([sids, times, fields]) => ({
      rows,
      sids: Uint32Array.from(sids),
      times: BigInt64Array.from(times),
      fields: fields.map(([id, column]) => ({ id, column })),
    })),
);

/** Bytes of a value, NULL, or the text of a variable one: equal means the same to every reader. */
function valueAt(column: Column, row: number): string {
  if (isNull(column, row)) return "NULL";
  if (isVar(column)) {
    const bytes = column.bytes.subarray(column.offsets[row], column.offsets[row + 1]);
    return Buffer.from(bytes).toString("hex");
  }
  const width = valueBytes(column.type);
  const { buffer, byteOffset } = column.values;
  return Buffer.from(buffer, byteOffset + row * width, width).toString("hex");
}

function plain(batch: RegionBatch) {
  const rows = [...Array(batch.rows).keys()];
  return {
    rows: batch.rows,
    sids: [...batch.sids.subarray(0, batch.rows)],
    times: [...batch.times.subarray(0, batch.rows)],
    fields: batch.fields.map(({ id, column }) => ({
      id,
      type: column.type,
      values: rows.map((row) => valueAt(column, row)),
    })),
  };
}

describe("round trip", () => {
  test(`any batch (SEED=${SEED})`, () => {
    fc.assert(
      fc.property(batches, (batch) => {
        expect(plain(kernel.decodeBatch(kernel.encodeBatch(batch)))).toEqual(plain(batch));
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  test("columns longer than the batch, views into larger buffers, offsets that do not start at 0", () => {
    const whole = texts(["never", "a", "bb", "", "never"]);
    const batch: RegionBatch = {
      rows: 3,
      sids: new Uint32Array(20).subarray(1, 9).fill(4),
      times: new BigInt64Array(20).subarray(3).fill(9n),
      fields: [
        {
          id: 1,
          column: { type: T.string, offsets: whole.offsets.subarray(1), bytes: whole.bytes },
        },
        {
          id: 2,
          column: { type: T.float64, values: Float64Array.of(0, 1, 2, 3, 4, 5).subarray(1) },
        },
        {
          id: 3,
          column: {
            type: T.bool,
            values: Uint8Array.of(1, 0, 1, 1, 1),
            validity: Uint8Array.of(0xff, 0xff),
          },
        },
      ],
    };
    const back = kernel.decodeBatch(kernel.encodeBatch(batch));
    expect(plain(back)).toEqual(plain(batch));
    expect(back.fields[2]!.column.validity).toBeUndefined();
  });

  test("every kind of NULLs", () => {
    const rows = 10;
    const bitmaps = { none: [0xff, 0x03], some: [0b1010_1010, 0xfe], all: [0, 0xfc] };
    for (const bitmap of Object.values(bitmaps))
      for (const type of TYPES) {
        const column = {
          ...fc.sample(columnOf(type, rows), { seed: 1, numRuns: 1 })[0]!,
          validity: Uint8Array.from(bitmap),
        };
        const batch = {
          rows,
          sids: new Uint32Array(rows),
          times: new BigInt64Array(rows),
          fields: [{ id: 1, column }],
        };
        expect(plain(kernel.decodeBatch(kernel.encodeBatch(batch)))).toEqual(plain(batch));
      }
  });

  test("what was decoded is the caller's own", () => {
    const batch = {
      rows: 1,
      sids: Uint32Array.of(1),
      times: BigInt64Array.of(2n),
      fields: [{ id: 1, column: texts(["x"]) }],
    };
    const bytes = kernel.encodeBatch(batch);
    const back = kernel.decodeBatch(bytes);
    bytes.fill(0);
    kernel.encodeBatch({ ...batch, fields: [{ id: 1, column: texts(["other"]) }] });
    expect(plain(back)).toEqual(plain(batch));
  });

  test("columns that break their promises are bugs", () => {
    const base = { rows: 2, sids: new Uint32Array(2), times: new BigInt64Array(2) };
    const falling = { type: T.string, offsets: Uint32Array.of(0, 2, 1), bytes: new Uint8Array(2) };
    const outside = { type: T.string, offsets: Uint32Array.of(0, 1, 9), bytes: new Uint8Array(2) };
    for (const column of [falling, outside])
      expect(() => kernel.encodeBatch({ ...base, fields: [{ id: 1, column }] })).toThrow(Bug);
    expect(() => kernel.encodeBatch({ ...base, sids: new Uint32Array(1), fields: [] })).toThrow(
      Bug,
    );
    expect(() =>
      kernel.encodeBatch({
        ...base,
        fields: [{ id: 1, column: { type: T.float64, values: new Float64Array(1) } }],
      }),
    ).toThrow(Bug);
  });
});

describe("size", () => {
  const bytesOf = (columns: readonly Column[], rows: number, times = (i: number) => BigInt(i)) =>
    kernel.encodeBatch({
      rows,
      sids: Uint32Array.from({ length: rows }, (_, i) => i % 4000),
      times: BigInt64Array.from({ length: rows }, (_, i) => times(i)),
      fields: columns.map((column, id) => ({ id, column })),
    }).length;

  test("ten small ints of 3,000 hosts at one time: under 18 bytes a row", () => {
    const ints = Array.from({ length: 10 }, () => ({
      type: T.int64,
      values: BigInt64Array.from({ length: 3000 }, (_, i) => BigInt((i * 37) % 101)),
    }));
    expect(bytesOf(ints, 3000, () => 1_686_441_600_000_000_000n)).toBeLessThan(3000 * 11);
  });

  test("whole seconds in nanoseconds cost what the seconds cost", () => {
    const seconds = (i: number) =>
      1_686_441_600_000_000_000n + BigInt((i * 7919) % 200) * 1_000_000_000n;
    expect(bytesOf([], 3000, seconds) - bytesOf([], 3000, () => 0n)).toBeLessThan(3000 * 1.1);
  });

  test("what does not change costs nothing; small whole doubles cost a byte", () => {
    const of = (value: (i: number) => number) => ({
      type: T.float64,
      values: Float64Array.from({ length: 3000 }, (_, i) => value(i)),
    });
    const empty = bytesOf([], 3000);
    expect(bytesOf([of(() => Math.PI)], 3000) - empty).toBeLessThan(30);
    expect(bytesOf([of((i) => i % 100)], 3000) - empty).toBeLessThan(3000 + 30);
    expect(bytesOf([of((i) => Math.sin(i))], 3000) - empty).toBeLessThan(3000 * 8 + 30);
  });

  test("NULLs cost a bit each, whatever lies under them", () => {
    const validity = new Uint8Array(375).fill(0x55);
    const values = BigInt64Array.from({ length: 3000 }, (_, i) => (i % 2 === 0 ? 5n : 2n ** 62n));
    expect(bytesOf([{ type: T.int64, values, validity }], 3000) - bytesOf([], 3000)).toBeLessThan(
      400,
    );
  });
});

test("golden bytes of version 1", () => {
  const bytes = kernel.encodeBatch({
    rows: 3,
    sids: Uint32Array.of(7, 8, 9),
    times: BigInt64Array.of(1_000_000_000n, 3_000_000_000n, 2_000_000_000n),
    fields: [
      { id: 5, column: { type: T.float64, values: Float64Array.of(1, 2, 3) } },
      { id: 300, column: texts(["a", null, "bc"]) },
      { id: 6, column: { type: T.bool, values: Uint8Array.of(1, 0, 1) } },
      {
        id: 7,
        column: {
          type: { kind: "decimal", precision: 10, scale: 2 },
          values: BigInt64Array.of(1n, 0n, -1n, -1n, 2n, 0n),
        },
      },
    ],
  });
  expect(Buffer.from(bytes).toString("hex")).toBe(GOLDEN);
});
/** The head, then the payload: times, text (bitmap, lengths, bytes), bool, decimal (low words, high words). */
const GOLDEN = [
  "01f4efd1cb6b00000011000000",
  "0304",
  "01000700000000000000" + "0100000000000000",
  "100300ca9a3b00000000",
  "050900" + "05000100000000000000" + "0100000000000000",
  "ac020b01" + "10000000000000000000" + "03",
  "060a00",
  "07100a8200" + "1000ffffffffffffffff" + "1000ffffffffffffffff",
  "000201",
  "05" + "010002" + "616263",
  "05",
  "020003" + "010001",
].join("");

describe("damage", () => {
  function sample(): Uint8Array {
    return kernel.encodeBatch({
      rows: 50,
      sids: Uint32Array.from({ length: 50 }, (_, i) => i * 3),
      times: BigInt64Array.from({ length: 50 }, (_, i) => BigInt(i * i)),
      fields: TYPES.map((type, id) => ({
        id,
        column: fc.sample(columnOf(type, 50), { seed: 9, numRuns: 1 })[0]!,
      })),
    });
  }

  test("every truncation, and anything behind the end, is an Error", () => {
    const bytes = sample();
    for (let cut = 0; cut < bytes.length; cut++)
      expect(() => kernel.decodeBatch(bytes.subarray(0, cut))).toThrow(/damaged batch/);
    expect(() => kernel.decodeBatch(Uint8Array.from([...bytes, 0]))).toThrow(/damaged batch/);
  });

  test(`flipped bytes: an Error, or other values in a sound batch (SEED=${SEED})`, () => {
    const random = new Random(SEED);
    const bytes = sample();
    const head = bytes[5]! | (bytes[6]! << 8);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at]! ^= 1 << random.below(8);
      if (at < head) expect(() => kernel.decodeBatch(damaged)).toThrow(/damaged batch/);
      else
        try {
          const batch = kernel.decodeBatch(damaged);
          expect(batch.rows).toBe(50);
          for (const { column } of batch.fields)
            if (isVar(column)) expect(column.offsets[50]).toBe(column.bytes.length);
        } catch (error) {
          expect(String(error)).toMatch(/damaged batch/);
        }
    }
  });

  test(`a head that lies with a good checksum is refused without a large allocation (SEED=${SEED})`, () => {
    const random = new Random(SEED ^ 3);
    const bytes = sample();
    const head = bytes[5]! | (bytes[6]! << 8);
    const before = kernel.memoryBytes().total;
    for (let i = 0; i < 2000; i++) {
      const damaged = bytes.slice();
      for (let n = 1 + random.below(3); n > 0; n--)
        damaged[13 + random.below(head - 13)] = random.below(256);
      new DataView(damaged.buffer).setUint32(1, kernel.crc32c(damaged.subarray(5, head)), true);
      try {
        kernel.decodeBatch(damaged);
      } catch (error) {
        expect(String(error)).toMatch(/damaged batch/);
      }
    }
    expect(kernel.memoryBytes().total - before).toBeLessThan(64 << 20);
  });
});
