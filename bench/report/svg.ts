/**
 * Charts as SVG text: horizontal bars and lines over time, with round ticks, units and labels that say
 * the value. No script, no font file, no colour that only the legend explains.
 */
import { bytesText, short } from "./numbers.ts";

const WIDTH = 860;
const FONT = "ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif";
const INK = "#1c2430";
const MUTED = "#667085";
const GRID = "#e4e7ec";
const ACCENT = "#0e7490";
const OTHERS = ["#98a2b3", "#c2c8d2", "#7c8798", "#d0d5dd"];
const BUDGET = "#c2410c";
const OTHER_LINES = ["#c2410c", "#7c3aed", "#4d7c0f", "#be185d", "#667085"];

export function escapeXml(text: string): string {
  return text.replace(
    /[&<>"']/g,
    (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]!,
  );
}

/** 0 and steps of 1, 2 or 5 × 10^n up to the first that reaches `max`; about `wanted` of them. */
export function ticks(max: number, wanted = 5): number[] {
  if (!(max > 0) || !Number.isFinite(max)) return [0, 1];
  const rough = max / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * (1 - 1e-9))!;
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

/** What a chart's values are: decides how ticks are cut and written. */
export type Unit = "number" | "bytes";

/** Ticks with their labels, in the largest unit that fits: "0", "200 K", "400 K" or "0", "128 MiB". */
export function labelledTicks(
  max: number,
  unit: Unit,
  wanted = 5,
): { at: number; label: string }[] {
  const units = unit === "bytes" ? BYTE_UNITS : NUMBER_UNITS;
  const [size, name] = units.find(([s]) => max >= s) ?? [1, unit === "bytes" ? " B" : ""];
  return ticks(max / size, wanted).map((mark) => ({
    at: mark * size,
    label: mark === 0 ? "0" : `${mark}${name}`,
  }));
}

const BYTE_UNITS: readonly (readonly [number, string])[] = [
  [1024 ** 3, " GiB"],
  [1024 ** 2, " MiB"],
  [1024, " KiB"],
];
const NUMBER_UNITS: readonly (readonly [number, string])[] = [
  [1e9, " G"],
  [1e6, " M"],
  [1e3, " K"],
];

interface TextStyle {
  readonly size?: number;
  readonly fill?: string;
  readonly anchor?: "start" | "middle" | "end";
  readonly weight?: number;
}

function text(x: number, y: number, content: string, style: TextStyle = {}): string {
  const { size = 13, fill = INK, anchor = "start", weight = 400 } = style;
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" fill="${fill}" text-anchor="${anchor}" font-weight="${weight}">${escapeXml(content)}</text>`;
}

const round = (n: number): number => Math.round(n * 100) / 100;

function page(height: number, title: string, subtitle: string, body: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="${FONT}" role="img" aria-label="${escapeXml(title)}">`,
    `<rect width="${WIDTH}" height="${height}" rx="10" fill="#ffffff"/>`,
    text(24, 36, title, { size: 18, weight: 600 }),
    text(24, 58, subtitle, { fill: MUTED }),
    ...body,
    "</svg>",
    "",
  ].join("\n");
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** What stands at the bar's end; the value in short form when absent. */
  readonly text?: string;
  /** Ours, in the accent colour. */
  readonly ours?: boolean;
}

export interface BarChart {
  readonly title: string;
  /** Unit and direction, such as "rows per second, more is better". */
  readonly subtitle: string;
  readonly bars: readonly Bar[];
  /** A line across the bars, with its meaning. */
  readonly budget?: { readonly value: number; readonly label: string };
  readonly unit?: Unit;
}

/** Horizontal bars from zero. A value that is not a number has no bar and a dash. */
export function barChart(chart: BarChart): string {
  const left = 190;
  const right = WIDTH - 150;
  const top = chart.budget === undefined ? 82 : 104;
  const rowHeight = 44;
  const bottom = top + chart.bars.length * rowHeight;
  const values = chart.bars.map((bar) => bar.value).filter(Number.isFinite);
  const unit = chart.unit ?? "number";
  const marks = labelledTicks(Math.max(0, ...values, chart.budget?.value ?? 0), unit);
  const max = marks[marks.length - 1]!.at;
  const x = (value: number) => left + ((right - left) * value) / max;
  const body: string[] = [];
  for (const mark of marks) {
    body.push(line(x(mark.at), top, x(mark.at), bottom, GRID));
    body.push(
      text(x(mark.at), bottom + 20, mark.label, { size: 12, fill: MUTED, anchor: "middle" }),
    );
  }
  let others = 0;
  for (const [i, bar] of chart.bars.entries()) {
    const y = top + i * rowHeight + 8;
    const fill = bar.ours === true ? ACCENT : OTHERS[others++ % OTHERS.length]!;
    const width = Number.isFinite(bar.value) ? Math.max(1, x(bar.value) - left) : 0;
    const weight = bar.ours === true ? 600 : 400;
    body.push(text(left - 12, y + 19, bar.label, { anchor: "end", weight }));
    body.push(
      `<rect x="${left}" y="${y}" width="${round(width)}" height="28" rx="3" fill="${fill}"/>`,
    );
    const label = bar.text ?? (unit === "bytes" ? bytesText : short)(bar.value);
    body.push(text(left + width + 8, y + 19, label, { weight }));
  }
  if (chart.budget !== undefined) {
    const at = x(chart.budget.value);
    body.push(line(at, top - 6, at, bottom, BUDGET, "5 4"));
    body.push(text(at, top - 12, chart.budget.label, { size: 12, fill: BUDGET, anchor: "middle" }));
  }
  return page(bottom + 40, chart.title, chart.subtitle, body);
}

export interface LineSeries {
  readonly label: string;
  /** Ours, in the accent colour. */
  readonly ours?: boolean;
  /** x ascending. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface LineChart {
  readonly title: string;
  readonly subtitle: string;
  readonly xLabel: string;
  readonly series: readonly LineSeries[];
  /** Of the y axis; x is plain numbers. */
  readonly unit?: Unit;
}

/** Lines from y = 0 up, each named in the legend. */
export function lineChart(chart: LineChart): string {
  const left = 84;
  const right = WIDTH - 28;
  const top = 104;
  const bottom = 340;
  const all = chart.series.flatMap((series) => series.points);
  const xMax = Math.max(1e-9, ...all.map(([x]) => x));
  const yMarks = labelledTicks(Math.max(0, ...all.map(([, y]) => y)), chart.unit ?? "number");
  const yMax = yMarks[yMarks.length - 1]!.at;
  const x = (value: number) => left + ((right - left) * value) / xMax;
  const y = (value: number) => bottom - ((bottom - top) * value) / yMax;
  const body: string[] = [];
  for (const { at, label } of yMarks) {
    body.push(line(left, y(at), right, y(at), GRID));
    body.push(text(left - 10, y(at) + 4, label, { size: 12, fill: MUTED, anchor: "end" }));
  }
  for (const { at, label } of labelledTicks(xMax, "number", 8).filter((mark) => mark.at <= xMax))
    body.push(text(x(at), bottom + 20, label, { size: 12, fill: MUTED, anchor: "middle" }));
  body.push(
    text((left + right) / 2, bottom + 42, chart.xLabel, {
      fill: MUTED,
      anchor: "middle",
      size: 12,
    }),
  );
  let legendX = left;
  let others = 0;
  for (const series of chart.series) {
    const colour = series.ours === true ? ACCENT : OTHER_LINES[others++ % OTHER_LINES.length]!;
    const points = series.points.map(([px, py]) => `${round(x(px))},${round(y(py))}`).join(" ");
    body.push(
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"/>`,
    );
    body.push(line(legendX, 80, legendX + 18, 80, colour, "", 3));
    body.push(text(legendX + 24, 84, series.label, { size: 12 }));
    legendX += 48 + series.label.length * 7; // about the width of a character at this size
  }
  return page(bottom + 60, chart.title, chart.subtitle, body);
}

function line(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  stroke: string,
  dash = "",
  width = 1,
): string {
  const dashes = dash === "" ? "" : ` stroke-dasharray="${dash}"`;
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${stroke}" stroke-width="${width}"${dashes}/>`;
}
