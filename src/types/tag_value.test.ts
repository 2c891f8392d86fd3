import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Column } from "./batch.ts";
import { allValid, textColumn } from "./column_build.ts";
import { type ColumnType, T } from "./column_type.ts";
import { decodeTagValue, encodeTagColumn, encodeTagValue, tagValueSql } from "./tag_value.ts";

/** Dictionary texts of a column, null for NULL. */
function texts(column: Column, rows: number): (string | null)[] {
  const out = encodeTagColumn(column, rows);
  return Array.from({ length: rows }, (_, row) =>
    out.validity !== undefined && ((out.validity[row >> 3]! >> (row & 7)) & 1) === 0
      ? null
      : new TextDecoder().decode(out.bytes.subarray(out.offsets[row]!, out.offsets[row + 1]!)),
  );
}

describe("tag values", () => {
  test("any string comes back, and only NULL is absent", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.nat(3).map((n) => "\0".repeat(n)),
        ),
        (value) => {
          const text = encodeTagValue(value);
          expect(text).not.toBe("");
          expect(decodeTagValue(text)).toBe(value);
        },
      ),
      { seed: Number(process.env.SEED ?? 1) },
    );
    expect(decodeTagValue("")).toBe("");
  });

  test("a plain string column is passed on without a copy", () => {
    const column = textColumn(3, (row) => ["a", undefined, "b"][row]);
    expect(encodeTagColumn(column, 3)).toBe(column);
    expect(
      texts(
        textColumn(3, (row) => ["", undefined, "\0"][row]),
        3,
      ),
    ).toEqual(["\0", null, "\0\0"]);
  });

  const cases: [
    ColumnType,
    Column["type"]["kind"],
    ArrayLike<number> | bigint[],
    string[],
    string,
  ][] = [
    [T.int8, "int8", new Int8Array([-128, 7]), ["-128", "7"], "-128"],
    [
      T.uint64,
      "uint64",
      new BigUint64Array([2n ** 64n - 1n, 0n]) as never,
      ["18446744073709551615", "0"],
      "18446744073709551615",
    ],
    [
      T.float64,
      "float64",
      new Float64Array([0.1, Number.NEGATIVE_INFINITY]),
      ["0.1", "-Infinity"],
      "0.1",
    ],
    [T.float32, "float32", new Float32Array([0.1, -0]), ["0.10000000149011612", "0"], "0.1"],
    [T.bool, "bool", new Uint8Array([1, 0]), ["true", "false"], "true"],
    [T.date, "date", new Int32Array([-1, 19000]), ["-1", "19000"], "1969-12-31"],
    [
      T.timestampS,
      "timestamp",
      new BigInt64Array([-5n, 0n]) as never,
      ["-5", "0"],
      "1969-12-31 23:59:55",
    ],
    [
      T.timestampMs,
      "timestamp",
      new BigInt64Array([-5n, 0n]) as never,
      ["-5", "0"],
      "1969-12-31 23:59:59.995",
    ],
    [
      T.timestampUs,
      "timestamp",
      new BigInt64Array([5n, 0n]) as never,
      ["5", "0"],
      "1970-01-01 00:00:00.000005",
    ],
    [
      T.timestampNs,
      "timestamp",
      new BigInt64Array([5n, 0n]) as never,
      ["5", "0"],
      "1970-01-01 00:00:00.000000005",
    ],
    [
      { kind: "decimal", precision: 20, scale: 2 },
      "decimal",
      new BigInt64Array([-150n, -1n, 5n, 0n]) as never,
      ["-1.50", "0.05"],
      "-1.50",
    ],
  ];
  test("each type has one text, and DuckDB reads the value back from it", async () => {
    const duck = await DuckDBInstance.create(":memory:");
    const connection = await duck.connect();
    for (const [type, , values, want, shown] of cases) {
      const column = { type, values, validity: allValid(2) } as unknown as Column;
      expect(texts(column, 2), type.kind).toEqual(want);
      const sql = `SELECT CAST(${tagValueSql(type, `'${want[0]}'`)} AS VARCHAR)`;
      expect((await connection.runAndReadAll(sql)).getRowsJson(), sql).toEqual([[shown]]);
    }
    for (const [type] of cases) {
      const junk = await connection.runAndReadAll(`SELECT ${tagValueSql(type, "'x'")}`);
      expect(junk.getRowsJson(), type.kind).toEqual([[null]]);
    }
    const junk = await connection.runAndReadAll(`SELECT ${tagValueSql(T.binary, "'xyz'")}`);
    expect(junk.getRowsJson()).toEqual([[null]]);
    const nuls = await connection.runAndReadAll(
      `SELECT ${tagValueSql(T.string, "v")} FROM (VALUES (chr(0)), (chr(0) || chr(0)), (chr(0) || 'a'), ('b'), (NULL)) t(v)`,
    );
    expect(nuls.getRowsJson()).toEqual([[""], ["\0"], ["\0a"], ["b"], [null]]);
    const blob = `SELECT hex(${tagValueSql(T.binary, "'00ff'")}), octet_length(${tagValueSql(T.binary, "chr(0)")})`;
    expect((await connection.runAndReadAll(blob)).getRowsJson()).toEqual([["00FF", "0"]]);
    connection.closeSync();
  });

  test("binary is hex, empty binary is a value", () => {
    const column: Column = {
      type: T.binary,
      offsets: new Uint32Array([0, 2, 2]),
      bytes: new Uint8Array([0, 255]),
    };
    expect(texts(column, 2)).toEqual(["00ff", "\0"]);
  });
});
