/**
 * Slot: one table's first region. It knows the table's columns by name and by dense index, its series by their tags, and the
 * rows that the current call has collected. Slots are found by (database, table name); their numbers are never used twice.
 *
 * Invariants: a name is a tag or a field, never both; an index is never reused, an unbound column keeps its place without a
 * name; what a refused line added (always the newest columns, or the slot itself) can be taken back.
 */
import { aliasForgetAll } from "./alias";
import { Arena, arenaFree, arenaNew } from "./arena";
import { equalBytes } from "./bytes";
import {
  Column,
  columnFree,
  columnNew,
  columnReset,
  countHost,
  giveCall,
  rowBytes,
  TAG,
  takeCall,
} from "./column";
import { hashBytes } from "./hash";
import { give, take } from "./heap";
import { Probe, probeAdd, probeFree, probeNew, probeRef, probeRemove, probeSeek } from "./probe";

/** Rows that a table's first line makes room for: little, for bodies with a row in each of many tables. */
const ROWS_MIN: u32 = 64;
/** And the most it makes room for at once, when the last body had that many. */
const ROWS_HINT_MAX: u32 = 65536;

@unmanaged
export class Slot {
  id: u32;
  db: u32;
  name: usize;
  nameLength: u32;
  hash: u32;

  /** Name → Column, tags and fields together. */
  names: Probe;
  /** Pointers to Column by index; the arrays grow by doubling. */
  tags: usize;
  tagCount: u32;
  tagCapacity: u32;
  fields: usize;
  fieldCount: u32;
  fieldCapacity: u32;
  /** Columns that still have their name. */
  named: u32;
  /** The field that the last line began with. */
  first: Column;

  /** Hash of the tags → sid + 1. */
  series: Probe;
  seriesArena: Arena;
  /** Pointers to series records by sid, and last times; both of seriesCapacity. */
  records: usize;
  lastTimes: usize;
  seriesCount: u32;
  seriesCapacity: u32;
  /** Raw keys that lead here: a list through Alias.next. */
  aliases: usize;
  aliasArena: Arena;

  /** The call's rows. */
  rows: u32;
  rowCapacity: u32;
  /** Rows of the last call that had some: the next one is probably like it. */
  rowsLast: u32;
  /** Bytes that one more row costs the host: sid, time, line, and a value in each column that the call has used. */
  hostRowBytes: u32;
  sids: usize;
  times: usize;
  lines: usize;
  /** 1 when the call's list of slots has this one. */
  touched: u32;
}

/** Bytes of sid, time and line of one row. */
const ROW_BYTES: usize = 16;

/** Pointers by id; 0 when closed. */
let slots: usize = 0;
let slotCapacity: u32 = 0;
let slotCount: u32 = 0;
let directory: Probe = changetype<Probe>(0);
let columnsMax: u32 = 0;
/** A column that matches no bytes: the end of every prediction. */
export let nobody: Column = changetype<Column>(0);
/** Series in all slots, and the most there may be. */
export let seriesTotal: u32 = 0;
export let seriesMax: u32 = 0;

export function slotsInit(seriesLimit: u32, columnsLimit: u32): bool {
  seriesMax = seriesLimit;
  columnsMax = columnsLimit;
  directory = probeNew();
  nobody = columnNew(0, 0, 0, TAG, changetype<Column>(0));
  return changetype<usize>(directory) !== 0 && changetype<usize>(nobody) !== 0;
}

export function seriesTotalAdd(more: i32): void {
  seriesTotal += more;
}

/** The slot with this number, null (0) when there is none or it is closed. */
export function slotOf(id: u32): Slot {
  return changetype<Slot>(id < slotCount ? load<usize>(slots + ((<usize>id) << 2)) : 0);
}

export function slotFind(db: u32, at: usize, length: u32): Slot {
  const hash = hashBytes(at, length, db);
  for (let i = probeSeek(directory, hash, hash); i >= 0; i = probeSeek(directory, hash, i + 1)) {
    const s = slotOf(probeRef(directory, i) - 1);
    if (s.db === db && s.nameLength === length && equalBytes(s.name, at, length)) return s;
  }
  return changetype<Slot>(0);
}

