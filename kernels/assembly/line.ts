/**
 * Line: the main loop over a line protocol body. One line is one transaction: it is taken whole, or refused alone and
 * leaves nothing behind (no values, no columns, no series, no table).
 *
 * Lines end at a newline outside quoted strings. After a refusal the loop goes on behind the next such newline, where a quote
 * counts as opening a string only directly behind a `=` of the field part; a string that never closes ends at its own line.
 * Line numbers and columns are those of the body as a text file: a newline inside a string counts too.
 */
import { aliasFind, aliasHash, aliasRemember } from "./alias";
import { budgetReset, countHost } from "./column";
import { fieldsReset, fieldsTakeBack, parseFields } from "./fields";
import { HASH_SPAN, hashBlock, hashFinish, hashTail } from "./hash";
import { endsLine, keySid, keySlot, keySlotIsNew, keyTagsBefore, resolveKey, scanKey } from "./key";
import { digitCount, digits, digitsReset, recount, scanDigits } from "./number";
import {
  BAD_TIMESTAMP,
  fail,
  failAt,
  failCode,
  failReset,
  keepRefusal,
  NO_FIELDS,
  NONE,
  OUT_OF_MEMORY,
  TIMESTAMP_OUT_OF_RANGE,
  UNTERMINATED_STRING,
} from "./refusal";
import { NO_SERIES, seriesAdd } from "./series";
import { regrow, Slot, slotGrowRows, slotResetRows, slotTakeBack, slotTrim } from "./slot";
import { textEnd, textNewlines, textReset } from "./text";

/** Behind the body: a newline that ends its last line, and zeros that any wide read may touch. */
export const PADDING: usize = 64;

/** Tables in one body: far above any agent's, and what keeps a hostile one from making the host build a million results. */
const TABLES_MAX: u32 = 65536;

/** Slots that the current call has given rows; a list of pointers. */
export let touched: usize = 0;
export let touchedCount: u32 = 0;
let touchedCapacity: u32 = 0;

/** Lines that are neither blank nor comments. */
export let lineCount: u32 = 0;

let inputAt: usize = 0;
let inputEnd: usize = 0;
let scale: i64 = 1;
let stamp: i64 = 0;
/** The time that parseTime read. */
let time: i64 = 0;

/** Decodes [at, at + length), which has PADDING bytes of room behind it. */
export function parseBody(db: u32, at: usize, length: usize, unit: i64, now: i64): void {
  inputAt = at;
  inputEnd = at + length;
  scale = unit;
  stamp = now - (((now % unit) + unit) % unit);
  lineCount = 0;
  budgetReset();
  store<u8>(inputEnd, 10);
  memory.fill(inputEnd + 1, 0, PADDING - 1);
  const end = inputEnd;
  let p = at;
  let line: u32 = 1;
  while (p < end) {
    const c = load<u8>(p);
    if (c <= 35) {
      // Blanks before a line, empty lines, comments.
      if (c === 32 || c === 9) {
        p++;
        continue;
      }
      if (endsLine(p) || c === 35) {
        p = lineEnd(p) + 1;
        line++;
        continue;
      }
    }
    lineCount++;
    textReset();
    fieldsReset();
    const after = parseLine(db, p, line);
    if (after !== 0) {
      p = after + 1;
      line += 1 + textNewlines;
    } else {
      const resume = recover(p);
      line += countNewlines(p, resume);
      p = resume;
    }
  }
}

/** Takes the line that starts at `p`; returns its final newline, 0 when it was refused and everything is undone but the record of why. */
function parseLine(db: u32, p: usize, line: u32): usize {
  // One pass finds the end of the key and hashes it; anything unusual in it is left to scanKey.
  let sum = i64x2.splat(0);
  let offset: u32 = 0;
  let q = p;
  let block = v128.load(q);
  let mask = unusual(block);
  while (mask === 0 && offset !== HASH_SPAN) {
    sum = hashBlock(sum, block, offset);
    offset += 16;
    q += 16;
    block = v128.load(q);
    mask = unusual(block);
  }
  const tail = <u32>ctz(mask);
  let hash: u32;
  let keyEnd: usize;
  if (mask !== 0 && load<u8>(q + tail) === 32) {
    keyEnd = q + tail;
    hash = hashFinish(hashTail(sum, block, offset, tail), offset + tail, db);
  } else {
    keyEnd = scanKey(q);
    hash = aliasHash(db, p, <u32>(keyEnd - p));
  }
  const length = <u32>(keyEnd - p);
  const alias = aliasFind(hash, db, p, length);
  if (changetype<usize>(alias) !== 0) {
    const s = alias.slot;
    const fields = s.fieldCount;
    const row = s.rows;
    const after = parseRow(s, p, keyEnd);
    if (after === 0) refuse(s, line, p, s.tagCount, fields, false);
    else {
      store<u32>(s.sids + ((<usize>row) << 2), alias.sid);
      store<u32>(s.lines + ((<usize>row) << 2), line);
    }
    return after;
  }
  failReset();
  if (!resolveKey(db, p, keyEnd)) {
    const s = keySlot;
    refuse(s, line, p, keyTagsBefore, changetype<usize>(s) === 0 ? 0 : s.fieldCount, keySlotIsNew);
    return 0;
  }
  return parseNew(line, p, keyEnd, hash);
}

