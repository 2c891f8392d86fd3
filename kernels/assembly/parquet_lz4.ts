/**
 * LZ4 blocks: a run of bytes becomes literals and copies of what was seen up to 64 KiB before. Greedy, with a table of the last place of
 * each hash of four bytes; where nothing repeats, the steps grow, so that noise costs little.
 */

/** Entries of the table: 16 KiB stay in the first cache. */
const TABLE_BITS: u32 = 12;
const DISTANCE_MAX: usize = 65_535;
const MATCH_MIN: usize = 4;
/** The format wants the last bytes as literals, and no match that starts close to the end: decoders copy in wide steps. */
const LITERALS_LAST: usize = 5;
const MATCH_ROOM: usize = 12;
/** Places without a match after which the step grows by one. */
const PATIENCE_BITS: u32 = 6;

const table = memory.data(4096 * 4, 16);

/** Most bytes that `length` bytes can become. */
export function lz4Bound(length: u32): usize {
  return <usize>length + length / 255 + 32;
}

/** Compresses `length` bytes; returns the end. */
export function lz4Compress(from: usize, length: u32, to: usize): usize {
  const end = from + length;
  let literals = from;
  if (<usize>length > MATCH_ROOM) {
    memory.fill(table, 0, 4 << TABLE_BITS);
    const last = end - MATCH_ROOM;
    let misses: u32 = 0;
    for (let at = from; at <= last; ) {
      const word = load<u32>(at);
      const slot = table + <usize>(((word * 0x9e3779b1) >> (32 - TABLE_BITS)) << 2);
      const seen = from + load<u32>(slot);
      store<u32>(slot, <u32>(at - from));
      // An empty slot says the first place, which is as good a guess as any.
      if (seen >= at || at - seen > DISTANCE_MAX || load<u32>(seen) !== word) {
        at += 1 + (misses++ >> PATIENCE_BITS);
        continue;
      }
      const stop = matchEnd(at + MATCH_MIN, seen + MATCH_MIN, end - LITERALS_LAST);
      to = putSequence(literals, at - literals, at - seen, stop - at - MATCH_MIN, to);
      at = stop;
      literals = stop;
      misses = 0;
    }
  }
  const rest = end - literals;
  store<u8>(to++, <u8>(min(rest, 15) << 4));
  to = putLength(rest, to);
  memory.copy(to, literals, rest);
  return to + rest;
}

/** Where the bytes from `a` on cease to be those from `b` on; not past `limit`. */
function matchEnd(a: usize, b: usize, limit: usize): usize {
  while (a + 8 <= limit) {
    const differ = load<u64>(a) ^ load<u64>(b);
    if (differ !== 0) return a + <usize>(ctz(differ) >> 3);
    a += 8;
    b += 8;
  }
  while (a < limit && load<u8>(a) === load<u8>(b)) {
    a++;
    b++;
  }
  return a;
}

/** Literals, then a match: how far back it was seen, and by how much it is longer than the least. */
function putSequence(from: usize, count: usize, back: usize, more: usize, to: usize): usize {
  store<u8>(to++, <u8>((min(count, 15) << 4) | min(more, 15)));
  to = putLength(count, to);
  memory.copy(to, from, count);
  store<u16>(to + count, <u16>back);
  return putLength(more, to + count + 2);
}

/** What of a length is not in the token: nothing below 15, else bytes of up to 255, of which the last is less. */
function putLength(length: usize, to: usize): usize {
  if (length < 15) return to;
  let rest = length - 15;
  for (; rest >= 255; rest -= 255) store<u8>(to++, 255);
  store<u8>(to++, <u8>rest);
  return to;
}
