/** What values the integer, timestamp and decimal types can hold. Pure tables. */
import type { ColumnType, TimeUnit } from "../../types/mod.ts";

/** Smallest and largest value of each integer kind up to 32 bits. */
export const SMALL_INT: Readonly<Record<string, readonly [number, number]>> = {
  int8: [-128, 127],
  int16: [-32_768, 32_767],
  int32: [-2_147_483_648, 2_147_483_647],
  uint8: [0, 255],
  uint16: [0, 65_535],
  uint32: [0, 4_294_967_295],
};

const int64Max = 2n ** 63n - 1n;

export const BIG_INT: Readonly<Record<"int64" | "uint64", readonly [bigint, bigint]>> = {
  int64: [-(2n ** 63n), int64Max],
  uint64: [0n, 2n ** 64n - 1n],
};

// The years -262143 to 262142, which the reference's calendar covers; DuckDB's covers them too.
const secondsMin = -8_334_601_228_800n;
const secondsMax = 8_210_266_876_799n;

/** Ticks of each unit that a timestamp column takes. DuckDB keeps the ends of int64 for its infinities. */
export const TICKS: Readonly<Record<TimeUnit, readonly [bigint, bigint]>> = {
  s: [secondsMin, secondsMax],
  ms: [secondsMin * 1_000n, secondsMax * 1_000n + 999n],
  us: [secondsMin * 1_000_000n, secondsMax * 1_000_000n + 999_999n],
  ns: [-int64Max + 1n, int64Max - 1n],
};

export function ticksInRange(ticks: bigint, unit: TimeUnit): boolean {
  const [min, max] = TICKS[unit];
  return ticks >= min && ticks <= max;
}

const unitNames: Readonly<Record<TimeUnit, string>> = {
  s: "seconds",
  ms: "milliseconds",
  us: "microseconds",
  ns: "nanoseconds",
};

/** Why a number of ticks was refused, for people who sent another unit. */
export function outOfRangeText(value: string, type: ColumnType & { kind: "timestamp" }): string {
  return `Timestamp value ${value} is out of range: the column counts ${unitNames[type.unit]}`;
}

/** Text of a decimal number → integer scaled by 10^scale, rounded half away from zero. Undefined when not a number. */
export function parseDecimal(text: string, scale: number): bigint | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent] = match;
  if (whole === "" && fraction === "") return undefined;
  const digits = BigInt(whole + fraction);
  const shift = scale - fraction.length + Number(exponent ?? 0);
  let scaled: bigint;
  if (shift >= 0) {
    // 38 digits are the most a decimal has: a longer shift of a non-zero number overflows any of them.
    if (shift > 76 && digits !== 0n) return 10n ** 76n * (sign === "-" ? -1n : 1n);
    scaled = digits === 0n ? 0n : digits * 10n ** BigInt(shift);
  } else {
    const unit = 10n ** BigInt(-shift);
    scaled = (digits + unit / 2n) / unit;
  }
  return sign === "-" ? -scaled : scaled;
}

export function decimalFits(scaled: bigint, precision: number): boolean {
  const limit = 10n ** BigInt(precision);
  return scaled < limit && scaled > -limit;
}
