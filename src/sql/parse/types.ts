/** Type names: every spelling of the dialect, to the type that it means to us. */
import { type ColumnType, T } from "../../types/mod.ts";
import type { TypeName } from "../ast.ts";
import type { Cursor } from "./cursor.ts";

/** Spellings without parameters. INT8 is 64 bits and UINT8 is 8 bits: the reference's inheritance. */
const SIMPLE: Readonly<Record<string, ColumnType>> = {
  TINYINT: T.int8,
  SMALLINT: T.int16,
  INT2: T.int16,
  INT16: T.int16,
  MEDIUMINT: T.int32,
  INT: T.int32,
  INTEGER: T.int32,
  INT4: T.int32,
  INT32: T.int32,
  BIGINT: T.int64,
  INT8: T.int64,
  INT64: T.int64,
  SIGNED: T.int64,
  UNSIGNED: T.uint64,
  UINT8: T.uint8,
  UINT16: T.uint16,
  UINT32: T.uint32,
  UINT64: T.uint64,
  UTINYINT: T.uint8,
  USMALLINT: T.uint16,
  UINT: T.uint32,
  UBIGINT: T.uint64,
  FLOAT: T.float32,
  FLOAT4: T.float32,
  FLOAT32: T.float32,
  REAL: T.float32,
  DOUBLE: T.float64,
  "DOUBLE PRECISION": T.float64,
  FLOAT8: T.float64,
  FLOAT64: T.float64,
  BOOLEAN: T.bool,
  BOOL: T.bool,
  STRING: T.string,
  TEXT: T.string,
  TINYTEXT: T.string,
  MEDIUMTEXT: T.string,
  LONGTEXT: T.string,
  VARCHAR: T.string,
  NVARCHAR: T.string,
  CHAR: T.string,
  CHARACTER: T.string,
  "CHAR VARYING": T.string,
  "CHARACTER VARYING": T.string,
  BINARY: T.binary,
  VARBINARY: T.binary,
  BLOB: T.binary,
  BYTEA: T.binary,
  BYTES: T.binary,
  DATE: T.date,
  DATE32: T.date,
  TIMESTAMP: T.timestampMs,
  TIMESTAMPTZ: T.timestampMs,
  "TIMESTAMP WITH TIME ZONE": T.timestampMs,
  "TIMESTAMP WITHOUT TIME ZONE": T.timestampMs,
  TIMESTAMP_S: T.timestampS,
  TIMESTAMP_SEC: T.timestampS,
  TIMESTAMP_MS: T.timestampMs,
  TIMESTAMP_US: T.timestampUs,
  TIMESTAMP_NS: T.timestampNs,
  DATETIME: T.timestampUs,
  TIME: { kind: "time", unit: "ns" },
  INTERVAL: T.interval,
  JSON: T.json,
  DECIMAL: { kind: "decimal", precision: 38, scale: 10 },
  NUMERIC: { kind: "decimal", precision: 38, scale: 10 },
  DEC: { kind: "decimal", precision: 38, scale: 10 },
};

const UNSIGNED: Readonly<Record<string, ColumnType>> = {
  TINYINT: T.uint8,
  SMALLINT: T.uint16,
  INT2: T.uint16,
  INT: T.uint32,
  INTEGER: T.uint32,
  INT4: T.uint32,
  MEDIUMINT: T.uint32,
  BIGINT: T.uint64,
  INT8: T.uint64,
};

const TIMESTAMP_BY_PRECISION: Readonly<Record<number, ColumnType>> = {
  0: T.timestampS,
  3: T.timestampMs,
  6: T.timestampUs,
  9: T.timestampNs,
};

/** First words of types that may stand before a string: `DATE '2024-01-01'`. */
export const TYPED_STRING = new Set(
  "date time timestamp timestamptz timestamp_s timestamp_sec timestamp_ms timestamp_us timestamp_ns datetime json".split(
    " ",
  ),
);

export function parseType(p: Cursor): TypeName {
  let type = parseScalarType(p);
  while (p.isOp("[") && p.isOp("]", 1)) {
    p.next();
    p.next();
    type = {
      spelled: `${type.spelled}[]`,
      type: type.type === undefined ? undefined : { kind: "list", item: type.type },
    };
  }
  return type;
}

function parseScalarType(p: Cursor): TypeName {
  const token = p.peek();
  if (token.kind !== "word" && token.kind !== "quoted") p.fail("a data type name");
  p.next();
  let name = token.value.toUpperCase();
  if (name === "DOUBLE" && p.take("precision")) name = "DOUBLE PRECISION";
  else if ((name === "CHAR" || name === "CHARACTER") && p.take("varying")) name += " VARYING";
  else if (name === "NATIONAL" && (p.take("character") || p.take("char"))) name = "CHAR";
  const args = p.isOp("(") ? parseTypeArgs(p) : [];
  let spelled = args.length === 0 ? name : `${name}(${args.join(", ")})`;
  if (name === "TIMESTAMP" || name === "TIME") {
    if (p.take("with", "time", "zone")) spelled += " WITH TIME ZONE";
    else if (p.take("without", "time", "zone")) spelled += " WITHOUT TIME ZONE";
  }
  const unsigned = UNSIGNED[name];
  if (unsigned !== undefined && p.take("unsigned"))
    return { spelled: `${spelled} UNSIGNED`, type: unsigned };
  return { spelled, type: typeOf(name, args) };
}

function parseTypeArgs(p: Cursor): number[] {
  return p.parenthesised(() => {
    const token = p.peek();
    if (token.kind !== "number" || !/^\d{1,9}$/.test(token.value)) p.fail("literal integer");
    p.next();
    return Number(token.value);
  });
}

function typeOf(name: string, args: readonly number[]): ColumnType | undefined {
  const first = args[0];
  switch (name) {
    case "TIMESTAMP":
    case "TIMESTAMPTZ":
    case "DATETIME":
      return first === undefined ? SIMPLE[name] : TIMESTAMP_BY_PRECISION[first];
    case "DECIMAL":
    case "NUMERIC":
    case "DEC": {
      if (first === undefined) return SIMPLE[name];
      const scale = args[1] ?? 0;
      // 38 digits fill the 128 bits of a decimal.
      if (first < 1 || first > 38 || scale > first) return undefined;
      return { kind: "decimal", precision: first, scale };
    }
    case "VECTOR":
      return first === undefined || first < 1 ? undefined : { kind: "vector", dim: first };
    default:
      return Object.hasOwn(SIMPLE, name) ? SIMPLE[name] : undefined;
  }
}
