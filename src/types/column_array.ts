/** The typed array behind a fixed-width column. Pure. */
import { Bug } from "../base/mod.ts";
import type { FixedArray } from "./batch.ts";
import type { ColumnType } from "./column_type.ts";

/** Array elements of one row: a decimal has a low and a high word. */
export function wordsPerRow(type: ColumnType): 1 | 2 {
  return type.kind === "decimal" ? 2 : 1;
}

/** Throws Bug for variable-width and expression-only types. */
export function arrayClassOf(type: ColumnType): new (length: number) => FixedArray {
  switch (type.kind) {
    case "int8":
      return Int8Array;
    case "int16":
      return Int16Array;
    case "int32":
    case "date":
      return Int32Array;
    case "uint8":
    case "bool":
      return Uint8Array;
    case "uint16":
      return Uint16Array;
    case "uint32":
      return Uint32Array;
    case "uint64":
      return BigUint64Array;
    case "float32":
      return Float32Array;
    case "float64":
      return Float64Array;
    case "int64":
    case "timestamp":
    case "time":
    case "duration":
    case "decimal":
      return BigInt64Array;
    default:
      throw new Bug(`${type.kind} is no fixed-width column type`);
  }
}

/** Zeroed, for `rows` rows. */
export function fixedArray(type: ColumnType, rows: number): FixedArray {
  return new (arrayClassOf(type))(rows * wordsPerRow(type));
}
