import fc from "fast-check";
import { expect, test } from "vitest";
import { DbError } from "../../base/mod.ts";
import { parseStatements } from "../../sql/mod.ts";
import {
  type Column,
  type ColumnSchema,
  type ColumnType,
  isNull,
  isVar,
  T,
} from "../../types/mod.ts";
import type { LiteralRules } from "./literal_reader.ts";
import { literalColumn } from "./literal_rows.ts";

const rules: LiteralRules = {
  table: "public.t",
  timezone: "+08:00",
  nowNs: 1_700_000_000_123_456_789n,
  numericText: false,
};

function columnOf(type: ColumnType, rest: Partial<ColumnSchema> = {}): ColumnSchema {
  return { id: 0, name: "v", type, role: "field", nullable: true, ...rest };
}

function convert(values: string, column: ColumnSchema, some: Partial<LiteralRules> = {}): Column {
  const tuples = values.split("|").map((value) => `(${value.trim()})`);
  const [parsed] = parseStatements(`INSERT INTO t (v) VALUES ${tuples.join(",")}`, "greptime");
  const { statement } = parsed!;
  if (statement.kind !== "insert" || statement.source.kind !== "literals")
    throw new Error("not on the fast path");
  return literalColumn(statement.source.rows, 0, column, { ...rules, ...some });
}

/** Values as plain JavaScript, NULL as null. */
function valuesOf(column: Column, rows: number): unknown[] {
  return Array.from({ length: rows }, (_, row) => {
    if (isNull(column, row)) return null;
    if (!isVar(column)) return column.values[row];
    const bytes = column.bytes.subarray(column.offsets[row], column.offsets[row + 1]);
    return column.type.kind === "string" || column.type.kind === "json"
      ? Buffer.from(bytes).toString()
      : [...bytes];
  });
}

test.each<[string, ColumnType, string, unknown[]]>([
  ["integers", T.int32, "1|-2|+3|NULL", [1, -2, 3, null]],
  ["64 bits", T.int64, "9223372036854775807|-9223372036854775808", [2n ** 63n - 1n, -(2n ** 63n)]],
  ["unsigned", T.uint64, "18446744073709551615|0", [2n ** 64n - 1n, 0n]],
  ["floats", T.float64, "1|-1.5|1e3|.5", [1, -1.5, 1000, 0.5]],
  ["booleans", T.bool, "true|FALSE|null", [1, 0, null]],
  ["texts", T.string, "'it''s'|''|'é'", ["it's", "", "é"]],
  ["hex", T.binary, "X'00ff'|x'41'|'é'", [[0, 255], [0x41], [0xc3, 0xa9]]],
  ["dates", T.date, "'1970-01-02'|'1969-12-31'", [1, -1]],
  ["ticks", T.timestampMs, "1|-1|'5'", [1n, -1n, 5n]],
  ["the session's zone", T.timestampS, "'1970-01-01 08:00:00'|'1970-01-01T08:00:01'", [0n, 1n]],
  [
    "other zones",
    T.timestampMs,
    "'1970-01-01T00:00:00Z'|'1970-01-01 00:00:00+0100'|'1970-01-01 01:00:00 +01:00'",
    [0n, -3_600_000n, 0n],
  ],
  [
    "fractions are cut, downwards",
    T.timestampMs,
    "'1970-01-01 08:00:00.1239'|'1970-01-01 07:59:59.9995'",
    [123n, -1n],
  ],
  ["json", T.json, `'{"b":1,"a":[1.50]}'`, ['{"a":[1.50],"b":1}']],
  ["vectors", { kind: "vector", dim: 2 }, "'[1, -2]'", [[0, 0, 128, 63, 0, 0, 0, 192]]],
])("%s", (_, type, literals, want) => {
  expect(valuesOf(convert(literals, columnOf(type)), want.length)).toEqual(want);
});

