/** A progress bar with rate and time left on standard error; one line now and then when it is no terminal. */
import { secondsText, short } from "./numbers.ts";

const BAR_CELLS = 24;
/** Redraws of a terminal, and lines of a log file. */
const TERMINAL_MS = 200;
const LOG_MS = 10_000;

export class Progress {
  readonly #title: string;
  readonly #total: number;
  readonly #unit: string;
  readonly #startMs = performance.now();
  #lastMs = 0;

  /** `total` units make 100 %; with `secondsMax` the bar also ends by time. */
  constructor(title: string, total: number, unit = "rows") {
    this.#title = title;
    this.#total = total;
    this.#unit = unit;
  }

  update(done: number, secondsLeftMax = Number.POSITIVE_INFINITY): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastMs < (process.stderr.isTTY ? TERMINAL_MS : LOG_MS)) return;
    this.#lastMs = nowMs;
    this.#draw(done, secondsLeftMax, nowMs);
  }

  /** The last state stays on the screen. */
  end(done: number): void {
    this.#draw(done, 0, performance.now());
    if (process.stderr.isTTY) process.stderr.write("\n");
  }

  #draw(done: number, secondsLeftMax: number, nowMs: number): void {
    const seconds = Math.max(0.001, (nowMs - this.#startMs) / 1000);
    const rate = done / seconds;
    const share = this.#total > 0 ? Math.min(1, done / this.#total) : 1;
    const left = Math.min(secondsLeftMax, rate > 0 ? (this.#total - done) / rate : Number.NaN);
    const cells = Math.round(share * BAR_CELLS);
    const bar = "█".repeat(cells) + "░".repeat(BAR_CELLS - cells);
    const text = `${this.#title.padEnd(24)} ${bar} ${(share * 100).toFixed(0).padStart(3)} %  ${short(done)} ${this.#unit}  ${short(rate)}/s  ${secondsText(seconds)}, ${secondsText(left)} left`;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${text}` : `${text}\n`);
  }
}
