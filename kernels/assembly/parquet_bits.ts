/**
 * Numbers of few bits, as Parquet packs them: lowest bit first, and its hybrid of repeated and packed runs, in which definition levels,
 * booleans and dictionary indices are stored. The hybrid has two writers: `encodeBits` for bitmaps, a byte at a time, and the `hybrid…`
 * functions for numbers that come in runs. Both write up to 7 bytes past what they return.
 */
import { putVarint } from "./bytes";

/** Groups of eight numbers in one packed run: so many that its header is one byte, which can be written before they are known. */
const GROUPS_MAX: u32 = 63;
/** Equal bytes of a bitmap from which on a repeated run is shorter than packed ones, headers included. */
const REPEATED_BYTES_MIN: u32 = 4;

/** Packs `count` (a multiple of 8) words of at most `width` bits; returns the end. */
export function packWords(from: usize, count: u32, width: u32, to: usize): usize {
  const end = from + ((<usize>count) << 3);
  const w = <u64>width;
  if (width <= 8) {
    if (width === 0) return to;
    for (; from < end; from += 64, to += width)
      store<u64>(to, fourWords(from, w) | (fourWords(from + 32, w) << (4 * w)));
    return to;
  }
  if (width <= 16) {
    const half = <usize>(width >> 1);
    if ((width & 1) === 0)
      for (; from < end; from += 64, to += width) {
        store<u64>(to, fourWords(from, w));
        store<u64>(to + half, fourWords(from + 32, w));
      }
    else
      for (; from < end; from += 64, to += width) {
        const low = fourWords(from, w);
        store<u64>(to, low);
        // The first four end in the middle of a byte.
        store<u64>(to + half, (low >> (<u64>half * 8)) | (fourWords(from + 32, w) << 4));
      }
    return to;
  }
  let held: u64 = 0;
  let bits: u64 = 0;
  for (; from < end; from += 8) {
    const word = load<u64>(from);
    held |= word << bits;
    bits += w;
    if (bits >= 64) {
      store<u64>(to, held);
      to += 8;
      bits -= 64;
      held = bits === 0 ? 0 : word >> (w - bits);
    }
  }
  store<u64>(to, held);
  return to + <usize>(bits >> 3);
}

function fourWords(from: usize, w: u64): u64 {
  return (
    load<u64>(from) |
    (load<u64>(from, 8) << w) |
    (load<u64>(from, 16) << (2 * w)) |
    (load<u64>(from, 24) << (3 * w))
  );
}

/** Writes `count` bits as a hybrid of width 1; the bits behind the last one are zero. Returns the end. */
export function encodeBits(bits: usize, count: u32, to: usize): usize {
  const bytes = (count + 7) >> 3;
  let at: u32 = 0;
  while (at < bytes) {
    const run = equalBytesFrom(bits, at, bytes);
    if (run >= REPEATED_BYTES_MIN) {
      const value = <u32>load<u8>(bits + at) & 1;
      to = putVarint(to, (min((at + run) << 3, count) - (at << 3)) << 1);
      store<u8>(to++, <u8>value);
      at += run;
      continue;
    }
    const start = at;
    at += run;
    while (at < bytes) {
      const next = equalBytesFrom(bits, at, bytes);
      if (next >= REPEATED_BYTES_MIN) break;
      at += next;
    }
    for (let from = start; from < at; ) {
      const groups = min(at - from, GROUPS_MAX);
      store<u8>(to++, <u8>((groups << 1) | 1));
      memory.copy(to, bits + from, groups);
      to += groups;
      from += groups;
    }
  }
  return to;
}

/** How many bytes from `at` on are all ones, or all zeros; 1 when this one is mixed. */
function equalBytesFrom(bits: usize, at: u32, bytes: u32): u32 {
  const byte = load<u8>(bits + at);
  if (byte !== 0 && byte !== 0xff) return 1;
  let end = at + 1;
  while (end < bytes && load<u8>(bits + end) === byte) end++;
  return end - at;
}

