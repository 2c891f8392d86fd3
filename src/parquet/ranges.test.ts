/** Ranges of column chunks: exact, ordered as DuckDB orders the type, and good for pruning; left out where they could mislead. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ColumnType, T } from "../types/mod.ts";
import { Bench, columnOf, tableOf, type Value } from "./testing/tables.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

const STATS =
  "SELECT stats_min_value, stats_max_value, stats_null_count FROM parquet_metadata($file) WHERE path_in_schema = 'v'";

async function rangeOf(type: ColumnType, values: readonly Value[]): Promise<unknown[]> {
  await bench.write(tableOf([{ name: "v", type, values }]));
  return (await bench.sql(STATS))[0]!;
}

describe("of one chunk", () => {
  const cases: readonly (readonly [string, ColumnType, readonly Value[], readonly unknown[]])[] = [
    ["signed", T.int64, [5n, -7n, null, 0n], ["-7", "5", 1n]],
    ["narrow and negative", T.int8, [-128n, 127n], ["-128", "127", 0n]],
    [
      "unsigned above the signed",
      T.uint64,
      [2n ** 64n - 1n, 1n],
      ["1", "18446744073709551615", 0n],
    ],
    ["unsigned, narrow", T.uint32, [2n ** 32n - 1n, 1n], ["1", "4294967295", 0n]],
    ["floats", T.float64, [2.5, -1, 1e300], ["-1.0", "1e+300", 0n]],
    [
      "a NaN is greater than all in DuckDB, and in no range",
      T.float64,
      [1, Number.NaN, 2],
      [null, null, 0n],
    ],
    ["zeros of both signs", T.float32, [0, 0], ["-0.0", "0.0", 0n]],
    [
      "text by bytes, not by UTF-16",
      T.string,
      ["\u{1f642}", "\uffee", "a", ""],
      ["", "\u{1f642}", 0n],
    ],
    [
      "a prefix comes first",
      T.string,
      ["abcdefghij", "abcdefgh", "abcdefghi"],
      ["abcdefgh", "abcdefghij", 0n],
    ],
    ["bool", T.bool, [false, true, null], ["false", "true", 1n]],
    [
      "wide decimals",
      { kind: "decimal", precision: 38, scale: 0 },
      [-(10n ** 30n), 10n ** 20n, -1n],
      ["-1000000000000000000000000000000", "100000000000000000000", 0n],
    ],
    [
      "milliseconds as microseconds",
      T.timestampMs,
      [1000n, -1000n],
      ["1969-12-31 23:59:59", "1970-01-01 00:00:01", 0n],
    ],
    ["nothing but NULL", T.int32, [null, null], [null, null, 2n]],
  ];
  test.each(cases)("%s", async (_, type, values, want) => {
    expect(await rangeOf(type, values)).toEqual(want);
  });
});

describe("pruning", () => {
  /** 20 series of 100 rows each, 10 row groups; rows of a series ascend in time. */
  async function writeSeries(): Promise<void> {
    const runs = new Uint32Array(20).fill(100);
    const rows = 2000;
    const hosts = Array.from({ length: 20 }, (_, i) => `host-${String(i).padStart(2, "0")}`);
    const v = {
      name: "v",
      type: T.int64,
      values: Array.from({ length: rows }, (_, i) => BigInt(i)),
    };
    const seconds = v.values.map((i) => i * 1_000_000_000n);
    const late = { name: "late", type: T.timestampNs, values: seconds };
    const times = Array.from({ length: rows }, (_, i) => BigInt(i % 100) * 1_000_000_000n);
    await bench.write(
      tableOf([v, late], {
        rowGroupRows: 200,
        runs: { rows: runs },
        tags: [{ name: "host", values: columnOf(T.string, hosts) }],
        sids: { name: "__sid", values: Uint32Array.from(runs, (_, i) => i) },
        time: { name: "ts", type: T.timestampNs, pieces: [columnOf(T.timestampNs, times)] },
      }),
    );
  }

  /** The answer, and the bytes of the file that were read for it. */
  async function ask(where: string): Promise<{ count: unknown; bytes: number }> {
    const query = `SELECT count(v + 0) FROM read_parquet($file) WHERE ${where}`;
    const plan = String((await bench.sql(`EXPLAIN (ANALYZE, FORMAT json) ${query}`))[0]![1]);
    const bytes = Number(/"total_bytes_read": (\d+)/.exec(plan)![1]);
    return { count: (await bench.sql(query))[0]![0], bytes };
  }

  test.each([
    ["host = 'host-07'", 100n],
    ["host >= 'host-18'", 200n],
    ["v BETWEEN 450 AND 460", 11n],
    ["__sid = 3", 100n],
    ["late < make_timestamp_ns(190000000000)", 190n],
  ])("%s reads one row group of ten", async (where, count) => {
    await writeSeries();
    const all = await ask("host >= '' AND v >= 0 AND __sid >= 0 AND late >= make_timestamp_ns(0)");
    const some = await ask(where);
    expect(all.count).toBe(2000n);
    expect(some.count).toBe(count);
    expect(some.bytes).toBeLessThan(all.bytes / 8);
    expect((await ask("v > 2000")).bytes).toBe(0);
  });
});
