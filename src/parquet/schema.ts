/**
 * Column types as Parquet declares them. Numbers are those of the format's specification (parquet.thrift). What DuckDB reads back is the
 * column's type, with the exceptions of docs/format/sst.md.
 */
import { type Physical, physicalOf } from "../kernel/mod.ts";
import type { ColumnType } from "../types/mod.ts";
import { bool, i8, i32, struct, type Thrift, text } from "./thrift.ts";

export interface FileColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly required: boolean;
}

export const PHYSICAL: Readonly<Record<Physical, number>> = {
  boolean: 0,
  int32: 1,
  int64: 2,
  float: 4,
  double: 5,
  bytes: 6,
  wide: 7,
};

const REQUIRED = 0;
const OPTIONAL = 1;

/** ConvertedType, which older readers know, and LogicalType, which says more. */
interface Annotation {
  readonly converted?: number;
  readonly logical?: Thrift;
}

const empty = struct();

function integer(converted: number, bits: number, signed: boolean): Annotation {
  return { converted, logical: struct([10, struct([1, i8(bits)], [2, bool(signed)])]) };
}

/** Local times, as DuckDB's TIMESTAMP; the older annotations would make them instants. */
function timestamp(unitField: 2 | 3): Annotation {
  return { logical: struct([8, struct([1, bool(false)], [2, struct([unitField, empty])])]) };
}

function annotationOf(type: ColumnType): Annotation {
  switch (type.kind) {
    case "int8":
      return integer(15, 8, true);
    case "int16":
      return integer(16, 16, true);
    case "int32":
      return integer(17, 32, true);
    case "int64":
      return integer(18, 64, true);
    case "uint8":
      return integer(11, 8, false);
    case "uint16":
      return integer(12, 16, false);
    case "uint32":
      return integer(13, 32, false);
    case "uint64":
      return integer(14, 64, false);
    case "string":
    case "json":
      return { converted: 0, logical: struct([1, empty]) };
    case "date":
      return { converted: 6, logical: struct([6, empty]) };
    case "timestamp":
      return timestamp(type.unit === "ns" ? 3 : 2);
    case "decimal":
      return {
        converted: 5,
        logical: struct([5, struct([1, i32(type.scale)], [2, i32(type.precision)])]),
      };
    default:
      return {};
  }
}

/** SchemaElement of a column. */
export function schemaElement(column: FileColumn): Thrift {
  const { type } = column;
  const physical = physicalOf(type);
  const { converted, logical } = annotationOf(type);
  const decimal = type.kind === "decimal" ? type : undefined;
  return struct(
    [1, i32(PHYSICAL[physical])],
    [2, physical === "wide" ? i32(16) : undefined],
    [3, i32(column.required ? REQUIRED : OPTIONAL)],
    [4, text(column.name)],
    [6, converted === undefined ? undefined : i32(converted)],
    [7, decimal && i32(decimal.scale)],
    [8, decimal && i32(decimal.precision)],
    [10, logical],
  );
}

/** SchemaElement of the root. */
export function schemaRoot(columns: number): Thrift {
  return struct([4, text("schema")], [5, i32(columns)]);
}
