/**
 * Series: a slot's dictionary from tag values to a dense sid, and back. The canonical key of a series is its tags in ascending index
 * order, each as varint index, varint length, bytes; absent and empty tags are left out, so the series without tags has no bytes.
 * Sids grow by one and never change their meaning.
 */
import { arenaTake } from "./arena";
import { copyPadded, equalBytes, putVarint } from "./bytes";
import { hashBytes } from "./hash";
import { give, take } from "./heap";
import { probeAdd, probeRef, probeSeek } from "./probe";
import { regrow, Slot, seriesTotalAdd } from "./slot";

/** What a slot keeps of one series; the canonical key follows. */
@unmanaged
export class SeriesRecord {
  length: u32;
  /** Raw keys remembered for it. */
  aliases: u32;
}

/** Not a sid: no such series yet. */
export const NO_SERIES: u32 = 0xffff_ffff;
/** Last time of a series that was never written. */
const NEVER: i64 = i64.MIN_VALUE;

/** Tags being collected: value pointer and length by tag index, and which indexes are set. */
let values: usize = 0;
let chosen: usize = 0;
let chosenWords: u32 = 0;
/** The canonical key that keyBuild made. */
export let keyAt: usize = 0;
export let keyLength: u32 = 0;
let keyCapacity: usize = 0;

/** Makes room for tags of index below `tags`. False when memory is out. */
export function keyReserve(tags: u32): bool {
  if (tags <= chosenWords * 32) return true;
  const words = max<u32>(8, (tags * 2 + 31) >> 5);
  const room = take(words * 32 * 8);
  const bits = take(words * 4);
  if (room === 0 || bits === 0) {
    give(room, words * 32 * 8);
    give(bits, words * 4);
    return false;
  }
  memory.copy(room, values, chosenWords * 32 * 8);
  memory.fill(bits, 0, words * 4);
  memory.copy(bits, chosen, chosenWords * 4);
  give(values, chosenWords * 32 * 8);
  give(chosen, chosenWords * 4);
  values = room;
  chosen = bits;
  chosenWords = words;
  return true;
}

/** Sets a tag; a second value replaces the first. keyReserve(index + 1) comes before. */
export function keySet(index: u32, at: usize, length: u32): void {
  const bits = chosen + ((<usize>index >> 5) << 2);
  store<u32>(bits, load<u32>(bits) | ((<u32>1) << (index & 31)));
  store<usize>(values + ((<usize>index) << 3), at);
  store<u32>(values + ((<usize>index) << 3), length, 4);
}

/** Forgets the tags set so far. */
export function keyClear(): void {
  memory.fill(chosen, 0, chosenWords * 4);
}

/** Turns the tags that were set into the canonical key and forgets them. False when memory is out. */
export function keyBuild(): bool {
  let room: usize = 16;
  for (let word: u32 = 0; word < chosenWords; word++)
    for (let bits = load<u32>(chosen + ((<usize>word) << 2)); bits !== 0; bits &= bits - 1)
      room += 10 + load<u32>(values + ((<usize>(word * 32 + ctz(bits))) << 3), 4);
  if (room + 16 > keyCapacity) {
    const size = max(room + 16, 1024) * 2;
    const fresh = take(size);
    if (fresh === 0) {
      keyClear();
      return false;
    }
    give(keyAt, keyCapacity);
    keyAt = fresh;
    keyCapacity = size;
  }
  let at = keyAt;
  for (let word: u32 = 0; word < chosenWords; word++) {
    const place = chosen + ((<usize>word) << 2);
    for (let bits = load<u32>(place); bits !== 0; bits &= bits - 1) {
      const index = word * 32 + ctz(bits);
      const length = load<u32>(values + ((<usize>index) << 3), 4);
      at = putVarint(putVarint(at, index), length);
      copyPadded(at, load<usize>(values + ((<usize>index) << 3)), length);
      at += length;
    }
    store<u32>(place, 0);
  }
  keyLength = <u32>(at - keyAt);
  return true;
}

export function seriesRecord(s: Slot, sid: u32): SeriesRecord {
  return changetype<SeriesRecord>(load<usize>(s.records + ((<usize>sid) << 2)));
}

/** The sid of the built key, or NO_SERIES. */
export function seriesFind(s: Slot): u32 {
  const hash = hashBytes(keyAt, keyLength, s.id);
  for (let i = probeSeek(s.series, hash, hash); i >= 0; i = probeSeek(s.series, hash, i + 1)) {
    const sid = probeRef(s.series, i) - 1;
    const record = seriesRecord(s, sid);
    if (
      record.length === keyLength &&
      equalBytes(changetype<usize>(record) + offsetof<SeriesRecord>(), keyAt, keyLength)
    )
      return sid;
  }
  return NO_SERIES;
}

/** Adds the built key as the next sid; `found` says whether an equal key exists, which then stays the one that is found. NO_SERIES when memory is out. */
export function seriesAdd(s: Slot, found: bool): u32 {
  if (s.seriesCount === s.seriesCapacity && !growSeries(s)) return NO_SERIES;
  const place = arenaTake(s.seriesArena, offsetof<SeriesRecord>() + keyLength);
  if (place === 0) return NO_SERIES;
  const sid = s.seriesCount;
  if (!found && !probeAdd(s.series, hashBytes(keyAt, keyLength, s.id), sid + 1)) return NO_SERIES;
  const record = changetype<SeriesRecord>(place);
  record.length = keyLength;
  record.aliases = 0;
  copyPadded(place + offsetof<SeriesRecord>(), keyAt, keyLength);
  store<usize>(s.records + ((<usize>sid) << 2), place);
  store<i64>(s.lastTimes + ((<usize>sid) << 3), NEVER);
  s.seriesCount = sid + 1;
  seriesTotalAdd(1);
  return sid;
}

function growSeries(s: Slot): bool {
  const more = max<u32>(16, s.seriesCapacity * 2);
  const times = take(<usize>more * 8);
  if (times === 0) return false;
  const records = regrow(s.records, s.seriesCapacity * 4, <usize>more * 4, s.seriesCount * 4);
  if (records === 0) {
    give(times, <usize>more * 8);
    return false;
  }
  memory.copy(times, s.lastTimes, s.seriesCount * 8);
  give(s.lastTimes, s.seriesCapacity * 8);
  s.records = records;
  s.lastTimes = times;
  s.seriesCapacity = more;
  return true;
}
