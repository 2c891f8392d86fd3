/**
 * Builds one Column of a known number of rows, value by value, in row order.
 * Invariants: exactly one put per row; a put of the wrong shape for the type is a Bug (callers convert first).
 * Never converts between types and never looks at SQL.
 */
import { assert } from "../../base/mod.ts";
import {
  type Column,
  type ColumnType,
  type FixedArray,
  fixedArray,
  valueBytes,
} from "../../types/mod.ts";

/** 16 bytes a value is the usual length of a tag or a short message; the buffer doubles past it. */
const textBytesGuess = 16;

/** Up to here a loop over the characters is quicker than the call into the runtime. */
const shortCharsMax = 32;

export class ColumnWriter {
  #row = 0;
  #validity: Uint8Array | undefined;
  readonly #fixed: FixedArray | undefined;
  readonly #offsets: Uint32Array | undefined;
  #bytes: Buffer;
  #byteCount = 0;

  constructor(
    readonly type: ColumnType,
    readonly rows: number,
  ) {
    if (valueBytes(type) === 0) {
      this.#offsets = new Uint32Array(rows + 1);
      this.#bytes = Buffer.allocUnsafe(Math.max(64, rows * textBytesGuess));
    } else {
      this.#fixed = fixedArray(type, rows);
      this.#bytes = Buffer.alloc(0);
    }
  }

  /** Rows written so far. */
  get row(): number {
    return this.#row;
  }

  putNull(): void {
    let validity = this.#validity;
    if (validity === undefined) {
      validity = new Uint8Array((this.rows + 7) >> 3).fill(0xff);
      this.#validity = validity;
    }
    validity[this.#row >> 3]! &= ~(1 << (this.#row & 7));
    this.#next();
  }

  /** For types whose array holds numbers: 8..32-bit integers, floats, bool (0 or 1), date (days). */
  putNumber(value: number): void {
    (this.#fixed as Float64Array)[this.#row] = value;
    this.#next();
  }

  /** For 64-bit integers and timestamps. The value is in the range of the type. */
  putBigint(value: bigint): void {
    (this.#fixed as BigInt64Array)[this.#row] = value;
    this.#next();
  }

  /** A decimal as its scaled integer, two's complement in two words. */
  putDecimal(scaled: bigint): void {
    const words = this.#fixed as BigInt64Array;
    words[this.#row * 2] = BigInt.asIntN(64, scaled);
    words[this.#row * 2 + 1] = BigInt.asIntN(64, scaled >> 64n);
    this.#next();
  }

  /** For string and json: written as UTF-8. For binary: the text's UTF-8 bytes. */
  putText(text: string): void {
    // A UTF-16 unit becomes at most three bytes of UTF-8.
    this.#reserve(text.length * 3);
    if (text.length > shortCharsMax || !this.#putAscii(text))
      this.#byteCount += this.#bytes.write(text, this.#byteCount);
    this.#next();
  }

  /** False, with nothing written, when a character is not ASCII. */
  #putAscii(text: string): boolean {
    const bytes = this.#bytes;
    let at = this.#byteCount;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      bytes[at++] = code;
    }
    this.#byteCount = at;
    return true;
  }

  putBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#byteCount);
    this.#byteCount += bytes.length;
    this.#next();
  }

  finish(): Column {
    assert(this.#row === this.rows, "every row of a column was written");
    if (this.#offsets === undefined)
      return { type: this.type, values: this.#fixed!, validity: this.#validity };
    return {
      type: this.type,
      offsets: this.#offsets,
      bytes: this.#bytes.subarray(0, this.#byteCount),
      validity: this.#validity,
    };
  }

  #next(): void {
    this.#row++;
    if (this.#offsets !== undefined) this.#offsets[this.#row] = this.#byteCount;
  }

  #reserve(more: number): void {
    const need = this.#byteCount + more;
    if (need <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(need, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#byteCount));
    this.#bytes = grown;
  }
}
