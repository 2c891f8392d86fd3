/** What most kernel tests start with: a kernel, and a body as text. */
import { type Column, T, type VarColumn } from "../../types/mod.ts";
import { type Kernel, loadKernel, type ParsedBody, type Precision } from "../mod.ts";

export const NOW = 1_700_000_123_456_789_012n;
const encoder = new TextEncoder();

export const utf8 = (text: string): Uint8Array => encoder.encode(text);

export function newKernel(
  limits: { seriesMax?: number; columnsMax?: number; memoryBytesMax?: number } = {},
): Promise<Kernel> {
  return loadKernel({ seriesMax: 10_000_000, columnsMax: 1000, ...limits });
}

export function parse(
  kernel: Kernel,
  text: string | Uint8Array,
  precision: Precision = "ns",
): ParsedBody {
  return kernel.parseLines(0, [typeof text === "string" ? utf8(text) : text], precision, NOW);
}

/** A text column; null is NULL. */
export function texts(values: readonly (string | null)[]): VarColumn {
  const parts = values.map((value) => utf8(value ?? ""));
  const offsets = new Uint32Array(values.length + 1);
  parts.forEach((part, i) => {
    offsets[i + 1] = offsets[i]! + part.length;
  });
  const column = { type: T.string, offsets, bytes: new Uint8Array(Buffer.concat(parts)) };
  if (!values.includes(null)) return column;
  const validity = new Uint8Array((values.length + 7) >> 3);
  values.forEach((value, i) => {
    if (value !== null) validity[i >> 3]! |= 1 << (i & 7);
  });
  return { ...column, validity };
}

/** Text, or null, of each row. */
export function textsOf(column: Column, rows: number): (string | null)[] {
  const { offsets, bytes, validity } = column as VarColumn;
  return Array.from({ length: rows }, (_, i) =>
    validity !== undefined && ((validity[i >> 3]! >> (i & 7)) & 1) === 0
      ? null
      : Buffer.from(bytes.subarray(offsets[i], offsets[i + 1])).toString(),
  );
}
