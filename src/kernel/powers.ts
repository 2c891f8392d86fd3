/**
 * The table behind float parsing (kernels/assembly/float.ts): for each power of ten from -342 to 308, the top 128 bits of the
 * power of five, low word first. Positive powers are cut, negative ones are reciprocals rounded up, as the proof of the
 * algorithm asks (Lemire, "Number parsing at a gigabyte per second", 2021).
 */
const POWER_MIN = -342;
const POWER_MAX = 308;
const TOP = 1n << 128n;

const bitLength = (n: bigint): number => n.toString(2).length;

function topBits(n: bigint): bigint {
  const excess = bitLength(n) - 128;
  return excess > 0 ? n >> BigInt(excess) : n << BigInt(-excess);
}

/** The 128 bits for one power. */
export function powerOfFive(q: number): bigint {
  if (q >= 0) return topBits(5n ** BigInt(q));
  const divisor = 5n ** BigInt(-q);
  // The smallest z with 2^z >= divisor; a power of five is no power of two.
  const z = bitLength(divisor);
  // From 5^-27 on the divisor fits 64 bits and the quotient has 128 bits as it is.
  const shift = q >= -27 ? z + 127 : 2 * z + 128;
  const quotient = (1n << BigInt(shift)) / divisor + 1n;
  return quotient >= TOP ? topBits(quotient) : quotient;
}

/** The whole table as the kernel wants it. */
export function powersTable(): BigUint64Array {
  const table = new BigUint64Array(2 * (POWER_MAX - POWER_MIN + 1));
  for (let q = POWER_MIN; q <= POWER_MAX; q++) {
    const bits = powerOfFive(q);
    const at = 2 * (q - POWER_MIN);
    table[at] = BigInt.asUintN(64, bits);
    table[at + 1] = bits >> 64n;
  }
  return table;
}
