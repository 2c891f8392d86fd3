/** Tokens of SQL text. Offsets are UTF-16 units; lines and columns are counted only when an error needs them. */
import { DbError } from "../../base/mod.ts";

export type TokenKind =
  /** Unquoted identifier or keyword; value is lower-cased. */
  | "word"
  | "quoted"
  | "string"
  | "number"
  | "hex"
  /** Operator or punctuation; value is its canonical text. */
  | "op"
  /** `?` or `$1`; value is "" or the number. */
  | "parameter"
  | "eof";

export interface Token {
  readonly kind: TokenKind;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Where an offset is: both count from 1, columns in code points. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let i = text.indexOf("\n"); i !== -1 && i < offset; i = text.indexOf("\n", i + 1)) {
    line++;
    lineStart = i + 1;
  }
  return { line, column: [...text.slice(lineStart, offset)].length + 1 };
}

/** The error of a text that is no SQL; `offset` undefined = at its end, which has no position. */
export function syntaxError(what: string, text: string, offset: number | undefined): DbError {
  let at = "";
  if (offset !== undefined) {
    const { line, column } = positionOf(text, offset);
    at = ` at Line: ${line}, Column: ${column}`;
  }
  return new DbError("invalid_syntax", `Invalid SQL syntax: sql parser error: ${what}${at}`);
}
