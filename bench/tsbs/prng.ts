/**
 * The random numbers of every workload: xoshiro128** seeded through splitmix32, so one small integer
 * names a data set for ever. Never crypto, never the clock: equal seeds give equal bytes.
 */

/** Layers of the ziggurat. 128 keeps its tables in the L1 cache and takes the slow path in 1 % of draws. */
const LAYERS = 128;
/** Start of the tail for 128 layers, and the area of one layer (Marsaglia and Tsang, 2000). */
const TAIL_START = 3.442619855899;
const LAYER_AREA = 9.91256303526217e-3;
/** A draw gives 7 bits to the layer and the other 25, signed, to the position within it. */
const POSITION_SCALE = 2 ** 24;

interface Ziggurat {
  /** Positions below this (absolute, in 2^-24 of the layer's width) need no further check. */
  readonly inside: Int32Array;
  /** Width of the layer divided by 2^24. */
  readonly width: Float64Array;
  /** Density at the layer's edge. */
  readonly density: Float64Array;
}

function buildZiggurat(): Ziggurat {
  const inside = new Int32Array(LAYERS);
  const width = new Float64Array(LAYERS);
  const density = new Float64Array(LAYERS);
  const tailDensity = Math.exp(-0.5 * TAIL_START * TAIL_START);
  const base = LAYER_AREA / tailDensity;
  let edge = TAIL_START;
  let outer = TAIL_START;
  inside[0] = Math.floor((TAIL_START / base) * POSITION_SCALE);
  width[0] = base / POSITION_SCALE;
  density[0] = 1;
  width[LAYERS - 1] = edge / POSITION_SCALE;
  density[LAYERS - 1] = tailDensity;
  for (let i = LAYERS - 2; i >= 1; i--) {
    edge = Math.sqrt(-2 * Math.log(LAYER_AREA / edge + Math.exp(-0.5 * edge * edge)));
    inside[i + 1] = Math.floor((edge / outer) * POSITION_SCALE);
    outer = edge;
    width[i] = edge / POSITION_SCALE;
    density[i] = Math.exp(-0.5 * edge * edge);
  }
  inside[1] = 0;
  return { inside, width, density };
}

const ZIGGURAT = buildZiggurat();

export class Prng {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** Only the low 32 bits of `seed` count. */
  constructor(seed: number) {
    let state = seed | 0;
    const next = (): number => {
      state = (state + 0x9e3779b9) | 0;
      let z = state;
      z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
      z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
      return z ^ (z >>> 16);
    };
    this.#a = next();
    this.#b = next();
    this.#c = next();
    this.#d = next();
  }

  /** Any 32-bit integer, signed. */
  int32(): number {
    const b = this.#b;
    const times5 = Math.imul(b, 5);
    const result = Math.imul((times5 << 7) | (times5 >>> 25), 9);
    const c = this.#c ^ this.#a;
    const d = this.#d ^ b;
    this.#b = b ^ c;
    this.#a ^= d;
    this.#c = c ^ (b << 9);
    this.#d = (d << 11) | (d >>> 21);
    return result;
  }

  /** Uniform in [0, 1), 53 bits. */
  uniform(): number {
    const high = this.int32() >>> 5;
    const low = this.int32() >>> 6;
    return (high * 67_108_864 + low) / 9_007_199_254_740_992;
  }

  /** Uniform integer in [0, below), `below` up to 2^32. */
  below(below: number): number {
    return Math.floor(this.uniform() * below);
  }

  /** One of `values`, each as likely. */
  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  /** Normal distribution, mean 0, standard deviation 1. */
  normal(): number {
    const draw = this.int32();
    const layer = draw & (LAYERS - 1);
    const position = draw >> 7;
    if ((position < 0 ? -position : position) < ZIGGURAT.inside[layer]!)
      return position * ZIGGURAT.width[layer]!;
    return this.#normalSlow(layer, position);
  }

  #normalSlow(firstLayer: number, firstPosition: number): number {
    const { inside, width, density } = ZIGGURAT;
    let layer = firstLayer;
    let position = firstPosition;
    for (;;) {
      if (layer === 0) {
        const tail = this.#normalTail();
        return position < 0 ? -tail : tail;
      }
      const x = position * width[layer]!;
      const low = density[layer]!;
      const high = density[layer - 1]!;
      if (low + this.uniform() * (high - low) < Math.exp(-0.5 * x * x)) return x;
      const draw = this.int32();
      layer = draw & (LAYERS - 1);
      position = draw >> 7;
      if (Math.abs(position) < inside[layer]!) return position * width[layer]!;
    }
  }

  #normalTail(): number {
    for (;;) {
      const x = -Math.log(1 - this.uniform()) / TAIL_START;
      const y = -Math.log(1 - this.uniform());
      if (y + y >= x * x) return TAIL_START + x;
    }
  }
}
