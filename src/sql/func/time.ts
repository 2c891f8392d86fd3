/** Date and time functions. Timestamps keep their unit; everything is UTC unless the name says otherwise. */
import { type ColumnType, T, type TimeUnit, typeName, UNIT_NANOS } from "../../types/mod.ts";
import { arithmetic } from "../plan/arith.ts";
import type { Binder } from "../plan/binder.ts";
import { type Bound, isNullConstant } from "../plan/bound.ts";
import { castTo, nullOf } from "../plan/cast.ts";
import { planError } from "../plan/errors.ts";
import { dateConstant, timestampConstant } from "../plan/literal.ts";
import { isInteger, isNumeric } from "../plan/numeric.ts";
import { ticksOf } from "../plan/ticks.ts";
import { floorDiv } from "../time/civil.ts";
import { parseInterval } from "../time/interval.ts";
import { dateBin, dateTrunc } from "./bucket.ts";
import {
  ANY,
  integer,
  type ScalarDefinition,
  type ScalarResult,
  scalar,
  type Table,
  text,
} from "./definition.ts";
import { chronoFormat } from "./strftime.ts";
import { zoneShift } from "./zone_shift.ts";

/** An argument that is an instant; strings are read as nanoseconds, dates as midnights. */
export function instant(
  arg: Bound,
  name: string,
): Bound & { type: { kind: "timestamp"; unit: TimeUnit } } {
  let bound = arg;
  if (isNullConstant(arg)) bound = nullOf(T.timestampNs);
  else if (arg.type.kind === "string") bound = castTo(arg, T.timestampNs);
  else if (arg.type.kind === "date") bound = castTo(arg, T.timestampNs);
  if (bound.type.kind !== "timestamp")
    throw planError(`Function '${name}' expects a timestamp but received ${typeName(arg.type)}`);
  return bound as Bound & { type: { kind: "timestamp"; unit: TimeUnit } };
}

const now = scalar(0, (_args, binder) => timestampConstant(binder.env.nowNs, "ns", "now()"), "now");

const today = scalar(
  0,
  (_args, binder) => {
    const days = Number(floorDiv(binder.env.nowNs, 86_400_000_000_000n));
    return dateConstant(days, "current_date()");
  },
  "current_date",
);

/** Fields whose answer DuckDB gives as it is. */
const PLAIN_FIELDS = new Set(
  "year quarter month week day hour minute second millisecond microsecond dow doy isoyear".split(
    " ",
  ),
);

const FIELD_ALIASES: Readonly<Record<string, string>> = {
  years: "year",
  quarters: "quarter",
  months: "month",
  weeks: "week",
  days: "day",
  hours: "hour",
  minutes: "minute",
  seconds: "second",
  sec: "second",
  milliseconds: "millisecond",
  microseconds: "microsecond",
  nanoseconds: "nanosecond",
};

function datePart(args: readonly Bound[]): ScalarResult {
  const [field, value] = args as [Bound, Bound];
  if (field.constant?.kind !== "string")
    throw planError("First argument of `DATE_PART` must be non-null scalar Utf8");
  const lower = field.constant.value.toLowerCase();
  const part = FIELD_ALIASES[lower] ?? lower;
  if (value.type.kind === "interval") {
    if (part === "epoch") return { sql: `epoch(${value.sql})`, type: T.float64 };
    return {
      sql: `CAST(date_part('${checkedField(part)}', ${value.sql}) AS INTEGER)`,
      type: T.int32,
    };
  }
  const time = instant(value, "date_part");
  const { unit } = time.type;
  switch (part) {
    case "epoch":
      return {
        sql: `(CAST(${ticksOf(time.sql, unit)} AS DOUBLE) / ${1_000_000_000n / UNIT_NANOS[unit]}e0)`,
        type: T.float64,
      };
    case "nanosecond": {
      const perSecond = 1_000_000_000n / UNIT_NANOS[unit];
      const seconds = `CAST(date_part('second', ${time.sql}) AS BIGINT) * 1000000000`;
      const rest = `((${ticksOf(time.sql, unit)} % ${perSecond} + ${perSecond}) % ${perSecond}) * ${UNIT_NANOS[unit]}`;
      return { sql: `(${seconds} + ${rest})`, type: T.int64 };
    }
    case "isodow":
      // Monday is 0 here.
      return { sql: `CAST(date_part('isodow', ${time.sql}) - 1 AS INTEGER)`, type: T.int32 };
    default:
      return {
        sql: `CAST(date_part('${checkedField(part)}', ${time.sql}) AS INTEGER)`,
        type: T.int32,
      };
  }
}

function checkedField(part: string): string {
  if (!PLAIN_FIELDS.has(part))
    throw planError(`Execution error: Date part '${part}' not supported`);
  return part;
}

