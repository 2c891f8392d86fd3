/**
 * Late: the last time written per series, and which rows of a batch are not newer than it. A row that is newer cannot be a second
 * version of anything, so it never needs a merge.
 */
import { NONE } from "./refusal";
import { seriesRecord } from "./series";
import { slotOf } from "./slot";

/**
 * Writes the numbers of the rows that are not newer than the last time of their series to `out` and advances the last times.
 * Returns how many; NONE when a sid or the slot does not exist (the caller's bug; earlier rows have advanced).
 */
export function splitLate(slot: u32, sids: usize, times: usize, rows: u32, out: usize): u32 {
  const s = slotOf(slot);
  if (changetype<usize>(s) === 0) return NONE;
  const last = s.lastTimes;
  const count = s.seriesCount;
  let late: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const sid = load<u32>(sids + ((<usize>row) << 2));
    if (sid >= count) return NONE;
    const time = load<i64>(times + ((<usize>row) << 3));
    const place = last + ((<usize>sid) << 3);
    if (time > load<i64>(place)) store<i64>(place, time);
    else {
      store<u32>(out + ((<usize>late) << 2), row);
      late++;
    }
  }
  return late;
}

/** Series below `below` count as last written at `time` at the earliest. */
export function raiseLastTimes(slot: u32, below: u32, time: i64): void {
  const s = slotOf(slot);
  if (changetype<usize>(s) === 0) return;
  const end = min(below, s.seriesCount);
  for (let sid: u32 = 0; sid < end; sid++) {
    const place = s.lastTimes + ((<usize>sid) << 3);
    if (load<i64>(place) < time) store<i64>(place, time);
  }
}

/** Nothing was ever written. */
export function clearLastTimes(slot: u32): void {
  const s = slotOf(slot);
  if (changetype<usize>(s) === 0) return;
  for (let sid: u32 = 0; sid < s.seriesCount; sid++)
    store<i64>(s.lastTimes + ((<usize>sid) << 3), i64.MIN_VALUE);
}

/** Where the last times are, by sid. */
export function lastTimesAt(slot: u32): usize {
  const s = slotOf(slot);
  return changetype<usize>(s) === 0 ? 0 : s.lastTimes;
}

/** Where the record of a series is (length, then a word, then the canonical key); the sid must exist. */
export function seriesRecordAt(slot: u32, sid: u32): usize {
  return changetype<usize>(seriesRecord(slotOf(slot), sid));
}
