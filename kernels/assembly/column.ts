/**
 * Column: one tag or field of a table, and, for a field, the values that the current call has collected for it.
 *
 * A builder's buffers come from the heap when the first value arrives and go back when the call ends. `count` rows are settled;
 * rows that the column skipped are filled in as NULL when its next value comes, and only then does a validity bitmap exist.
 * Two things are counted against the budget of a call: the buffers here, and what the host will need for the same columns, where
 * every column has every row. So a body of a few rows in each of many columns can eat neither memory.
 */
import { give, take } from "./heap";

export const FLOAT64: u32 = 0;
export const INT64: u32 = 1;
export const UINT64: u32 = 2;
export const BOOL: u32 = 3;
export const STRING: u32 = 4;
/** A type that line protocol cannot write. */
export const OPAQUE: u32 = 5;
export const TAG: u32 = 6;
/** A field that no literal and no catalog has given a kind yet. */
export const UNSET: u32 = 7;

/** As many as a table's first line makes room for. */
const ROWS_MIN: u32 = 64;
/** No 16-bit mask equals it, so a column without a spelling is never predicted. */
const NEVER: u32 = 0xffff_ffff;

@unmanaged
export class Column {
  /** The first 16 bytes of how the name was last written with its `=`, zero padded. */
  spelling0: u64;
  spelling1: u64;
  /** One bit per byte to compare, or NEVER. */
  spellingMask: u32;
  /** Length with the `=`. Longer spellings keep all their bytes at `spelling`. */
  spellingLength: u32;
  spelling: usize;
  /** The field that followed this one in the last line, or the one that matches nothing. */
  next: Column;
  kind: u32;
  index: u32;
  name: usize;
  nameLength: u32;
  hash: u32;

  /** Fixed width: the values. Strings: the end offset of each row. */
  values: usize;
  /** Rows that fit. */
  capacity: u32;
  count: u32;
  /** Rows that are not NULL. */
  present: u32;
  validity: usize;
  bytes: usize;
  bytesLength: u32;
  bytesCapacity: u32;
}

/** Bytes in buffers of this call, and what it may use. */
let callBytes: usize = 0;
let callBytesMax: usize = 0;
let hostBytes: u64 = 0;

export function budgetInit(bytesMax: usize): void {
  callBytesMax = bytesMax;
}

/** Counts bytes that the host will need; false when they are past the budget, and then they are not counted. */
export function countHost(bytes: u64): bool {
  if (bytes > <u64>callBytesMax || hostBytes + bytes > <u64>callBytesMax) return false;
  hostBytes += bytes;
  return true;
}

/** A new call begins: the host needs nothing yet. */
export function budgetReset(): void {
  hostBytes = 0;
}

/** A block for this call; 0 past its budget or the memory's. */
export function takeCall(bytes: usize): usize {
  if (bytes > callBytesMax - callBytes) return 0;
  const at = take(bytes);
  if (at !== 0) callBytes += bytes;
  return at;
}

export function giveCall(at: usize, bytes: usize): void {
  if (at === 0) return;
  callBytes -= bytes;
  give(at, bytes);
}

/** A block of `to` bytes with the first `kept` bytes of the old one, which goes back; 0 when memory is out, and the old one stays. */
export function regrowCall(at: usize, from: usize, to: usize, kept: usize): usize {
  const fresh = takeCall(to);
  if (fresh === 0) return 0;
  memory.copy(fresh, at, kept);
  giveCall(at, from);
  return fresh;
}

/** A new column with a copy of the name, or null (0) when memory is out. */
export function columnNew(at: usize, length: u32, hash: u32, kind: u32, next: Column): Column {
  const c = changetype<Column>(take(offsetof<Column>()));
  if (changetype<usize>(c) === 0) return c;
  memory.fill(changetype<usize>(c), 0, offsetof<Column>());
  c.name = take(length);
  if (c.name === 0) {
    give(changetype<usize>(c), offsetof<Column>());
    return changetype<Column>(0);
  }
  memory.copy(c.name, at, length);
  c.nameLength = length;
  c.hash = hash;
  c.kind = kind;
  c.next = next;
  c.spellingMask = NEVER;
  return c;
}

export function columnFree(c: Column): void {
  columnReset(c);
  if (c.spellingLength > 16) give(c.spelling, c.spellingLength);
  give(c.name, c.nameLength);
  give(changetype<usize>(c), offsetof<Column>());
}

/** Remembers the bytes (with the `=`) by which the next line will probably name this field. */
export function columnSpell(c: Column, at: usize, length: u32): void {
  let long: usize = 0;
  if (length > 16) {
    long = take(length);
    if (long === 0) return;
    memory.copy(long, at, length);
  }
  if (c.spellingLength > 16) give(c.spelling, c.spellingLength);
  c.spelling = long;
  c.spellingLength = length;
  const head = min<u32>(length, 16);
  c.spellingMask = ((<u32>1) << head) - 1;
  c.spelling0 = 0;
  c.spelling1 = 0;
  memory.copy(changetype<usize>(c), at, head);
}

