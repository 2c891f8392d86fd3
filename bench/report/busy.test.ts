import { expect, test } from "vitest";
import { cpuTimes, othersShare } from "./busy.ts";

test("reads busy and total time of all cores", () => {
  const text = "cpu  1000 50 300 5000 200 0 30 20 7 0\ncpu0 1 2 3 4 5 6 7 8 9 0\nintr 1\n";
  expect(cpuTimes(text)).toEqual({ busyS: 14, totalS: 66 });
  expect(() => cpuTimes("intr 1\n")).toThrow("no cpu line");
});

test("what we did not use ourselves is others'", () => {
  const before = { busyS: 10, totalS: 100 };
  expect(othersShare(before, { busyS: 25, totalS: 120 }, 12)).toBeCloseTo(0.15);
  // The clock ticks of both sides are rounded: never below zero, never a division by zero.
  expect(othersShare(before, { busyS: 11, totalS: 120 }, 1.5)).toBe(0);
  expect(othersShare(before, before, 1)).toBe(0);
});

test("this machine's own times grow", () => {
  const { busyS, totalS } = cpuTimes();
  expect(busyS).toBeGreaterThan(0);
  expect(totalS).toBeGreaterThan(busyS);
});
