/** Timestamps as texts. All in UTC; a zone is the caller's to add. Exact for every tick of every unit. */
import { dateText, type TimeUnit, UNIT_NANOS } from "../../types/mod.ts";

const nanosPerDay = 86_400_000_000_000n;

/** `2024-01-02 03:04:05[.fff|.ffffff|.fffffffff]`: the fewest of 3, 6 or 9 digits that are exact, none for zero. */
export function timestampText(ticks: bigint, unit: TimeUnit): string {
  const ns = ticks * UNIT_NANOS[unit];
  const rest = ((ns % nanosPerDay) + nanosPerDay) % nanosPerDay;
  const days = (ns - rest) / nanosPerDay;
  const time = new Date(Number(rest / 1_000_000_000n) * 1000).toISOString().slice(11, 19);
  return `${dateText(Number(days))} ${time}${fraction(rest % 1_000_000_000n)}`;
}

/** The form of defaults in the reference: `1970-01-01 00:00:00+0000`. */
export function zonedText(ticks: bigint, unit: TimeUnit): string {
  return `${timestampText(ticks, unit)}+0000`;
}

function fraction(nanos: bigint): string {
  if (nanos === 0n) return "";
  const digits = nanos.toString().padStart(9, "0");
  if (digits.endsWith("000000")) return `.${digits.slice(0, 3)}`;
  return `.${digits.endsWith("000") ? digits.slice(0, 6) : digits}`;
}
