/**
 * The fast path of INSERT … VALUES: tuples of literals are found by one pass over the text, with no token
 * and no node per value. Anything that is no literal makes it step back, and the ordinary parser takes over.
 */
import { CELL, type LiteralRows } from "../ast.ts";
import type { Dialect } from "../dialect.ts";

/** Cells to begin with; doubles as needed. */
const CELLS_START = 64;

const QUOTE = 39;
const DOUBLE_QUOTE = 34;
const COMMA = 44;
const OPEN = 40;
const CLOSE = 41;

/** Typed arrays that grow together. */
class Cells {
  kinds = new Uint8Array(CELLS_START);
  starts = new Uint32Array(CELLS_START);
  ends = new Uint32Array(CELLS_START);
  count = 0;

  push(kind: number, start: number, end: number): void {
    if (this.count === this.kinds.length) this.#grow();
    this.kinds[this.count] = kind;
    this.starts[this.count] = start;
    this.ends[this.count++] = end;
  }

  #grow(): void {
    const twice = this.kinds.length * 2;
    const copy = <A extends Uint8Array | Uint32Array>(from: A, to: A): A => {
      to.set(from);
      return to;
    };
    this.kinds = copy(this.kinds, new Uint8Array(twice));
    this.starts = copy(this.starts, new Uint32Array(twice));
    this.ends = copy(this.ends, new Uint32Array(twice));
  }
}

/** Rows of literals from `from` on (behind VALUES), and the offset behind them; undefined if any is none. */
export function scanLiteralRows(
  text: string,
  from: number,
  dialect: Dialect,
): { readonly rows: LiteralRows; readonly end: number } | undefined {
  const scan = new LiteralScan(text, from, dialect);
  return scan.run();
}

class LiteralScan {
  readonly #cells = new Cells();
  readonly #backslash: boolean;
  #at: number;
  #width = 0;
  #rows = 0;
  #ragged: number | undefined;

  constructor(
    readonly text: string,
    from: number,
    readonly dialect: Dialect,
  ) {
    this.#at = from;
    this.#backslash = dialect === "mysql";
  }

  run(): { readonly rows: LiteralRows; readonly end: number } | undefined {
    do {
      if (!this.#tuple()) return undefined;
    } while (this.#comma());
    const cells = this.#cells;
    return {
      end: this.#at,
      rows: {
        source: this.text,
        width: this.#width,
        rows: this.#rows,
        kinds: cells.kinds.subarray(0, cells.count),
        starts: cells.starts.subarray(0, cells.count),
        ends: cells.ends.subarray(0, cells.count),
        backslash: this.#backslash,
        ragged: this.#ragged,
      },
    };
  }

  /** Takes a comma; does another tuple follow it? A trailing comma is fine. */
  #comma(): boolean {
    if (this.#blanks() !== COMMA) return false;
    this.#at++;
    return this.#blanks() === OPEN;
  }

  /** Skips blanks; answers the character that follows. Comments make the ordinary parser take over. */
  #blanks(): number {
    let c = this.text.charCodeAt(this.#at);
    while (c === 32 || (c >= 9 && c <= 13)) c = this.text.charCodeAt(++this.#at);
    return c;
  }

  #tuple(): boolean {
    if (this.#blanks() !== OPEN) return false;
    this.#at++;
    const first = this.#cells.count;
    for (;;) {
      if (!this.#literal()) return false;
      let c = this.#blanks();
      if (c === COMMA) {
        this.#at++;
        c = this.#blanks();
        if (c !== CLOSE) continue;
      }
      if (c !== CLOSE) return false;
      this.#at++;
      break;
    }
    const values = this.#cells.count - first;
    if (this.#rows === 0) this.#width = values;
    if (values !== this.#width) {
      this.#ragged ??= values;
      this.#cells.count = first;
    } else {
      this.#rows++;
    }
    return true;
  }

  #literal(): boolean {
    const c = this.#blanks();
    if (c === QUOTE || (c === DOUBLE_QUOTE && this.dialect !== "postgres")) return this.#string(c);
    if ((c >= 48 && c <= 57) || c === 45 || c === 43 || c === 46) return this.#number();
    return this.#word();
  }

  #string(quote: number): boolean {
    const { text } = this;
    const start = this.#at + 1;
    let kind: number = CELL.string;
    for (let i = start; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === quote) {
        if (text.charCodeAt(i + 1) !== quote) {
          this.#cells.push(kind, start, i);
          this.#at = i + 1;
          return true;
        }
        kind = CELL.escaped;
        i++;
      } else if (c === 92 && this.#backslash) {
        kind = CELL.escaped;
        i++;
      }
    }
    return false;
  }

  #number(): boolean {
    const { text } = this;
    const start = this.#at;
    let i = start;
    let c = text.charCodeAt(i);
    if (c === 45 || c === 43) c = text.charCodeAt(++i);
    const digits = i;
    while (c >= 48 && c <= 57) c = text.charCodeAt(++i);
    let seen = i - digits;
    let kind: number = CELL.integer;
    if (c === 46) {
      kind = CELL.decimal;
      c = text.charCodeAt(++i);
      const fraction = i;
      while (c >= 48 && c <= 57) c = text.charCodeAt(++i);
      seen += i - fraction;
    }
    if (seen === 0) return false;
    if ((c | 32) === 101) {
      kind = CELL.decimal;
      c = text.charCodeAt(++i);
      if (c === 45 || c === 43) c = text.charCodeAt(++i);
      const exponent = i;
      while (c >= 48 && c <= 57) c = text.charCodeAt(++i);
      if (i === exponent) return false;
    }
    this.#cells.push(kind, start, i);
    this.#at = i;
    return true;
  }

  /** NULL, DEFAULT, TRUE, FALSE, X'41'. */
  #word(): boolean {
    const { text } = this;
    const start = this.#at;
    let i = start;
    while (isWordChar(text.charCodeAt(i))) i++;
    if (i - start === 1 && (text.charCodeAt(start) | 32) === 120 && text.charCodeAt(i) === QUOTE) {
      const end = text.indexOf("'", i + 1);
      if (end === -1 || !/^[0-9a-fA-F]*$/.test(text.slice(i + 1, end))) return false;
      this.#cells.push(CELL.hex, i + 1, end);
      this.#at = end + 1;
      return true;
    }
    const kind = WORD_CELL[text.slice(start, i).toLowerCase()];
    if (kind === undefined) return false;
    this.#cells.push(kind, start, i);
    this.#at = i;
    return true;
  }
}

const WORD_CELL: Readonly<Record<string, number>> = Object.assign(Object.create(null), {
  null: CELL.null,
  default: CELL.default,
  true: CELL.true,
  false: CELL.false,
});

function isWordChar(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || (c >= 48 && c <= 57) || c === 95;
}
