import { describe, expect, test } from "vitest";
import { Prng } from "./prng.ts";

const DRAWS = 400_000;

describe("normal", () => {
  const random = new Prng(7);
  const values = Float64Array.from({ length: DRAWS }, () => random.normal());
  const share = (test: (v: number) => boolean) => values.filter(test).length / DRAWS;

  test("has mean 0, deviation 1 and no skew", () => {
    const moment = (p: number) => values.reduce((sum, v) => sum + v ** p, 0) / DRAWS;
    expect(Math.abs(moment(1))).toBeLessThan(0.01);
    expect(Math.abs(moment(2) - 1)).toBeLessThan(0.01);
    expect(Math.abs(moment(3))).toBeLessThan(0.03);
    expect(Math.abs(moment(4) - 3)).toBeLessThan(0.1);
  });

  test("has the right shares within 1, 2 and 3 deviations, and a tail", () => {
    expect(Math.abs(share((v) => Math.abs(v) < 1) - 0.682_69)).toBeLessThan(0.004);
    expect(Math.abs(share((v) => Math.abs(v) < 2) - 0.954_5)).toBeLessThan(0.002);
    expect(Math.abs(share((v) => Math.abs(v) < 3) - 0.997_3)).toBeLessThan(0.000_5);
    // Beyond the ziggurat's last layer: 0.0576 %.
    expect(Math.abs(share((v) => Math.abs(v) > 3.4426) - 0.000_576)).toBeLessThan(0.000_2);
  });
});

test("uniform fills [0, 1) evenly", () => {
  const random = new Prng(1);
  const buckets = new Array<number>(10).fill(0);
  for (let i = 0; i < DRAWS; i++) buckets[Math.floor(random.uniform() * 10)]!++;
  // A draw outside [0, 1) would have made an eleventh entry.
  expect(Object.keys(buckets)).toHaveLength(10);
  for (const count of buckets) expect(Math.abs(count / DRAWS - 0.1)).toBeLessThan(0.003);
});

test("below and pick reach every value and no other", () => {
  const random = new Prng(2);
  const seen = new Set<number>();
  for (let i = 0; i < 1000; i++) seen.add(random.below(7));
  expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  const picked = new Set(Array.from({ length: 100 }, () => random.pick(["a", "b"])));
  expect([...picked].sort()).toEqual(["a", "b"]);
});

test("seeds differ from the first draw on, and repeat", () => {
  const first = (seed: number) => new Prng(seed).int32();
  expect(new Set([0, 1, 2, 3, -1].map(first)).size).toBe(5);
  expect(first(42)).toBe(first(42));
});
