/** Rows, runs and row groups: any order of pieces and rows comes back, tags follow their runs, and DuckDB prunes by the ranges. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ColumnType, T } from "../types/mod.ts";
import { groupsOf } from "./groups.ts";
import { Bench, columnOf, flushColumn, tableOf, type Value } from "./testing/tables.ts";

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

/** One value of each run for every row. */
const perRow = <V>(runs: Uint32Array, values: readonly V[]): V[] =>
  values.flatMap((value, i) => Array.from({ length: runs[i]! }, () => value));

const inOrder = (rows: number) => Uint32Array.from({ length: rows }, (_, i) => i);

describe("row groups", () => {
  test.each([
    [[5], 10, [[0, 5, 0, [5]]]],
    [[10], 10, [[0, 10, 0, [10]]]],
    [
      [11],
      10,
      [
        [0, 10, 0, [10]],
        [10, 11, 0, [1]],
      ],
    ],
    [
      [4, 6, 3],
      10,
      [
        [0, 10, 0, [4, 6]],
        [10, 13, 2, [3]],
      ],
    ],
    [
      [25, 1],
      10,
      [
        [0, 10, 0, [10]],
        [10, 20, 0, [10]],
        [20, 26, 0, [5, 1]],
      ],
    ],
  ] as const)("runs %j in groups of %i", (runs, rows, want) => {
    const groups = groupsOf(Uint32Array.from(runs), rows);
    expect(groups.map((g) => [g.from, g.to, g.firstRun, [...g.counts]])).toEqual(want);
  });

  test.each([1, 2, 7, 31, 32, 33, 100, 127, 128, 129, 130, 160, 161, 255, 256, 257, 1000])(
    "%i rows, in groups of 128, and of as many as there are",
    async (rows) => {
      const values = Array.from({ length: rows }, (_, i) => BigInt((i * 37) % 101) ** 3n);
      for (const rowGroupRows of [128, rows]) {
        const column = { name: "v", type: T.int64, values };
        const narrow = { name: "n", type: T.int32, values };
        const table = tableOf([column, narrow], { rowGroupRows });
        await bench.write(table);
        await bench.compare([column, narrow], table.order);
        const found = await bench.sql(
          "SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata($file) ORDER BY 1",
        );
        const want = Array.from({ length: Math.ceil(rows / rowGroupRows) }, (_, i) => [
          BigInt(i),
          BigInt(Math.min(rowGroupRows, rows - i * rowGroupRows)),
        ]);
        expect(found).toEqual(want);
      }
    },
  );
});

describe("tags", () => {
  async function roundTrip(
    runs: Uint32Array,
    tags: readonly {
      readonly name: string;
      readonly type: ColumnType;
      readonly values: readonly Value[];
    }[],
    rowGroupRows: number,
  ): Promise<void> {
    const rows = runs.reduce((sum, n) => sum + n, 0);
    const field = {
      name: "v",
      type: T.int32,
      values: Array.from({ length: rows }, (_, i) => BigInt(i)),
    };
    const sids = Uint32Array.from(runs, (_, i) => (i * 7919) % 1_000_003);
    const table = tableOf([field], {
      rowGroupRows,
      runs: { rows: runs },
      sids: { name: "__sid", values: sids },
      tags: tags.map(({ name, type, values }) => ({ name, values: columnOf(type, values) })),
    });
    await bench.write(table);
    const columns = [
      ...tags.map((tag) => ({ ...tag, values: perRow(runs, tag.values) })),
      field,
      { name: "__sid", type: T.uint32, values: perRow(runs, [...sids].map(BigInt)) },
    ];
    await bench.compare(columns, inOrder(rows));
  }

  test("long runs, cut by row groups", async () => {
    const runs = Uint32Array.from({ length: 40 }, (_, i) => 1 + ((i * 53) % 97));
    const host = { name: "host", type: T.string, values: [...runs].map((_, i) => `host-${i}`) };
    const zone = {
      name: "zone",
      type: T.string,
      values: [...runs].map((_, i) => (i % 3 === 0 ? null : `z${i % 4}`)),
    };
    const none = { name: "none", type: T.string, values: [...runs].map(() => null) };
    const same = { name: "same", type: T.string, values: [...runs].map(() => "") };
    for (const rowGroupRows of [50, 300, 10_000])
      await roundTrip(runs, [host, zone, none, same], rowGroupRows);
  });

  test("runs of one row, more than a dictionary holds", async () => {
    const runs = new Uint32Array(40_000).fill(1);
    const host = {
      name: "host",
      type: T.string,
      values: [...runs].map((_, i) => (i % 9 === 0 ? null : `host-${i}`)),
    };
    await roundTrip(runs, [host], 40_000);
  });

  test("other types than strings", async () => {
    const runs = Uint32Array.from({ length: 30 }, (_, i) => 1 + ((i * 5) % 9));
    const column = (type: ColumnType, value: (i: number) => Value) => ({
      name: type.kind,
      type,
      values: [...runs].map((_, i) => (i % 5 === 2 ? null : value(i))),
    });
    const tags = [
      column(T.int64, (i) => BigInt(i % 4) - 2n),
      column(T.bool, (i) => i % 2 === 0),
      column(T.float64, (i) => (i % 3) / 2),
      column(T.date, (i) => BigInt(i)),
    ];
    await roundTrip(runs, tags, 40);
  });
});

