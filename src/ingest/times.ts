/** Ticks of one unit → ticks of another. Exact towards finer units, floor towards coarser ones. */
import { type TimeUnit, UNIT_NANOS } from "../types/mod.ts";

const I64_MAX = 2n ** 63n - 1n;
const I64_MIN = -(2n ** 63n);

/**
 * Converts the first `rows` ticks. `overflow` is called with the row of each tick that the finer unit cannot hold;
 * its place in the result is 0. Returns the input itself when the units are equal.
 */
export function convertTicks(
  ticks: BigInt64Array,
  rows: number,
  from: TimeUnit,
  to: TimeUnit,
  overflow: (row: number) => void,
): BigInt64Array {
  if (from === to) return ticks;
  const out = new BigInt64Array(rows);
  if (UNIT_NANOS[from] < UNIT_NANOS[to]) {
    const by = UNIT_NANOS[to] / UNIT_NANOS[from];
    for (let row = 0; row < rows; row++) {
      const tick = ticks[row]!;
      const quotient = tick / by;
      // BigInt division rounds towards zero; before 1970 that would be the next tick.
      out[row] = tick < 0n && quotient * by !== tick ? quotient - 1n : quotient;
    }
    return out;
  }
  const by = UNIT_NANOS[from] / UNIT_NANOS[to];
  const max = I64_MAX / by;
  const min = I64_MIN / by;
  for (let row = 0; row < rows; row++) {
    const tick = ticks[row]!;
    if (tick > max || tick < min) overflow(row);
    else out[row] = tick * by;
  }
  return out;
}
