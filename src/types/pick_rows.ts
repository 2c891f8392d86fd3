/** Some rows of a column as a column of their own: late rows, rows that were not refused, values per series. Copies. */
import { type Column, isNull, isVar } from "./batch.ts";
import { fixedArray, wordsPerRow } from "./column_array.ts";

/** The rows `picked` of a column, in that order. */
export function pickRows(column: Column, picked: Uint32Array): Column {
  const rows = picked.length;
  // Whole words of 64 rows: that is how DuckDB reads the bitmap.
  const validity =
    column.validity === undefined ? undefined : new Uint8Array(((rows + 63) >> 6) * 8);
  if (validity !== undefined)
    for (let to = 0; to < rows; to++)
      if (!isNull(column, picked[to]!)) validity[to >> 3]! |= 1 << (to & 7);
  if (isVar(column)) {
    const offsets = new Uint32Array(rows + 1);
    for (let to = 0; to < rows; to++)
      offsets[to + 1] =
        offsets[to]! + column.offsets[picked[to]! + 1]! - column.offsets[picked[to]!]!;
    const bytes = new Uint8Array(offsets[rows]!);
    for (let to = 0; to < rows; to++) {
      const from = picked[to]!;
      bytes.set(
        column.bytes.subarray(column.offsets[from]!, column.offsets[from + 1]!),
        offsets[to]!,
      );
    }
    return { type: column.type, offsets, bytes, validity };
  }
  const words = wordsPerRow(column.type);
  const values = fixedArray(column.type, rows);
  // One loop for both element types: a Float64Array in name only.
  const [into, from] = [values as Float64Array, column.values as Float64Array];
  for (let to = 0; to < rows; to++)
    for (let word = 0; word < words; word++)
      into[to * words + word] = from[picked[to]! * words + word]!;
  return { type: column.type, values, validity };
}