test(`any pieces, any order, any NULLs (SEED=${SEED})`, async () => {
  const value = fc.option(fc.oneof(fc.bigInt(-4n, 4n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)), {
    nil: null,
  });
  const small = fc.option(fc.bigInt(-(2n ** 31n), 2n ** 31n - 1n), { nil: null });
  const double = fc.option(fc.double(), { nil: null });
  const string = fc.option(fc.string({ unit: "grapheme", maxLength: 20 }), { nil: null });
  const row = fc.tuple(value, small, double, string, fc.option(fc.boolean(), { nil: null }));
  const cases = fc.record({
    rows: fc.oneof(
      fc.array(row, { minLength: 1, maxLength: 40 }),
      fc.array(row, { minLength: 100, maxLength: 300, size: "max" }),
    ),
    cuts: fc.array(fc.nat(300), { maxLength: 5 }),
    groupRows: fc.integer({ min: 1, max: 300 }),
    shuffle: fc.infiniteStream(fc.nat()),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ rows, cuts, groupRows, shuffle }) => {
      const edges = [...cuts.map((cut) => Math.min(cut, rows.length)), rows.length].sort(
        (a, b) => a - b,
      );
      const pieces = edges.map((edge, i) => edge - (edges[i - 1] ?? 0));
      const order = inOrder(rows.length);
      for (let i = rows.length - 1; i > 0; i--) {
        const j = shuffle.next().value % (i + 1);
        [order[i], order[j]] = [order[j]!, order[i]!];
      }
      const types = [T.int64, T.int32, T.float64, T.string, T.bool];
      const columns = types.map((type, c) => ({
        name: `c${c}`,
        type,
        values: rows.map((one) => one[c]!),
      }));
      const table = tableOf(columns, {
        pieces,
        order,
        rowGroupRows: Math.max(groupRows, Math.ceil(rows.length / 40)),
        time: flushColumn(
          "ts",
          T.timestampMs,
          rows.map((_, i) => BigInt(i) * 1000n),
          pieces,
        ),
      });
      await bench.write(table);
      await bench.compare(
        [
          ...columns,
          { name: "ts", type: T.timestampMs, values: rows.map((_, i) => BigInt(i) * 1000n) },
        ],
        order,
      );
    }),
    { seed: SEED, numRuns: 150 },
  );
});

test("texts longer than a page, and one longer than all", async () => {
  const long = (i: number) => `${i}-`.padEnd(3000 + ((i * 977) % 5000), "x");
  const values = Array.from({ length: 1500 }, (_, i) =>
    i === 700 ? "y".repeat(3 << 20) : i % 4 === 0 ? null : long(i),
  );
  const column = { name: "v", type: T.string, values };
  const table = tableOf([column], { rowGroupRows: 1000, pieces: [400, 0, 900, 200] });
  const file = await bench.write(table);
  await bench.compare([column], table.order);
  expect(file.length).toBeLessThan(10 << 20);
  const [stats] = await bench.sql(
    "SELECT stats_min_value, stats_max_value FROM parquet_metadata($file) WHERE path_in_schema = 'v'",
  );
  // The greatest value of the first row group is too long for the footer.
  expect(stats).toEqual([null, null]);
});

test("the order decides, not the arrival; the footer has the key-values", async () => {
  const column = { name: "v", type: T.uint8, values: [3n, 1n, null, 2n] };
  const table = tableOf([column], {
    order: Uint32Array.of(1, 3, 0, 2),
    keyValues: { "tidemark.format": "1", ü: "日本" },
  });
  await bench.write(table);
  expect(await bench.sql("SELECT v FROM $file")).toEqual([[1], [2], [3], [null]]);
  expect(
    await bench.sql("SELECT decode(key), decode(value) FROM parquet_kv_metadata($file) ORDER BY 1"),
  ).toEqual([
    ["tidemark.format", "1"],
    ["ü", "日本"],
  ]);
});
