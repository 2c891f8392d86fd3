/** Time comes in through the door: nothing outside `server/` and tests calls Date.now() or hrtime. */

export interface Clock {
  /** Wall clock, nanoseconds since 1970-01-01T00:00:00Z. May jump. */
  nowNs(): bigint;
  /** Monotonic milliseconds, for durations only. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowNs: () => BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n),
  monotonicMs: () => performance.now(),
};

/** A clock that a test sets by hand. */
export class ManualClock implements Clock {
  constructor(private ns = 1_700_000_000_000_000_000n) {}
  nowNs(): bigint {
    return this.ns;
  }
  monotonicMs(): number {
    return Number(this.ns / 1_000_000n);
  }
  advanceMs(ms: number): void {
    this.ns += BigInt(Math.round(ms)) * 1_000_000n;
  }
  setNs(ns: bigint): void {
    this.ns = ns;
  }
}
