/**
 * Text → tokens, one at a time and from any offset, so that the parser may skip over what it reads itself.
 * Knows quotes, comments and numbers of the three dialects; knows no grammar.
 */
import type { Dialect } from "../dialect.ts";
import { unescapeString } from "./string_literal.ts";
import { syntaxError, type Token } from "./token.ts";

const isDigit = (c: number) => c >= 48 && c <= 57;
const isHexDigit = (c: number) => isDigit(c) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102);
/** Letters, `_`, and everything beyond ASCII; `#` and `@` are the caller's affair. */
const isLetter = (c: number) =>
  (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c === 95 || (c >= 128 && !isExoticSpace(c));
const isExoticSpace = (c: number) => c === 0xa0 || c === 0x3000 || c === 0xfeff;
const isSpace = (c: number) => c === 32 || (c >= 9 && c <= 13) || isExoticSpace(c);

/** Operators of more than one character by their first, longest first. */
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  "!": ["!~*", "!=", "!~"],
  "-": ["->>", "->"],
  "<": ["<=>", "<>", "<=", "<<", "<@"],
  ":": ["::", ":="],
  ">": [">=", ">>"],
  "=": ["==", "=>"],
  "|": ["||"],
  "~": ["~*"],
  "@": ["@@", "@>"],
};
const SINGLE = new Set("()[]{},;.:=<>+-*/%^&|~#@!$".split(""));
const CANONICAL: Readonly<Record<string, string>> = { "<>": "!=", "==": "=" };

export class Lexer {
  #at = 0;

  constructor(
    readonly text: string,
    readonly dialect: Dialect,
  ) {}

  /** Continue from this offset. */
  seek(offset: number): void {
    this.#at = offset;
  }

  /** The next token; at the end, and ever after, `eof`. Throws invalid_syntax. */
  next(): Token {
    const { text } = this;
    this.#skipBlanks();
    const start = this.#at;
    if (start >= text.length) return { kind: "eof", value: "EOF", start, end: start };
    const c = text.charCodeAt(start);
    if (isLetter(c)) return this.#prefixedString(c, start) ?? this.#word(start);
    if (isDigit(c)) return this.#number(start);
    switch (c) {
      case 39: // '
        return this.#string(start, start, "'", this.dialect === "mysql");
      case 34: // "
        if (this.dialect === "mysql") return this.#string(start, start, '"', true);
        return this.#quotedIdent(start, '"');
      case 96: // `
        if (this.dialect === "postgres") break;
        return this.#quotedIdent(start, "`");
      case 46: // .
        if (isDigit(text.charCodeAt(start + 1))) return this.#number(start);
        break;
      case 63: // ?
        return this.#take("parameter", "", start, start + 1);
      case 36: {
        // $
        if (isDigit(text.charCodeAt(start + 1))) {
          let end = start + 1;
          while (isDigit(text.charCodeAt(end))) end++;
          return this.#take("parameter", text.slice(start + 1, end), start, end);
        }
        const dollar = this.#dollarString(start);
        if (dollar !== undefined) return dollar;
        break;
      }
      case 35: // #
        if (this.dialect === "greptime") return this.#word(start);
        break;
      case 64: {
        // @ starts a name (`@@time_zone`) unless it stands in an operator
        const after = text.charCodeAt(start + 1) === 64 ? start + 2 : start + 1;
        if (isLetter(text.charCodeAt(after))) return this.#word(start);
        break;
      }
    }
    return this.#operator(start);
  }

