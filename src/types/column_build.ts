/** Small columns made from plain values: for tests, defaults and rare paths. Hot paths fill typed arrays on their own. */
import type { VarColumn } from "./batch.ts";

/** A string column of `rows` values; undefined is NULL. */
export function textColumn(rows: number, value: (row: number) => string | undefined): VarColumn {
  const parts: Uint8Array[] = [];
  const offsets = new Uint32Array(rows + 1);
  const encoder = new TextEncoder();
  let validity: Uint8Array | undefined;
  let size = 0;
  for (let row = 0; row < rows; row++) {
    const text = value(row);
    if (text === undefined) {
      validity ??= allValid(rows);
      validity[row >> 3]! &= ~(1 << (row & 7));
    } else {
      const bytes = encoder.encode(text);
      parts.push(bytes);
      size += bytes.byteLength;
    }
    offsets[row + 1] = size;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return { type: { kind: "string" }, offsets, bytes, validity };
}

/** A validity bitmap of `rows` rows in which no row is NULL. */
export function allValid(rows: number): Uint8Array {
  return new Uint8Array((rows + 7) >> 3).fill(0xff);
}