/** A number of seconds (or of the named unit) or a text → timestamp. */
const toTimestamp = (name: string, unit: TimeUnit, numberUnit: TimeUnit): ScalarDefinition =>
  scalar([1, ANY], ([x, ...formats]) => {
    const type: ColumnType = { kind: "timestamp", unit };
    if (formats.length > 0) {
      const parsed = formats.map((format) => `TRY(strptime(${text(x!)}, ${text(format)}))`);
      const micros = castTo(
        { sql: `coalesce(${parsed.join(", ")})`, type: T.timestampUs, name },
        type,
      );
      return { sql: micros.sql, type };
    }
    if (isNumeric(x!.type)) {
      const counted: ColumnType = { kind: "timestamp", unit: numberUnit };
      const { sql, constant } = castTo(castTo(x!, counted), type);
      return { sql, type, constant };
    }
    const { sql, constant } = castTo(x!, type);
    return { sql, type, constant };
  });

/** date_add, date_sub: an interval or a text that is one. */
const move = (name: string, op: "+" | "-") =>
  scalar(2, ([time, by]) => {
    let interval = by!;
    if (by!.constant?.kind === "string") {
      const parsed = parseInterval(by!.constant.value);
      if (parsed === undefined)
        throw planError(
          `Parser error: Invalid input syntax for type interval: "${by!.constant.value}"`,
        );
      interval = castTo(by!, T.interval);
    }
    if (interval.type.kind !== "interval")
      throw planError(`Function '${name}' expects an interval but received ${typeName(by!.type)}`);
    const start = time!.type.kind === "date" ? time! : instant(time!, name);
    const { sql, type, constant } = arithmetic(op, start, interval);
    return { sql, type, constant };
  });

function dateFormat(args: readonly Bound[], binder: Binder): ScalarResult {
  const [value, format] = args as [Bound, Bound];
  const time = instant(value, "date_format");
  return formatted(
    zoneShift(time.sql, time.type.unit, binder.env.timezone),
    time.type.unit,
    format,
  );
}

function formatted(sql: string, unit: TimeUnit, format: Bound): ScalarResult {
  if (format.constant?.kind !== "string") throw planError("the format must be a literal string");
  return { sql: chronoFormat(sql, unit, format.constant.value), type: T.string };
}

/** A text (in the session's zone), a time or a date → seconds; an integer is what it was. */
function toUnixtime(args: readonly Bound[], binder: Binder): ScalarResult {
  const value = args[0]!;
  if (isNullConstant(value)) return { sql: "NULL::BIGINT", type: T.int64 };
  if (isInteger(value.type)) return { sql: castTo(value, T.int64).sql, type: T.int64 };
  if (value.type.kind === "string") {
    const parsed = castTo(value, T.timestampS, { safe: true, zone: binder.env.timezone });
    return { sql: ticksOf(parsed.sql, "s"), type: T.int64 };
  }
  const time = instant(value, "to_unixtime");
  const perSecond = 1_000_000_000n / UNIT_NANOS[time.type.unit];
  const ticks = ticksOf(time.sql, time.type.unit);
  if (perSecond === 1n) return { sql: ticks, type: T.int64 };
  return {
    sql: `(${ticks} // ${perSecond} - CAST((${ticks} % ${perSecond}) < 0 AS BIGINT))`,
    type: T.int64,
  };
}

export const TIME: Table = {
  current_date: today,
  current_timestamp: now,
  date_add: move("date_add", "+"),
  date_bin: scalar([2, 3], (args) => dateBin(args)),
  date_format: scalar(2, dateFormat),
  date_part: scalar(2, datePart),
  date_sub: move("date_sub", "-"),
  date_trunc: scalar(2, (args) => dateTrunc(args)),
  datepart: scalar(2, datePart),
  datetrunc: scalar(2, (args) => dateTrunc(args)),
  from_unixtime: scalar(1, ([x]) => {
    const { sql, type, constant } = castTo(castTo(x!, T.int64), T.timestampS);
    return { sql, type, constant };
  }),
  localtimestamp: now,
  make_date: scalar(3, (args) => ({
    sql: `make_date(${args.map((arg) => integer(arg, "make_date")).join(", ")})`,
    type: T.date,
  })),
  now,
  to_char: scalar(2, ([value, format]) => {
    const time = instant(value!, "to_char");
    return formatted(time.sql, time.type.unit, format!);
  }),
  to_date: scalar([1, ANY], ([x, ...formats]) => {
    if (formats.length === 0) {
      const { sql, constant } = castTo(x!, T.date);
      return { sql, type: T.date, constant };
    }
    const parsed = formats.map((format) => `TRY(strptime(${text(x!)}, ${text(format)}))`);
    return { sql: `CAST(coalesce(${parsed.join(", ")}) AS DATE)`, type: T.date };
  }),
  to_timestamp: toTimestamp("to_timestamp", "ns", "s"),
  to_timestamp_micros: toTimestamp("to_timestamp_micros", "us", "us"),
  to_timestamp_millis: toTimestamp("to_timestamp_millis", "ms", "ms"),
  to_timestamp_nanos: toTimestamp("to_timestamp_nanos", "ns", "ns"),
  to_timestamp_seconds: toTimestamp("to_timestamp_seconds", "s", "s"),
  to_unixtime: scalar(1, toUnixtime),
  today,
};
