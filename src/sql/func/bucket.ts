/**
 * date_trunc and date_bin: the time buckets of every dashboard, so the fast path matters. Buckets of a fixed
 * width are integer divisions of the ticks; grouping is by the quotient, the timestamp is made from it after.
 */
import { type ColumnType, T, type TimeUnit, UNIT_NANOS } from "../../types/mod.ts";
import { type Bound, isNullConstant } from "../plan/bound.ts";
import { castTo } from "../plan/cast.ts";
import { planError } from "../plan/errors.ts";
import { bucketKey, fromMicros, fromTicks, ticksOf, toMicros } from "../plan/ticks.ts";
import type { ScalarResult } from "./definition.ts";
import { instant } from "./time.ts";

const DAY = 86_400_000_000_000n;

/** Widths in nanoseconds, and where a bucket begins relative to the epoch. */
const FIXED: Readonly<Record<string, { readonly width: bigint; readonly origin: bigint }>> = {
  microsecond: { width: 1_000n, origin: 0n },
  millisecond: { width: 1_000_000n, origin: 0n },
  second: { width: 1_000_000_000n, origin: 0n },
  minute: { width: 60_000_000_000n, origin: 0n },
  hour: { width: 3_600_000_000_000n, origin: 0n },
  day: { width: DAY, origin: 0n },
  // Weeks begin on Monday; the epoch was a Thursday.
  week: { width: 7n * DAY, origin: -3n * DAY },
};

const CALENDAR = new Set(["month", "quarter", "year"]);

export function dateTrunc(args: readonly Bound[]): ScalarResult {
  const [granularity, value] = args as [Bound, Bound];
  if (granularity.constant?.kind !== "string")
    throw planError("Granularity of `date_trunc` must be non-null scalar Utf8");
  const unitName = granularity.constant.value.toLowerCase();
  const time = instant(value, "date_trunc");
  const fixed = Object.hasOwn(FIXED, unitName) ? FIXED[unitName] : undefined;
  if (fixed !== undefined) return floor(time, time.type.unit, fixed.width, fixed.origin);
  if (!CALENDAR.has(unitName))
    throw planError(
      `Unsupported date_trunc granularity: '${unitName}'. Supported values are: microsecond, millisecond, second, minute, hour, day, week, month, quarter, year`,
    );
  const { unit } = time.type;
  const truncated = `date_trunc('${unitName}', ${toMicros(time.sql, unit)})`;
  return { sql: fromMicros(truncated, unit), type: time.type };
}

/** date_bin(interval, time [, origin]). */
export function dateBin(args: readonly Bound[]): ScalarResult {
  const [strideArg, value, originArg] = args as [Bound, Bound, Bound | undefined];
  const stride = strideArg.type.kind === "string" ? castTo(strideArg, T.interval) : strideArg;
  if (stride.constant?.kind !== "interval")
    throw planError("DATE_BIN expects its first argument to be a constant interval");
  const time = instant(value, "date_bin");
  const { unit } = time.type;
  const origin = originTicks(originArg, unit);
  const { months, days, nanos } = stride.constant.value;
  const width = BigInt(days) * DAY + nanos;
  if (months !== 0) {
    if (width !== 0n)
      throw planError(
        "DATE_BIN stride does not support combination of month, day and nanosecond intervals",
      );
    if (months < 0) throw planError("DATE_BIN stride must be positive");
    const start = toMicros(fromTicks(`${origin}`, unit), unit);
    const bucket = `time_bucket(INTERVAL '${months} months', ${toMicros(time.sql, unit)}, ${start})`;
    return { sql: fromMicros(bucket, unit), type: time.type };
  }
  if (width <= 0n) throw planError("DATE_BIN stride must be positive");
  return floor(time, unit, width, origin * UNIT_NANOS[unit]);
}

function originTicks(origin: Bound | undefined, unit: TimeUnit): bigint {
  if (origin === undefined) return 0n;
  const type: ColumnType = { kind: "timestamp", unit };
  const { constant } = castTo(castTo(origin, T.timestampNs), type);
  if (constant?.kind !== "timestamp")
    throw planError("DATE_BIN expects its third argument to be a constant timestamp");
  return constant.ticks;
}

/** Down to a multiple of `width` from `origin`, both in nanoseconds. */
function floor(time: Bound, unit: TimeUnit, width: bigint, origin: bigint): ScalarResult {
  const size = UNIT_NANOS[unit];
  const type: ColumnType = { kind: "timestamp", unit };
  if (isNullConstant(time)) return { sql: time.sql, type };
  // A bucket narrower than a tick changes nothing.
  if (width <= size && size % width === 0n && origin % width === 0n) return { sql: time.sql, type };
  if (width % size !== 0n || origin % size !== 0n) return floorOfNanos(time, unit, width, origin);
  const ticksWidth = width / size;
  const ticksOrigin = (((origin / size) % ticksWidth) + ticksWidth) % ticksWidth;
  const column = time.column;
  const nonNegative =
    ticksOrigin === 0n &&
    column?.relation.table?.isTimeIndex(column.id) === true &&
    column.relation.table.timeIsNonNegative;
  const ticks = ticksOf(time.sql, unit);
  const shifted = ticksOrigin === 0n ? ticks : `(${ticks} - ${ticksOrigin})`;
  const key = bucketKey(shifted, ticksWidth, nonNegative);
  const back = ticksOrigin === 0n ? "" : ` + ${ticksOrigin}`;
  return { sql: fromTicks(`${key} * ${ticksWidth}${back}`, unit), type, groupSql: key };
}

/** Widths that are no whole number of ticks: computed in nanoseconds, cut to the unit. */
function floorOfNanos(time: Bound, unit: TimeUnit, width: bigint, origin: bigint): ScalarResult {
  const size = UNIT_NANOS[unit];
  const nanos = `(CAST(${ticksOf(time.sql, unit)} AS HUGEINT) * ${size} - (${origin}))`;
  const key = bucketKey(nanos, width, false);
  const ticks = `CAST((${key} * ${width} + (${origin})) // ${size} AS BIGINT)`;
  return { sql: fromTicks(ticks, unit), type: { kind: "timestamp", unit } };
}
