/** Compaction windows: fixed stretches of the time index, aligned to the epoch. */
import { parseDuration } from "../base/mod.ts";
import { type TableSchema, timeColumn, UNIT_NANOS } from "../types/mod.ts";

const dayNs = 86_400_000_000_000n;

/** The table's window in ticks: its option `compaction.twcs.time_window`, else a day. */
export function windowOf(schema: TableSchema): bigint {
  const option = schema.options["compaction.twcs.time_window"];
  const ns = option === undefined || option === "" ? dayNs : parseDuration(option);
  const ticks = ns / UNIT_NANOS[timeColumn(schema).type.unit];
  return ticks > 0n ? ticks : 1n;
}

/** Number of the window a time lies in, rounding down also before 1970. */
export function windowIndex(time: bigint, windowTicks: bigint): bigint {
  const rest = ((time % windowTicks) + windowTicks) % windowTicks;
  return (time - rest) / windowTicks;
}
