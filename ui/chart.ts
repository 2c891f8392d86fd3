/** Lines over time on a canvas: axes, grid, legend, and the values under the pointer. */
import type { Series } from "./series.ts";

/** Told apart on light and dark ground, also by most people who see colours differently. */
const COLOURS = [
  "#0d9488",
  "#e07a1f",
  "#5b6ee1",
  "#c2417c",
  "#6a9a1f",
  "#b7791f",
  "#8b5cf6",
  "#2b8fc0",
];

const MARGIN = { left: 64, right: 20, top: 18, bottom: 32 };
const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 15e3, 3e4, 6e4, 12e4, 3e5, 9e5, 18e5, 36e5,
  108e5, 216e5, 432e5, 864e5, 1728e5, 6048e5, 2592e6, 7776e6, 31536e6,
];

/** More say nothing beside a line; the table has every digit. */
const DIGITS_SHOWN = 7;

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly time: (x: number) => number;
  readonly range: { minX: number; maxX: number; minY: number; maxY: number };
}

export class Chart {
  readonly #canvas: HTMLCanvasElement;
  readonly #legend: HTMLElement;
  readonly #tip: HTMLElement;
  #series: readonly Series[] = [];
  #pointer: number | undefined;

  constructor(private readonly root: HTMLElement) {
    this.#canvas = root.querySelector("canvas")!;
    this.#legend = root.querySelector(".legend")!;
    this.#tip = root.querySelector(".tip")!;
    new ResizeObserver(() => this.#draw()).observe(this.#canvas);
    this.#canvas.addEventListener("pointermove", (event) => {
      this.#pointer = event.offsetX;
      this.#draw();
    });
    this.#canvas.addEventListener("pointerleave", () => {
      this.#pointer = undefined;
      this.#draw();
    });
  }

  show(series: readonly Series[]): void {
    this.#series = series;
    this.#legend.replaceChildren(
      ...series.map((line, i) => {
        const item = document.createElement("span");
        item.append(swatch(i), line.name);
        return item;
      }),
    );
    this.#draw();
  }

  #draw(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    if (width === 0 || this.#series.length === 0) return;
    const scale = devicePixelRatio;
    this.#canvas.width = width * scale;
    this.#canvas.height = height * scale;
    const pen = this.#canvas.getContext("2d")!;
    pen.scale(scale, scale);
    const style = getComputedStyle(this.root);
    const frame = frameOf(this.#series, width, height);
    pen.font = "11px system-ui, sans-serif";
    drawAxes(pen, frame, style.getPropertyValue("--line"), style.getPropertyValue("--muted"));
    for (const [i, line] of this.#series.entries()) drawLine(pen, frame, line, colour(i));
    this.#drawPointer(pen, frame, style.getPropertyValue("--muted"));
  }

  #drawPointer(pen: CanvasRenderingContext2D, frame: Frame, ink: string): void {
    const at = this.#pointer;
    this.#tip.hidden = at === undefined || at < MARGIN.left || at > frame.width - MARGIN.right;
    if (at === undefined || this.#tip.hidden) return;
    const near = nearestTime(this.#series, frame.time(at));
    const x = frame.x(near);
    pen.strokeStyle = ink;
    pen.setLineDash([3, 3]);
    pen.beginPath();
    pen.moveTo(x, MARGIN.top);
    pen.lineTo(x, frame.height - MARGIN.bottom);
    pen.stroke();
    pen.setLineDash([]);
    const rows: Node[] = [document.createTextNode(instant(near))];
    for (const [i, line] of this.#series.entries()) {
      const point = line.points.find((p) => p.x === near);
      if (point === undefined) continue;
      pen.fillStyle = colour(i);
      pen.beginPath();
      pen.arc(x, frame.y(point.y), 3.5, 0, Math.PI * 2);
      pen.fill();
      const row = document.createElement("div");
      row.append(swatch(i), `${line.name}: ${Number(point.y.toPrecision(DIGITS_SHOWN))}`);
      rows.push(row);
    }
    this.#tip.replaceChildren(...rows.slice(0, 13));
    const right = x > frame.width / 2;
    this.#tip.style.left = right ? "auto" : `${x + 14}px`;
    this.#tip.style.right = right ? `${frame.width - x + 14}px` : "auto";
    this.#tip.style.top = `${MARGIN.top + 6}px`;
  }
}

function colour(i: number): string {
  return COLOURS[i % COLOURS.length]!;
}

function swatch(i: number): HTMLElement {
  const element = document.createElement("i");
  element.className = "swatch";
  element.style.background = colour(i);
  return element;
}

function frameOf(series: readonly Series[], width: number, height: number): Frame {
  let [minX, maxX] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [minY, maxY] = [minX, maxX];
  for (const { points } of series)
    for (const { x, y } of points) {
      minX = Math.min(minX, x);
      maxX = Math.max(maxX, x);
      minY = Math.min(minY, y);
      maxY = Math.max(maxY, y);
    }
  if (minX === maxX) [minX, maxX] = [minX - 1000, maxX + 1000];
  const pad = (maxY - minY || Math.abs(maxY) || 1) * 0.06;
  [minY, maxY] = [minY - pad, maxY + pad];
  const [innerW, innerH] = [
    width - MARGIN.left - MARGIN.right,
    height - MARGIN.top - MARGIN.bottom,
  ];
  return {
    width,
    height,
    range: { minX, maxX, minY, maxY },
    x: (value) => MARGIN.left + ((value - minX) / (maxX - minX)) * innerW,
    y: (value) => MARGIN.top + (1 - (value - minY) / (maxY - minY)) * innerH,
    time: (x) => minX + ((x - MARGIN.left) / innerW) * (maxX - minX),
  };
}

function drawAxes(pen: CanvasRenderingContext2D, frame: Frame, grid: string, ink: string): void {
  const { minX, maxX, minY, maxY } = frame.range;
  pen.lineWidth = 1;
  pen.strokeStyle = grid;
  pen.fillStyle = ink;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  const stepY = niceStep((maxY - minY) / 5);
  for (let value = Math.ceil(minY / stepY) * stepY; value <= maxY; value += stepY) {
    const y = Math.round(frame.y(value)) + 0.5;
    pen.beginPath();
    pen.moveTo(MARGIN.left, y);
    pen.lineTo(frame.width - MARGIN.right, y);
    pen.stroke();
    pen.fillText(shortNumber(value, stepY), MARGIN.left - 8, y);
  }
  pen.textAlign = "center";
  pen.textBaseline = "top";
  const wanted = (maxX - minX) / Math.max(2, frame.width / 130);
  const stepX = STEPS_MS.find((step) => step >= wanted) ?? wanted;
  for (let value = Math.ceil(minX / stepX) * stepX; value <= maxX; value += stepX)
    pen.fillText(timeLabel(value, stepX), frame.x(value), frame.height - MARGIN.bottom + 10);
}

function drawLine(pen: CanvasRenderingContext2D, frame: Frame, line: Series, ink: string): void {
  pen.strokeStyle = ink;
  pen.fillStyle = ink;
  pen.lineWidth = 1.8;
  pen.lineJoin = "round";
  pen.beginPath();
  for (const [i, { x, y }] of line.points.entries())
    if (i === 0) pen.moveTo(frame.x(x), frame.y(y));
    else pen.lineTo(frame.x(x), frame.y(y));
  pen.stroke();
  // Few points are marked: one alone would leave no trace.
  if (line.points.length > 40) return;
  for (const { x, y } of line.points) {
    pen.beginPath();
    pen.arc(frame.x(x), frame.y(y), 2.4, 0, Math.PI * 2);
    pen.fill();
  }
}

function nearestTime(series: readonly Series[], time: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (const { points } of series)
    for (const { x } of points) if (Math.abs(x - time) < Math.abs(best - time)) best = x;
  return best;
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
}

function shortNumber(value: number, step: number): string {
  const size = Math.abs(value);
  for (const [limit, word] of [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e4, "k"],
  ] as const)
    if (size >= limit)
      return `${Number((value / (word === "k" ? 1e3 : limit)).toPrecision(4))}${word}`;
  if (size !== 0 && size < 1e-4) return value.toExponential(1);
  return value.toFixed(Math.min(6, Math.max(0, -Math.floor(Math.log10(step)))));
}

/** `2024-01-02 03:04:05`, in UTC, with milliseconds where there are some. */
function instant(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace("T", " ")
    .replace(/(\.000)?Z$/, "");
}

function timeLabel(ms: number, step: number): string {
  const text = new Date(ms).toISOString();
  if (step >= 864e5) return text.slice(0, 10);
  if (step >= 6e4) return ms % 864e5 === 0 ? text.slice(5, 10) : text.slice(11, 16);
  return step >= 1e3 ? text.slice(11, 19) : text.slice(14, 23);
}
