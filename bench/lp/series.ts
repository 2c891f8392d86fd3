/**
 * The rows of the ingestion protocol benchmark as line protocol: 4 tags, 5 random doubles, one
 * millisecond between rows, so every timestamp is unique. Row i belongs to series i mod S; the doubles
 * are pure noise in [0, 100) and [0, 1e9), printed as shortest plain decimals (16 or 17 digits), which
 * is the hardest case for a float parser. Memory is O(1).
 */
import type { Filled, LineGenerator } from "../load/source.ts";
import { Prng } from "../tsbs/prng.ts";

/** Combinations of region, datacenter and service that each host has. */
export const SERIES_PER_HOST = 1000;
export const SERIES_TABLE = "benchmark_influxdb";

const REGIONS = [
  "us-east-1",
  "us-west-2",
  "eu-west-1",
  "ap-southeast-1",
  "ap-northeast-1",
] as const;
const START_MS = 1_704_067_200_000n; // 2024-01-01T00:00:00Z
/** 99 bytes of names, at most 60 of tag values, 5 × 24 of doubles, 20 of time, a table's number. */
const LINE_BYTES_MAX = 330;
/** Consecutive rows of one table, when there are several: a usual batch then has one table. */
const TABLE_ROWS = 1000;

export interface SeriesOptions {
  /** Distinct tag combinations: a multiple of 1,000. */
  readonly series: number;
  readonly rows: number;
  readonly seed: number;
  /** Tables that take turns; one when absent. */
  readonly tables?: number;
}

/** The name of table `index` of `tables`. */
export function seriesTable(index: number, tables: number): string {
  return tables === 1 ? SERIES_TABLE : `${SERIES_TABLE}_${index}`;
}

/** Shortest decimal that reads back as `value`, never with an exponent. For values in [0, 1e21). */
export function plainDecimal(value: number): string {
  const text = String(value);
  const at = text.indexOf("e-");
  if (at < 0) return text;
  const digits = text.slice(0, at).replace(".", "");
  return `0.${"0".repeat(Number(text.slice(at + 2)) - 1)}${digits}`;
}

/** The tags of a series, keys sorted as the Go client sorts them. */
export function seriesTags(series: number): string {
  const host = Math.floor(series / SERIES_PER_HOST);
  const region = REGIONS[Math.floor((series % 1000) / 200)]!;
  const datacenter = Math.floor((series % 200) / 20);
  const service = String(series % 20).padStart(2, "0");
  return `datacenter=dc-${datacenter},host=host-${host},region=${region},service=svc-${service}`;
}

export class SeriesGenerator implements LineGenerator {
  readonly lineBytesMax = LINE_BYTES_MAX;
  readonly rowsTotal: number;
  readonly #series: number;
  readonly #tables: number;
  readonly #random: Prng;
  #row = 0;

  /** Throws a RangeError when `series` is not a positive multiple of 1,000. */
  constructor(options: SeriesOptions) {
    if (options.series <= 0 || options.series % SERIES_PER_HOST !== 0)
      throw new RangeError(
        `series must be a multiple of ${SERIES_PER_HOST}, got ${options.series}`,
      );
    this.#series = options.series;
    this.#tables = options.tables ?? 1;
    this.rowsTotal = options.rows;
    this.#random = new Prng(options.seed);
  }

  fill(into: Uint8Array, at: number, rowsMax: number): Filled {
    const out = Buffer.from(into.buffer, into.byteOffset, into.byteLength);
    const rows = Math.min(rowsMax, this.rowsTotal - this.#row);
    let to = at;
    for (let i = 0; i < rows; i++) {
      const line = this.#line();
      out.write(line, to, line.length, "latin1");
      to += line.length;
    }
    return { rows, bytes: to - at };
  }

  #line(): string {
    const random = this.#random;
    const row = this.#row++;
    const cpu = plainDecimal(random.uniform() * 100);
    const memory = plainDecimal(random.uniform() * 100);
    const disk = plainDecimal(random.uniform() * 100);
    const netIn = plainDecimal(random.uniform() * 1e9);
    const netOut = plainDecimal(random.uniform() * 1e9);
    // The last six digits are always zero, so a number of milliseconds is exact.
    const ms = Number(START_MS) + row;
    const tags = seriesTags(row % this.#series);
    const table = seriesTable(Math.floor(row / TABLE_ROWS) % this.#tables, this.#tables);
    return `${table},${tags} cpu=${cpu},disk_util=${disk},memory=${memory},net_in=${netIn},net_out=${netOut} ${ms}000000\n`;
  }
}
