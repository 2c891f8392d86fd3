/**
 * Series as bytes (docs/format/series.md) and as columns. The host writes and reads the head of the bytes, with the column ids; the body
 * is made and checked here: per series a count, then per tag its place in the head, its length and its bytes, where length 0 repeats
 * the tag's last value.
 */
import { copyPadded, equalBytes, putVarint, takeVarint, varint } from "./bytes";
import { give, take } from "./heap";
import {
  keyAt,
  keyBuild,
  keyClear,
  keyLength,
  keyReserve,
  keySet,
  NO_SERIES,
  SeriesRecord,
  seriesAdd,
  seriesFind,
  seriesRecord,
} from "./series";
import { Slot, slotOf } from "./slot";

export const BYTES_MEMORY: i32 = -1;
export const BYTES_DAMAGED: i32 = -2;
/** The sids do not follow those that are known, or a known one has other tags. */
export const BYTES_MISMATCH: i32 = -3;
const NONE: u32 = 0xffff_ffff;

/** The block that the last call made: the host copies and gives it back. */
export let outAt: usize = 0;
export let outLength: usize = 0;
export let outCapacity: usize = 0;

function keyOf(s: Slot, sid: u32): usize {
  return changetype<usize>(seriesRecord(s, sid)) + offsetof<SeriesRecord>();
}

function takeOut(bytes: usize): bool {
  outAt = take(bytes);
  outCapacity = bytes;
  outLength = 0;
  return outAt !== 0;
}

/** The body for the series [from, to), which exist, into the out block. False when memory is out. */
export function encodeSeries(slot: u32, from: u32, to: u32): bool {
  const s = slotOf(slot);
  // A count is at most five bytes more than the record; the rest is never longer.
  let room: usize = 64;
  for (let sid = from; sid < to; sid++) room += 5 + seriesRecord(s, sid).length;
  const lastBytes = <usize>s.tagCount * 8 + 8;
  const last = take(lastBytes);
  if (last === 0) return false;
  if (!takeOut(room)) {
    give(last, lastBytes);
    return false;
  }
  memory.fill(last, 0, lastBytes);
  let at = outAt;
  for (let sid = from; sid < to; sid++) at = putSeries(s, sid, last, at);
  outLength = at - outAt;
  give(last, lastBytes);
  return true;
}

function putSeries(s: Slot, sid: u32, last: usize, at: usize): usize {
  const start = keyOf(s, sid);
  const end = start + seriesRecord(s, sid).length;
  let tags: u32 = 0;
  for (let p = start; p < end; tags++) {
    p = takeVarint(takeVarint(p, end), end);
    p += varint;
  }
  at = putVarint(at, tags);
  for (let p = start; p < end; ) {
    p = takeVarint(p, end);
    const index = varint;
    p = takeVarint(p, end);
    const length = varint;
    const place = last + ((<usize>index) << 3);
    at = putVarint(at, index);
    if (load<u32>(place, 4) === length && equalBytes(load<usize>(place), p, length))
      at = putVarint(at, 0);
    else {
      at = putVarint(at, length);
      copyPadded(at, p, length);
      at += length;
    }
    store<usize>(place, p);
    store<u32>(place, length, 4);
    p += length;
  }
  return at;
}

/**
 * Reads a body of `count` series that starts with sid `from`. `map` has the tag index of each of the `tags` places of the head (one of the slot's), or
 * NONE where the column is gone. Returns the number of series that are new, or one of the failures above; series before it stay.
 */
export function decodeSeries(
  slot: u32,
  at: usize,
  length: usize,
  from: u32,
  count: u32,
  map: usize,
  tags: u32,
): i32 {
  const s = slotOf(slot);
  if (!keyReserve(s.tagCount)) return BYTES_MEMORY;
  const lastBytes = <usize>tags * 8 + 8;
  const last = take(lastBytes);
  if (last === 0) return BYTES_MEMORY;
  memory.fill(last, 0, lastBytes);
  const before = s.seriesCount;
  let answer: i32 = 0;
  const end = at + length;
  for (let i: u32 = 0; i < count && answer === 0; i++) {
    at = takeKey(at, end, map, tags, last);
    if (at === 0) answer = BYTES_DAMAGED;
    else if (!keyBuild()) answer = BYTES_MEMORY;
    else answer = placeSeries(s, from + i);
  }
  keyClear();
  give(last, lastBytes);
  if (answer !== 0) return answer;
  return at === end ? <i32>(s.seriesCount - before) : BYTES_DAMAGED;
}

