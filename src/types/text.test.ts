import { expect, test } from "vitest";
import { dateText, floatText } from "./text.ts";

test("64-bit floats", () => {
  const table: [number, string][] = [
    [0, "0.0"],
    [-0, "-0.0"],
    [5, "5.0"],
    [-123456789, "-123456789.0"],
    [0.1, "0.1"],
    [1.5e-7, "1.5e-7"],
    [1e-5, "0.00001"],
    [9.99e-6, "9.99e-6"],
    [0.000012345, "0.000012345"],
    [999999999999999, "999999999999999.0"],
    [9007199254740992, "9007199254740992.0"],
    [1e16, "1e16"],
    [1.2345e20, "1.2345e20"],
    [-1.7976931348623157e308, "-1.7976931348623157e308"],
    [5e-324, "5e-324"],
    [123456.789, "123456.789"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "inf"],
    [Number.NEGATIVE_INFINITY, "-inf"],
  ];
  for (const [value, want] of table) expect(floatText(value)).toBe(want);
});

test("32-bit floats", () => {
  const table: [number, string][] = [
    [0.1, "0.1"],
    [16777216, "16777216.0"],
    [1e13, "1e13"],
    [9.5e12, "9500000000000.0"],
    [1e-6, "0.000001"],
    [1e-7, "1e-7"],
    [3.4028234663852886e38, "3.4028235e38"],
    [1.17549435e-38, "1.1754944e-38"],
  ];
  for (const [value, want] of table) expect(floatText(Math.fround(value), 32)).toBe(want);
});

test("floats read back", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9);
  let state = seed;
  const random = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
  const view = new DataView(new ArrayBuffer(8));
  for (let i = 0; i < 20_000; i++) {
    for (let b = 0; b < 8; b++) view.setUint8(b, random() * 256);
    const wide = view.getFloat64(0);
    const narrow = view.getFloat32(0);
    if (Number.isFinite(wide)) expect(Number(floatText(wide)), `SEED=${seed}`).toBe(wide);
    if (Number.isFinite(narrow))
      expect(Math.fround(Number(floatText(narrow, 32))), `SEED=${seed}`).toBe(narrow);
  }
});

test("dates", () => {
  const table: [number, string][] = [
    [0, "1970-01-01"],
    [-1, "1969-12-31"],
    [19_723, "2024-01-01"],
    [2_932_896, "9999-12-31"],
    [2_932_897, "+10000-01-01"],
    [-719_528, "0000-01-01"],
    [-719_529, "-0001-12-31"],
    [2_147_483_647, "+5881580-07-11"],
  ];
  for (const [days, want] of table) expect(dateText(days)).toBe(want);
});
