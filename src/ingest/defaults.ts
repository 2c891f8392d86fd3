/** DEFAULT values as columns. The SQL layer has checked them when the table was made. */
import { Bug, DbError } from "../base/mod.ts";
import {
  type Column,
  type ColumnSchema,
  type FixedArray,
  fixedArray,
  isNull,
  isVar,
  UNIT_NANOS,
} from "../types/mod.ts";

type Scalar = { readonly fixed: number | bigint } | { readonly bytes: Uint8Array };

/** `rows` times the column's default, or NULL where it may be; undefined when it has neither. */
export function defaultColumn(
  column: ColumnSchema,
  rows: number,
  nowNs: bigint,
): Column | undefined {
  const value = defaultScalar(column, nowNs);
  if (value === undefined) return column.nullable ? nullColumn(column, rows) : undefined;
  return repeat(column, value, rows);
}

/** The column with its default wherever it is NULL; undefined when a NULL remains that may not be. */
export function fillNulls(
  column: ColumnSchema,
  given: Column,
  rows: number,
  nowNs: bigint,
): Column | undefined {
  if (given.validity === undefined) return given;
  const value = defaultScalar(column, nowNs);
  if (value === undefined) return undefined;
  if (isVar(given) !== "bytes" in value) throw new Bug(`default of ${column.name} has its type`);
  const fill = repeat(column, value, 1);
  return isVar(given) ? fillVar(given, fill, rows) : fillFixed(given, fill, rows);
}

function defaultScalar(column: ColumnSchema, nowNs: bigint): Scalar | undefined {
  const { type } = column;
  const value = column.default;
  if (value === undefined) return undefined;
  if (value.kind === "now") {
    if (type.kind !== "timestamp") throw misfit(column);
    return { fixed: nowNs / UNIT_NANOS[type.unit] };
  }
  const literal = value.value;
  if (literal === null) return undefined;
  switch (type.kind) {
    case "string":
    case "json":
    case "binary":
      return { bytes: Buffer.from(String(literal)) };
    case "bool":
      return { fixed: literal === true ? 1 : 0 };
    case "date":
      return { fixed: typeof literal === "string" ? days(column, literal) : Number(literal) };
    case "int64":
    case "uint64":
    case "timestamp":
      return { fixed: integer(column, literal) };
    case "decimal":
      return { fixed: scaled(column, String(literal), type.scale) };
    case "float32":
    case "float64":
    case "int8":
    case "int16":
    case "int32":
    case "uint8":
    case "uint16":
    case "uint32":
      return { fixed: Number(literal) };
    default:
      throw misfit(column);
  }
}

function misfit(column: ColumnSchema): DbError {
  return new DbError(
    "invalid_arguments",
    `the default value of column ${column.name} does not fit its type`,
  );
}

function integer(column: ColumnSchema, literal: string | number | bigint | boolean): bigint {
  try {
    return BigInt(literal);
  } catch {
    throw misfit(column);
  }
}

const DAY_MS = 86_400_000;

function days(column: ColumnSchema, text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw misfit(column);
  return ms / DAY_MS;
}

/** "-1.5" at scale 2 → -150n. */
function scaled(column: ColumnSchema, text: string, scale: number): bigint {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text);
  const fraction = match?.[3] ?? "";
  if (match === null || fraction.length > scale) throw misfit(column);
  const digits = BigInt(`0${match[2]}${fraction.padEnd(scale, "0")}`);
  return match[1] === "-" ? -digits : digits;
}

function repeat(column: ColumnSchema, value: Scalar, rows: number): Column {
  const { type } = column;
  if ("bytes" in value) {
    const size = value.bytes.byteLength;
    const bytes = new Uint8Array(size * rows);
    for (let row = 0; row < rows; row++) bytes.set(value.bytes, row * size);
    return { type, offsets: Uint32Array.from({ length: rows + 1 }, (_, i) => i * size), bytes };
  }
  const values = fixedArray(column.type, rows);
  if (type.kind === "decimal") {
    const word = BigInt(value.fixed);
    const words = values as BigInt64Array;
    for (let row = 0; row < rows; row++) {
      words[2 * row] = BigInt.asIntN(64, word);
      words[2 * row + 1] = BigInt.asIntN(64, word >> 64n);
    }
  } else (values as Float64Array).fill(value.fixed as number);
  return { type, values };
}

function nullColumn(column: ColumnSchema, rows: number): Column {
  const { type } = column;
  const validity = new Uint8Array((rows + 7) >> 3);
  switch (type.kind) {
    case "string":
    case "json":
    case "binary":
    case "vector":
      return { type, offsets: new Uint32Array(rows + 1), bytes: new Uint8Array(0), validity };
    default:
      return { type, values: fixedArray(column.type, rows), validity };
  }
}

function fillFixed(given: Column, fill: Column, rows: number): Column {
  if (isVar(given) || isVar(fill)) throw new Bug("a fixed column has a fixed default");
  const values = given.values.slice() as Float64Array;
  const width = given.type.kind === "decimal" ? 2 : 1;
  for (let row = 0; row < rows; row++)
    if (isNull(given, row))
      for (let word = 0; word < width; word++)
        values[row * width + word] = (fill.values as Float64Array)[word]!;
  return { type: given.type, values: values as FixedArray };
}

function fillVar(given: Column, fill: Column, rows: number): Column {
  if (!isVar(given) || !isVar(fill)) throw new Bug("a text column has a text default");
  const offsets = new Uint32Array(rows + 1);
  const size = (row: number) =>
    isNull(given, row) ? fill.bytes.byteLength : given.offsets[row + 1]! - given.offsets[row]!;
  for (let row = 0; row < rows; row++) offsets[row + 1] = offsets[row]! + size(row);
  const bytes = new Uint8Array(offsets[rows]!);
  for (let row = 0; row < rows; row++)
    bytes.set(
      isNull(given, row)
        ? fill.bytes
        : given.bytes.subarray(given.offsets[row]!, given.offsets[row + 1]!),
      offsets[row],
    );
  return { type: given.type, offsets, bytes };
}
