/** CRC-32C against known answers and against its definition. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Kernel } from "./mod.ts";
import { SEED } from "./testing/prng.ts";
import { newKernel } from "./testing/shorthand.ts";

let kernel: Kernel;
beforeAll(async () => {
  kernel = await newKernel();
});

describe("crc32c", () => {
  /** Bit by bit, from the definition. */
  function reference(bytes: Uint8Array, seed = 0): number {
    let crc = ~seed;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    }
    return ~crc >>> 0;
  }

  test("known answers", () => {
    expect(kernel.crc32c(new TextEncoder().encode("123456789"))).toBe(0xe3069283);
    expect(kernel.crc32c(new Uint8Array(0))).toBe(0);
    // RFC 3720, B.4: 32 zeros, 32 ones.
    expect(kernel.crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(kernel.crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  });

  test(`any bytes, whole or in parts (SEED=${SEED})`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
        const whole = kernel.crc32c(bytes);
        expect(whole).toBe(reference(bytes));
        expect(kernel.crc32c(bytes.subarray(cut), kernel.crc32c(bytes.subarray(0, cut)))).toBe(
          whole,
        );
      }),
      { seed: SEED },
    );
  });
});
