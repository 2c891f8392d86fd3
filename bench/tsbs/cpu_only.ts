/**
 * The TSBS cpu-only workload as line protocol: `scale` hosts report ten integer gauges every interval.
 * Order: by epoch, then by host. The gauges are independent random walks (start uniform in [0, 100),
 * step N(0, 1), clamped to [0, 100], cut to integers). Memory is O(scale), whatever the time span.
 *
 * Lines are put together from words of 8 bytes, because a generator that costs as much as the server
 * would be what the benchmark measures: every piece (`cpu,hostname=…,` per host, `usage_user=32i,` per
 * field and value, ` 1686…\n` per epoch) lies in a Float64Array, padded with zeros, and is copied with
 * one store per word; the next piece overwrites the padding. ASCII bytes never form a NaN, whose bits a
 * copy through a double could change.
 */
import type { Filled, LineGenerator } from "../load/source.ts";
import { drawHostTags } from "./hosts.ts";
import { Prng } from "./prng.ts";

/** The gauges, in the order of the line. */
export const CPU_FIELDS = [
  "usage_user",
  "usage_system",
  "usage_idle",
  "usage_nice",
  "usage_iowait",
  "usage_irq",
  "usage_softirq",
  "usage_steal",
  "usage_guest",
  "usage_guest_nice",
] as const;

/** A gauge shows 0..100. */
const LEVELS = 101;
const FIELDS = CPU_FIELDS.length;
/** Words of one ` <ns>\n`: 21 bytes. */
const TIME_WORDS = 3;
/** Words of the longest `usage_guest_nice=100i,`: 22 bytes. */
const FIELD_WORDS = 3;

export interface CpuOnlyOptions {
  /** Hosts. */
  readonly scale: number;
  readonly seed: number;
  /** First epoch, nanoseconds since 1970. */
  readonly startNs: bigint;
  /** Exclusive end, nanoseconds since 1970. */
  readonly endNs: bigint;
  readonly intervalNs: bigint;
}

/** The published data set's seed, start and interval; 4,000 hosts. */
export const CPU_ONLY_DEFAULTS = {
  scale: 4000,
  seed: 123,
  startNs: 1_686_441_600_000_000_000n, // 2023-06-11T00:00:00Z
  intervalNs: 10_000_000_000n,
} as const;

/** Epochs in [start, end). */
export function epochsOf(
  options: Pick<CpuOnlyOptions, "startNs" | "endNs" | "intervalNs">,
): number {
  const span = options.endNs - options.startNs;
  if (span <= 0n) return 0;
  return Number((span + options.intervalNs - 1n) / options.intervalNs);
}

const wordsFor = (bytes: number): number => Math.ceil(bytes / 8);

export class CpuOnlyGenerator implements LineGenerator {
  readonly lineBytesMax: number;
  readonly rowsTotal: number;
  readonly #options: CpuOnlyOptions;
  readonly #random: Prng;
  readonly #walks: Float64Array;
  readonly #prefixWords: Float64Array;
  readonly #prefixBytes: Int32Array;
  readonly #prefixStride: number;
  readonly #fieldWords = new Float64Array(FIELDS * LEVELS * FIELD_WORDS);
  readonly #fieldBytes = new Int32Array(FIELDS * LEVELS);
  readonly #timeWords = new Float64Array(TIME_WORDS);
  #timeBytes = 0;
  #epoch = 0;
  #host = 0;

