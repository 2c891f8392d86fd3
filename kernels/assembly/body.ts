/**
 * Body: one line protocol request, from the host's side. The host asks for the input buffer, fills it, calls `parse`, reads the result
 * (a list of 32-bit words that point at the columns), copies what it wants, and frees the result.
 */
import { Column } from "./column";
import { blockBytes, give, take } from "./heap";
import { forgetRows, lineCount, PADDING, parseBody, touched, touchedCount } from "./line";
import { forgetRefusals, keptAt, keptCount, refusalCount } from "./refusal";
import { Slot, slotField } from "./slot";

/** A larger input buffer than this is not kept for the next request. */
const INPUT_KEPT_MAX: usize = 8 << 20;

let input: usize = 0;
let inputCapacity: usize = 0;
let result: usize = 0;
let resultBytes: usize = 0;

/** Words before the tables: tables, kept errors, where they are, all errors, lines. */
const HEAD: u32 = 5;
/** Words of a table before its fields: slot, rows, sids, times, lines, fields. */
const TABLE: u32 = 6;
/** Words of a field: index, kind, values, settled rows, validity, bytes, length of bytes. */
const FIELD: u32 = 7;

/** A buffer for `length` bytes of body; 0 when memory is out. */
export function parseInput(length: usize): usize {
  if (length + PADDING > inputCapacity) {
    give(input, inputCapacity);
    inputCapacity = 0;
    input = take(length + PADDING);
    if (input !== 0) inputCapacity = length + PADDING;
  }
  return input;
}

/** Bytes of the input buffer that is kept between calls. */
export function parseInputBytes(): usize {
  return input === 0 ? 0 : blockBytes(inputCapacity);
}

/** Decodes the input buffer's first `length` bytes. `unit` is a tick in nanoseconds, `now` the time of rows without one. */
export function parse(db: u32, length: usize, unit: i64, now: i64): void {
  parseBody(db, input, length, unit, now);
}

/** The words of the result, 0 when memory is out. Valid until parseResultFree. */
export function parseResult(): usize {
  let words = HEAD;
  for (let i: u32 = 0; i < touchedCount; i++) {
    const s = changetype<Slot>(load<usize>(touched + ((<usize>i) << 2)));
    words += TABLE + s.fieldCount * FIELD;
  }
  resultBytes = <usize>words * 4;
  result = take(resultBytes);
  if (result === 0) return 0;
  let tables: u32 = 0;
  let at = result + HEAD * 4;
  for (let i: u32 = 0; i < touchedCount; i++) {
    const s = changetype<Slot>(load<usize>(touched + ((<usize>i) << 2)));
    if (s.rows === 0) continue;
    at = putTable(at, s);
    tables++;
  }
  store<u32>(result, tables);
  store<u32>(result, keptCount(), 4);
  store<usize>(result, keptAt(), 8);
  store<u32>(result, refusalCount, 12);
  store<u32>(result, lineCount, 16);
  return result;
}

/** Ends the call, whether its result was read or not. */
export function parseResultFree(): void {
  give(result, resultBytes);
  result = 0;
  forgetRows();
  forgetRefusals();
  if (inputCapacity > INPUT_KEPT_MAX) {
    give(input, inputCapacity);
    input = 0;
    inputCapacity = 0;
  }
}

function putTable(at: usize, s: Slot): usize {
  store<u32>(at, s.id);
  store<u32>(at, s.rows, 4);
  store<usize>(at, s.sids, 8);
  store<usize>(at, s.times, 12);
  store<usize>(at, s.lines, 16);
  const fieldsAt = at + 20;
  let fields: u32 = 0;
  at += TABLE * 4;
  for (let i: u32 = 0; i < s.fieldCount; i++) {
    const c = slotField(s, i);
    if (c.present === 0) continue;
    at = putField(at, c, s.rows);
    fields++;
  }
  store<u32>(fieldsAt, fields);
  return at;
}

function putField(at: usize, c: Column, rows: u32): usize {
  store<u32>(at, c.index);
  store<u32>(at, c.kind, 4);
  store<usize>(at, c.values, 8);
  store<u32>(at, c.count, 12);
  // Rows behind the settled ones are NULL too: then the host makes a bitmap even if the kernel did not need one.
  store<usize>(at, c.present === rows ? 0 : c.validity, 16);
  store<usize>(at, c.bytes, 20);
  store<u32>(at, c.bytesLength, 24);
  return at + FIELD * 4;
}
