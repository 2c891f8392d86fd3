/**
 * Pack: columns of numbers into whole bytes per value, and back (docs/format/columns.md). Every column is seen as 64-bit words; the
 * width is what the values need after one of three transforms:
 *
 * - FRAME: the distance from the least value, divided by a step of 1, 10^3, 10^6 or 10^9 (times are often whole seconds);
 * - DELTA: the distance of each difference from the least difference, where that is narrower (sids and times in order);
 * - WINDOW: the bytes in which the values differ from the first one (doubles that are constant, or of few digits in binary).
 *
 * Doubles that are all whole numbers go as integers, with WHOLE added to FRAME or DELTA: counters and most gauges.
 *
 * Words are stored with overlapping 8-byte writes, so buffers need 8 bytes of room behind them.
 */

export const FRAME: u32 = 0;
export const DELTA: u32 = 1;
export const WINDOW: u32 = 2;
export const WHOLE: u32 = 4;

/** How the last column was packed: what a reader needs beside the bytes. */
export let packMethod: u32 = FRAME;
export let packWidth: u32 = 0;
/** FRAME, DELTA: exponent of the step, in thousands: 0 to 3. WINDOW: the lowest byte of the window. */
export let packScale: u32 = 0;
/** FRAME: least value. DELTA, WINDOW: first value. */
export let packBase: u64 = 0;
/** DELTA: least difference. */
export let packLeast: u64 = 0;

/** From three bytes on the distances are worth a division: 1,000 steps of 10^3 take two bytes instead of three. */
const STEP_WIDTH: u32 = 3;

/** Widens `count` values of 1, 2, 4 or 8 bytes, `stride` bytes apart, to words. */
export function widen(
  from: usize,
  count: u32,
  bytes: u32,
  stride: u32,
  signed: bool,
  to: usize,
): void {
  const end = to + ((<usize>count) << 3);
  for (; to < end; to += 8, from += stride) {
    let word: u64;
    if (bytes === 8) word = load<u64>(from);
    else if (bytes === 4) word = signed ? <u64>(<i64>load<i32>(from)) : <u64>load<u32>(from);
    else if (bytes === 2) word = signed ? <u64>(<i64>load<i16>(from)) : <u64>load<u16>(from);
    else word = signed ? <u64>(<i64>load<i8>(from)) : <u64>load<u8>(from);
    store<u64>(to, word);
  }
}

/** The lengths of `count` runs with `count` + 1 offsets, as words. False when the offsets fall. */
export function widenLengths(offsets: usize, count: u32, to: usize): bool {
  for (let i: u32 = 0; i < count; i++) {
    const place = offsets + ((<usize>i) << 2);
    const from = load<u32>(place);
    const end = load<u32>(place, 4);
    if (end < from) return false;
    store<u64>(to + ((<usize>i) << 3), <u64>(end - from));
  }
  return true;
}

/** Words under a NULL become the last word that is not, so that they cost nothing. */
export function fillNulls(words: usize, count: u32, validity: usize): void {
  let first: u32 = 0;
  while (first < count && !isSet(validity, first)) first++;
  if (first === count) return;
  let last = load<u64>(words + ((<usize>first) << 3));
  for (let i: u32 = 0; i < count; i++) {
    const place = words + ((<usize>i) << 3);
    if (isSet(validity, i)) last = load<u64>(place);
    else store<u64>(place, last);
  }
}

function isSet(bits: usize, i: u32): bool {
  return ((<u32>load<u8>(bits + (i >> 3)) >> (i & 7)) & 1) !== 0;
}

/** Packs words as integers; returns the bytes written. */
export function packIntegers(words: usize, count: u32, to: usize): usize {
  packMethod = FRAME;
  packWidth = 0;
  packScale = 0;
  packBase = 0;
  if (count === 0) return 0;
  const end = words + ((<usize>count) << 3);
  const first = load<i64>(words);
  let low = first;
  let high = first;
  let deltaLow = i64.MAX_VALUE;
  let deltaHigh = i64.MIN_VALUE;
  let before = first;
  for (let at = words + 8; at < end; at += 8) {
    const value = load<i64>(at);
    const delta = value - before;
    low = min(low, value);
    high = max(high, value);
    deltaLow = min(deltaLow, delta);
    deltaHigh = max(deltaHigh, delta);
    before = value;
  }
  const width = bytesOf(<u64>(high - low));
  // A constant column and a single row have width 0 already.
  const deltaWidth = count > 1 ? bytesOf(<u64>(deltaHigh - deltaLow)) : width;
  if (deltaWidth < width) {
    packMethod = DELTA;
    packBase = <u64>first;
    packLeast = <u64>deltaLow;
    return packDeltas(words + 8, end, first, deltaLow, deltaWidth, to);
  }
  packBase = <u64>low;
  packWidth = width;
  let step: u64 = 1;
  if (width >= STEP_WIDTH) {
    packScale = scaleOf(words, end, low);
    step = stepOf(packScale);
    packWidth = bytesOf(<u64>(high - low) / step);
  }
  return packFrame(words, end, <u64>low, step, packWidth, to);
}

function packFrame(words: usize, end: usize, low: u64, step: u64, width: u32, to: usize): usize {
  if (width === 0) return 0;
  const start = to;
  if (step === 1)
    for (; words < end; words += 8, to += width) store<u64>(to, load<u64>(words) - low);
  else for (; words < end; words += 8, to += width) store<u64>(to, (load<u64>(words) - low) / step);
  return to - start;
}

