import { expect, test } from "vitest";
import { crc32c } from "./crc32c.ts";

const ascii = (text: string) => new TextEncoder().encode(text);

/** The definition, bit by bit. */
function slow(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

test("known values of RFC 3720, appendix B.4", () => {
  expect(crc32c(ascii("123456789"))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
  expect(crc32c(new Uint8Array(0))).toBe(0);
});

test("equals the bitwise definition at every length, and continues from a seed at every split", () => {
  const bytes = Uint8Array.from({ length: 75 }, (_, i) => (i * 151 + 7) & 255);
  for (let n = 0; n <= bytes.length; n++) {
    const part = bytes.subarray(0, n);
    expect(crc32c(part)).toBe(slow(part));
    expect(crc32c(bytes.subarray(n), crc32c(part))).toBe(slow(bytes));
  }
});
