/** Values as people read them in a table: the texts of Arrow's pretty printer. Pure. */
import { timestampText } from "../../../query/mod.ts";
import {
  type ColumnType,
  dateText,
  floatText,
  type TimeUnit,
  UNIT_NANOS,
} from "../../../types/mod.ts";
import { intervalText, isInterval } from "./interval.ts";

const NANOS_PER_SECOND = 1_000_000_000n;

/** How values of a type are written; NULL is the caller's (an empty cell). */
export function prettyWriter(type: ColumnType): (value: unknown) => string {
  switch (type.kind) {
    case "float32":
      return (value) => floatText(value as number, 32);
    case "float64":
      return (value) => floatText(value as number);
    case "bool":
      return (value) => (value === true || value === 1 ? "true" : "false");
    case "timestamp":
      return (value) => timestampText(value as bigint, type.unit).replace(" ", "T");
    case "date":
      return (value) => dateText(value as number);
    case "time":
      return (value) => timestampText(value as bigint, type.unit).slice(11);
    case "duration":
      return (value) => durationText(value as bigint, type.unit);
    case "interval":
      return (value) => (isInterval(value) ? intervalText(value) : "");
    case "binary":
    case "vector":
      return (value) => Buffer.from(value as Uint8Array).toString("hex");
    case "list": {
      const item = prettyWriter(type.item);
      return (value) =>
        `[${(value as readonly unknown[]).map((v) => (v === null ? "" : item(v))).join(", ")}]`;
    }
    case "struct": {
      const parts = type.fields.map(([name, part]) => [name, prettyWriter(part)] as const);
      return (value) => {
        const fields = value as Readonly<Record<string, unknown>>;
        return `{${parts
          .map(([name, write]) => {
            const field = fields[name];
            return `${name}: ${field === null || field === undefined ? "" : write(field)}`;
          })
          .join(", ")}}`;
      };
    }
    default:
      return (value) => String(value);
  }
}

/** ISO 8601 in seconds: `PT0.25S`, `-PT90S`, and `P0D` for none. */
function durationText(ticks: bigint, unit: TimeUnit): string {
  if (ticks === 0n) return "P0D";
  const nanos = (ticks < 0n ? -ticks : ticks) * UNIT_NANOS[unit];
  const fraction = (nanos % NANOS_PER_SECOND).toString().padStart(9, "0").replace(/0+$/, "");
  return `${ticks < 0n ? "-" : ""}PT${nanos / NANOS_PER_SECOND}${fraction === "" ? "" : `.${fraction}`}S`;
}
