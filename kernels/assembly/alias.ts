/**
 * Aliases: raw key bytes of a line (measurement and tags as written) → slot and sid, so that a line of a known series costs one
 * lookup and no parsing. A raw key is remembered only after a line with it was taken, so an alias has passed every check.
 *
 * Bounded: two spellings per series, a shared slack for more, and no keys past HASH_SPAN; any other line takes the slow way
 * through key.ts to the same answer. Aliases live in their slot's arena and leave with it.
 */
import { arenaFree, arenaNew, arenaTake } from "./arena";
import { copyPadded, equalBytes } from "./bytes";
import { HASH_SPAN, hashBytes } from "./hash";
import { Probe, probeAdd, probeNew, probeRemove } from "./probe";
import { seriesRecord } from "./series";
import { Slot } from "./slot";

/** Clients write a series in one or two tag orders; who permutes more pays for the slow way. */
const PER_SERIES: u32 = 2;
/** Spellings past that, over all series: about 10 MB of usual keys. */
const SLACK: u32 = 65536;

@unmanaged
export class Alias {
  slot: Slot;
  sid: u32;
  length: u32;
  db: u32;
  next: usize;
  hash: u32;
}

let aliases: Probe = changetype<Probe>(0);
let slackUsed: u32 = 0;

export function aliasInit(): bool {
  aliases = probeNew();
  return changetype<usize>(aliases) !== 0;
}

/** The alias of these raw key bytes, or null (0). */
export function aliasFind(hash: u32, db: u32, at: usize, length: u32): Alias {
  const cells = aliases.cells;
  const mask = aliases.mask;
  let i = hash & mask;
  while (true) {
    const cell = cells + ((<usize>i) << 3);
    const ref = load<u32>(cell, 4);
    if (ref === 0) return changetype<Alias>(0);
    if (load<u32>(cell) === hash) {
      const a = changetype<Alias>(ref);
      if (
        a.length === length &&
        a.db === db &&
        equalBytes(<usize>ref + offsetof<Alias>(), at, length)
      )
        return a;
    }
    i = (i + 1) & mask;
  }
}

/** Remembers a raw key, if there is room for it; forgetting it instead is always right. */
export function aliasRemember(s: Slot, sid: u32, hash: u32, at: usize, length: u32): void {
  if (length > HASH_SPAN) return;
  const record = seriesRecord(s, sid);
  const extra = record.aliases >= PER_SERIES;
  if (extra && slackUsed >= SLACK) return;
  const place = arenaTake(s.aliasArena, offsetof<Alias>() + length);
  if (place === 0) return;
  const a = changetype<Alias>(place);
  a.slot = s;
  a.sid = sid;
  a.length = length;
  a.db = s.db;
  a.hash = hash;
  copyPadded(place + offsetof<Alias>(), at, length);
  // Out of memory: the record stays in the arena, unused, until the slot closes.
  if (!probeAdd(aliases, hash, <u32>place)) return;
  a.next = s.aliases;
  s.aliases = place;
  record.aliases++;
  if (extra) slackUsed++;
}

/** Drops every alias of a slot: its name or a tag's name changed, or it closes. */
export function aliasForgetAll(s: Slot): void {
  if (s.aliases === 0) return;
  for (let place = s.aliases; place !== 0; ) {
    const a = changetype<Alias>(place);
    probeRemove(aliases, a.hash, <u32>place);
    const record = seriesRecord(s, a.sid);
    if (record.aliases > PER_SERIES) slackUsed--;
    record.aliases--;
    place = a.next;
  }
  s.aliases = 0;
  arenaFree(s.aliasArena);
  s.aliasArena = arenaNew();
}

/** The hash under which a raw key is remembered. */
export function aliasHash(db: u32, at: usize, length: u32): u32 {
  return hashBytes(at, length, db);
}