/** A new slot for a table that has none; null (0) when memory is out. */
export function slotNew(db: u32, at: usize, length: u32): Slot {
  const none = changetype<Slot>(0);
  if (slotCount === slotCapacity) {
    const more = max<u32>(64, slotCapacity * 2);
    const array = regrow(slots, slotCapacity * 4, more * 4, slotCount * 4);
    if (array === 0) return none;
    slots = array;
    slotCapacity = more;
  }
  const s = changetype<Slot>(take(offsetof<Slot>()));
  if (changetype<usize>(s) === 0) return none;
  memory.fill(changetype<usize>(s), 0, offsetof<Slot>());
  s.id = slotCount;
  s.db = db;
  s.first = nobody;
  s.hash = hashBytes(at, length, db);
  s.nameLength = length;
  s.name = take(length);
  s.names = probeNew();
  s.series = probeNew();
  s.seriesArena = arenaNew();
  s.aliasArena = arenaNew();
  if (
    s.name === 0 ||
    changetype<usize>(s.names) === 0 ||
    changetype<usize>(s.series) === 0 ||
    changetype<usize>(s.seriesArena) === 0 ||
    changetype<usize>(s.aliasArena) === 0 ||
    !probeAdd(directory, s.hash, s.id + 1)
  ) {
    release(s);
    return none;
  }
  memory.copy(s.name, at, length);
  store<usize>(slots + ((<usize>slotCount) << 2), changetype<usize>(s));
  slotCount++;
  return s;
}

/** Forgets the table. Its number stays used, its memory goes back. */
export function slotClose(s: Slot): void {
  probeRemove(directory, s.hash, s.id + 1);
  aliasForgetAll(s);
  store<usize>(slots + ((<usize>s.id) << 2), 0);
  seriesTotal -= s.seriesCount;
  release(s);
}

/** Takes back the newest slot: nobody has seen its number. */
export function slotTakeBack(s: Slot): void {
  slotClose(s);
  slotCount--;
}

/** Gives the table another name. A slot that had the name is found no more. False when memory is out. */
export function slotRename(s: Slot, at: usize, length: u32): bool {
  const name = take(length);
  if (name === 0) return false;
  const other = slotFind(s.db, at, length);
  const hash = hashBytes(at, length, s.db);
  if (!probeAdd(directory, hash, s.id + 1)) {
    give(name, length);
    return false;
  }
  if (changetype<usize>(other) !== 0) {
    probeRemove(directory, other.hash, other.id + 1);
    aliasForgetAll(other);
  }
  if (other !== s) probeRemove(directory, s.hash, s.id + 1);
  aliasForgetAll(s);
  memory.copy(name, at, length);
  give(s.name, s.nameLength);
  s.name = name;
  s.nameLength = length;
  s.hash = hash;
  return true;
}

export function slotTag(s: Slot, index: u32): Column {
  return changetype<Column>(load<usize>(s.tags + ((<usize>index) << 2)));
}

export function slotField(s: Slot, index: u32): Column {
  return changetype<Column>(load<usize>(s.fields + ((<usize>index) << 2)));
}

/** The tag or field of this name, null (0) when there is none. */
export function slotColumn(s: Slot, at: usize, length: u32, hash: u32): Column {
  for (let i = probeSeek(s.names, hash, hash); i >= 0; i = probeSeek(s.names, hash, i + 1)) {
    const c = changetype<Column>(probeRef(s.names, i));
    if (c.nameLength === length && equalBytes(c.name, at, length)) return c;
  }
  return changetype<Column>(0);
}

/** May another column be added? */
export function slotHasRoom(s: Slot): bool {
  return s.named < columnsMax;
}

/** Adds a tag (kind TAG) or field; the name must be free. Null (0) when memory is out. */
export function slotAddColumn(s: Slot, at: usize, length: u32, hash: u32, kind: u32): Column {
  const none = changetype<Column>(0);
  const isTag = kind === TAG;
  const count = isTag ? s.tagCount : s.fieldCount;
  const capacity = isTag ? s.tagCapacity : s.fieldCapacity;
  if (count === capacity) {
    const more = max<u32>(8, capacity * 2);
    const array = regrow(isTag ? s.tags : s.fields, capacity * 4, more * 4, count * 4);
    if (array === 0) return none;
    if (isTag) {
      s.tags = array;
      s.tagCapacity = more;
    } else {
      s.fields = array;
      s.fieldCapacity = more;
    }
  }
  const c = columnNew(at, length, hash, kind, nobody);
  if (changetype<usize>(c) === 0) return none;
  if (!probeAdd(s.names, hash, <u32>changetype<usize>(c))) {
    columnFree(c);
    return none;
  }
  c.index = count;
  store<usize>((isTag ? s.tags : s.fields) + ((<usize>count) << 2), changetype<usize>(c));
  if (isTag) s.tagCount++;
  else s.fieldCount++;
  s.named++;
  return c;
}

