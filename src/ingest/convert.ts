/**
 * A column of one type as a column of another, where the values survive: wider and narrower numbers with a range check,
 * any integer into a float, timestamps of another unit, text into JSON when it is JSON. Everything else has no conversion,
 * on purpose: a string is never parsed into a number, a fraction never cut off.
 */
import {
  type Column,
  type ColumnType,
  type FixedColumn,
  fixedArray,
  isNull,
  isVar,
  sameType,
} from "../types/mod.ts";
import { convertTicks } from "./times.ts";

/** Called for each row whose value does not fit; its place in the result is unspecified. */
export type Misfit = (row: number) => void;

type Convert = (column: Column, rows: number, misfit: Misfit) => Column;

/** Inclusive ranges of the integer types. */
const RANGE: Readonly<Partial<Record<ColumnType["kind"], readonly [bigint, bigint]>>> = {
  int8: [-(2n ** 7n), 2n ** 7n - 1n],
  int16: [-(2n ** 15n), 2n ** 15n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint8: [0n, 2n ** 8n - 1n],
  uint16: [0n, 2n ** 16n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

const isInteger = (type: ColumnType) => RANGE[type.kind] !== undefined;
const isFloat = (type: ColumnType) => type.kind === "float32" || type.kind === "float64";
const is64 = (type: ColumnType) => type.kind === "int64" || type.kind === "uint64";

/** How values of `from` become values of `to`; undefined when they do not. */
export function conversion(from: ColumnType, to: ColumnType): Convert | undefined {
  if (sameType(from, to)) return (column) => column;
  if (isInteger(from) && isInteger(to))
    return (column, rows, misfit) => toInteger(column, rows, to, misfit);
  if (isInteger(from) && isFloat(to)) return (column, rows) => toFloat(column, rows, to);
  if (isFloat(from) && isFloat(to))
    return (column, rows, misfit) => floatToFloat(column, rows, to, misfit);
  if (from.kind === "timestamp" && to.kind === "timestamp")
    return (column, rows, misfit) => ({
      type: to,
      values: convertTicks(
        (column as FixedColumn).values as BigInt64Array,
        rows,
        from.unit,
        to.unit,
        (row) => {
          if (!isNull(column, row)) misfit(row);
        },
      ),
      validity: column.validity,
    });
  if (from.kind === "json" && to.kind === "string") return (column) => ({ ...column, type: to });
  if (from.kind === "string" && to.kind === "json") return toJson;
  return undefined;
}

function toInteger(column: Column, rows: number, to: ColumnType, misfit: Misfit): Column {
  const { values, validity } = column as FixedColumn;
  const [min, max] = RANGE[to.kind]!;
  const out = fixedArray(to, rows);
  const wide = is64(to);
  for (let row = 0; row < rows; row++) {
    const value = values[row]!;
    // Comparing a number with a bigint is exact.
    if (value < min || value > max) {
      if (!isNull(column, row)) misfit(row);
    } else if (wide) (out as BigInt64Array)[row] = BigInt(value);
    else (out as Int32Array)[row] = Number(value);
  }
  return { type: to, values: out, validity };
}

function toFloat(column: Column, rows: number, to: ColumnType): Column {
  const { values, validity } = column as FixedColumn;
  const out = to.kind === "float32" ? new Float32Array(rows) : new Float64Array(rows);
  for (let row = 0; row < rows; row++) out[row] = Number(values[row]!);
  return { type: to, values: out, validity };
}

function floatToFloat(column: Column, rows: number, to: ColumnType, misfit: Misfit): Column {
  const { validity } = column;
  const values = (column as FixedColumn).values as Float64Array;
  if (to.kind === "float64") return { type: to, values: Float64Array.from(values), validity };
  const out = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    out[row] = values[row]!;
    // Digits may be lost, as in a FLOAT column of any SQL database; a number may not become infinite.
    if (Number.isFinite(values[row]!) && !Number.isFinite(out[row]!) && !isNull(column, row))
      misfit(row);
  }
  return { type: to, values: out, validity };
}

const toJson: Convert = (column, rows, misfit) => {
  if (!isVar(column)) return column;
  const decoder = new TextDecoder();
  for (let row = 0; row < rows; row++) {
    if (isNull(column, row)) continue;
    try {
      JSON.parse(
        decoder.decode(column.bytes.subarray(column.offsets[row], column.offsets[row + 1])),
      );
    } catch {
      misfit(row);
    }
  }
  return { ...column, type: { kind: "json" } };
};

/** A value for a message: short, quoted when it is text. */
export function showValue(column: Column, row: number): string {
  if (isNull(column, row)) return "NULL";
  if (!isVar(column)) {
    const value = column.values[row]!;
    return column.type.kind === "bool" ? String(value !== 0) : String(value);
  }
  const bytes = column.bytes.subarray(column.offsets[row]!, column.offsets[row + 1]!);
  // 40 characters tell which value it was; a log line of any length does not belong into an error message.
  const text = new TextDecoder().decode(bytes.subarray(0, 160));
  return text.length > 40 || bytes.length > 160 ? `"${text.slice(0, 40)}…"` : `"${text}"`;
}
