import { expect, test } from "vitest";
import { memoryGrowth } from "../benchmarks/soak.ts";
import { groupLines, tickOf, tickRange } from "./lines.ts";
import { BUCKET_TICKS, GROUP_HOSTS, rowLoad, rowValue, SoakModel } from "./model.ts";

/** The sums of what the lines say, parsed back. */
function sumsOf(lines: string): { rows: number; value: number; load: number } {
  const sum = (pattern: RegExp) =>
    [...lines.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);
  return {
    rows: lines.split("\n").length - 1,
    value: sum(/ value=(\d+)/g),
    load: sum(/,load=(\d+)i/g),
  };
}

test("the model's sums are those of the lines that were acknowledged", () => {
  const model = new SoakModel(300);
  const first = groupLines(3, 1, 0);
  model.sent(3, GROUP_HOSTS);
  expect(model.stableSums(0, 1)).toBeNull();
  model.acknowledged(3, 1, 0);
  expect(model.stableSums(0, 1)!.sums).toEqual(sumsOf(first));
  const again = groupLines(3, 1, 1);
  expect(again).not.toContain("load=");
  model.sent(3, 0);
  model.acknowledged(3, 1, 1);
  // The rewrite takes the value's place and leaves load alone.
  expect(model.stableSums(0, 1)!.sums).toEqual({
    rows: GROUP_HOSTS,
    value: sumsOf(again).value,
    load: sumsOf(first).load,
  });
  expect([model.version(3, 1), model.version(3, 0)]).toEqual([1, -1]);
  expect([model.rowsSent, model.rowsAcknowledged]).toEqual([GROUP_HOSTS, GROUP_HOSTS]);
});

test("a write that starts and ends during a query shows in the generation", () => {
  const model = new SoakModel(100);
  model.sent(0, 100);
  model.acknowledged(0, 0, 0);
  const before = model.stableSums(0, 1)!;
  model.sent(0, 0);
  model.acknowledged(0, 0, 1);
  expect(model.stableSums(0, 1)!.generation).not.toBe(before.generation);
});

test("buckets are independent, and versions outgrow their first room", () => {
  const model = new SoakModel(1000);
  for (const tick of [0, BUCKET_TICKS, 20_000]) {
    model.sent(tick, 100);
    model.acknowledged(tick, 9, 0);
  }
  model.sent(20_000, 0);
  expect(model.stableSums(0, 2)!.sums.rows).toBe(200);
  expect(model.stableSums(0, model.buckets)).toBeNull();
  expect(model.version(20_000, 9)).toBe(0);
  expect(model.version(19_999, 9)).toBe(-1);
});

test("lines name host, zone, value and time", () => {
  const line = groupLines(2, 1, 0).split("\n")[5];
  expect(line).toBe(
    `soak,host=host_105,zone=zone_0 value=${rowValue(105, 2, 0)},load=${rowLoad(105, 2)}i 1704067220000000000`,
  );
  expect(tickOf("1704067220000000000")).toBe(2);
  expect(tickRange(0, 6)).toBe(
    "greptime_timestamp >= '2024-01-01T00:00:00Z' AND greptime_timestamp < '2024-01-01T00:01:00Z'",
  );
});

test("memory growth compares the last quarter with the second", () => {
  const flat = new Array<number>(400).fill(100);
  expect(memoryGrowth(flat)).toBe(1);
  expect(memoryGrowth(flat.map((v, i) => v + i))).toBeGreaterThan(1.5);
  // The rise of the first quarter is warm-up.
  expect(memoryGrowth(flat.map((v, i) => (i < 100 ? i : v)))).toBe(1);
  expect(memoryGrowth(flat.slice(0, 60))).toBeNaN();
});