/** The column keeps its index and loses its name. */
export function slotUnbind(s: Slot, c: Column): void {
  probeRemove(s.names, c.hash, <u32>changetype<usize>(c));
  give(c.name, c.nameLength);
  c.name = 0;
  c.nameLength = 0;
  s.named--;
  if (c.kind === TAG) aliasForgetAll(s);
  else unpredict(s, c);
  // Never predicted again, whatever a later line writes.
  c.spellingMask = 0xffff_ffff;
}

/** Takes back the columns that a refused line added: no older column predicts them yet. */
export function slotTrim(s: Slot, tagCount: u32, fieldCount: u32): void {
  while (s.tagCount > tagCount) drop(s, slotTag(s, --s.tagCount));
  while (s.fieldCount > fieldCount) drop(s, slotField(s, --s.fieldCount));
}

/** Counts a column that the call uses for the first time: the host will give it all rows. False past the budget. */
export function slotUseColumn(s: Slot, c: Column): bool {
  const bytes = rowBytes(c.kind);
  if (!countHost(<u64>s.rows * bytes)) return false;
  s.hostRowBytes += bytes;
  return true;
}

/** Room for one more row of this call. False when memory is out. */
export function slotGrowRows(s: Slot): bool {
  let rows = s.rowCapacity * 2;
  if (rows === 0) {
    s.hostRowBytes = <u32>ROW_BYTES;
    rows = max(ROWS_MIN, min(s.rowsLast, ROWS_HINT_MAX));
  }
  const block = takeCall(<usize>rows * ROW_BYTES);
  if (block === 0) return false;
  const times = block + ((<usize>rows) << 2);
  const lines = times + ((<usize>rows) << 3);
  if (s.rows > 0) {
    memory.copy(block, s.sids, (<usize>s.rows) << 2);
    memory.copy(times, s.times, (<usize>s.rows) << 3);
    memory.copy(lines, s.lines, (<usize>s.rows) << 2);
  }
  giveCall(s.sids, <usize>s.rowCapacity * ROW_BYTES);
  s.sids = block;
  s.times = times;
  s.lines = lines;
  s.rowCapacity = rows;
  return true;
}

/** Forgets the call's rows and gives their buffers back. */
export function slotResetRows(s: Slot): void {
  giveCall(s.sids, <usize>s.rowCapacity * ROW_BYTES);
  s.sids = 0;
  s.rowsLast = s.rows;
  s.rows = 0;
  s.rowCapacity = 0;
  s.touched = 0;
  for (let i: u32 = 0; i < s.fieldCount; i++) columnReset(slotField(s, i));
}

/** A larger block with the first `kept` bytes of the old one; 0 when memory is out, and the old one stays. */
export function regrow(at: usize, from: usize, to: usize, kept: usize): usize {
  const fresh = take(to);
  if (fresh === 0) return 0;
  memory.copy(fresh, at, kept);
  give(at, from);
  return fresh;
}

function drop(s: Slot, c: Column): void {
  probeRemove(s.names, c.hash, <u32>changetype<usize>(c));
  s.named--;
  columnFree(c);
}

/** Nothing predicts the column any more. */
function unpredict(s: Slot, c: Column): void {
  if (s.first === c) s.first = nobody;
  for (let i: u32 = 0; i < s.fieldCount; i++) {
    const other = slotField(s, i);
    if (other.next === c) other.next = nobody;
  }
}

function release(s: Slot): void {
  if (s.rowCapacity > 0) slotResetRows(s);
  for (let i: u32 = 0; i < s.tagCount; i++) columnFree(slotTag(s, i));
  for (let i: u32 = 0; i < s.fieldCount; i++) columnFree(slotField(s, i));
  give(s.tags, s.tagCapacity * 4);
  give(s.fields, s.fieldCapacity * 4);
  probeFree(s.names);
  probeFree(s.series);
  arenaFree(s.seriesArena);
  arenaFree(s.aliasArena);
  give(s.records, s.seriesCapacity * 4);
  give(s.lastTimes, s.seriesCapacity * 8);
  give(s.name, s.nameLength);
  give(changetype<usize>(s), offsetof<Slot>());
}
