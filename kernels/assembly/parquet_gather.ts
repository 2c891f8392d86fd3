/**
 * Gather: the values of one column for some output rows, in output order, without the NULLs. Fixed-width values become 64-bit words;
 * their range is taken along the way, as the column's own type orders it. `order` holds row numbers of the column.
 *
 * `validity` may be 0: no row is NULL. Otherwise `bits` gets a bit per output row, with zeros behind the last.
 */

/** Range of the values of the last gather; of no use when there were none. Of doubles and floats: their bits, no NaN. */
export let gatherLow: u64 = 0;
export let gatherHigh: u64 = 0;
/** Upper words of the range of 128-bit values. */
export let gatherLowUpper: i64 = 0;
export let gatherHighUpper: i64 = 0;
/** Did the last gather of doubles or floats meet a NaN? Then it has no range. */
export let gatherNan: bool = false;

/** Kinds of fixed-width values, as the host names them. */
const I8: u32 = 0;
const I16: u32 = 1;
const I32: u32 = 2;
const I64: u32 = 3;
const U8: u32 = 4;
const U16: u32 = 5;
const U32: u32 = 6;
const U64: u32 = 7;
const F32: u32 = 8;
const F64: u32 = 9;

/** Gathers integers or floats; `stride` is the distance of two values. Returns how many are not NULL. */
export function gather(
  kind: u32,
  values: usize,
  stride: u32,
  order: usize,
  count: u32,
  validity: usize,
  bits: usize,
  words: usize,
): u32 {
  if (validity !== 0) {
    // The row numbers of what is not NULL, then, as if nothing else had been asked for.
    const kept = words + ((<usize>count) << 3);
    count = gatherBits(order, count, validity, bits, kept);
    order = kept;
  }
  switch (kind) {
    case I8:
      gatherAs<i8>(values, stride, order, count, words);
      break;
    case I16:
      gatherAs<i16>(values, stride, order, count, words);
      break;
    case I32:
      gatherAs<i32>(values, stride, order, count, words);
      break;
    case I64:
      gatherAs<i64>(values, stride, order, count, words);
      break;
    case U8:
      gatherAs<u8>(values, stride, order, count, words);
      break;
    case U16:
      gatherAs<u16>(values, stride, order, count, words);
      break;
    case U32:
      gatherAs<u32>(values, stride, order, count, words);
      break;
    case U64:
      gatherAs<u64>(values, stride, order, count, words);
      break;
    case F32:
      gatherFloats<f32>(values, stride, order, count, words);
      break;
    case F64:
      gatherFloats<f64>(values, stride, order, count, words);
      break;
  }
  return count;
}

/** Bits of the output rows, and the row numbers of those that are not NULL to `kept`. Returns how many those are. */
export function gatherBits(
  order: usize,
  count: u32,
  validity: usize,
  bits: usize,
  kept: usize,
): u32 {
  const start = kept;
  let byte: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = load<u32>(order + ((<usize>i) << 2));
    const bit = (<u32>load<u8>(validity + (row >> 3)) >> (row & 7)) & 1;
    store<u32>(kept, row);
    kept += bit << 2;
    byte |= bit << (i & 7);
    if ((i & 7) === 7) {
      store<u8>(bits + (i >> 3), <u8>byte);
      byte = 0;
    }
  }
  if ((count & 7) !== 0) store<u8>(bits + (count >> 3), <u8>byte);
  return <u32>((kept - start) >> 2);
}

function gatherAs<V>(values: usize, stride: u32, order: usize, count: u32, words: usize): void {
  if (count === 0) return;
  const end = order + ((<usize>count) << 2);
  let low = load<V>(values + <usize>load<u32>(order) * stride);
  let high = low;
  for (; order < end; order += 4, words += 8) {
    const value = load<V>(values + <usize>load<u32>(order) * stride);
    low = min(low, value);
    high = max(high, value);
    store<u64>(words, isSigned<V>() ? <u64>(<i64>value) : <u64>value);
  }
  gatherLow = isSigned<V>() ? <u64>(<i64>low) : <u64>low;
  gatherHigh = isSigned<V>() ? <u64>(<i64>high) : <u64>high;
}

