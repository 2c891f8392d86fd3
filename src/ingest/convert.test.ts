import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  allValid,
  type Column,
  type ColumnType,
  type FixedArray,
  pickRows,
  T,
  textColumn,
} from "../types/mod.ts";
import { conversion, showValue } from "./convert.ts";
import { convertTicks } from "./times.ts";

const seed = Number(process.env.SEED ?? 20240601);

function convert(
  from: Column,
  to: ColumnType,
  rows: number,
): { values: unknown[]; bad: number[] } | undefined {
  const bad: number[] = [];
  const column = conversion(from.type, to)?.(from, rows, (row) => bad.push(row));
  if (column === undefined) return undefined;
  expect(column.type).toEqual(to);
  return { values: "values" in column ? [...column.values] : [], bad };
}

const fixed = (type: ColumnType, values: FixedArray): Column => ({ type, values });

describe("conversion", () => {
  test("integers fit or are named", () => {
    const from = fixed(T.int64, new BigInt64Array([127n, 128n, -128n, -129n]));
    expect(convert(from, T.int8, 4)).toEqual({ values: [127, 0, -128, 0], bad: [1, 3] });
    expect(convert(from, T.uint64, 4)?.bad).toEqual([2, 3]);
    const big = fixed(T.uint64, new BigUint64Array([2n ** 63n - 1n, 2n ** 63n]));
    expect(convert(big, T.int64, 2)).toEqual({ values: [2n ** 63n - 1n, 0n], bad: [1] });
    expect(convert(fixed(T.uint8, new Uint8Array([200])), T.int8, 1)?.bad).toEqual([0]);
  });

  test("a value under a NULL is never refused", () => {
    const from = {
      ...fixed(T.int64, new BigInt64Array([1000n, 1n])),
      validity: new Uint8Array([2]),
    };
    expect(convert(from, T.int8, 2)?.bad).toEqual([]);
  });

  test("integers become floats; a number never becomes infinite", () => {
    expect(convert(fixed(T.int64, new BigInt64Array([3n])), T.float64, 1)?.values).toEqual([3]);
    const floats = fixed(T.float64, new Float64Array([1.5, 1e300, Number.POSITIVE_INFINITY]));
    expect(convert(floats, T.float32, 3)).toEqual({ values: [1.5, Infinity, Infinity], bad: [1] });
  });

  test("JSON text is checked", () => {
    const from = textColumn(3, (row) => ['{"a":1}', "{", undefined][row]);
    expect(convert(from, T.json, 3)?.bad).toEqual([1]);
  });

  test("what has nothing in common has no conversion", () => {
    const pairs: [ColumnType, ColumnType][] = [
      [T.string, T.int64],
      [T.float64, T.int64],
      [T.int64, T.bool],
      [T.bool, T.string],
      [T.int64, T.timestampMs],
      [T.string, T.binary],
    ];
    for (const [from, to] of pairs) expect(conversion(from, to)).toBeUndefined();
  });

  test("ticks: floor to coarser units, exact or refused to finer ones", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (tick) => {
        const none = () => expect.unreachable();
        const ms = convertTicks(new BigInt64Array([tick]), 1, "ns", "ms", none)[0]!;
        expect(ms * 1_000_000n <= tick && tick < (ms + 1n) * 1_000_000n).toBe(true);
        const bad: number[] = [];
        const ns = convertTicks(new BigInt64Array([tick]), 1, "s", "ns", (row) => bad.push(row))[0];
        const exact = tick * 1_000_000_000n;
        if (BigInt.asIntN(64, exact) === exact) expect(ns).toBe(exact);
        else expect(bad).toEqual([0]);
      }),
      { seed },
    );
  });

  test("picked rows are the rows", () => {
    const value = fc.option(fc.string(), { nil: undefined });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, fc.boolean()), { maxLength: 40 }), (rows) => {
        const texts = textColumn(rows.length, (row) => rows[row]![0]);
        const ints: Column = {
          type: T.int16,
          values: Int16Array.from(rows.keys()),
          validity: texts.validity ?? allValid(rows.length),
        };
        const keep = Uint32Array.from(rows.keys()).filter((row) => rows[row]![1]);
        const want = [...keep].map((row) => rows[row]![0]);
        const show = (text: string | undefined) =>
          text === undefined
            ? "NULL"
            : showValue(
                textColumn(1, () => text),
                0,
              );
        expect([...keep.keys()].map((row) => showValue(pickRows(texts, keep), row))).toEqual(
          want.map(show),
        );
        const numbers = [...keep.keys()].map((row) => showValue(pickRows(ints, keep), row));
        expect(numbers).toEqual(
          [...keep].map((row) => (rows[row]![0] === undefined ? "NULL" : String(row))),
        );
      }),
      { seed },
    );
  });
});
