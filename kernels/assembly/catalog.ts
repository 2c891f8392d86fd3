/**
 * Catalog: what the host may ask and tell about slots: find, open, close, rename, bind and unbind columns, and read names back.
 * Numbers of slots and columns come from the host, so all are checked; an unknown one answers NONE or nothing.
 */
import { Column, TAG } from "./column";
import { hashBytes } from "./hash";
import { NONE } from "./refusal";
import {
  Slot,
  slotAddColumn,
  slotClose,
  slotColumn,
  slotField,
  slotFind,
  slotNew,
  slotOf,
  slotRename,
  slotTag,
  slotUnbind,
} from "./slot";

function isNull(s: Slot): bool {
  return changetype<usize>(s) === 0;
}

/** The slot of a table, NONE when there is none. */
export function findSlot(db: u32, at: usize, length: u32): u32 {
  const s = slotFind(db, at, length);
  return isNull(s) ? NONE : s.id;
}

/** The slot of a table, made when absent; NONE when memory is out. */
export function openSlot(db: u32, at: usize, length: u32): u32 {
  let s = slotFind(db, at, length);
  if (isNull(s)) s = slotNew(db, at, length);
  return isNull(s) ? NONE : s.id;
}

export function isSlot(slot: u32): bool {
  return !isNull(slotOf(slot));
}

export function closeSlot(slot: u32): void {
  const s = slotOf(slot);
  if (!isNull(s)) slotClose(s);
}

/** False when memory is out. */
export function renameSlot(slot: u32, at: usize, length: u32): bool {
  const s = slotOf(slot);
  return isNull(s) || slotRename(s, at, length);
}

/** Declares a column of this kind (TAG or a field's); a column of the other role loses the name. Returns the index, NONE when memory is out. */
export function bindColumn(slot: u32, at: usize, length: u32, kind: u32): u32 {
  const s = slotOf(slot);
  if (isNull(s)) return NONE;
  const hash = hashBytes(at, length, 0);
  let c = slotColumn(s, at, length, hash);
  if (changetype<usize>(c) !== 0 && (c.kind === TAG) !== (kind === TAG)) {
    slotUnbind(s, c);
    c = changetype<Column>(0);
  }
  if (changetype<usize>(c) === 0) c = slotAddColumn(s, at, length, hash, kind);
  if (changetype<usize>(c) === 0) return NONE;
  c.kind = kind;
  return c.index;
}

export function unbindColumn(slot: u32, at: usize, length: u32): void {
  const s = slotOf(slot);
  if (isNull(s)) return;
  const c = slotColumn(s, at, length, hashBytes(at, length, 0));
  if (changetype<usize>(c) !== 0) slotUnbind(s, c);
}

export function slotNameAt(slot: u32): usize {
  const s = slotOf(slot);
  return isNull(s) ? 0 : s.name;
}

export function slotNameLength(slot: u32): u32 {
  const s = slotOf(slot);
  return isNull(s) ? 0 : s.nameLength;
}

export function tagCount(slot: u32): u32 {
  const s = slotOf(slot);
  return isNull(s) ? 0 : s.tagCount;
}

export function fieldCount(slot: u32): u32 {
  const s = slotOf(slot);
  return isNull(s) ? 0 : s.fieldCount;
}

export function seriesCount(slot: u32): u32 {
  const s = slotOf(slot);
  return isNull(s) ? 0 : s.seriesCount;
}

/** A column for the functions below, 0 when there is none. */
export function columnOf(slot: u32, isTag: bool, index: u32): usize {
  const s = slotOf(slot);
  if (isNull(s) || index >= (isTag ? s.tagCount : s.fieldCount)) return 0;
  return changetype<usize>(isTag ? slotTag(s, index) : slotField(s, index));
}

export function columnNameAt(column: usize): usize {
  return changetype<Column>(column).name;
}

export function columnNameLength(column: usize): u32 {
  return changetype<Column>(column).nameLength;
}

export function columnKind(column: usize): u32 {
  return changetype<Column>(column).kind;
}
