/**
 * Hashing: NH, the universal hash inside UMAC, over 16-byte blocks with a random key per process, then a finishing mix.
 * Who does not know the key cannot build colliding names, and a block costs one SIMD multiplication. The last block is
 * padded with zeros; the length goes into the finish, so padding cannot collide with real zeros.
 */

/** Bytes that one key covers: longer runs are chained. Also the longest raw key that alias.ts remembers. */
export const HASH_SPAN: u32 = 2048;

const keys = memory.data(2048 + 16, 16);
/** Sixteen ones, sixteen zeros: from here the mask of the first n bytes is loaded. */
const ramp = memory.data<u8>([
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** Fills the key from 64 random bits with splitmix64. */
export function hashInit(seed: u64): void {
  for (let i: usize = 0; i < HASH_SPAN + 16; i += 8) {
    seed += 0x9e3779b97f4a7c15;
    let x = seed;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    store<u64>(keys + i, x ^ (x >> 31));
  }
}

/** Adds one whole block, which starts at `offset` (a multiple of 16, below HASH_SPAN + 16) of the run. */
export function hashBlock(sum: v128, block: v128, offset: u32): v128 {
  const w = i32x4.add(block, v128.load(keys + offset));
  const even = i32x4.shuffle(w, w, 0, 2, 0, 2);
  const odd = i32x4.shuffle(w, w, 1, 3, 1, 3);
  return i64x2.add(sum, i64x2.extmul_low_i32x4_u(even, odd));
}

/** Adds the last block, of which only the first `length` (0 to 15) bytes count. */
export function hashTail(sum: v128, block: v128, offset: u32, length: u32): v128 {
  return hashBlock(sum, v128.and(block, v128.load(ramp + 16 - length)), offset);
}

/** The hash of a run of `length` bytes; `salt` keeps equal bytes of different owners apart. */
export function hashFinish(sum: v128, length: u32, salt: u32): u32 {
  let h = i64x2.extract_lane(sum, 0) + i64x2.extract_lane(sum, 1);
  h ^= (((<u64>length) << 32) | salt) * 0x9e3779b97f4a7c15;
  h = (h ^ (h >> 32)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 29)) * 0xc4ceb9fe1a85ec53;
  return <u32>(h >> 32);
}

/** The same over a whole run at once. */
export function hashBytes(at: usize, length: u32, salt: u32): u32 {
  let sum = i64x2.splat(0);
  let left = length;
  let offset: u32 = 0;
  while (left >= 16) {
    if (offset === HASH_SPAN) {
      salt = hashFinish(sum, left, salt);
      offset = 0;
    }
    sum = hashBlock(sum, v128.load(at), offset);
    at += 16;
    offset += 16;
    left -= 16;
  }
  return hashFinish(hashTail(sum, v128.load(at), offset, left), length, salt);
}
