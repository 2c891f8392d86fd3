/**
 * The values of an INSERT … VALUES whose every value is a literal: positions into the statement's text, so
 * that a megabyte of tuples costs three typed arrays and no object per value. Cell i is column i % width of
 * row i / width. `start` and `end` are offsets of UTF-16 units in `source`, of strings without their quotes.
 */
import { unescapeString } from "../lex/string_literal.ts";

/** Kinds of literal, small integers so that they fit a byte. */
export const CELL = Object.freeze({
  null: 0,
  default: 1,
  true: 2,
  false: 3,
  /** Digits with an optional sign. */
  integer: 4,
  /** With a point or an exponent, optional sign. */
  decimal: 5,
  /** As it stands between the quotes. */
  string: 6,
  /** Holds doubled quotes or backslash escapes: read it through `cellText`. */
  escaped: 7,
  /** Hex digits of X'..' or 0x... */
  hex: 8,
});

export interface LiteralRows {
  /** The whole text that was parsed. */
  readonly source: string;
  /** Values per row of the first row. */
  readonly width: number;
  readonly rows: number;
  /** Length rows × width: one of CELL. */
  readonly kinds: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Are backslashes escapes (the MySQL dialect)? */
  readonly backslash: boolean;
  /** Number of values of the first row whose length differs from `width`; such rows are not stored. */
  readonly ragged?: number | undefined;
}

/** The text of cell i: digits of numbers (sign included), content of strings, "NULL", "DEFAULT", "true". */
export function cellText(rows: LiteralRows, cell: number): string {
  const start = rows.starts[cell]!;
  const end = rows.ends[cell]!;
  const text = rows.source.slice(start, end);
  if (rows.kinds[cell] !== CELL.escaped) return text;
  // The quote that closes the string is the one that is doubled inside.
  return unescapeString(text, rows.source[end]!, rows.backslash);
}
