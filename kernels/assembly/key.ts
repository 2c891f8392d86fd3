/**
 * Key: the slow way from the raw key of a line to its series. Unescapes measurement and tags, checks them, creates the slot and
 * tags that are new, and looks the canonical key up. The series itself is only announced here: it is added when the line is taken.
 *
 * Escapes: a backslash before space, comma or backslash, and before `=` outside the measurement. Any other backslash stays. A raw key
 * is at most 65,535 bytes, as in InfluxDB.
 */
import { isAscii, isUtf8 } from "./bytes";
import { STRING, TAG } from "./column";
import { hashBytes } from "./hash";
import {
  BAD_TAG,
  BAD_UTF8,
  EMPTY_TAG_VALUE,
  fail,
  failKinds,
  failName,
  NAME_TOO_LONG,
  NO_MEASUREMENT,
  NONE,
  OUT_OF_MEMORY,
  SERIES_LIMIT,
  TAG_IS_FIELD,
  TOO_MANY_COLUMNS,
  TRAILING_BACKSLASH,
} from "./refusal";
import { keyBuild, keyClear, keyReserve, keySet, NO_SERIES, seriesFind } from "./series";
import {
  Slot,
  seriesMax,
  seriesTotal,
  slotAddColumn,
  slotColumn,
  slotFind,
  slotHasRoom,
  slotNew,
} from "./slot";

export const KEY_MAX: u32 = 65535;

/** Where unescaped elements go; each is no longer than it was, and copies may run 16 bytes over. */
const scratch = memory.data(65536 + 64, 16);
let scratchAt: usize = 0;

/** The element that `element` read: unescaped bytes, and where its stop byte is. */
export let elementAt: usize = 0;
export let elementLength: u32 = 0;
export let elementEnd: usize = 0;

/** What resolveKey found. `keySid` is NO_SERIES when the series is new. */
export let keySlot: Slot = changetype<Slot>(0);
export let keySid: u32 = 0;
export let keySlotIsNew: bool = false;
/** Columns of the slot before the line added any. */
export let keyTagsBefore: u32 = 0;

export function scratchReset(): void {
  scratchAt = scratch;
}

/** Does the line end here: at a newline, or at the carriage return before it? */
export function endsLine(at: usize): bool {
  return load<u8>(at) === 10 || load<u16>(at) === 0x0a0d;
}

/** The first unescaped space at or behind `at`, or the end of the line. */
export function scanKey(at: usize): usize {
  while (true) {
    const c = load<u8>(at);
    if (c === 32) return at;
    if (c <= 13 && endsLine(at)) return at;
    if (c === 92 && !endsLine(at + 1)) at++;
    at++;
  }
}

/**
 * Reads from `at` to the first unescaped comma, space, newline, or `=` if `equals`, or to `end`. False (and the error is noted)
 * for a lone backslash at the end of the line.
 */
export function element(at: usize, end: usize, equals: bool): bool {
  let p = at;
  let escapes = false;
  while (p < end) {
    const c = load<u8>(p);
    if (c === 44 || c === 32 || c === 10 || (equals && c === 61)) break;
    if (c === 92) {
      if (endsLine(p + 1)) return fail(TRAILING_BACKSLASH, p);
      if (isEscape(load<u8>(p, 1), equals)) {
        escapes = true;
        p++;
      }
    }
    p++;
  }
  elementEnd = p;
  elementAt = at;
  elementLength = <u32>(p - at);
  if (escapes) unescapeElement(at, p, equals);
  return true;
}

/** Resolves the raw key [at, end). False when the line is refused. */
export function resolveKey(db: u32, at: usize, end: usize): bool {
  keySlot = changetype<Slot>(0);
  keySlotIsNew = false;
  if (end - at > KEY_MAX) return fail(NAME_TOO_LONG, at);
  scratchReset();
  const ascii = isAscii(at, <u32>(end - at));
  if (!element(at, end, false)) return false;
  if (elementLength === 0) return fail(NO_MEASUREMENT, at);
  if (!ascii && !isUtf8(elementAt, elementLength)) return fail(BAD_UTF8, at);
  let s = slotFind(db, elementAt, elementLength);
  if (changetype<usize>(s) === 0) {
    s = slotNew(db, elementAt, elementLength);
    if (changetype<usize>(s) === 0) return fail(OUT_OF_MEMORY, at);
    keySlotIsNew = true;
  }
  keySlot = s;
  keyTagsBefore = s.tagCount;
  while (elementEnd < end)
    if (!resolveTag(s, elementEnd + 1, end, ascii)) {
      keyClear();
      return false;
    }
  if (!keyBuild()) return fail(OUT_OF_MEMORY, at);
  keySid = seriesFind(s);
  if (keySid === NO_SERIES && seriesTotal >= seriesMax) return fail(SERIES_LIMIT, at);
  return true;
}

function resolveTag(s: Slot, at: usize, end: usize, ascii: bool): bool {
  if (!element(at, end, true)) return false;
  const name = elementAt;
  const nameLength = elementLength;
  if (nameLength === 0 || elementEnd >= end || load<u8>(elementEnd) !== 61)
    return fail(BAD_TAG, at);
  if (!ascii && !isUtf8(name, nameLength)) return fail(BAD_UTF8, at);
  const value = elementEnd + 1;
  if (!element(value, end, true)) return false;
  if (elementEnd < end && load<u8>(elementEnd) === 61) return fail(BAD_TAG, at);
  if (elementLength === 0) return failTag(EMPTY_TAG_VALUE, value, name, nameLength);
  if (!ascii && !isUtf8(elementAt, elementLength))
    return failTag(BAD_UTF8, value, name, nameLength);
  const hash = hashBytes(name, nameLength, 0);
  let tag = slotColumn(s, name, nameLength, hash);
  if (changetype<usize>(tag) === 0) {
    if (!slotHasRoom(s)) return failTag(TOO_MANY_COLUMNS, at, name, nameLength);
    tag = slotAddColumn(s, name, nameLength, hash, TAG);
    if (changetype<usize>(tag) === 0) return fail(OUT_OF_MEMORY, at);
  } else if (tag.kind !== TAG) {
    failKinds(tag.kind > STRING ? NONE : tag.kind, TAG);
    return failTag(TAG_IS_FIELD, at, tag.name, tag.nameLength);
  }
  if (!keyReserve(tag.index + 1)) return fail(OUT_OF_MEMORY, at);
  keySet(tag.index, elementAt, elementLength);
  return true;
}

function failTag(code: u32, at: usize, name: usize, nameLength: u32): bool {
  failName(name, nameLength);
  return fail(code, at);
}

/** Does a backslash before this byte vanish? */
function isEscape(c: u8, equals: bool): bool {
  return c === 32 || c === 44 || c === 92 || (equals && c === 61);
}

function unescapeElement(from: usize, end: usize, equals: bool): void {
  elementAt = scratchAt;
  let to = scratchAt;
  while (from < end) {
    let c = load<u8>(from++);
    if (c === 92 && from < end && isEscape(load<u8>(from), equals)) c = load<u8>(from++);
    store<u8>(to++, c);
  }
  elementLength = <u32>(to - elementAt);
  scratchAt = to;
}
