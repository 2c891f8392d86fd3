/** Kinds of types and the types that two of them meet in. */
import { type ColumnType, sameType, T, UNIT_NANOS } from "../../types/mod.ts";

const SIGNED = ["int8", "int16", "int32", "int64"];
const UNSIGNED = ["uint8", "uint16", "uint32", "uint64"];

export const isSigned = (type: ColumnType) => SIGNED.includes(type.kind);
export const isUnsigned = (type: ColumnType) => UNSIGNED.includes(type.kind);
export const isInteger = (type: ColumnType) => isSigned(type) || isUnsigned(type);
export const isFloat = (type: ColumnType) => type.kind === "float32" || type.kind === "float64";
export const isNumeric = (type: ColumnType) =>
  isInteger(type) || isFloat(type) || type.kind === "decimal";

/** Bytes of an integer type. */
function width(type: ColumnType): number {
  return 1 << Math.max(SIGNED.indexOf(type.kind), UNSIGNED.indexOf(type.kind));
}

/** Smallest and largest value of an integer type. */
export function integerRange(type: ColumnType): readonly [bigint, bigint] {
  const bits = BigInt(width(type) * 8);
  return isUnsigned(type)
    ? [0n, (1n << bits) - 1n]
    : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
}

const signedOf = (bytes: number): ColumnType =>
  bytes === 1 ? T.int8 : bytes === 2 ? T.int16 : bytes === 4 ? T.int32 : T.int64;

/** Digits that hold every value of an integer type, as a decimal. */
export function decimalOf(type: ColumnType): { precision: number; scale: number } {
  if (type.kind === "decimal") return type;
  const digits = { 1: 3, 2: 5, 4: 10, 8: 20 }[width(type)]!;
  return { precision: digits, scale: 0 };
}

/** The type in which two numbers are added or compared; undefined if one is no number. */
export function commonNumeric(a: ColumnType, b: ColumnType): ColumnType | undefined {
  if (!isNumeric(a) || !isNumeric(b)) return undefined;
  if (a.kind === "decimal" || b.kind === "decimal") {
    if (isFloat(a) || isFloat(b)) return T.float64;
    const x = decimalOf(a);
    const y = decimalOf(b);
    const scale = Math.max(x.scale, y.scale);
    const whole = Math.max(x.precision - x.scale, y.precision - y.scale);
    return { kind: "decimal", precision: Math.min(38, whole + scale), scale };
  }
  if (a.kind === "float64" || b.kind === "float64") return T.float64;
  if (isFloat(a) || isFloat(b)) return T.float32;
  if (isSigned(a) === isSigned(b)) return width(a) >= width(b) ? a : b;
  // A signed type one step wider holds both; there is none above 64 bits.
  const [signed, unsigned] = isSigned(a) ? [a, b] : [b, a];
  return signedOf(Math.max(width(signed), Math.min(8, width(unsigned) * 2)));
}

/** The type of CASE branches, COALESCE arguments, UNION columns; undefined if there is none. */
export function commonType(a: ColumnType, b: ColumnType): ColumnType | undefined {
  if (sameType(a, b)) return a;
  if (a.kind === "null") return b;
  if (b.kind === "null") return a;
  const numeric = commonNumeric(a, b);
  if (numeric !== undefined) return numeric;
  if (a.kind === "timestamp" && b.kind === "timestamp")
    return UNIT_NANOS[a.unit] <= UNIT_NANOS[b.unit] ? a : b;
  if (a.kind === "timestamp" && b.kind === "date") return a;
  if (a.kind === "date" && b.kind === "timestamp") return b;
  if (a.kind === "list" && b.kind === "list") {
    const item = commonType(a.item, b.item);
    return item === undefined ? undefined : { kind: "list", item };
  }
  if (a.kind === "string" || b.kind === "string") {
    const other = a.kind === "string" ? b : a;
    if (other.kind === "list" || other.kind === "struct" || other.kind === "interval")
      return undefined;
    return T.string;
  }
  return undefined;
}
