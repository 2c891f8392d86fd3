/**
 * Probe: an open-addressing table from a 32-bit hash to a 32-bit reference (never 0). It knows no keys: the owner compares
 * what the references stand for. Linear probing, at most 3/4 full, deletion by shifting back, so no tombstones.
 */
import { give, take } from "./heap";

/** Enough for the columns and series of a small table; 128 bytes. */
const CELLS_MIN: u32 = 16;

@unmanaged
export class Probe {
  /** Pairs of hash and reference; reference 0 is an empty cell. */
  cells: usize;
  mask: u32;
  count: u32;
}

/** A new empty table, or null (0) when memory is out. */
export function probeNew(): Probe {
  const probe = changetype<Probe>(take(offsetof<Probe>()));
  if (changetype<usize>(probe) === 0) return probe;
  const cells = take(CELLS_MIN * 8);
  if (cells === 0) {
    give(changetype<usize>(probe), offsetof<Probe>());
    return changetype<Probe>(0);
  }
  memory.fill(cells, 0, CELLS_MIN * 8);
  probe.cells = cells;
  probe.mask = CELLS_MIN - 1;
  probe.count = 0;
  return probe;
}

export function probeFree(probe: Probe): void {
  if (changetype<usize>(probe) === 0) return;
  give(probe.cells, (<usize>probe.mask + 1) * 8);
  give(changetype<usize>(probe), offsetof<Probe>());
}

/**
 * Where to look for `hash`: the index of the first cell at or behind `from` (start with the hash itself, go on with the last index + 1)
 * that holds it, or -1 at the end of the chain.
 */
export function probeSeek(probe: Probe, hash: u32, from: u32): i32 {
  let i = from & probe.mask;
  while (true) {
    const cell = probe.cells + ((<usize>i) << 3);
    if (load<u32>(cell, 4) === 0) return -1;
    if (load<u32>(cell) === hash) return <i32>i;
    i = (i + 1) & probe.mask;
  }
}

export function probeRef(probe: Probe, index: i32): u32 {
  return load<u32>(probe.cells + ((<usize>index) << 3), 4);
}

/** Adds a pair without asking whether it is there. False when memory is out; then nothing changed. */
export function probeAdd(probe: Probe, hash: u32, ref: u32): bool {
  if ((probe.count + 1) * 4 > (probe.mask + 1) * 3 && !probeGrow(probe)) return false;
  put(probe.cells, probe.mask, hash, ref);
  probe.count++;
  return true;
}

/** Removes the pair; nothing happens when it is not there. */
export function probeRemove(probe: Probe, hash: u32, ref: u32): void {
  const mask = probe.mask;
  const cells = probe.cells;
  let hole = probeSeek(probe, hash, hash);
  while (hole >= 0 && probeRef(probe, hole) !== ref) hole = probeSeek(probe, hash, <u32>hole + 1);
  if (hole < 0) return;
  probe.count--;
  let i = <u32>hole;
  let next = i;
  while (true) {
    next = (next + 1) & mask;
    const cell = cells + ((<usize>next) << 3);
    if (load<u32>(cell, 4) === 0) break;
    // A pair may fill the hole only if the hole lies between its home and where it is now.
    const home = load<u32>(cell) & mask;
    if (((next - home) & mask) >= ((next - i) & mask)) {
      store<u64>(cells + ((<usize>i) << 3), load<u64>(cell));
      i = next;
    }
  }
  store<u64>(cells + ((<usize>i) << 3), 0);
}

function put(cells: usize, mask: u32, hash: u32, ref: u32): void {
  let i = hash & mask;
  while (load<u32>(cells + ((<usize>i) << 3), 4) !== 0) i = (i + 1) & mask;
  store<u64>(cells + ((<usize>i) << 3), ((<u64>ref) << 32) | hash);
}

function probeGrow(probe: Probe): bool {
  const size = (<usize>probe.mask + 1) * 8;
  const cells = take(size * 2);
  if (cells === 0) return false;
  memory.fill(cells, 0, size * 2);
  const mask = probe.mask * 2 + 1;
  for (let at = probe.cells, end = probe.cells + size; at < end; at += 8)
    if (load<u32>(at, 4) !== 0) put(cells, mask, load<u32>(at), load<u32>(at, 4));
  give(probe.cells, size);
  probe.cells = cells;
  probe.mask = mask;
  return true;
}
