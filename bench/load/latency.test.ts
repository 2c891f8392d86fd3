import { describe, expect, test } from "vitest";
import { Latencies, percentile } from "./latency.ts";

describe("percentile", () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
  test.each([
    [hundred, 0.5, 50],
    [hundred, 0.95, 95],
    [hundred, 0.99, 99],
    [hundred, 1, 100],
    [hundred, 0, 1],
    [[7], 0.5, 7],
    [[1, 2, 3], 0.5, 2],
    [[1, 2, 3, 4], 0.5, 2],
    [[1, 2, 3], 0.99, 3],
  ])("nearest rank (%#)", (values, p, want) => expect(percentile(values, p)).toBe(want));

  test("of nothing is not a number", () => expect(percentile([], 0.5)).toBeNaN());
});

test("Latencies keeps every value beyond its first room", () => {
  const latencies = new Latencies();
  for (let i = 5000; i >= 1; i--) latencies.add(i);
  expect(latencies.summary()).toEqual({
    count: 5000,
    meanMs: 2500.5,
    p50Ms: 2500,
    p95Ms: 4750,
    p99Ms: 4950,
    maxMs: 5000,
  });
});