/** Sets the tags of the next series; returns where it ends, 0 for damage. */
function takeKey(at: usize, end: usize, map: usize, tags: u32, last: usize): usize {
  at = takeVarint(at, end);
  if (at === 0) return 0;
  const n = varint;
  for (let i: u32 = 0; i < n; i++) {
    at = takeVarint(at, end);
    if (at === 0 || varint >= tags) return 0;
    const tag = varint;
    at = takeVarint(at, end);
    if (at === 0 || varint > <u32>(end - at)) return 0;
    const place = last + ((<usize>tag) << 3);
    if (varint > 0) {
      store<usize>(place, at);
      store<u32>(place, varint, 4);
      at += varint;
    } else if (load<u32>(place, 4) === 0) return 0;
    const index = load<u32>(map + ((<usize>tag) << 2));
    if (index === NONE) continue;
    keySet(index, load<usize>(place), load<u32>(place, 4));
  }
  return at;
}

function placeSeries(s: Slot, sid: u32): i32 {
  if (sid > s.seriesCount) return BYTES_MISMATCH;
  if (sid === s.seriesCount)
    return seriesAdd(s, seriesFind(s) !== NO_SERIES) === NO_SERIES ? BYTES_MEMORY : 0;
  const record = seriesRecord(s, sid);
  return record.length === keyLength && equalBytes(keyOf(s, sid), keyAt, keyLength)
    ? 0
    : BYTES_MISMATCH;
}

/** Words per tag in the out block of seriesColumns: offsets, bytes, length of bytes, validity, rows that are not NULL. */
const WORDS: usize = 5;

/**
 * The series [from, to) as one column per tag: the out block starts with WORDS words per tag index, then has the data they point at.
 * False when memory is out.
 */
export function seriesColumns(slot: u32, from: u32, to: u32): bool {
  const s = slotOf(slot);
  const rows = to - from;
  const tags = s.tagCount;
  const head = <usize>tags * WORDS * 4;
  const counts = take(head + 16);
  if (counts === 0) return false;
  memory.fill(counts, 0, head);
  for (let sid = from; sid < to; sid++) {
    const end = keyOf(s, sid) + seriesRecord(s, sid).length;
    for (let p = keyOf(s, sid); p < end; p += varint) {
      p = takeVarint(p, end);
      const place = counts + <usize>varint * WORDS * 4;
      p = takeVarint(p, end);
      store<u32>(place, load<u32>(place, 8) + varint, 8);
      store<u32>(place, load<u32>(place, 16) + 1, 16);
    }
  }
  const offsetBytes = (<usize>rows + 1) * 4;
  const bitmapBytes = (<usize>rows + 7) >> 3;
  let room = <u64>head + 64 + <u64>tags * (<u64>offsetBytes + bitmapBytes + 32);
  for (let t: u32 = 0; t < tags; t++) room += load<u32>(counts + <usize>t * WORDS * 4, 8);
  if (room > 0xf000_0000 || !takeOut(<usize>room)) {
    give(counts, head + 16);
    return false;
  }
  memory.copy(outAt, counts, head);
  give(counts, head + 16);
  let at = outAt + head;
  for (let t: u32 = 0; t < tags; t++) {
    const place = outAt + <usize>t * WORDS * 4;
    store<usize>(place, at);
    at += offsetBytes;
    store<usize>(place, at, 12);
    memory.fill(at, 0, bitmapBytes);
    at = (at + bitmapBytes + 3) & ~3;
    store<usize>(place, at, 4);
    at = (at + load<u32>(place, 8) + 16 + 3) & ~3;
    store<u32>(place, 0, 8);
  }
  for (let row: u32 = 0; row < rows; row++) putRow(s, from + row, row);
  for (let t: u32 = 0; t < tags; t++) putOffset(t, rows);
  outLength = at - outAt;
  return true;
}

/** Notes where row `row` of a tag's column starts. */
function putOffset(tag: u32, row: u32): void {
  const place = outAt + <usize>tag * WORDS * 4;
  store<u32>(load<usize>(place) + ((<usize>row) << 2), load<u32>(place, 8));
}

function putRow(s: Slot, sid: u32, row: u32): void {
  for (let t: u32 = 0; t < s.tagCount; t++) putOffset(t, row);
  const end = keyOf(s, sid) + seriesRecord(s, sid).length;
  for (let p = keyOf(s, sid); p < end; ) {
    p = takeVarint(p, end);
    const place = outAt + <usize>varint * WORDS * 4;
    p = takeVarint(p, end);
    const used = load<u32>(place, 8);
    memory.copy(load<usize>(place, 4) + used, p, varint);
    store<u32>(place, used + varint, 8);
    const bit = load<usize>(place, 12) + (row >> 3);
    store<u8>(bit, <u8>(load<u8>(bit) | ((<u32>1) << (row & 7))));
    p += varint;
  }
}
