/**
 * Fields: the field set of a line into the column builders of its slot.
 *
 * The field that comes next is guessed to be the one that followed last time; if its spelling matches the bytes, no name is looked
 * up. A field first seen gets the kind of its literal. The one coercion is an integer literal into a float64 field.
 */
import { isUtf8 } from "./bytes";
import {
  BOOL,
  Column,
  columnAdmit,
  columnSettle,
  columnSpell,
  columnTakeBack,
  FLOAT64,
  INT64,
  STRING,
  TAG,
  UINT64,
  UNSET,
} from "./column";
import { hashBytes } from "./hash";
import { take } from "./heap";
import {
  element,
  elementAt,
  elementEnd,
  elementLength,
  endsLine,
  KEY_MAX,
  scratchReset,
} from "./key";
import { numberBits, numberKind, scanNumber } from "./number";
import {
  BAD_BOOL,
  BAD_FIELD,
  BAD_NUMBER,
  BAD_UTF8,
  DUPLICATE_FIELD,
  FIELD_IS_TAG,
  fail,
  failKinds,
  failName,
  NAME_TOO_LONG,
  NONE,
  OUT_OF_MEMORY,
  TOO_MANY_COLUMNS,
  TYPE_CONFLICT,
  UNTERMINATED_STRING,
} from "./refusal";
import { nobody, Slot, slotAddColumn, slotColumn, slotHasRoom, slotUseColumn } from "./slot";
import { putText, TEXT_OPEN, TEXT_UTF8, textEnd, textFault, textFaultOf } from "./text";

/** Columns that the current line has written, so that a refusal can take them back. */
let taken: usize = 0;
let takenCount: u32 = 0;

/** Room for `columnsMax` fields in one line. */
export function fieldsInit(columnsMax: u32): bool {
  taken = take((<usize>columnsMax + 1) * 4);
  return taken !== 0;
}

/** A new line begins: it has written nothing. */
export function fieldsReset(): void {
  takenCount = 0;
}

/** Takes back what the current line wrote into row `row`. */
export function fieldsTakeBack(row: u32): void {
  for (let i: u32 = 0; i < takenCount; i++)
    columnTakeBack(changetype<Column>(load<usize>(taken + ((<usize>i) << 2))), row);
}

/** Reads the field set at `p` into row `row`; returns where it ends (a space or the end of the line), 0 when the line is refused. */
export function parseFields(s: Slot, row: u32, p: usize, end: usize): usize {
  const fieldsBefore = s.fieldCount;
  let c = s.first;
  let before = nobody;
  while (true) {
    const start = p;
    if (isSpelled(c, p)) p += c.spellingLength;
    else {
      c = findField(s, p, end);
      if (changetype<usize>(c) === 0) return 0;
      p = elementEnd + 1;
      // A column that is new in this line may be taken back: the next line will learn to expect it.
      if (c.index < fieldsBefore) {
        if (before === nobody) s.first = c;
        else before.next = c;
      }
    }
    if (c.count > row) {
      failName(c.name, c.nameLength);
      fail(DUPLICATE_FIELD, start);
      return 0;
    }
    const lead = load<u8>(p);
    const after =
      <u32>lead - 48 <= 9 || lead === 45 ? number(s, c, row, p) : other(s, c, row, p, end, lead);
    if (after === 0) {
      failName(c.name, c.nameLength);
      return 0;
    }
    store<usize>(taken + ((<usize>takenCount) << 2), changetype<usize>(c));
    takenCount++;
    p = after;
    if (load<u8>(p) !== 44) return p;
    p++;
    before = c;
    c = c.next;
  }
}

function isSpelled(c: Column, p: usize): bool {
  const mask = c.spellingMask;
  const same = i8x16.bitmask(i8x16.eq(v128.load(p), v128.load(changetype<usize>(c))));
  if ((same & mask) !== mask) return false;
  return c.spellingLength <= 16 || isSpelledLong(c, p);
}

function isSpelledLong(c: Column, p: usize): bool {
  let i: u32 = 16;
  for (const n = c.spellingLength; i + 8 <= n; i += 8)
    if (load<u64>(p + i) !== load<u64>(c.spelling + i)) return false;
  for (const n = c.spellingLength; i < n; i++)
    if (load<u8>(p + i) !== load<u8>(c.spelling + i)) return false;
  return true;
}

/** Finds or adds the field that is named at `p`; null (0) when the line is refused. */
function findField(s: Slot, p: usize, end: usize): Column {
  const none = changetype<Column>(0);
  scratchReset();
  if (endsLine(p) || load<u8>(p) === 32) {
    fail(BAD_FIELD, p);
    return none;
  }
  // One byte more than the limit, so that a longer name is seen to be too long.
  const reach = min(end, p + KEY_MAX + 1);
  if (!element(p, reach, true)) return none;
  if (elementEnd - p > KEY_MAX) {
    fail(NAME_TOO_LONG, p);
    return none;
  }
  if (elementLength === 0 || load<u8>(elementEnd) !== 61) {
    fail(BAD_FIELD, p);
    return none;
  }
  if (!isUtf8(elementAt, elementLength)) {
    fail(BAD_UTF8, p);
    return none;
  }
  const hash = hashBytes(elementAt, elementLength, 0);
  let c = slotColumn(s, elementAt, elementLength, hash);
  if (changetype<usize>(c) === 0) {
    if (!slotHasRoom(s)) {
      failName(elementAt, elementLength);
      fail(TOO_MANY_COLUMNS, p);
      return none;
    }
    c = slotAddColumn(s, elementAt, elementLength, hash, UNSET);
    if (changetype<usize>(c) === 0) {
      fail(OUT_OF_MEMORY, p);
      return none;
    }
  } else if (c.kind === TAG) {
    failName(c.name, c.nameLength);
    failKinds(TAG, NONE);
    fail(FIELD_IS_TAG, p);
    return none;
  }
  columnSpell(c, p, <u32>(elementEnd + 1 - p));
  return c;
}

