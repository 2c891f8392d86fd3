/** What was refused of one request: a count, and a message for the first ones in order of their lines. */
import type { WriteReport } from "./api.ts";

/** Enough to see what is wrong with a client; a body of a million bad lines must not make a message of a million. */
export const REFUSALS_MAX = 100;

export class Refusals {
  #rows = 0;
  #overLimit = 0;
  readonly #kept: { readonly line: number; readonly text: string }[] = [];

  /** `rows` rows refused for one reason. `line` is the first one's, 0 when there are no lines. */
  add(line: number, text: () => string, rows = 1): void {
    this.#rows += rows;
    if (this.#kept.length < REFUSALS_MAX) this.#kept.push({ line, text: text() });
  }

  /** Rows refused for lack of room, which an operator can give. Counted beside their message. */
  addOverLimit(rows: number): void {
    this.#overLimit += rows;
  }

  /** Rows refused for which no message is kept. */
  addUnnamed(rows: number): void {
    this.#rows += rows;
  }

  /** Takes over what was collected for one table. */
  addAll(other: Refusals): void {
    this.#rows += other.#rows;
    this.#overLimit += other.#overLimit;
    this.#kept.push(...other.#kept.slice(0, REFUSALS_MAX - this.#kept.length));
  }

  get rows(): number {
    return this.#rows;
  }

  report(rowsWritten: number): WriteReport {
    const texts = [...this.#kept].sort((a, b) => a.line - b.line).map(({ text }) => text);
    return {
      rowsWritten,
      rowsRefused: this.#rows,
      refusals: texts,
      rowsOverLimit: this.#overLimit,
    };
  }
}
