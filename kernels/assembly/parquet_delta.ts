/**
 * DELTA_BINARY_PACKED: integers as differences from their neighbours, in blocks of 128 values of four miniblocks each; a miniblock packs
 * the distances of 32 differences from the block's base with as few bits as they need.
 *
 * The base is usually the least difference. But all arithmetic here and in readers is modulo 2^64 (2^32 for narrow columns), so it need
 * not be: where one miniblock has a deep fall (the times of the next series start over), a higher base lets that miniblock wrap around, at
 * full width, and spares the other three. Writes up to 7 bytes past what it returns.
 */
import { putVarint } from "./bytes";
import { packWords } from "./parquet_bits";

const BLOCK: u32 = 128;
const MINIS: u32 = 4;
const MINI: u32 = 32;

/** Differences of one block. */
const deltas = memory.data(128 * 8, 16);
/** Least and greatest difference of each miniblock. */
const lows = memory.data(4 * 8, 16);
const highs = memory.data(4 * 8, 16);

/** Most bytes that `count` values can take. */
export function deltaBound(count: u32): usize {
  const blocks = <usize>(count / BLOCK) + 1;
  return 32 + blocks * (10 + MINIS + BLOCK * 8) + 8;
}

/** Encodes `count` words; `narrow` ones are 32-bit integers. Returns the end. */
export function encodeDelta(words: usize, count: u32, narrow: bool, to: usize): usize {
  to = putVarint(to, BLOCK);
  to = putVarint(to, MINIS);
  to = putVarint(to, count);
  const first = count === 0 ? 0 : load<i64>(words);
  to = putZigzag(to, narrow ? <i64>(<i32>first) : first);
  for (let start: u32 = 1; start < count; start += BLOCK)
    to = putBlock(words + ((<usize>start) << 3), min(BLOCK, count - start), narrow, to);
  return to;
}

/** One block: `count` words from `words` on; there is a word before them. */
function putBlock(words: usize, count: u32, narrow: bool, to: usize): usize {
  const minis = (count + MINI - 1) / MINI;
  for (let m: u32 = 0; m < minis; m++)
    takeDeltas(words + m * MINI * 8, min(MINI, count - m * MINI), narrow, m);
  const base = baseOf(minis, narrow);
  to = putZigzag(to, base);
  let widths = to;
  store<u32>(to, 0);
  to += MINIS;
  for (let m: u32 = 0; m < minis; m++) {
    const width = widthFrom(base, m, narrow);
    store<u8>(widths++, <u8>width);
    if (width === 0) continue;
    const at = deltas + m * MINI * 8;
    subtract(at, base, narrow);
    // What fills up the last miniblock is never read, but must fit its width.
    for (let i = count - m * MINI; i < MINI; i++) store<u64>(at + i * 8, 0);
    to = packWords(at, MINI, width, to);
  }
  return to;
}

/** Differences of a miniblock, and their range. */
function takeDeltas(words: usize, count: u32, narrow: bool, mini: u32): void {
  const at = deltas + mini * MINI * 8;
  let low = i64.MAX_VALUE;
  let high = i64.MIN_VALUE;
  if (count === MINI) {
    let lowest = i64x2.splat(low);
    let highest = i64x2.splat(high);
    for (let i: usize = 0; i < MINI * 8; i += 16) {
      let delta = i64x2.sub(v128.load(words + i), v128.load(words + i - 8));
      if (narrow) delta = i64x2.shr_s(i64x2.shl(delta, 32), 32);
      v128.store(at + i, delta);
      lowest = v128.bitselect(delta, lowest, i64x2.lt_s(delta, lowest));
      highest = v128.bitselect(delta, highest, i64x2.gt_s(delta, highest));
    }
    low = min(i64x2.extract_lane(lowest, 0), i64x2.extract_lane(lowest, 1));
    high = max(i64x2.extract_lane(highest, 0), i64x2.extract_lane(highest, 1));
  } else {
    for (let i: usize = 0; i < (<usize>count) << 3; i += 8) {
      let delta = load<i64>(words + i) - load<i64>(words + i - 8);
      if (narrow) delta = <i64>(<i32>delta);
      store<i64>(at + i, delta);
      low = min(low, delta);
      high = max(high, delta);
    }
  }
  store<i64>(lows + mini * 8, low);
  store<i64>(highs + mini * 8, high);
}

/** The base with which the block is shortest: the least difference of one of its miniblocks. */
function baseOf(minis: u32, narrow: bool): i64 {
  let best = load<i64>(lows);
  let bestBits = bitsWith(best, minis, narrow);
  for (let m: u32 = 1; m < minis; m++) {
    const base = load<i64>(lows + m * 8);
    if (base === best) continue;
    const bits = bitsWith(base, minis, narrow);
    if (bits < bestBits) {
      best = base;
      bestBits = bits;
    }
  }
  return best;
}

function bitsWith(base: i64, minis: u32, narrow: bool): u32 {
  let bits: u32 = 0;
  for (let m: u32 = 0; m < minis; m++) bits += widthFrom(base, m, narrow);
  return bits;
}

/** Bits of a miniblock's distances from `base`. */
function widthFrom(base: i64, mini: u32, narrow: bool): u32 {
  if (load<i64>(lows + mini * 8) < base) return narrow ? 32 : 64;
  return 64 - <u32>clz(load<i64>(highs + mini * 8) - base);
}

function subtract(at: usize, base: i64, narrow: bool): void {
  const from = i64x2.splat(base);
  const mask = i64x2.splat(narrow ? 0xffff_ffff : -1);
  for (let end = at + MINI * 8; at < end; at += 16)
    v128.store(at, v128.and(i64x2.sub(v128.load(at), from), mask));
}

function putZigzag(to: usize, value: i64): usize {
  let rest = <u64>((value << 1) ^ (value >> 63));
  while (rest >= 0x80) {
    store<u8>(to++, <u8>(rest | 0x80));
    rest >>= 7;
  }
  store<u8>(to++, <u8>rest);
  return to;
}
