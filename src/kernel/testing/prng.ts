/** Randomness for tests that can be had again: a failing test prints its seed, SEED=n reproduces it. */

/** The seed of this run: SEED from the environment, else a fresh one. */
export const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

/** sfc32: small, fast, good enough for tests. */
export class Random {
  #a: number;
  #b = 0x9e37_79b9;
  #c = 0x243f_6a88;
  #n = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    for (let i = 0; i < 12; i++) this.u32();
  }

  u32(): number {
    const t = (((this.#a + this.#b) | 0) + this.#n) | 0;
    this.#n = (this.#n + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t;
    return t >>> 0;
  }

  /** An integer in [0, n). */
  below(n: number): number {
    return Math.floor((this.u32() / 2 ** 32) * n);
  }

  chance(p: number): boolean {
    return this.u32() < p * 2 ** 32;
  }

  pick<V>(from: readonly V[]): V {
    return from[this.below(from.length)]!;
  }

  bits64(): bigint {
    return (BigInt(this.u32()) << 32n) | BigInt(this.u32());
  }
}
