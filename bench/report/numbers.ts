/** Numbers as people read them: three or four digits, a unit, never a bare float. */

/** 670123 → "670 K", 1.4e6 → "1.40 M", 12.345 → "12.3". */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e9) return `${digits(value / 1e9)} G`;
  if (size >= 1e6) return `${digits(value / 1e6)} M`;
  if (size >= 1e3) return `${digits(value / 1e3)} K`;
  return digits(value);
}

/** Three significant digits, no exponent. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.1) return value.toFixed(2);
  return value.toPrecision(2);
}

/** Bytes with a binary unit: "1.50 GiB". */
export function bytesText(bytes: number): string {
  for (const [unit, size] of [
    ["GiB", 1024 ** 3],
    ["MiB", 1024 ** 2],
    ["KiB", 1024],
  ] as const)
    if (Math.abs(bytes) >= size) return `${digits(bytes / size)} ${unit}`;
  return Number.isFinite(bytes) ? `${Math.round(bytes)} B` : "–";
}

/** "21.3 ×" */
export function ratioText(ratio: number): string {
  return Number.isFinite(ratio) ? `${digits(ratio)} ×` : "–";
}

/** Seconds as "3.4 s", "2 m 05 s" or "1 h 02 m". */
export function secondsText(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 60) return `${digits(seconds)} s`;
  const whole = Math.round(seconds);
  const two = (n: number) => String(n).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)} m ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} m`;
}
