/**
 * Dictionaries of the values of one column chunk: equal values get the same index, in the order in which they first appear. An attempt
 * that finds too many different values ends early, so that columns without repetition cost little. One dictionary at a time.
 */
import { equalBytes } from "./bytes";
import { hashBytes } from "./hash";

/** Slots of the hash table per entry, at least. */
const SLOTS_PER_ENTRY: u32 = 2;
/** After so many texts at least half must have been seen before. */
const TEXT_TRIAL: u32 = 4096;

/** Bytes of the table for `entriesMax` (a power of two) entries. */
export function dictionaryTableBytes(entriesMax: u32): usize {
  return <usize>(entriesMax * SLOTS_PER_ENTRY) * 4;
}

/**
 * Gives `count` words their indices; different words go to `entries`. Returns how many those are, 0 when there would be more than
 * `entriesMax` (a power of two).
 */
export function dictionaryOfWords(
  words: usize,
  count: u32,
  entriesMax: u32,
  table: usize,
  entries: usize,
  indices: usize,
): u32 {
  memory.fill(table, 0, dictionaryTableBytes(entriesMax));
  const mask = entriesMax * SLOTS_PER_ENTRY - 1;
  let size: u32 = 0;
  let before: u64 = 0;
  let index: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const word = load<u64>(words + ((<usize>i) << 3));
    // Neighbours are often equal.
    if (i === 0 || word !== before) {
      before = word;
      let slot = <u32>((word * 0x9e3779b97f4a7c15) >> 40) & mask;
      for (;;) {
        const at = table + ((<usize>slot) << 2);
        const found = load<u32>(at);
        if (found === 0) {
          if (size === entriesMax) return 0;
          index = size++;
          store<u64>(entries + ((<usize>index) << 3), word);
          store<u32>(at, size);
          break;
        }
        if (load<u64>(entries + ((<usize>(found - 1)) << 3)) === word) {
          index = found - 1;
          break;
        }
        slot = (slot + 1) & mask;
      }
    }
    store<u64>(indices + ((<usize>i) << 3), <u64>index);
  }
  return size;
}

/** Bytes of the entries of the last dictionary of texts, without their lengths. */
export let dictionaryTextBytes: u32 = 0;

/**
 * The same for texts: text i is at `starts[i]` with `lengths[i]` (words). `entries` gets the number of the first text of each entry. Also
 * returns 0 when the entries are longer than `bytesMax` together, or, if `trial`, when the first texts hardly repeat.
 */
export function dictionaryOfTexts(
  starts: usize,
  lengths: usize,
  count: u32,
  entriesMax: u32,
  bytesMax: u32,
  trial: bool,
  table: usize,
  entries: usize,
  indices: usize,
): u32 {
  memory.fill(table, 0, dictionaryTableBytes(entriesMax));
  const mask = entriesMax * SLOTS_PER_ENTRY - 1;
  let size: u32 = 0;
  let bytes: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (trial && i === TEXT_TRIAL && size > TEXT_TRIAL / 2) return 0;
    const at = load<u32>(starts + ((<usize>i) << 2));
    const length = <u32>load<u64>(lengths + ((<usize>i) << 3));
    let slot = hashBytes(at, length, 0) & mask;
    let index: u32;
    for (;;) {
      const place = table + ((<usize>slot) << 2);
      const found = load<u32>(place);
      if (found === 0) {
        if (size === entriesMax || length > bytesMax - bytes) return 0;
        bytes += length;
        index = size++;
        store<u32>(entries + ((<usize>index) << 2), i);
        store<u32>(place, size);
        break;
      }
      index = found - 1;
      const other = load<u32>(entries + ((<usize>index) << 2));
      if (
        <u32>load<u64>(lengths + ((<usize>other) << 3)) === length &&
        equalBytes(load<u32>(starts + ((<usize>other) << 2)), at, length)
      )
        break;
      slot = (slot + 1) & mask;
    }
    store<u64>(indices + ((<usize>i) << 3), <u64>index);
  }
  dictionaryTextBytes = bytes;
  return size;
}
