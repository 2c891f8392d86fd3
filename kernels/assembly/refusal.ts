/**
 * Refusals: why a line was not taken. `fail` notes the first error of the current line; the main loop turns it into a record
 * (at most 100 are kept, all are counted) and takes the line back. Codes are the order of LINE_ERRORS in src/kernel/codes.ts.
 */
import { give, take } from "./heap";

export const NO_MEASUREMENT: u32 = 1;
export const BAD_TAG: u32 = 2;
export const EMPTY_TAG_VALUE: u32 = 3;
export const NO_FIELDS: u32 = 4;
export const BAD_FIELD: u32 = 5;
export const BAD_NUMBER: u32 = 6;
export const BAD_BOOL: u32 = 7;
export const UNTERMINATED_STRING: u32 = 8;
export const BAD_TIMESTAMP: u32 = 9;
export const TIMESTAMP_OUT_OF_RANGE: u32 = 10;
export const TYPE_CONFLICT: u32 = 11;
export const TAG_IS_FIELD: u32 = 12;
export const FIELD_IS_TAG: u32 = 13;
export const TRAILING_BACKSLASH: u32 = 14;
export const BAD_UTF8: u32 = 15;
export const SERIES_LIMIT: u32 = 16;
export const DUPLICATE_FIELD: u32 = 17;
export const NAME_TOO_LONG: u32 = 18;
export const TOO_MANY_COLUMNS: u32 = 19;
export const OUT_OF_MEMORY: u32 = 20;

/** No slot, no kind. */
export const NONE: u32 = 0xffff_ffff;
/** What a caller can print; the rest is only counted. */
const KEPT_MAX: u32 = 100;

/** One kept error, as the host reads it: words in this order. */
@unmanaged
class Refusal {
  line: u32;
  column: u32;
  code: u32;
  slot: u32;
  table: usize;
  tableLength: u32;
  name: usize;
  nameLength: u32;
  expected: u32;
  found: u32;
}

const kept = memory.data(100 * 40, 8);
export let refusalCount: u32 = 0;

/** The current line's error. */
export let failCode: u32 = 0;
export let failAt: usize = 0;
let name: usize = 0;
let nameLength: u32 = 0;
let expected: u32 = NONE;
let found: u32 = NONE;

/** Forgets what the error would be about; the code and place stay for the caller of keepRefusal. */
export function failReset(): void {
  name = 0;
  nameLength = 0;
  expected = NONE;
  found = NONE;
}

/** Notes an error at a byte of the input. Returns false, for `return fail(...)`. */
export function fail(code: u32, at: usize): bool {
  failCode = code;
  failAt = at;
  return false;
}

/** The column that the current line's error is about; the bytes must live until the line is taken back. */
export function failName(at: usize, length: u32): void {
  name = at;
  nameLength = length;
}

export function failKinds(wanted: u32, got: u32): void {
  expected = wanted;
  found = got;
}

/** Keeps the current line's error. Names are copied: what they name may be taken back. */
export function keepRefusal(
  line: u32,
  column: u32,
  slot: u32,
  table: usize,
  tableLength: u32,
): void {
  if (refusalCount++ >= KEPT_MAX) {
    failReset();
    return;
  }
  const r = changetype<Refusal>(kept + (<usize>refusalCount - 1) * offsetof<Refusal>());
  r.line = line;
  r.column = column;
  r.code = failCode;
  r.slot = slot;
  r.table = copyOf(table, tableLength);
  r.tableLength = r.table === 0 ? 0 : tableLength;
  r.name = copyOf(name, nameLength);
  r.nameLength = r.name === 0 ? 0 : nameLength;
  r.expected = expected;
  r.found = found;
  failReset();
}

export function keptCount(): u32 {
  return min(refusalCount, KEPT_MAX);
}

export function keptAt(): usize {
  return kept;
}

export function forgetRefusals(): void {
  for (let i: u32 = 0, n = keptCount(); i < n; i++) {
    const r = changetype<Refusal>(kept + <usize>i * offsetof<Refusal>());
    give(r.table, r.tableLength);
    give(r.name, r.nameLength);
  }
  refusalCount = 0;
}

function copyOf(at: usize, length: u32): usize {
  if (length === 0) return 0;
  const copy = take(length);
  if (copy !== 0) memory.copy(copy, at, length);
  return copy;
}