/** Stores a number literal; returns where it ends, 0 when the line is refused. */
function number(s: Slot, c: Column, row: u32, at: usize): usize {
  const after = scanNumber(at);
  if (after === 0 || !endsValue(after)) {
    fail(BAD_NUMBER, at);
    return 0;
  }
  let bits = numberBits;
  if (c.kind !== numberKind) {
    if (c.kind === FLOAT64 && numberKind === INT64) bits = reinterpret<u64>(<f64>(<i64>bits));
    else if (c.kind === FLOAT64 && numberKind === UINT64) bits = reinterpret<u64>(<f64>bits);
    else if (!accepts(c, numberKind, at)) return 0;
  }
  if (c.count === row && row < c.capacity && c.validity === 0) {
    store<u64>(c.values + ((<usize>row) << 3), bits);
    c.count = row + 1;
    c.present++;
    return after;
  }
  if (!admit(s, c, row)) {
    fail(OUT_OF_MEMORY, at);
    return 0;
  }
  store<u64>(c.values + ((<usize>row) << 3), bits);
  columnSettle(c, row);
  return after;
}

/** Stores a string or boolean literal; returns where it ends, 0 when the line is refused. */
function other(s: Slot, c: Column, row: u32, at: usize, end: usize, lead: u8): usize {
  if (lead === 34) return string(s, c, row, at, end);
  const length = boolLength(at);
  if (length === 0 || !endsValue(at + length)) {
    fail(faultOf(lead), at);
    return 0;
  }
  if (!accepts(c, BOOL, at)) return 0;
  if (!admit(s, c, row)) {
    fail(OUT_OF_MEMORY, at);
    return 0;
  }
  store<u8>(c.values + row, <u8>((lead | 32) === 116));
  columnSettle(c, row);
  return at + length;
}

function string(s: Slot, c: Column, row: u32, at: usize, end: usize): usize {
  if (c.kind !== STRING && c.kind !== UNSET) {
    // Like any literal, a string is checked for itself before it is checked against its field.
    const fault = textFaultOf(at, end);
    if (fault !== 0) failText(fault, at);
    else if (!endsValue(textEnd(at, end) + 1)) fail(BAD_FIELD, at);
    else accepts(c, STRING, at);
    return 0;
  }
  c.kind = STRING;
  if (!admit(s, c, row)) {
    fail(OUT_OF_MEMORY, at);
    return 0;
  }
  const bytesBefore = c.bytesLength;
  const after = putText(c, at, end);
  if (after === 0) {
    failText(textFault, at);
    return 0;
  }
  if (!endsValue(after)) {
    c.bytesLength = bytesBefore;
    fail(BAD_FIELD, at);
    return 0;
  }
  store<u32>(c.values + ((<usize>row) << 2), c.bytesLength);
  columnSettle(c, row);
  return after;
}

function failText(fault: u32, at: usize): void {
  fail(
    fault === TEXT_OPEN ? UNTERMINATED_STRING : fault === TEXT_UTF8 ? BAD_UTF8 : OUT_OF_MEMORY,
    at,
  );
}

/** Makes the column ready for row `row`; false when memory is out. */
function admit(s: Slot, c: Column, row: u32): bool {
  if (c.capacity === 0 && !slotUseColumn(s, c)) return false;
  return columnAdmit(c, row, s.rowCapacity);
}

/** Binds an unbound field to the literal's kind; false when it is bound to another. */
function accepts(c: Column, kind: u32, at: usize): bool {
  if (c.kind === kind) return true;
  if (c.kind === UNSET) {
    c.kind = kind;
    return true;
  }
  failKinds(c.kind > STRING ? NONE : c.kind, kind);
  return fail(TYPE_CONFLICT, at);
}

function endsValue(at: usize): bool {
  const c = load<u8>(at);
  return c === 44 || c === 32 || endsLine(at);
}

/** What is wrong with a value that starts with this byte and is neither number, string nor boolean. */
function faultOf(lead: u8): u32 {
  const lower = lead | 32;
  if (lower === 116 || lower === 102) return BAD_BOOL;
  // A plus, a point, and the first letters of nan and inf.
  if (lead === 43 || lead === 46 || lower === 110 || lower === 105) return BAD_NUMBER;
  return BAD_FIELD;
}

/** Length of the boolean word at `at`, 0 when there is none: t T true True TRUE f F false False FALSE. */
function boolLength(at: usize): u32 {
  const lead = load<u8>(at);
  const lower = lead | 32;
  if (lower !== 116 && lower !== 102) return 0;
  const word = load<u32>(at);
  // "true", "True", "TRUE"
  if (word === 0x65757274 || word === 0x65757254 || word === 0x45555254) return 4;
  const tail = load<u32>(at, 1);
  if (lead === 102 && tail === 0x65736c61) return 5;
  if (lead === 70 && (tail === 0x65736c61 || tail === 0x45534c41)) return 5;
  return 1;
}
