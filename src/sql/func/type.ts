/** Functions about types: arrow_cast, arrow_try_cast, arrow_typeof. */
import { type ColumnType, T, type TimeUnit } from "../../types/mod.ts";
import type { Bound } from "../plan/bound.ts";
import { castTo } from "../plan/cast.ts";
import { planError } from "../plan/errors.ts";
import { stringLiteral } from "../plan/literal.ts";
import { scalar, type Table } from "./definition.ts";

const ARROW_UNIT: Readonly<Record<TimeUnit, string>> = { s: "s", ms: "ms", us: "µs", ns: "ns" };

/** Arrow's name of a type: Int64, Utf8, Timestamp(ms), Decimal128(10, 2). */
export function arrowName(type: ColumnType): string {
  switch (type.kind) {
    case "string":
      return "Utf8";
    case "bool":
      return "Boolean";
    case "date":
      return "Date32";
    case "json":
    case "vector":
    case "binary":
      return "Binary";
    case "timestamp":
      return `Timestamp(${ARROW_UNIT[type.unit]})`;
    case "time":
      return `Time64(${ARROW_UNIT[type.unit]})`;
    case "duration":
      return `Duration(${ARROW_UNIT[type.unit]})`;
    case "decimal":
      return `Decimal128(${type.precision}, ${type.scale})`;
    case "interval":
      return "Interval(MonthDayNano)";
    case "null":
      return "Null";
    case "list":
      return `List(${arrowName(type.item)})`;
    case "struct":
      return `Struct(${type.fields.map(([n, t]) => `"${n}": ${arrowName(t)}`).join(", ")})`;
    default:
      return type.kind
        .replace(/^uint/, "UInt")
        .replace(/^int/, "Int")
        .replace(/^float/, "Float");
  }
}

const SIMPLE: readonly ColumnType[] = [
  T.int8,
  T.int16,
  T.int32,
  T.int64,
  T.uint8,
  T.uint16,
  T.uint32,
  T.uint64,
  T.float32,
  T.float64,
  T.bool,
  T.string,
  T.binary,
  T.date,
];

function parseArrowName(name: string): ColumnType {
  const compact = name.replace(/\s+/g, "");
  const simple = SIMPLE.find((type) => arrowName(type) === compact);
  if (simple !== undefined) return simple;
  if (compact === "LargeUtf8" || compact === "Utf8View") return T.string;
  const time =
    /^Timestamp\((s|ms|us|µs|ns|Second|Millisecond|Microsecond|Nanosecond)(,None)?\)$/.exec(
      compact,
    );
  if (time !== null) {
    const word = time[1]!;
    const unit = { Second: "s", Millisecond: "ms", Microsecond: "us", Nanosecond: "ns", µs: "us" }[
      word
    ];
    return { kind: "timestamp", unit: (unit ?? word) as TimeUnit };
  }
  const decimal = /^Decimal128\((\d+),(\d+)\)$/.exec(compact);
  if (decimal !== null)
    return { kind: "decimal", precision: Number(decimal[1]), scale: Number(decimal[2]) };
  throw planError(
    `Unsupported type '${name}'. Must be a supported arrow type name such as 'Int32' or 'Timestamp(ns)'`,
  );
}

const arrowCast = (safe: boolean) =>
  scalar(2, (args: readonly Bound[]) => {
    const [x, type] = args as [Bound, Bound];
    if (type.constant?.kind !== "string")
      throw planError("arrow_cast requires its second argument to be a constant string");
    const {
      sql,
      type: target,
      constant,
    } = castTo(x, parseArrowName(type.constant.value), { safe });
    return { sql, type: target, constant };
  });

export const TYPE: Table = {
  arrow_cast: arrowCast(false),
  arrow_try_cast: arrowCast(true),
  arrow_typeof: scalar(1, ([x]) => {
    const { sql, type, constant } = stringLiteral(arrowName(x!.type));
    return { sql, type, constant };
  }),
};