function gatherFloats<V>(values: usize, stride: u32, order: usize, count: u32, words: usize): void {
  const end = order + ((<usize>count) << 2);
  let low = <V>Infinity;
  let high = <V>-Infinity;
  let nan = false;
  for (; order < end; order += 4, words += 8) {
    const value = load<V>(values + <usize>load<u32>(order) * stride);
    // Comparisons with NaN are false, so it changes neither.
    if (value < low) low = value;
    if (value > high) high = value;
    if (!(value <= <V>Infinity)) nan = true;
    store<u64>(words, bitsOf<V>(value));
  }
  gatherNan = nan;
  // Zeros of both signs are equal: the range has both.
  gatherLow = bitsOf<V>(low === 0 ? <V>-0.0 : low);
  gatherHigh = bitsOf<V>(high === 0 ? <V>0.0 : high);
}

function bitsOf<V>(value: V): u64 {
  if (sizeof<V>() === 4) return <u64>reinterpret<u32>(<f32>value);
  return reinterpret<u64>(<f64>value);
}

/** Gathers 128-bit integers as 16 big-endian bytes each to `to`; `kept` has room for their row numbers. Returns how many are not NULL. */
export function gatherWide(
  values: usize,
  order: usize,
  count: u32,
  validity: usize,
  bits: usize,
  kept: usize,
  to: usize,
): u32 {
  if (validity !== 0) {
    count = gatherBits(order, count, validity, bits, kept);
    order = kept;
  }
  let lowUpper = i64.MAX_VALUE;
  let low: u64 = u64.MAX_VALUE;
  let highUpper = i64.MIN_VALUE;
  let high: u64 = 0;
  for (const end = order + ((<usize>count) << 2); order < end; order += 4, to += 16) {
    const at = values + ((<usize>load<u32>(order)) << 4);
    const lower = load<u64>(at);
    const upper = load<i64>(at, 8);
    if (upper < lowUpper || (upper === lowUpper && lower < low)) {
      lowUpper = upper;
      low = lower;
    }
    if (upper > highUpper || (upper === highUpper && lower > high)) {
      highUpper = upper;
      high = lower;
    }
    store<u64>(to, bswap<u64>(<u64>upper));
    store<u64>(to, bswap<u64>(lower), 8);
  }
  gatherLow = low;
  gatherLowUpper = lowUpper;
  gatherHigh = high;
  gatherHighUpper = highUpper;
  return count;
}

/** Multiplies words as integers. False, and nothing is changed, when the range of the last gather would not fit 64 bits. */
export function scaleWords(words: usize, count: u32, factor: i64): bool {
  const most = i64.MAX_VALUE / factor;
  if (<i64>gatherLow < -most || <i64>gatherHigh > most) return false;
  for (const end = words + ((<usize>count) << 3); words < end; words += 8)
    store<i64>(words, load<i64>(words) * factor);
  gatherLow = <u64>(<i64>gatherLow * factor);
  gatherHigh = <u64>(<i64>gatherHigh * factor);
  return true;
}

/** The lower half of each word, one after the other; may be in place. Returns the end. */
export function halveWords(words: usize, count: u32, to: usize): usize {
  for (const end = words + ((<usize>count) << 3); words < end; words += 8, to += 4)
    store<u32>(to, <u32>load<u64>(words));
  return to;
}

/** The lowest bit of each word, as a bitmap with zeros behind the last. */
export function bitsOfWords(words: usize, count: u32, bits: usize): void {
  let byte: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    byte |= (<u32>load<u64>(words + ((<usize>i) << 3)) & 1) << (i & 7);
    if ((i & 7) === 7) {
      store<u8>(bits + (i >> 3), <u8>byte);
      byte = 0;
    }
  }
  if ((count & 7) !== 0) store<u8>(bits + (count >> 3), <u8>byte);
}

/** Puts `count` bits of `from` (0: all ones) behind the `at` bits of `to`, whose bits from there on are zero. */
export function appendBits(from: usize, count: u32, to: usize, at: u32): void {
  for (let i: u32 = 0; i < count; ) {
    const place = at + i;
    const shift = place & 7;
    const taken = min(8 - shift, count - i);
    let byte: u32 = 0xff;
    if (from !== 0) {
      byte = <u32>load<u8>(from + (i >> 3)) >> (i & 7);
      if ((i & 7) + taken > 8) byte |= (<u32>load<u8>(from + (i >> 3), 1)) << (8 - (i & 7));
    }
    byte = (byte & ((1 << taken) - 1)) << shift;
    store<u8>(to + (place >> 3), <u8>(<u32>load<u8>(to + (place >> 3)) | byte));
    i += taken;
  }
}