/** Bytes of one row in `values`. */
export function rowBytes(kind: u32): u32 {
  return kind === BOOL ? 1 : kind === STRING ? 4 : 8;
}

function bitmapBytes(rows: u32): usize {
  return <usize>(rows + 7) >> 3;
}

/**
 * Makes the column ready to take row `row`: grows it and fills skipped rows with NULL. The kind must be set and the row not
 * settled yet. False when memory is out. `rowsHint` is how many rows the table can hold already.
 */
export function columnAdmit(c: Column, row: u32, rowsHint: u32): bool {
  if (row >= c.capacity && !grow(c, max(max(row + 1, c.capacity * 2), min(rowsHint, 65536))))
    return false;
  if (c.count < row) {
    if (c.validity === 0) {
      const bitmap = takeCall(bitmapBytes(c.capacity));
      if (bitmap === 0) return false;
      memory.fill(bitmap, 0, bitmapBytes(c.capacity));
      // Whole bytes of settled rows, then the rest.
      memory.fill(bitmap, 0xff, c.count >> 3);
      store<u8>(bitmap + (c.count >> 3), <u8>(((<u32>1) << (c.count & 7)) - 1));
      c.validity = bitmap;
    }
    if (c.kind === STRING)
      for (let i = c.count; i < row; i++) store<u32>(c.values + ((<usize>i) << 2), c.bytesLength);
    else {
      const width = rowBytes(c.kind);
      memory.fill(c.values + <usize>c.count * width, 0, <usize>(row - c.count) * width);
    }
    c.count = row;
  }
  return true;
}

/** Settles row `row`, whose value is in place. */
export function columnSettle(c: Column, row: u32): void {
  c.count = row + 1;
  c.present++;
  if (c.validity !== 0) {
    const at = c.validity + (row >> 3);
    store<u8>(at, <u8>(load<u8>(at) | ((<u32>1) << (row & 7))));
  }
}

/** Takes back row `row`, the last settled one. */
export function columnTakeBack(c: Column, row: u32): void {
  c.count = row;
  c.present--;
  if (c.validity !== 0) {
    const at = c.validity + (row >> 3);
    store<u8>(at, <u8>(load<u8>(at) & ~((<u32>1) << (row & 7))));
  }
  if (c.kind === STRING)
    c.bytesLength = row === 0 ? 0 : load<u32>(c.values + ((<usize>row - 1) << 2));
}

/** Room for `more` bytes of text and 16 behind them. False when memory is out. */
export function columnReserve(c: Column, more: u32): bool {
  const want = <u64>c.bytesLength + more + 16;
  if (want <= c.bytesCapacity) return true;
  const size = max(want, <u64>max<u32>(c.bytesCapacity, 2048) * 2);
  if (size > 0x7fff_ffff) return false;
  const bytes = regrowCall(c.bytes, c.bytesCapacity, <usize>size, c.bytesLength);
  if (bytes === 0) return false;
  c.bytes = bytes;
  c.bytesCapacity = <u32>size;
  return true;
}

/** Gives the buffers back and forgets the rows. */
export function columnReset(c: Column): void {
  giveCall(c.values, <usize>c.capacity * rowBytes(c.kind));
  giveCall(c.validity, bitmapBytes(c.capacity));
  giveCall(c.bytes, c.bytesCapacity);
  c.values = 0;
  c.validity = 0;
  c.bytes = 0;
  c.capacity = 0;
  c.count = 0;
  c.present = 0;
  c.bytesLength = 0;
  c.bytesCapacity = 0;
}

function grow(c: Column, rows: u32): bool {
  rows = max(rows, ROWS_MIN);
  const width = rowBytes(c.kind);
  let bitmap: usize = 0;
  if (c.validity !== 0) {
    bitmap = takeCall(bitmapBytes(rows));
    if (bitmap === 0) return false;
  }
  const values = regrowCall(
    c.values,
    <usize>c.capacity * width,
    <usize>rows * width,
    <usize>c.count * width,
  );
  if (values === 0) {
    giveCall(bitmap, bitmapBytes(rows));
    return false;
  }
  if (bitmap !== 0) {
    memory.fill(bitmap, 0, bitmapBytes(rows));
    memory.copy(bitmap, c.validity, bitmapBytes(c.capacity));
    giveCall(c.validity, bitmapBytes(c.capacity));
    c.validity = bitmap;
  }
  c.values = values;
  c.capacity = rows;
  return true;
}
