/**
 * Instants → wall clock of a time zone, in DuckDB's text. DuckDB has no zones without its ICU extension, so a
 * named zone becomes a CASE over its changes of offset; Node's ICU knows those.
 */
import type { TimeUnit } from "../../types/mod.ts";
import { UNIT_NANOS } from "../../types/mod.ts";
import { fromTicks, ticksOf } from "../plan/ticks.ts";
import { zoneOffsetMs } from "../time/zone.ts";

/** Changes of offset are looked for in these years; before and after, the nearest offset counts. */
const FROM_MS = Date.UTC(1970, 0, 1);
const TO_MS = Date.UTC(2038, 0, 1);
/** No zone changes twice within a week. */
const STEP_MS = 7 * 86_400_000;

interface Change {
  readonly atMs: number;
  readonly offsetMs: number;
}

const changesByZone = new Map<string, readonly Change[]>();

/** The timestamp (of `unit`) that shows the zone's wall clock when it is printed as UTC. */
export function zoneShift(sql: string, unit: TimeUnit, zone: string): string {
  const changes = changesOf(zone);
  const offset = (ms: number) => (BigInt(ms) * 1_000_000n) / UNIT_NANOS[unit];
  const ticks = ticksOf(sql, unit);
  if (changes.length === 1) {
    const fixed = offset(changes[0]!.offsetMs);
    return fixed === 0n ? sql : fromTicks(`${ticks} + (${fixed})`, unit);
  }
  // Newest first: most data is new.
  const cases = changes
    .slice(1)
    .reverse()
    .map((change) => `WHEN ${ticks} >= ${offset(change.atMs)} THEN ${offset(change.offsetMs)}`);
  const added = `CASE ${cases.join(" ")} ELSE ${offset(changes[0]!.offsetMs)} END`;
  return fromTicks(`${ticks} + ${added}`, unit);
}

/** The offset at the epoch, then each change after it. */
function changesOf(zone: string): readonly Change[] {
  const known = changesByZone.get(zone);
  if (known !== undefined) return known;
  const changes: Change[] = [{ atMs: FROM_MS, offsetMs: zoneOffsetMs(zone, FROM_MS) }];
  if (/^[A-Z]/i.test(zone) && zone !== "UTC")
    for (let ms = FROM_MS; ms < TO_MS; ms += STEP_MS) {
      const before = changes.at(-1)!.offsetMs;
      const after = zoneOffsetMs(zone, ms + STEP_MS);
      if (after !== before)
        changes.push({ atMs: bisect(zone, ms, ms + STEP_MS, before), offsetMs: after });
    }
  changesByZone.set(zone, changes);
  return changes;
}

/** The first minute in (from, to] whose offset is not `before`. */
function bisect(zone: string, from: number, to: number, before: number): number {
  let low = from / 60_000;
  let high = to / 60_000;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zoneOffsetMs(zone, middle * 60_000) === before) low = middle;
    else high = middle;
  }
  return high * 60_000;
}