test.each<[string, ColumnType, string, string]>([
  ["300", T.uint8, "invalid_syntax", "Fail to parse number 300, invalid column type: UInt8"],
  ["1.5", T.int64, "invalid_syntax", "Fail to parse number 1.5, invalid column type: Int64"],
  ["5", T.string, "invalid_syntax", "Fail to parse number 5, invalid column type: String"],
  ["5", T.date, "invalid_syntax", "Fail to parse number 5, invalid column type: Date"],
  ["1.5", T.timestampMs, "invalid_syntax", "Fail to parse number 1.5"],
  ["'1'", T.int64, "invalid_arguments", "Column v expect type: Int64, actual: String '1'"],
  ["'true'", T.bool, "invalid_arguments", "Column v expect type: Boolean, actual: String 'true'"],
  ["1", T.bool, "invalid_arguments", "Column v expect type: Boolean, actual: Int64 1"],
  ["true", T.int8, "invalid_arguments", "Column v expect type: Int8, actual: Boolean true"],
  ["X'41'", T.string, "invalid_arguments", "Column v expect type: String, actual: Binary X'41'"],
  [
    "'x'",
    T.timestampMs,
    "invalid_syntax",
    "Failed to parse value: Failed to parse x to Timestamp value",
  ],
  [
    "'2024-01-01'",
    T.timestampMs,
    "invalid_syntax",
    "Failed to parse 2024-01-01 to Timestamp value",
  ],
  [
    "1747814093865000000",
    T.timestampMs,
    "invalid_syntax",
    "is out of range: the column counts milliseconds",
  ],
  [
    "'2300-01-01 00:00:00'",
    T.timestampNs,
    "invalid_syntax",
    "out of range: the column counts nanoseconds",
  ],
  ["'2023-02-29'", T.date, "invalid_syntax", "Failed to parse 2023-02-29 to Date value"],
  ["'{'", T.json, "invalid_syntax", "to Json value"],
  ["'[1]'", { kind: "vector", dim: 2 }, "invalid_syntax", "to Vector(2) value"],
  [
    "1000",
    { kind: "decimal", precision: 4, scale: 2 },
    "invalid_syntax",
    "invalid column type: Decimal(4, 2)",
  ],
])("%s is refused by %o", (literal, type, code, message) => {
  let error: unknown;
  try {
    convert(`NULL|${literal}`, columnOf(type));
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(DbError);
  expect((error as DbError).code).toBe(code);
  expect((error as DbError).message).toContain(message);
  // Every message says where: row, column, type and table.
  expect((error as DbError).message).toMatch(/\(row 2, column v .+ of table public\.t\)$/);
});

test("MySQL clients may quote numbers and booleans", () => {
  const mysql = { numericText: true };
  expect(valuesOf(convert("'12'|'-3'", columnOf(T.int32), mysql), 2)).toEqual([12, -3]);
  expect(valuesOf(convert("'1.5'|'2'", columnOf(T.float64), mysql), 2)).toEqual([1.5, 2]);
  expect(valuesOf(convert("'1'|'FALSE'", columnOf(T.bool), mysql), 2)).toEqual([1, 0]);
  expect(() => convert("'1.5'", columnOf(T.int32), mysql)).toThrow("Fail to parse number '1.5'");
  expect(() => convert("'maybe'", columnOf(T.bool), mysql)).toThrow("Boolean value");
});

test("DEFAULT is the column's, else NULL, else an error", () => {
  const withDefault = columnOf(T.int32, { default: { kind: "literal", value: 7 } });
  expect(valuesOf(convert("DEFAULT|1", withDefault), 2)).toEqual([7, 1]);
  const now = columnOf(T.timestampMs, { default: { kind: "now" } });
  expect(valuesOf(convert("default", now), 1)).toEqual([1_700_000_000_123n]);
  expect(valuesOf(convert("DEFAULT", columnOf(T.int32)), 1)).toEqual([null]);
  const must = columnOf(T.int32, { nullable: false });
  expect(() => convert("DEFAULT", must)).toThrow(
    "No valid default value can be built automatically, column: v",
  );
  expect(() => convert("NULL", must)).toThrow("column v is not null but input has null");
});

test("every double survives its decimal text", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const [got] = valuesOf(
        convert(Object.is(value, -0) ? "-0.0" : String(value), columnOf(T.float64)),
        1,
      );
      expect(got).toBe(value);
    }),
  );
});

test("every 64-bit integer survives", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      expect(valuesOf(convert(String(value), columnOf(T.int64)), 1)).toEqual([value]);
    }),
  );
});
