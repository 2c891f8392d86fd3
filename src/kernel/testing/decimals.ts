/** Decimal texts that are hard to round: neighbours of halfway points, subnormals, many digits, extreme exponents. */
import type { Random } from "./prng.ts";

const bits = new BigUint64Array(1);
const floats = new Float64Array(bits.buffer);

function fromBits(pattern: bigint): number {
  bits[0] = pattern;
  return floats[0]!;
}

/** A finite positive double, any bit pattern. */
function anyDouble(random: Random): number {
  for (;;) {
    const value = fromBits(random.bits64() & 0x7fff_ffff_ffff_ffffn);
    if (Number.isFinite(value)) return value;
  }
}

function digits(random: Random, count: number): string {
  let text = "";
  while (text.length < count) text += String(random.u32());
  return text.slice(0, count);
}

/** The exact decimal text halfway between a double and the next one, as digits and a power of ten. */
function halfway(value: number): { digits: bigint; power: number } {
  floats[0] = value;
  const raw = Number(bits[0]! >> 52n);
  const mantissa = (bits[0]! & ((1n << 52n) - 1n)) | (raw === 0 ? 0n : 1n << 52n);
  const exponent = Math.max(raw, 1) - 1075 - 1;
  const odd = 2n * mantissa + 1n;
  return exponent >= 0
    ? { digits: odd << BigInt(exponent), power: 0 }
    : { digits: odd * 5n ** BigInt(-exponent), power: exponent };
}

/** Puts the point anywhere it may stand. */
function written(random: Random, all: string, power: number): string {
  const at = random.below(4) === 0 ? random.below(all.length) : 0;
  if (at > 0) return `${all.slice(0, at)}.${all.slice(at)}e${power + all.length - at}`;
  if (power < 0 && power > -40 && -power < all.length && random.chance(0.7))
    return `${all.slice(0, all.length + power)}.${all.slice(power)}`;
  return power === 0 ? all : `${all}e${power}`;
}

const MAKERS: readonly ((random: Random) => string)[] = [
  (random) => String(anyDouble(random)),
  (random) => anyDouble(random).toExponential(16 + random.below(9)),
  (random) => String(random.u32() / 2 ** 32),
  (random) => (random.u32() / 2 ** random.below(40)).toFixed(random.below(20)),
  // Subnormals.
  (random) =>
    fromBits(random.bits64() >> BigInt(12 + random.below(52))).toExponential(random.below(25)),
  // 17 to 25 digits, any exponent that matters.
  (random) => {
    const count = 17 + random.below(9);
    return written(
      random,
      `${1 + random.below(9)}${digits(random, count - 1)}`,
      random.below(660) - 345,
    );
  },
  (random) => written(random, digits(random, 1 + random.below(19)), random.below(60) - 30),
  // Halfway points, and one digit on either side.
  (random) => {
    const near = random.chance(0.9);
    const value = near
      ? (random.u32() + 1) * 2 ** (random.below(110) - 80) * (1 + random.u32() / 2 ** 32)
      : anyDouble(random);
    const half = halfway(value);
    const nudge = random.below(3);
    if (nudge === 0) return written(random, String(half.digits), half.power);
    const more = half.digits * 1000n + (nudge === 1 ? 1n : -1n);
    return written(random, String(more), half.power - 3);
  },
  // A halfway point cut to a number of digits: close, but not on it.
  (random) => {
    const half = halfway(random.chance(0.5) ? anyDouble(random) : (random.u32() + 1) / 2 ** 20);
    const all = String(half.digits);
    const kept = Math.min(all.length, 15 + random.below(12));
    return written(random, all.slice(0, kept), half.power + all.length - kept);
  },
  // Exponents past every range, and zeros in many shapes.
  (random) =>
    `${random.below(10)}.${digits(random, 3)}e${random.chance(0.5) ? "-" : ""}${digits(random, 1 + random.below(6))}`,
  (random) => `0.${"0".repeat(random.below(400))}${digits(random, 1 + random.below(22))}`,
  (random) =>
    `${"0".repeat(random.below(30))}${digits(random, 1 + random.below(22))}${"0".repeat(random.below(300))}`,
];

/** A decimal of the grammar `-?digits[.digits][e[+-]digits]`. */
export function hardDecimal(random: Random): string {
  const text = random.pick(MAKERS)(random);
  return random.chance(0.2) ? `-${text}` : text;
}
