/** Column types: what a table can hold, their names in every dialect, and the width of a value in memory. */
import { DbError } from "../base/mod.ts";

export type TimeUnit = "s" | "ms" | "us" | "ns";

/** Kinds without parameters. `interval` and `null` are only of expressions, never of stored columns. */
export type SimpleKind =
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "float32"
  | "float64"
  | "bool"
  | "string"
  | "binary"
  | "date"
  | "json"
  | "interval"
  | "null";

export type ColumnType =
  | { readonly kind: SimpleKind }
  | { readonly kind: "timestamp"; readonly unit: TimeUnit }
  | { readonly kind: "decimal"; readonly precision: number; readonly scale: number }
  | { readonly kind: "vector"; readonly dim: number }
  /** The rest only of expressions, never of stored columns. */
  | { readonly kind: "time"; readonly unit: TimeUnit }
  | { readonly kind: "duration"; readonly unit: TimeUnit }
  | { readonly kind: "list"; readonly item: ColumnType }
  | { readonly kind: "struct"; readonly fields: readonly (readonly [string, ColumnType])[] };

const simple = <K extends SimpleKind>(kind: K) => Object.freeze({ kind });
const time = (unit: TimeUnit) => Object.freeze({ kind: "timestamp", unit } as const);

/** The types without parameters, and the four timestamps, ready made. */
export const T = Object.freeze({
  int8: simple("int8"),
  int16: simple("int16"),
  int32: simple("int32"),
  int64: simple("int64"),
  uint8: simple("uint8"),
  uint16: simple("uint16"),
  uint32: simple("uint32"),
  uint64: simple("uint64"),
  float32: simple("float32"),
  float64: simple("float64"),
  bool: simple("bool"),
  string: simple("string"),
  binary: simple("binary"),
  date: simple("date"),
  json: simple("json"),
  null: simple("null"),
  interval: simple("interval"),
  timestampS: time("s"),
  timestampMs: time("ms"),
  timestampUs: time("us"),
  timestampNs: time("ns"),
});

/** Nanoseconds in one tick of a unit. */
export const UNIT_NANOS: Readonly<Record<TimeUnit, bigint>> = Object.freeze({
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  ns: 1n,
});

const PRECISION: Readonly<Record<TimeUnit, 0 | 3 | 6 | 9>> = { s: 0, ms: 3, us: 6, ns: 9 };
const UNIT_WORD: Readonly<Record<TimeUnit, string>> = {
  s: "Second",
  ms: "Millisecond",
  us: "Microsecond",
  ns: "Nanosecond",
};

export function sameType(a: ColumnType, b: ColumnType): boolean {
  return typeName(a) === typeName(b);
}

/** Native name, as DESC and HTTP `data_type` print it: `Int64`, `TimestampNanosecond`, `Decimal(10, 2)`. */
export function typeName(type: ColumnType): string {
  switch (type.kind) {
    case "int8":
      return "Int8";
    case "int16":
      return "Int16";
    case "int32":
      return "Int32";
    case "int64":
      return "Int64";
    case "uint8":
      return "UInt8";
    case "uint16":
      return "UInt16";
    case "uint32":
      return "UInt32";
    case "uint64":
      return "UInt64";
    case "float32":
      return "Float32";
    case "float64":
      return "Float64";
    case "bool":
      return "Boolean";
    case "string":
      return "String";
    case "binary":
      return "Binary";
    case "date":
      return "Date";
    case "json":
      return "Json";
    case "timestamp":
      return `Timestamp${UNIT_WORD[type.unit]}`;
    case "time":
      return `Time${UNIT_WORD[type.unit]}`;
    case "duration":
      return `Duration${UNIT_WORD[type.unit]}`;
    case "decimal":
      return `Decimal(${type.precision}, ${type.scale})`;
    case "vector":
      return `Vector(${type.dim})`;
    case "interval":
      return "IntervalMonthDayNano";
    case "null":
      return "Null";
    case "list":
      return `List<${typeName(type.item)}>`;
    case "struct":
      return `Struct<${type.fields.map(([n, t]) => `${n}: ${typeName(t)}`).join(", ")}>`;
  }
}

