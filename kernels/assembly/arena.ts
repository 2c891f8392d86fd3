/**
 * Arena: many small records that live and die together (the series and aliases of one table). Records never move. Segments grow
 * from half a KiB to a MiB, so that a small table stays small and a huge one never needs a copy.
 */
import { blockBytes, give, take } from "./heap";

const SEGMENT_MIN: usize = 512;
const SEGMENT_MAX: usize = 1 << 20;
/** Next segment, its bytes, and padding to keep records 16-byte aligned at the start. */
const HEADER: usize = 16;
/** copyPadded may write this far behind a record. */
const SLACK: usize = 16;

@unmanaged
export class Arena {
  /** The newest segment; each one's first word leads to the one before. */
  segment: usize;
  at: usize;
  end: usize;
  bytes: usize;
}

/** A new empty arena, or null (0) when memory is out. */
export function arenaNew(): Arena {
  const arena = changetype<Arena>(take(offsetof<Arena>()));
  if (changetype<usize>(arena) === 0) return arena;
  arena.segment = 0;
  arena.at = 0;
  arena.end = 0;
  arena.bytes = 0;
  return arena;
}

/** Room for a record, 8-byte aligned, or 0 when memory is out. */
export function arenaTake(arena: Arena, bytes: usize): usize {
  const want = (bytes + 7) & ~7;
  if (arena.at + want + SLACK > arena.end) {
    const size = blockBytes(
      max(want + SLACK + HEADER, min(max(arena.bytes, SEGMENT_MIN), SEGMENT_MAX)),
    );
    const segment = take(size);
    if (segment === 0) return 0;
    store<usize>(segment, arena.segment);
    store<usize>(segment, size, 4);
    arena.segment = segment;
    arena.at = segment + HEADER;
    arena.end = segment + size;
    arena.bytes += size;
  }
  const at = arena.at;
  arena.at = at + want;
  return at;
}

export function arenaFree(arena: Arena): void {
  if (changetype<usize>(arena) === 0) return;
  let segment = arena.segment;
  while (segment !== 0) {
    const next = load<usize>(segment);
    give(segment, load<usize>(segment, 4));
    segment = next;
  }
  give(changetype<usize>(arena), offsetof<Arena>());
}
