/** `influxdb_v1`: the shape of InfluxDB 1.x query answers; timestamps scaled by `epoch`. */
import {
  type ResultColumn,
  type ResultField,
  resultValue,
  type TimeUnit,
  UNIT_NANOS,
} from "../../../types/mod.ts";
import { type Format, wholeMs } from "./api.ts";
import { rowsJson } from "./greptime_v1.ts";

export const influxV1: Format = {
  name: "influxdb_v1",
  contentType: "application/json",
  single: false,
  async *encode(outputs, options) {
    yield '{"results":[';
    let statement = 0;
    for await (const output of outputs) {
      yield `${statement === 0 ? "" : ","}{"statement_id":${statement},"series":[`;
      if (output.kind === "records") {
        const columns = JSON.stringify(output.fields.map((field) => field.name));
        yield `{"name":"","columns":${columns},"values":[`;
        let total = 0;
        for await (const chunk of output.chunks) {
          if (chunk.rows === 0) continue;
          const scaled = chunk.columns.map((column, i) =>
            scaleTimes(column, output.fields[i]!, chunk.rows, options.epoch),
          );
          yield (total === 0 ? "" : ",") + rowsJson({ ...chunk, columns: scaled }, output.fields);
          total += chunk.rows;
        }
        yield "]}";
      }
      yield "]}";
      statement++;
    }
    yield `],"execution_time_ms":${wholeMs(options)}}`;
  },
};

function scaleTimes(
  column: ResultColumn,
  field: ResultField,
  rows: number,
  epoch: TimeUnit | undefined,
): ResultColumn {
  if (epoch === undefined || field.type.kind !== "timestamp" || field.type.unit === epoch)
    return column;
  const from = UNIT_NANOS[field.type.unit];
  const to = UNIT_NANOS[epoch];
  return Array.from({ length: rows }, (_, row) => {
    const value = resultValue(column, row);
    return typeof value === "bigint" ? floorDiv(value * from, to) : null;
  });
}

/** Towards the past, so that times before 1970 keep their order. */
function floorDiv(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient;
}

const EPOCHS: Readonly<Record<string, TimeUnit>> = {
  ns: "ns",
  n: "ns",
  u: "us",
  us: "us",
  µ: "us",
  μ: "us",
  ms: "ms",
  s: "s",
};

/** undefined for a name that is not known. */
export function epochUnit(name: string): TimeUnit | undefined {
  return EPOCHS[name];
}
