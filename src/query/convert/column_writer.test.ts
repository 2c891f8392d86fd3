import { expect, test } from "vitest";
import { type Column, isNull, isVar, T } from "../../types/mod.ts";
import { ColumnWriter } from "./column_writer.ts";

function textAt(column: Column, row: number): string {
  if (!isVar(column)) throw new Error("not a text column");
  return Buffer.from(
    column.bytes.subarray(column.offsets[row], column.offsets[row + 1]),
  ).toString();
}

test("texts of any length, with NULLs between them", () => {
  const texts = ["", "é", "x".repeat(500), "😀", null, "end"];
  const writer = new ColumnWriter(T.string, texts.length);
  for (const text of texts) text === null ? writer.putNull() : writer.putText(text);
  const column = writer.finish();
  texts.forEach((text, row) => {
    expect(isNull(column, row)).toBe(text === null);
    if (text !== null) expect(textAt(column, row)).toBe(text);
  });
});

test("a column without NULLs has no validity", () => {
  const writer = new ColumnWriter(T.int64, 2);
  writer.putBigint(-(2n ** 63n));
  writer.putBigint(2n ** 63n - 1n);
  const column = writer.finish();
  expect(column.validity).toBeUndefined();
  expect(column).toMatchObject({ values: BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n) });
});

test("a decimal takes two words, low first", () => {
  const writer = new ColumnWriter({ kind: "decimal", precision: 38, scale: 0 }, 2);
  writer.putDecimal(-1n);
  writer.putDecimal(2n ** 64n + 5n);
  expect(writer.finish()).toMatchObject({ values: BigInt64Array.of(-1n, -1n, 5n, 1n) });
});

test("a column that was not filled to the end is a bug", () => {
  expect(() => new ColumnWriter(T.int32, 1).finish()).toThrow("every row");
});
