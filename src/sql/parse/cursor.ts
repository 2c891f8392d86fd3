/**
 * The parser's place in the text: lazy tokens with unlimited lookahead, and the error texts.
 * Tokens behind the place are kept for backtracking within one statement and dropped after it.
 */
import { DbError } from "../../base/mod.ts";
import type { Ident } from "../ast.ts";
import type { Dialect } from "../dialect.ts";
import { Lexer } from "../lex/lexer.ts";
import { syntaxError, type Token } from "../lex/token.ts";

/** Nested expressions and queries beyond this depth are refused, long before the stack would end. */
const DEPTH_MAX = 200;

/** A place to come back to, within one statement. */
export interface Mark {
  readonly at: number;
  readonly parameters: number;
}

export class Cursor {
  readonly #lexer: Lexer;
  #tokens: Token[] = [];
  #at = 0;
  #depth = 0;
  #parameters = 0;

  constructor(
    readonly text: string,
    readonly dialect: Dialect,
  ) {
    this.#lexer = new Lexer(text, dialect);
  }

  peek(ahead = 0): Token {
    while (this.#tokens.length <= this.#at + ahead) this.#tokens.push(this.#lexer.next());
    return this.#tokens[this.#at + ahead]!;
  }

  next(): Token {
    const token = this.peek();
    if (token.kind !== "eof") this.#at++;
    return token;
  }

  /** End of the last token that was taken; 0 before the first. */
  lastEnd(): number {
    return this.#at === 0 ? 0 : this.#tokens[this.#at - 1]!.end;
  }

  mark(): Mark {
    return { at: this.#at, parameters: this.#parameters };
  }

  reset(mark: Mark): void {
    this.#at = mark.at;
    this.#parameters = mark.parameters;
  }

  /** Goes on from an offset of the text, which someone else has read up to. */
  seek(offset: number): void {
    this.#tokens.length = this.#at;
    this.#tokens.push({ kind: "op", value: "", start: offset, end: offset });
    this.#at++;
    this.#lexer.seek(offset);
  }

  /** A new statement begins: forget the tokens of the last one. */
  startStatement(): void {
    this.#tokens = this.#tokens.slice(this.#at);
    this.#at = 0;
    this.#parameters = 0;
  }

  nextParameter(): number {
    return ++this.#parameters;
  }

  isWord(word: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === "word" && token.value === word;
  }

  isAnyWord(words: ReadonlySet<string>, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === "word" && words.has(token.value);
  }

  /** Are these words next? */
  areWords(...words: string[]): boolean {
    return words.every((word, i) => this.isWord(word, i));
  }

  /** Takes the words if all of them are next. */
  take(...words: string[]): boolean {
    if (!this.areWords(...words)) return false;
    this.#at += words.length;
    return true;
  }

  expect(...words: string[]): void {
    for (const word of words) if (!this.take(word)) this.fail(word.toUpperCase());
  }

  /** Takes one of the words, else fails. */
  expectOneOf<W extends string>(...words: W[]): W {
    for (const word of words) if (this.take(word)) return word;
    this.fail(`one of ${words.map((w) => w.toUpperCase()).join(" or ")}`);
  }

  isOp(op: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === "op" && token.value === op;
  }

  takeOp(op: string): boolean {
    if (!this.isOp(op)) return false;
    this.#at++;
    return true;
  }

  expectOp(op: string): void {
    if (!this.takeOp(op)) this.fail(op);
  }

  ident(): Ident {
    const token = this.peek();
    if (token.kind === "word" || token.kind === "quoted") {
      this.#at++;
      return { name: token.value, quoted: token.kind === "quoted" };
    }
    this.fail("identifier");
  }

  string(): string {
    const token = this.peek();
    if (token.kind === "string" || (token.kind === "quoted" && this.dialect === "greptime")) {
      this.#at++;
      return token.value;
    }
    this.fail("literal string");
  }

  /** Items separated by commas; a trailing comma before one of `)`, `;`, the end or `stop` is allowed. */
  list<X>(item: () => X, stop?: ReadonlySet<string>): X[] {
    const items = [item()];
    while (this.takeOp(",")) {
      const after = this.peek();
      if (after.kind === "eof" || this.isOp(")") || this.isOp("]") || this.isOp(";")) break;
      if (stop !== undefined && after.kind === "word" && stop.has(after.value)) break;
      items.push(item());
    }
    return items;
  }

  /** `(` list `)`. */
  parenthesised<X>(item: () => X): X[] {
    this.expectOp("(");
    const items = this.list(item);
    this.expectOp(")");
    return items;
  }

  /** Runs `parse` one level deeper. */
  nested<X>(parse: () => X): X {
    if (++this.#depth > DEPTH_MAX)
      throw syntaxError("recursion limit exceeded", this.text, undefined);
    const result = parse();
    this.#depth--;
    return result;
  }

  /** The text of a token as written. */
  textOf(token: Token): string {
    return token.kind === "eof" ? "EOF" : this.text.slice(token.start, token.end);
  }

  fail(expected: string, token: Token = this.peek()): never {
    throw syntaxError(
      `Expected: ${expected}, found: ${this.textOf(token)}`,
      this.text,
      token.kind === "eof" ? undefined : token.start,
    );
  }

  /** A mistake that the grammar itself allows. */
  invalid(message: string): never {
    throw new DbError("invalid_syntax", `Invalid SQL, error: ${message}`);
  }

  unsupported(what: string): never {
    throw new DbError("unsupported", `${what} is not supported yet`);
  }
}