  #take(kind: Token["kind"], value: string, start: number, end: number): Token {
    this.#at = end;
    return { kind, value, start, end };
  }

  #skipBlanks(): void {
    const { text } = this;
    for (;;) {
      const c = text.charCodeAt(this.#at);
      if (isSpace(c)) {
        this.#at++;
      } else if (
        (c === 45 && text.charCodeAt(this.#at + 1) === 45) || // --
        (c === 35 && this.dialect === "mysql")
      ) {
        const end = text.indexOf("\n", this.#at);
        this.#at = end === -1 ? text.length : end + 1;
      } else if (c === 47 && text.charCodeAt(this.#at + 1) === 42) {
        this.#blockComment();
      } else {
        return;
      }
    }
  }

  /** Block comments nest. */
  #blockComment(): void {
    const { text } = this;
    let depth = 0;
    for (let i = this.#at; i < text.length; i++) {
      const two = text.substring(i, i + 2);
      if (two === "/*") {
        depth++;
        i++;
      } else if (two === "*/") {
        depth--;
        i++;
        if (depth === 0) {
          this.#at = i + 1;
          return;
        }
      }
    }
    throw syntaxError("Unexpected EOF while in a multi-line comment", text, this.#at);
  }

  #word(start: number): Token {
    const { text } = this;
    let end = start + 1;
    for (;;) {
      const c = text.charCodeAt(end);
      if (!(isLetter(c) || isDigit(c) || c === 36 || c === 64 || (c === 35 && this.#hashInName())))
        break;
      end++;
    }
    return this.#take("word", text.slice(start, end).toLowerCase(), start, end);
  }

  #hashInName(): boolean {
    return this.dialect === "greptime";
  }

  /** X'41', E'a\n', N'text'. */
  #prefixedString(c: number, start: number): Token | undefined {
    if (this.text.charCodeAt(start + 1) !== 39) return undefined;
    switch (c | 32) {
      case 120: {
        const token = this.#string(start, start + 1, "'", false);
        if (!/^[0-9a-fA-F]*$/.test(token.value))
          throw syntaxError(`Invalid hex literal: ${token.value}`, this.text, start);
        return { ...token, kind: "hex" };
      }
      case 110:
        return this.#string(start, start + 1, "'", this.dialect === "mysql");
      case 101:
        return this.dialect === "mysql" ? undefined : this.#string(start, start + 1, "'", true);
      default:
        return undefined;
    }
  }

  #number(start: number): Token {
    const { text } = this;
    let end = start;
    if (text.charCodeAt(start) === 48 && (text.charCodeAt(start + 1) | 32) === 120) {
      end = start + 2;
      while (isHexDigit(text.charCodeAt(end))) end++;
      if (end > start + 2) return this.#take("hex", text.slice(start + 2, end), start, end);
      end = start;
    }
    while (isDigit(text.charCodeAt(end))) end++;
    if (text.charCodeAt(end) === 46) {
      end++;
      while (isDigit(text.charCodeAt(end))) end++;
    }
    if ((text.charCodeAt(end) | 32) === 101) {
      const sign = text.charCodeAt(end + 1);
      const digits = sign === 43 || sign === 45 ? end + 2 : end + 1;
      if (isDigit(text.charCodeAt(digits))) {
        end = digits;
        while (isDigit(text.charCodeAt(end))) end++;
      }
    }
    return this.#take("number", text.slice(start, end), start, end);
  }

  #string(start: number, open: number, quote: string, backslash: boolean): Token {
    const end = closingQuote(this.text, open + 1, quote.charCodeAt(0), backslash);
    if (end === -1) throw syntaxError("Unterminated string literal", this.text, start);
    const inner = unescapeString(this.text.slice(open + 1, end), quote, backslash);
    return this.#take("string", inner, start, end + 1);
  }

  #quotedIdent(start: number, quote: string): Token {
    const end = closingQuote(this.text, start + 1, quote.charCodeAt(0), false);
    if (end === -1)
      throw syntaxError(`Expected close delimiter '${quote}' before EOF.`, this.text, start);
    const name = unescapeString(this.text.slice(start + 1, end), quote, false);
    return this.#take("quoted", name, start, end + 1);
  }

  /** $$text$$ and $tag$text$tag$ of PostgreSQL. */
  #dollarString(start: number): Token | undefined {
    if (this.dialect === "mysql") return undefined;
    let tagEnd = start + 1;
    while (isLetter(this.text.charCodeAt(tagEnd)) || isDigit(this.text.charCodeAt(tagEnd)))
      tagEnd++;
    if (this.text.charCodeAt(tagEnd) !== 36) return undefined;
    const tag = this.text.slice(start, tagEnd + 1);
    const end = this.text.indexOf(tag, tagEnd + 1);
    if (end === -1) throw syntaxError("Unterminated dollar-quoted string", this.text, start);
    return this.#take("string", this.text.slice(tagEnd + 1, end), start, end + tag.length);
  }

  #operator(start: number): Token {
    const { text } = this;
    const char = text[start]!;
    for (const op of OPERATORS[char] ?? [])
      if (text.startsWith(op, start))
        return this.#take("op", CANONICAL[op] ?? op, start, start + op.length);
    if (!SINGLE.has(char)) throw syntaxError(`Unexpected character '${char}'`, text, start);
    return this.#take("op", char, start, start + 1);
  }
}

/** Offset of the quote that ends a literal whose content starts at `from`, or -1. */
export function closingQuote(
  text: string,
  from: number,
  quote: number,
  backslash: boolean,
): number {
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === quote) {
      if (text.charCodeAt(i + 1) !== quote) return i;
      i++;
    } else if (c === 92 && backslash) {
      i++;
    }
  }
  return -1;
}