/** The packed run being filled: up to GROUPS_MAX groups of words. */
const packed = memory.data(63 * 8 * 8, 16);
let packedCount: u32 = 0;
let hybridTo: usize = 0;
let hybridWidth: u32 = 0;
let runValue: u32 = 0;
let runCount: u32 = 0;

/** Starts a hybrid of numbers of `width` bits, 1 to 32. */
export function hybridBegin(to: usize, width: u32): void {
  hybridTo = to;
  hybridWidth = width;
  packedCount = 0;
  runCount = 0;
}

/** Adds a number `count` times. */
export function hybridAdd(value: u32, count: u32): void {
  if (value === runValue) {
    runCount += count;
    return;
  }
  endRun();
  runValue = value;
  runCount = count;
}

/** Ends the hybrid; returns its end. */
export function hybridEnd(): usize {
  endRun();
  endPacked();
  return hybridTo;
}

function endRun(): void {
  if (runCount === 0) return;
  // A packed run holds whole groups, so the open one takes what it needs first.
  const open: u32 = (8 - (packedCount & 7)) & 7;
  if (runCount < open + 8) pushPacked(runCount);
  else {
    pushPacked(open);
    endPacked();
    hybridTo = putVarint(hybridTo, runCount << 1);
    store<u32>(hybridTo, runValue);
    hybridTo += (hybridWidth + 7) >> 3;
  }
  runCount = 0;
}

function pushPacked(count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    store<u64>(packed + ((<usize>packedCount) << 3), <u64>runValue);
    if (++packedCount === GROUPS_MAX * 8) endPacked();
  }
  runCount -= count;
}

function endPacked(): void {
  if (packedCount === 0) return;
  while ((packedCount & 7) !== 0) {
    store<u64>(packed + ((<usize>packedCount) << 3), 0);
    packedCount++;
  }
  store<u8>(hybridTo++, <u8>(((packedCount >> 3) << 1) | 1));
  hybridTo = packWords(packed, packedCount, hybridWidth, hybridTo);
  packedCount = 0;
}

/** Hybrid of `count` words of `width` bits each. Returns the end. */
export function encodeIndices(words: usize, count: u32, width: u32, to: usize): usize {
  hybridBegin(to, width);
  for (let i: u32 = 0; i < count; i++) hybridAdd(<u32>load<u64>(words + ((<usize>i) << 3)), 1);
  return hybridEnd();
}

/**
 * Hybrid of numbers that hold for runs of rows: run i has `rows[i]` of them. Runs that are NULL (bit 0 in `bits`, which may be 0) have no
 * number; `words` has one for each of the others. Returns the end.
 */
export function encodeRuns(
  words: usize,
  bits: usize,
  rows: usize,
  runs: u32,
  width: u32,
  to: usize,
): usize {
  hybridBegin(to, width);
  for (let i: u32 = 0; i < runs; i++) {
    if (bits !== 0 && ((<u32>load<u8>(bits + (i >> 3)) >> (i & 7)) & 1) === 0) continue;
    hybridAdd(<u32>load<u64>(words), load<u32>(rows + ((<usize>i) << 2)));
    words += 8;
  }
  return hybridEnd();
}

/** Definition levels of runs of rows. Returns the end. */
export function encodeRunLevels(bits: usize, rows: usize, runs: u32, to: usize): usize {
  hybridBegin(to, 1);
  for (let i: u32 = 0; i < runs; i++)
    hybridAdd((<u32>load<u8>(bits + (i >> 3)) >> (i & 7)) & 1, load<u32>(rows + ((<usize>i) << 2)));
  return hybridEnd();
}

/** Which run each row belongs to: `rows[i]` times `first` + i, as 32-bit numbers. */
export function expandRuns(rows: usize, runs: u32, first: u32, to: usize): void {
  for (let i: u32 = 0; i < runs; i++) {
    const end = to + ((<usize>load<u32>(rows + ((<usize>i) << 2))) << 2);
    for (; to < end; to += 4) store<u32>(to, first + i);
  }
}
