/** Every column type through a file and back by DuckDB: extremes, NULL patterns, and the type that DuckDB finds. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ColumnType, T } from "../types/mod.ts";
import { Bench, duckTypeInFile, tableOf, type Value } from "./testing/tables.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

const signed = (bits: bigint) => [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n, 0n, -1n, 1n];
const unsigned = (bits: bigint) => [
  2n ** bits - 1n,
  0n,
  1n,
  2n ** (bits - 1n),
  2n ** (bits - 1n) - 1n,
];
const bytes = (...values: number[]) => Uint8Array.from(values);
const decimal = (precision: number, scale: number): ColumnType => ({
  kind: "decimal",
  precision,
  scale,
});
const nines = (digits: number) => 10n ** BigInt(digits) - 1n;
const decimals = (digits: number) => [nines(digits), -nines(digits), 0n, -1n, 1n, 10n];
/** DuckDB keeps two patterns for the infinite times. */
const times = [-(2n ** 62n), 2n ** 62n, 0n, -1n, 1_700_000_000_123_456_789n];

const EXTREMES: readonly (readonly [ColumnType, readonly Value[]])[] = [
  [T.int8, signed(8n)],
  [T.int16, signed(16n)],
  [T.int32, signed(32n)],
  [T.int64, signed(64n)],
  [T.uint8, unsigned(8n)],
  [T.uint16, unsigned(16n)],
  [T.uint32, unsigned(32n)],
  [T.uint64, unsigned(64n)],
  [T.float32, [0, -0, 1.5, Number.NaN, Infinity, -Infinity, 1e-45, 3.4028234663852886e38]],
  [T.float64, [0, -0, 0.1, Number.NaN, Infinity, -Infinity, 5e-324, Number.MAX_VALUE]],
  [T.bool, [true, false, false, true, true]],
  [T.string, ["", "a", "zwölf Boxkämpfer", "日本語", "🙂", "\0", "x".repeat(3000)]],
  [T.json, ['{"a":1}', "[]", "null"]],
  [T.binary, [bytes(), bytes(0), bytes(255, 0, 254), bytes(0x80)]],
  [{ kind: "vector", dim: 2 }, [bytes(0, 0, 128, 63, 0, 0, 0, 64)]],
  [T.date, [0n, -1n, 19_000n, 2_900_000n, -700_000n]],
  [T.timestampS, [0n, -1n, 1_700_000_000n, 253_402_300_799n]],
  [T.timestampMs, [0n, -1n, 1_700_000_000_123n, 253_402_300_799_999n]],
  [T.timestampUs, [0n, -1n, 1_700_000_000_123_456n, 253_402_300_799_999_999n]],
  [T.timestampNs, times],
  [decimal(4, 2), decimals(4)],
  [decimal(9, 0), decimals(9)],
  [decimal(18, 17), decimals(18)],
  [decimal(19, 3), decimals(19)],
  [decimal(38, 10), decimals(38)],
];

const PATTERNS: Readonly<Record<string, (values: readonly Value[], i: number) => Value>> = {
  "no NULL": (values, i) => values[i % values.length]!,
  "every other": (values, i) => (i % 2 === 0 ? null : values[(i >> 1) % values.length]!),
  "one at the start": (values, i) => (i === 0 ? null : values[i % values.length]!),
  "a long run": (values, i) => (i > 100 && i < 700 ? null : values[i % values.length]!),
  "only one value": (values, i) => (i === 555 ? values[0]! : null),
  "all NULL": () => null,
};

describe.each(Object.entries(PATTERNS))("%s", (_, pattern) => {
  test.each(EXTREMES)("$kind", async (type, values) => {
    const column = {
      name: "v",
      type,
      values: Array.from({ length: 1037 }, (_, i) => pattern(values, i)),
    };
    const table = tableOf([column], { rowGroupRows: 500 });
    await bench.write(table);
    await bench.compare([column], table.order);
    const [found] = await bench.sql(
      `SELECT column_type FROM (DESCRIBE FROM $file) WHERE column_name = 'v'`,
    );
    expect(found).toEqual([duckTypeInFile(type)]);
  });
});

test("values that repeat, and values that never do", async () => {
  const rows = 5000;
  const spread = (i: number) => BigInt.asIntN(64, BigInt(i + 1) * 0x9e37_79b9_7f4a_7c15n);
  const columns = [
    { name: "few", type: T.int64, values: Array.from({ length: rows }, (_, i) => spread(i % 7)) },
    { name: "many", type: T.int64, values: Array.from({ length: rows }, (_, i) => spread(i)) },
    { name: "level", type: T.float64, values: Array.from({ length: rows }, (_, i) => (i % 3) / 7) },
    { name: "noise", type: T.float64, values: Array.from({ length: rows }, (_, i) => Math.sin(i)) },
    { name: "word", type: T.string, values: Array.from({ length: rows }, (_, i) => `w${i % 11}`) },
    { name: "line", type: T.string, values: Array.from({ length: rows }, (_, i) => `line ${i}`) },
  ];
  const table = tableOf(columns, { rowGroupRows: rows });
  await bench.write(table);
  await bench.compare(columns, table.order);
  const encodings = await bench.sql(
    "SELECT path_in_schema, string_split(encodings, ', ')[1] FROM parquet_metadata($file)",
  );
  expect(Object.fromEntries(encodings)).toEqual({
    ts: "DELTA_BINARY_PACKED",
    few: "RLE_DICTIONARY",
    many: "DELTA_BINARY_PACKED",
    level: "RLE_DICTIONARY",
    noise: "PLAIN",
    word: "RLE_DICTIONARY",
    line: "DELTA_LENGTH_BYTE_ARRAY",
    __sid: "RLE_DICTIONARY",
  });
});

test("a time that microseconds cannot hold is refused", async () => {
  const column = { name: "v", type: T.timestampS, values: [0n, 2n ** 62n] };
  await expect(bench.write(tableOf([column]))).rejects.toThrow("too far from 1970");
});
