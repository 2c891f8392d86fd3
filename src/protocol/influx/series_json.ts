/** Records as the `series` of an InfluxDB result: scalars only, every digit kept, times by `epoch` or as RFC 3339. */
import type { Precision } from "../../kernel/mod.ts";
import { timestampText } from "../../query/mod.ts";
import {
  type ColumnType,
  floatText,
  type Output,
  type ResultColumn,
  resultValue,
  type TimeUnit,
  UNIT_NANOS,
} from "../../types/mod.ts";

const PRECISION_NANOS: Readonly<Record<Precision, bigint>> = {
  ...UNIT_NANOS,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

export interface SeriesForm {
  /** Unit of times; undefined = RFC 3339 text. */
  readonly epoch: Precision | undefined;
  /** Name of the series and of its columns, where a client insists on them. */
  readonly naming?: { readonly name: string; readonly columns: readonly string[] } | undefined;
}

/** Pieces of `,"series":[{"columns":[…],"values":[…]}]`; nothing when there are no rows, as InfluxDB does. */
export async function* seriesJson(
  records: Extract<Output, { kind: "records" }>,
  { epoch, naming }: SeriesForm,
): AsyncGenerator<string> {
  const writers = records.fields.map(({ type }) => cellWriter(type, epoch));
  let begun = false;
  for await (const chunk of records.chunks) {
    if (chunk.rows === 0) continue;
    const rows: string[] = [];
    for (let row = 0; row < chunk.rows; row++)
      rows.push(`[${chunk.columns.map((column, i) => cell(column, row, writers[i]!)).join(",")}]`);
    const names = JSON.stringify(naming?.columns ?? records.fields.map(({ name }) => name));
    const title = naming === undefined ? "" : `"name":${JSON.stringify(naming.name)},`;
    yield `${begun ? "," : `,"series":[{${title}"columns":${names},"values":[`}${rows.join(",")}`;
    begun = true;
  }
  if (begun) yield "]}]";
}

function cell(column: ResultColumn, row: number, write: (value: unknown) => string): string {
  const value = resultValue(column, row);
  return value === null || value === undefined ? "null" : write(value);
}

function cellWriter(type: ColumnType, epoch: Precision | undefined): (value: unknown) => string {
  switch (type.kind) {
    case "float32":
    case "float64":
      return (value) => (Number.isFinite(value) ? floatText(value as number) : "null");
    case "bool":
      return (value) => (value === true || value === 1 ? "true" : "false");
    case "timestamp":
      return (value) => timeCell(value as bigint, type.unit, epoch);
    case "int8":
    case "int16":
    case "int32":
    case "int64":
    case "uint8":
    case "uint16":
    case "uint32":
    case "uint64":
      return (value) => String(value);
    case "binary":
    case "vector":
      return (value) => JSON.stringify(Buffer.from(value as Uint8Array).toString("hex"));
    default:
      return (value) => JSON.stringify(typeof value === "string" ? value : plainText(value));
  }
}

/** Lists, structs, intervals and ticks: InfluxDB has no such values, so they are shown as text. */
function plainText(value: unknown): string {
  if (typeof value !== "object") return String(value);
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? item.toString() : item,
  );
}

function timeCell(ticks: bigint, unit: TimeUnit, epoch: Precision | undefined): string {
  if (epoch === undefined) return `"${timestampText(ticks, unit).replace(" ", "T")}Z"`;
  const nanos = ticks * UNIT_NANOS[unit];
  const by = PRECISION_NANOS[epoch];
  const quotient = nanos / by;
  // Towards the past, so that times before 1970 keep their order.
  return String(nanos < 0n && quotient * by !== nanos ? quotient - 1n : quotient);
}
