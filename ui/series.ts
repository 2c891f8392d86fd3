/** A result as lines over time: the first time column, each number column, one line for each combination of texts. Pure. */
import type { Records } from "./api.ts";
import { isNumber, isTime, numberOf, timeMs } from "./values.ts";

export interface Series {
  readonly name: string;
  /** Sorted by time; milliseconds. */
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** A legend of more than this cannot be read. */
export const SERIES_MAX = 24;

/** Empty when there is nothing to draw. */
export function seriesOf({ fields, rows }: Records): Series[] {
  const time = fields.findIndex((field) => isTime(field.data_type));
  if (time < 0) return [];
  const numbers = fields.flatMap((field, i) => (isNumber(field.data_type) ? [i] : []));
  const labels = fields.flatMap((field, i) =>
    field.data_type === "String" || field.data_type === "Boolean" ? [i] : [],
  );
  const lines = new Map<string, { x: number; y: number }[]>();
  for (const row of rows) {
    const x = timeMs(row[time]!, fields[time]!.data_type);
    if (x === undefined) continue;
    const label = labels.map((i) => `${fields[i]!.name}=${row[i]}`).join(" ");
    for (const i of numbers) {
      const y = numberOf(row[i]!);
      if (y === undefined) continue;
      const name =
        labels.length === 0
          ? fields[i]!.name
          : numbers.length === 1
            ? label
            : `${fields[i]!.name} ${label}`;
      const points = lines.get(name);
      if (points !== undefined) points.push({ x, y });
      else if (lines.size < SERIES_MAX) lines.set(name, [{ x, y }]);
    }
  }
  return [...lines].map(([name, points]) => ({
    name,
    points: points.sort((a, b) => a.x - b.x),
  }));
}