  constructor(options: CpuOnlyOptions) {
    this.#options = options;
    this.#random = new Prng(options.seed);
    this.#walks = new Float64Array(options.scale * FIELDS);
    const prefixes = this.#drawHosts();
    const longest = prefixes.reduce((max, p) => Math.max(max, p.length), 0);
    this.#prefixStride = wordsFor(longest);
    this.#prefixWords = new Float64Array(options.scale * this.#prefixStride);
    this.#prefixBytes = Int32Array.from(prefixes, (p) => p.length);
    for (const [host, prefix] of prefixes.entries())
      putText(this.#prefixWords, host * this.#prefixStride, prefix);
    for (let field = 0; field < FIELDS; field++) {
      const end = field === FIELDS - 1 ? "" : ",";
      for (let level = 0; level < LEVELS; level++) {
        const piece = field * LEVELS + level;
        const text = `${CPU_FIELDS[field]}=${level}i${end}`;
        putText(this.#fieldWords, piece * FIELD_WORDS, text);
        this.#fieldBytes[piece] = text.length;
      }
    }
    this.lineBytesMax = (this.#prefixStride + FIELDS * FIELD_WORDS + TIME_WORDS) * 8;
    this.rowsTotal = epochsOf(options) * options.scale;
    this.#setTime();
  }

  /** The time of the last epoch, nanoseconds since 1970. */
  get lastNs(): bigint {
    const { startNs, intervalNs } = this.#options;
    return startNs + BigInt(epochsOf(this.#options) - 1) * intervalNs;
  }

  fill(into: Uint8Array, at: number, rowsMax: number): Filled {
    const view = new DataView(into.buffer, into.byteOffset, into.byteLength);
    const rowsLeft = this.rowsTotal - (this.#epoch * this.#options.scale + this.#host);
    const rows = Math.min(rowsMax, rowsLeft);
    let to = at;
    for (let row = 0; row < rows; row++) {
      if (this.#epoch > 0) this.#step(this.#host);
      to = this.#line(view, to, this.#host);
      if (++this.#host === this.#options.scale) {
        this.#host = 0;
        this.#epoch++;
        this.#setTime();
      }
    }
    return { rows, bytes: to - at };
  }

  #drawHosts(): string[] {
    const prefixes: string[] = [];
    for (let host = 0; host < this.#options.scale; host++) {
      for (let field = 0; field < FIELDS; field++)
        this.#walks[host * FIELDS + field] = this.#random.uniform() * 100;
      const tags = drawHostTags(this.#random, host).map(([name, value]) => `${name}=${value}`);
      prefixes.push(`cpu,${tags.join(",")} `);
    }
    return prefixes;
  }

  #setTime(): void {
    const { startNs, intervalNs } = this.#options;
    const text = ` ${startNs + BigInt(this.#epoch) * intervalNs}\n`;
    putText(this.#timeWords, 0, text);
    this.#timeBytes = text.length;
  }

  #step(host: number): void {
    const walks = this.#walks;
    const random = this.#random;
    const end = (host + 1) * FIELDS;
    for (let i = host * FIELDS; i < end; i++) {
      const next = walks[i]! + random.normal();
      walks[i] = next < 0 ? 0 : next > 100 ? 100 : next;
    }
  }

  #line(view: DataView, at: number, host: number): number {
    const prefixes = this.#prefixWords;
    const fieldWords = this.#fieldWords;
    const bytes = this.#prefixBytes[host]!;
    const first = host * this.#prefixStride;
    const last = first + ((bytes + 7) >> 3);
    let to = at;
    for (let word = first; word < last; word++, to += 8) view.setFloat64(to, prefixes[word]!, true);
    to = at + bytes;
    const walk = host * FIELDS;
    for (let field = 0; field < FIELDS; field++) {
      const piece = field * LEVELS + (this.#walks[walk + field]! | 0);
      const word = piece * FIELD_WORDS;
      view.setFloat64(to, fieldWords[word]!, true);
      view.setFloat64(to + 8, fieldWords[word + 1]!, true);
      view.setFloat64(to + 16, fieldWords[word + 2]!, true);
      to += this.#fieldBytes[piece]!;
    }
    for (let word = 0; word < TIME_WORDS; word++)
      view.setFloat64(to + 8 * word, this.#timeWords[word]!, true);
    return to + this.#timeBytes;
  }
}

/** Puts ASCII text at a word of `words`, the rest of its last word zero. */
function putText(words: Float64Array, word: number, text: string): void {
  const bytes = new Uint8Array(
    words.buffer,
    words.byteOffset + word * 8,
    wordsFor(text.length) * 8,
  );
  bytes.fill(0);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
}