/** The rest of a line whose key went the slow way: when all of it is right, the series and the spelling are remembered. */
function parseNew(line: u32, p: usize, keyEnd: usize, hash: u32): usize {
  const s = keySlot;
  const isNew = keySlotIsNew;
  const tags = keyTagsBefore;
  const fields = s.fieldCount;
  const row = s.rows;
  let sid = keySid;
  let after = parseRow(s, p, keyEnd);
  if (after !== 0 && sid === NO_SERIES) {
    sid = seriesAdd(s, false);
    if (sid === NO_SERIES) {
      s.rows = row;
      fail(OUT_OF_MEMORY, p);
      after = 0;
    }
  }
  if (after === 0) {
    refuse(s, line, p, tags, fields, isNew);
    return 0;
  }
  store<u32>(s.sids + ((<usize>row) << 2), sid);
  store<u32>(s.lines + ((<usize>row) << 2), line);
  aliasRemember(s, sid, hash, p, <u32>(keyEnd - p));
  return after;
}

/** Fields and time of a line as the slot's next row; returns the line's newline, 0 (and the error is noted) when it is refused. */
function parseRow(s: Slot, p: usize, keyEnd: usize): usize {
  const row = s.rows;
  let q = keyEnd;
  while (load<u8>(q) === 32) q++;
  if (endsLine(q)) {
    fail(NO_FIELDS, q);
    return 0;
  }
  if ((row === s.rowCapacity && !openRows(s)) || !countHost(s.hostRowBytes)) {
    fail(OUT_OF_MEMORY, p);
    return 0;
  }
  q = parseFields(s, row, q, inputEnd);
  if (q === 0) return 0;
  q = parseTime(q);
  if (q === 0) return 0;
  store<i64>(s.times + ((<usize>row) << 3), time);
  s.rows = row + 1;
  return q;
}

/** Reads the time behind the fields, if any, into `time`; returns the line's newline, 0 when the line is refused. */
function parseTime(at: usize): usize {
  while (load<u8>(at) === 32) at++;
  if (endsLine(at)) {
    time = stamp;
    return at + usize(load<u8>(at) === 13);
  }
  const negative = load<u8>(at) === 45;
  const start = at + usize(negative);
  digitsReset();
  let p = scanDigits(start);
  if (p === start || !(load<u8>(p) === 32 || endsLine(p))) {
    fail(BAD_TIMESTAMP, at);
    return 0;
  }
  // The lowest i64 is reachable only without scaling: no scale divides 2^63.
  const most = <u64>(i64.MAX_VALUE / scale) + u64(negative && scale === 1);
  if ((digitCount > 19 && !recount(start, p)) || digits > most) {
    fail(TIMESTAMP_OUT_OF_RANGE, at);
    return 0;
  }
  time = (negative ? -(<i64>digits) : <i64>digits) * scale;
  while (load<u8>(p) === 32) p++;
  if (!endsLine(p)) {
    fail(BAD_TIMESTAMP, p);
    return 0;
  }
  return p + usize(load<u8>(p) === 13);
}

/** Bits of the bytes that end a plain key or make it unusual: controls, space, backslash. */
function unusual(block: v128): i32 {
  return i8x16.bitmask(
    v128.or(i8x16.le_u(block, i8x16.splat(32)), i8x16.eq(block, i8x16.splat(92))),
  );
}

/** Makes room for the slot's next row and puts it on the call's list. */
function openRows(s: Slot): bool {
  if (s.touched === 0) {
    if (touchedCount === TABLES_MAX) return false;
    if (touchedCount === touchedCapacity) {
      const more = max<u32>(64, touchedCapacity * 2);
      const list = regrow(touched, touchedCapacity * 4, more * 4, touchedCount * 4);
      if (list === 0) return false;
      touched = list;
      touchedCapacity = more;
    }
    if (!slotGrowRows(s)) return false;
    store<usize>(touched + ((<usize>touchedCount) << 2), changetype<usize>(s));
    touchedCount++;
    s.touched = 1;
    return true;
  }
  return slotGrowRows(s);
}

/** Records why the line was refused and takes back what it added. */
function refuse(s: Slot, line: u32, p: usize, tags: u32, fields: u32, isNew: bool): void {
  let start = failAt;
  while (start > inputAt && load<u8>(start - 1) !== 10) start--;
  const column = <u32>(failAt - start) + 1;
  const at = line + countNewlines(p, failAt);
  if (changetype<usize>(s) === 0) {
    keepRefusal(at, column, NONE, 0, 0);
    return;
  }
  keepRefusal(at, column, isNew ? NONE : s.id, s.name, s.nameLength);
  fieldsTakeBack(s.rows);
  if (isNew) {
    if (s.touched !== 0) touchedCount--;
    slotTakeBack(s);
  } else slotTrim(s, tags, fields);
}

/** Where the next line starts after the one at `p` was refused. */
function recover(p: usize): usize {
  if (failCode === UNTERMINATED_STRING) return lineEnd(failAt) + 1;
  let q = max(scanKey(p), failAt);
  while (true) {
    const c = load<u8>(q);
    if (c === 10) return q + 1;
    if (c === 34 && load<u8>(q - 1) === 61) {
      const close = textEnd(q, inputEnd);
      if (close === 0) return lineEnd(q) + 1;
      q = close;
    }
    q++;
  }
}

/** The first newline at or behind `at`; the one behind the body at the latest. */
function lineEnd(at: usize): usize {
  while (true) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(10)));
    if (mask !== 0) return at + ctz(mask);
    at += 16;
  }
}

function countNewlines(from: usize, to: usize): u32 {
  let count: u32 = 0;
  for (let p = from; p < to; p++) if (load<u8>(p) === 10) count++;
  return count;
}

/** Ends the call: every slot forgets its rows. */
export function forgetRows(): void {
  for (let i: u32 = 0; i < touchedCount; i++)
    slotResetRows(changetype<Slot>(load<usize>(touched + ((<usize>i) << 2))));
  touchedCount = 0;
}
