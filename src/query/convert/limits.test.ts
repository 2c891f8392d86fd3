import fc from "fast-check";
import { expect, test } from "vitest";
import { decimalText } from "../../duck/mod.ts";
import { decimalFits, parseDecimal, TICKS, ticksInRange } from "./limits.ts";

test.each([
  ["1.5", 2, 150n],
  ["-1.5", 2, -150n],
  ["+0.005", 2, 1n],
  ["-0.005", 2, -1n],
  ["0.0049", 2, 0n],
  [".5", 1, 5n],
  ["5.", 1, 50n],
  ["1e3", 0, 1000n],
  ["12345e-2", 2, 12345n],
  ["12345e-4", 2, 123n],
  ["0e9999", 2, 0n],
])("%s at scale %i", (text, scale, want) => {
  expect(parseDecimal(text, scale)).toBe(want);
});

test.each(["", ".", "abc", "1..2", "1e", "0x10", "NaN"])("%s is no decimal", (text) => {
  expect(parseDecimal(text, 2)).toBeUndefined();
});

test("an absurd exponent does not build an absurd integer", () => {
  expect(decimalFits(parseDecimal("1e9999", 2)!, 38)).toBe(false);
});

test("what decimalText prints reads back", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }), fc.nat(38), (value, scale) => {
      expect(parseDecimal(decimalText(value, scale), scale)).toBe(value);
    }),
  );
});

test("nanosecond digits are out of a millisecond column's range", () => {
  expect(ticksInRange(1_747_814_093_865_000_000n, "ms")).toBe(false);
  expect(ticksInRange(1_747_814_093_865n, "ms")).toBe(true);
  expect(ticksInRange(1_747_814_093_865_000_000n, "ns")).toBe(true);
});

test("the ends of each range are in it and their neighbours are not", () => {
  for (const unit of ["s", "ms", "us", "ns"] as const) {
    const [min, max] = TICKS[unit];
    expect([min, max].map((t) => ticksInRange(t, unit))).toEqual([true, true]);
    expect([min - 1n, max + 1n].map((t) => ticksInRange(t, unit))).toEqual([false, false]);
  }
});
