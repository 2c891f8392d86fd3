import { describe, expect, test } from "vitest";
import { plainDecimal, SERIES_TABLE, SeriesGenerator, type SeriesOptions } from "./series.ts";

function linesOf(options: SeriesOptions): string[] {
  const generator = new SeriesGenerator(options);
  const buffer = Buffer.alloc(options.rows * generator.lineBytesMax);
  const filled = generator.fill(buffer, 0, options.rows);
  expect(filled.rows).toBe(options.rows);
  expect(generator.fill(buffer, 0, 1).rows).toBe(0);
  return buffer.toString("latin1", 0, filled.bytes).trimEnd().split("\n");
}

test("lines have sorted keys, one millisecond between them, and shortest decimals", () => {
  const lines = linesOf({ series: 1000, rows: 2500, seed: 42 });
  for (const [i, line] of lines.entries()) {
    const parts =
      /^(\w+),datacenter=dc-\d,host=host-0,region=[a-z]+-[a-z]+-\d,service=svc-\d\d cpu=(\S+),disk_util=(\S+),memory=(\S+),net_in=(\S+),net_out=(\S+) (\d+)$/.exec(
        line,
      );
    expect(parts, line).not.toBeNull();
    expect(parts![1]).toBe(SERIES_TABLE);
    for (const [at, max] of [
      [2, 100],
      [3, 100],
      [4, 100],
      [5, 1e9],
      [6, 1e9],
    ] as const) {
      const text = parts![at]!;
      expect(text).toMatch(/^\d+(\.\d+)?$/);
      expect(Number(text)).toBeLessThan(max);
      expect(plainDecimal(Number(text))).toBe(text);
    }
    expect(parts![7]).toBe(String(1_704_067_200_000_000_000n + BigInt(i) * 1_000_000n));
  }
});

test("row i belongs to series i mod S; hosts, regions, datacenters and services nest", () => {
  const tags = linesOf({ series: 2000, rows: 4000, seed: 1 }).map((line) => line.split(" ")[0]!);
  expect(new Set(tags).size).toBe(2000);
  expect(tags.slice(2000)).toEqual(tags.slice(0, 2000));
  expect(tags[0]).toContain("datacenter=dc-0,host=host-0,region=us-east-1,service=svc-00");
  expect(tags[1999]).toContain("datacenter=dc-9,host=host-1,region=ap-northeast-1,service=svc-19");
  expect(tags[1234]).toContain("datacenter=dc-1,host=host-1,region=us-west-2,service=svc-14");
});

test("several tables take turns, a thousand rows each", () => {
  const lines = linesOf({ series: 1000, rows: 4000, seed: 1, tables: 3 });
  const tables = [0, 999, 1000, 2000, 3000].map((i) => lines[i]!.split(",")[0]);
  expect(tables).toEqual([0, 0, 1, 2, 0].map((n) => `${SERIES_TABLE}_${n}`));
});

test("refuses a number of series that is no multiple of 1,000", () => {
  for (const series of [0, 1500, -1000])
    expect(() => new SeriesGenerator({ series, rows: 1, seed: 1 })).toThrow(RangeError);
});

describe("plainDecimal", () => {
  test.each([
    [0, "0"],
    [1.5e-7, "0.00000015"],
    [5e-324, `0.${"0".repeat(323)}5`],
    [1e-7, "0.0000001"],
    [0.000001, "0.000001"],
    [999_999_999.123_456_7, "999999999.1234567"],
  ])("%d is %s", (value, text) => {
    expect(plainDecimal(value)).toBe(text);
    expect(Number(plainDecimal(value))).toBe(value);
  });
});