/** SQL name, as SHOW CREATE TABLE prints it: `BIGINT UNSIGNED`, `TIMESTAMP(9)`, `STRING`. */
export function sqlTypeName(type: ColumnType): string {
  switch (type.kind) {
    case "int8":
      return "TINYINT";
    case "int16":
      return "SMALLINT";
    case "int32":
      return "INT";
    case "int64":
      return "BIGINT";
    case "uint8":
      return "TINYINT UNSIGNED";
    case "uint16":
      return "SMALLINT UNSIGNED";
    case "uint32":
      return "INT UNSIGNED";
    case "uint64":
      return "BIGINT UNSIGNED";
    case "float32":
      return "FLOAT";
    case "float64":
      return "DOUBLE";
    case "bool":
      return "BOOLEAN";
    case "string":
      return "STRING";
    case "binary":
      return "VARBINARY";
    case "date":
      return "DATE";
    case "json":
      return "JSON";
    case "timestamp":
      return `TIMESTAMP(${PRECISION[type.unit]})`;
    case "decimal":
      return `DECIMAL(${type.precision}, ${type.scale})`;
    case "vector":
      return `VECTOR(${type.dim})`;
    default:
      return typeName(type).toUpperCase();
  }
}

/** Name in DuckDB. JSON is kept as text; binary and vector as BLOB; expression-only types as DuckDB's own. */
export function duckTypeName(type: ColumnType): string {
  switch (type.kind) {
    case "int8":
      return "TINYINT";
    case "int16":
      return "SMALLINT";
    case "int32":
      return "INTEGER";
    case "int64":
      return "BIGINT";
    case "uint8":
      return "UTINYINT";
    case "uint16":
      return "USMALLINT";
    case "uint32":
      return "UINTEGER";
    case "uint64":
      return "UBIGINT";
    case "float32":
      return "FLOAT";
    case "float64":
      return "DOUBLE";
    case "bool":
      return "BOOLEAN";
    case "string":
      return "VARCHAR";
    case "json":
      return "VARCHAR";
    case "binary":
      return "BLOB";
    case "vector":
      return "BLOB";
    case "date":
      return "DATE";
    case "timestamp":
      return { s: "TIMESTAMP_S", ms: "TIMESTAMP_MS", us: "TIMESTAMP", ns: "TIMESTAMP_NS" }[
        type.unit
      ];
    case "decimal":
      return `DECIMAL(${type.precision},${type.scale})`;
    case "interval":
      return "INTERVAL";
    case "time":
      return "TIME";
    case "duration":
      return "BIGINT";
    case "null":
      return "INTEGER";
    case "list":
      return `${duckTypeName(type.item)}[]`;
    case "struct":
      return `STRUCT(${type.fields.map(([n, t]) => `"${n.replaceAll('"', '""')}" ${duckTypeName(t)}`).join(", ")})`;
  }
}

/** Bytes of one value in a fixed-width column; 0 for variable-width ones (string, binary, json, vector). */
export function valueBytes(type: ColumnType): 0 | 1 | 2 | 4 | 8 | 16 {
  switch (type.kind) {
    case "int8":
    case "uint8":
    case "bool":
      return 1;
    case "int16":
    case "uint16":
      return 2;
    case "int32":
    case "uint32":
    case "float32":
    case "date":
      return 4;
    case "int64":
    case "uint64":
    case "float64":
    case "timestamp":
    case "time":
    case "duration":
      return 8;
    case "decimal":
      return 16;
    case "string":
    case "binary":
    case "json":
    case "vector":
      return 0;
    default:
      throw new DbError("unsupported", `${typeName(type)} cannot be stored in a column`);
  }
}

/** The DEFAULT time index and value column names of auto-created tables. */
export const DEFAULT_TIME_INDEX = "greptime_timestamp";
export const DEFAULT_VALUE_FIELD = "greptime_value";
