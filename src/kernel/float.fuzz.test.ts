/**
 * Floats: bit for bit what Number() gives. FLOATS=10000000 is the long run; SEED=n repeats one.
 */
import { expect, test } from "vitest";
import type { FixedColumn } from "../types/mod.ts";
import { loadKernel } from "./mod.ts";
import { powerOfFive } from "./powers.ts";
import { hardDecimal } from "./testing/decimals.ts";
import { Random, SEED } from "./testing/prng.ts";

const FLOATS = Number(process.env.FLOATS ?? 200_000);
const BATCH = 10_000;
const encoder = new TextEncoder();

async function checker(): Promise<(texts: readonly string[]) => void> {
  const kernel = await loadKernel({ seriesMax: 10, columnsMax: 10 });
  return (texts) => {
    const body = encoder.encode(texts.map((text) => `m v=${text}`).join("\n"));
    const parsed = kernel.parseLines(0, [body], "ns", 0n);
    const wanted = texts.map(Number);
    const finite = wanted.filter(Number.isFinite);
    expect(parsed.errorCount).toBe(texts.length - finite.length);
    const table = parsed.tables[0];
    if (table === undefined) return;
    const got = (table.fields[0]!.column as FixedColumn).values as Float64Array;
    table.lines.forEach((line, row) => {
      if (!Object.is(got[row], wanted[line - 1]))
        throw new Error(`SEED=${SEED}: ${texts[line - 1]} is ${wanted[line - 1]}, got ${got[row]}`);
    });
    expect(table.rows).toBe(finite.length);
  };
}

test(`random and adversarial decimals (SEED=${SEED})`, { timeout: 3_600_000 }, async () => {
  const check = await checker();
  const random = new Random(SEED);
  for (let done = 0; done < FLOATS; done += BATCH)
    check(Array.from({ length: BATCH }, () => hardDecimal(random)));
});

test("known hard cases", async () => {
  const check = await checker();
  check([
    // Just under, on and over halfway to the smallest subnormal and to the largest double.
    ...["2.4703282292062327e-324", "2.4703282292062328e-324", "4.9406564584124654e-324", "1e-324"],
    ...["1.7976931348623157e308", "1.7976931348623158e308", "1.797693134862315808e308"],
    ...["2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072014e-308"],
    // Ties to even at 2^53.
    ...["9007199254740992", "9007199254740993", "9007199254740994", "9007199254740995"],
    ...["9007199254740993.0", "9007199254740993.00000000000000000000001", "90071992547409930e-1"],
    ...["9007199254740992.99999999999999999999999999999"],
    // A product that only the low half of the power decides.
    ...["8.98846567431158e307", "7.2057594037927933e16", "1.00000000000000011102230246251565e0"],
    ...["0.500000000000000166533453693773481063544750213623046875", "3.518437208883201171875e13"],
    ...["6.929001713869936e236", "2.5e-324", "1e23", "8.5e22", "1e22", "123456789012345678901"],
    ...["0e400", "0.0e-400", "-0", "-0.0e5", "00000000000000000000000000000000001e-5"],
    `1${"0".repeat(400)}e-400`,
    `0.${"0".repeat(400)}1e400`,
    `${"9".repeat(800)}`.concat("e-800"),
  ]);
});

test("powers of five agree with known words", () => {
  // 5^0 and 5^1 are exact, shifted to the top; the ends are the first and last entry of the published table.
  expect(powerOfFive(0)).toBe(1n << 127n);
  expect(powerOfFive(1)).toBe(5n << 125n);
  expect(powerOfFive(-342)).toBe(0xeef4_53d6_923b_d65a_113f_aa29_06a1_3b3fn);
  expect(powerOfFive(308)).toBe(0x8e67_9c2f_5e44_ff8f_570f_09ea_a7ea_7648n);
});