function packDeltas(
  words: usize,
  end: usize,
  first: i64,
  least: i64,
  width: u32,
  to: usize,
): usize {
  packWidth = width;
  if (width === 0) return 0;
  const start = to;
  let before = first;
  for (; words < end; words += 8, to += width) {
    const value = load<i64>(words);
    store<u64>(to, <u64>(value - before - least));
    before = value;
  }
  return to - start;
}

/** Packs words as bit patterns; returns the bytes written. */
export function packWindow(words: usize, count: u32, to: usize): usize {
  packMethod = WINDOW;
  packWidth = 0;
  packScale = 0;
  packBase = 0;
  if (count === 0) return 0;
  const end = words + ((<usize>count) << 3);
  const base = load<u64>(words);
  let differ: u64 = 0;
  for (let at = words; at < end; at += 8) differ |= load<u64>(at) ^ base;
  packBase = base;
  if (differ === 0) return 0;
  packScale = <u32>(ctz(differ) >> 3);
  packWidth = 8 - <u32>(clz(differ) >> 3) - packScale;
  const shift = <u64>packScale * 8;
  const width = packWidth;
  const start = to;
  for (; words < end; words += 8, to += width) store<u64>(to, (load<u64>(words) ^ base) >> shift);
  return to - start;
}

/** Packs doubles, as whole numbers if they all are; `words` are overwritten then. Returns the bytes written. */
export function packDoubles(words: usize, count: u32, to: usize): usize {
  const end = words + ((<usize>count) << 3);
  for (let at = words; at < end; at += 8) {
    // Not NaN, not -0, no fraction: what comes back is bit for bit what went in.
    const back = <f64>toInteger(load<f64>(at));
    if (reinterpret<u64>(back) !== load<u64>(at)) return packWindow(words, count, to);
  }
  for (let at = words; at < end; at += 8) store<i64>(at, toInteger(load<f64>(at)));
  const written = packIntegers(words, count, to);
  packMethod |= WHOLE;
  return written;
}

/** Turns unpacked integers into the doubles that they stand for, in place. */
export function unpackWhole(words: usize, count: u32): void {
  for (let at = words, end = words + ((<usize>count) << 3); at < end; at += 8)
    store<f64>(at, <f64>load<i64>(at));
}

/** Undoes any of the three: `count` values of `bytes` bytes, `stride` bytes apart, to `to`. The packed bytes must all be there. */
export function unpack(
  from: usize,
  count: u32,
  method: u32,
  width: u32,
  scale: u32,
  base: u64,
  least: u64,
  to: usize,
  bytes: u32,
  stride: u32,
): void {
  const mask: u64 = width === 0 ? 0 : ~(<u64>0) >> (64 - 8 * <u64>width);
  const step = stepOf(scale);
  const shift = <u64>scale * 8;
  let value = base;
  for (let i: u32 = 0; i < count; i++, to += stride) {
    if (method === DELTA) {
      if (i > 0) {
        value += (load<u64>(from) & mask) + least;
        from += width;
      }
    } else {
      const word = load<u64>(from) & mask;
      value = method === FRAME ? base + word * step : base ^ (word << shift);
      from += width;
    }
    if (bytes === 8) store<u64>(to, value);
    else if (bytes === 4) store<u32>(to, <u32>value);
    else if (bytes === 2) store<u16>(to, <u16>value);
    else store<u8>(to, <u8>value);
  }
}

/** Packs bytes of 0 or 1 as bits, lowest first; `count` is rounded up to eight with zeros. Returns the bytes written. */
export function packBits(from: usize, count: u32, to: usize): usize {
  const start = to;
  for (let i: u32 = 0; i < count; i += 8) {
    // The lowest bit of each of eight bytes, gathered by one multiplication.
    let word = load<u64>(from + i);
    if (count - i < 8) word &= ((<u64>1) << (8 * <u64>(count - i))) - 1;
    const bits = ((word & 0x0101_0101_0101_0101) * 0x0102_0408_1020_4080) >> 56;
    store<u8>(to++, <u8>bits);
  }
  return to - start;
}

export function unpackBits(from: usize, count: u32, to: usize): void {
  for (let i: u32 = 0; i < count; i++)
    store<u8>(to + i, <u8>((<u32>load<u8>(from + (i >> 3)) >> (i & 7)) & 1));
}

/** Turns `count` lengths into `count` + 1 offsets; returns false when they do not add up to `total`. */
export function sumLengths(lengths: usize, count: u32, total: u32, offsets: usize): bool {
  let sum: u64 = 0;
  store<u32>(offsets, 0);
  for (let i: u32 = 0; i < count; i++) {
    sum += load<u32>(lengths + ((<usize>i) << 2));
    if (sum > total) return false;
    store<u32>(offsets + ((<usize>i) << 2), <u32>sum, 4);
  }
  return sum === total;
}

/** Truncates and saturates; NaN is 0 (the compiler emits the conversions that do not trap). */
function toInteger(value: f64): i64 {
  return <i64>value;
}

function bytesOf(range: u64): u32 {
  return <u32>((71 - clz(range)) >> 3);
}

function stepOf(scale: u32): u64 {
  return scale === 3 ? 1_000_000_000 : scale === 2 ? 1_000_000 : scale === 1 ? 1_000 : 1;
}

/** The largest step that divides every distance from `low`. */
function scaleOf(words: usize, end: usize, low: i64): u32 {
  for (let scale: u32 = 3; scale > 0; scale--) {
    const step = stepOf(scale);
    let fits = true;
    let before = low;
    for (let at = words; at < end && fits; at += 8) {
      const value = load<i64>(at);
      // Neighbours are often equal: no division then.
      if (value !== before) fits = <u64>(value - low) % step === 0;
      before = value;
    }
    if (fits) return scale;
  }
  return 0;
}
