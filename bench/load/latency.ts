/** Latencies of one load: every one is kept (8 bytes each), so percentiles are exact. */

/** Nearest rank: the value at index ceil(n × p) − 1 of the sorted values. NaN when there are none. */
export function percentile(sorted: ArrayLike<number>, p: number): number {
  if (sorted.length === 0) return Number.NaN;
  const index = Math.ceil(sorted.length * p) - 1;
  return sorted[Math.min(sorted.length - 1, Math.max(0, index))]!;
}

export interface LatencySummary {
  readonly count: number;
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export class Latencies {
  #values = new Float64Array(1024);
  #count = 0;

  add(ms: number): void {
    if (this.#count === this.#values.length) {
      const grown = new Float64Array(this.#values.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#count++] = ms;
  }

  summary(): LatencySummary {
    const sorted = this.#values.slice(0, this.#count).sort();
    return {
      count: sorted.length,
      meanMs: sorted.reduce((sum, v) => sum + v, 0) / sorted.length,
      p50Ms: percentile(sorted, 0.5),
      p95Ms: percentile(sorted, 0.95),
      p99Ms: percentile(sorted, 0.99),
      maxMs: percentile(sorted, 1),
    };
  }
}
