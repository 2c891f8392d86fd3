/** Output formats of /v1/sql, by name. */
import type { Format } from "./api.ts";
import { arrow } from "./arrow.ts";
import { csv, csvWithNames, csvWithNamesAndTypes } from "./csv.ts";
import { greptimeV1 } from "./greptime_v1.ts";
import { influxV1 } from "./influx_v1.ts";
import { jsonRows } from "./json_rows.ts";
import { nullFormat } from "./null.ts";
import { table } from "./table.ts";

export type { Format, FormatOptions } from "./api.ts";
export { epochUnit } from "./influx_v1.ts";

const FORMATS = new Map(
  [
    greptimeV1,
    influxV1,
    csv,
    csvWithNames,
    csvWithNamesAndTypes,
    table,
    arrow,
    jsonRows,
    nullFormat,
  ].map((format): [string, Format] => [format.name.toLowerCase(), format]),
);

/** By name, in any case; the default for none and for a name that is not known. */
export function formatByName(name: string | null | undefined): Format {
  return FORMATS.get((name ?? "").toLowerCase()) ?? greptimeV1;
}
