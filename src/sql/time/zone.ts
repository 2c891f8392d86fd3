/**
 * Time zones: "+08:00" or an IANA name. Offsets of named zones come from the ICU data of Node and are cached,
 * because asking it costs microseconds and statements ask for thousands of rows.
 */
const FIXED = /^([+-])(\d{1,2})(?::?(\d{2}))?$/;

/** Zones change their offset only on quarter hours. */
const BUCKET_MS = 900_000;

/** Offsets remembered per zone before the cache is emptied: a year of quarter hours. */
const CACHED_MAX = 35_040;

interface NamedZone {
  readonly format: Intl.DateTimeFormat;
  readonly offsets: Map<number, number>;
}

const named = new Map<string, NamedZone | undefined>();

/**
 * "+8:00" → "+08:00", "asia/shanghai" → "Asia/Shanghai", "utc" → "UTC". Undefined if it is no time zone.
 * 'SYSTEM' and 'DEFAULT' are the caller's: they mean the server's zone.
 */
export function parseTimezone(text: string): string | undefined {
  const trimmed = text.trim();
  const fixed = FIXED.exec(trimmed);
  if (fixed !== null) {
    const minutes = fixedMinutes(fixed);
    // MySQL allows -13:59 … +14:00.
    if (Math.abs(minutes) > 14 * 60) return undefined;
    return formatOffset(minutes * 60_000);
  }
  if (/^(utc|gmt|z|zulu|etc\/utc)$/i.test(trimmed)) return "UTC";
  const zone = namedZone(trimmed);
  return zone?.format.resolvedOptions().timeZone;
}

/** 28_800_000 → "+08:00". */
export function formatOffset(offsetMs: number): string {
  const minutes = Math.abs(Math.trunc(offsetMs / 60_000));
  const two = (n: number) => String(n).padStart(2, "0");
  return `${offsetMs < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}

/** Milliseconds to add to UTC to get the zone's wall clock at that instant. Unknown zones count as UTC. */
export function zoneOffsetMs(zone: string, utcMs: number): number {
  if (zone === "UTC") return 0;
  const fixed = FIXED.exec(zone);
  if (fixed !== null) return fixedMinutes(fixed) * 60_000;
  const entry = namedZone(zone);
  if (entry === undefined) return 0;
  const bucket = Math.floor(utcMs / BUCKET_MS);
  const cached = entry.offsets.get(bucket);
  if (cached !== undefined) return cached;
  const offset = askOffset(entry.format, bucket * BUCKET_MS);
  if (entry.offsets.size >= CACHED_MAX) entry.offsets.clear();
  entry.offsets.set(bucket, offset);
  return offset;
}

/** Wall clock milliseconds of a zone → UTC. In a gap or an overlap the earlier offset counts. */
export function wallToUtcMs(zone: string, wallMs: number): number {
  if (zone === "UTC") return wallMs;
  const day = 86_400_000;
  const before = zoneOffsetMs(zone, wallMs - day);
  const after = zoneOffsetMs(zone, wallMs + day);
  if (before === after) return wallMs - before;
  const utc = wallMs - before;
  return zoneOffsetMs(zone, utc) === before ? utc : wallMs - after;
}

function fixedMinutes(match: RegExpExecArray): number {
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return match[1] === "-" ? -minutes : minutes;
}

function namedZone(zone: string): NamedZone | undefined {
  if (named.has(zone)) return named.get(zone);
  let entry: NamedZone | undefined;
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    entry = { format, offsets: new Map() };
  } catch {
    // The text names no zone; remembering that would let callers fill the memory with wrong names.
    return undefined;
  }
  named.set(zone, entry);
  return entry;
}

function askOffset(format: Intl.DateTimeFormat, utcMs: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(utcMs)) parts[type] = Number(value);
  const wall = Date.UTC(
    parts.year!,
    parts.month! - 1,
    parts.day,
    parts.hour,
    parts.minute,
    parts.second,
  );
  return wall - utcMs;
}
