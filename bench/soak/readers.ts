/** The soak's queries: every answer is compared with the model; one that is wrong is kept, word for word. */
import { Latencies } from "../load/latency.ts";
import { numberAt } from "../peers/http.ts";
import type { Tidemark } from "../peers/tidemark.ts";
import type { Prng } from "../tsbs/prng.ts";
import { SOAK_TABLE, tickOf, tickRange } from "./lines.ts";
import {
  BUCKET_TICKS,
  GROUP_HOSTS,
  rowLoad,
  rowValue,
  type SoakModel,
  type Sums,
} from "./model.ts";

/** Buckets of one range query, at most. */
const RANGE_BUCKETS_MAX = 20;
/** Between two queries of one reader: readers ask, they do not saturate. */
const PAUSE_MS = 20;
const PROBLEMS_MAX = 20;

type Kind = "sums" | "host" | "zones" | "total";
const KINDS: readonly Kind[] = ["sums", "host", "zones", "total"];

export class SoakReaders {
  readonly latencies = new Latencies();
  readonly problems: string[] = [];
  readonly checked: Record<Kind, number> = { sums: 0, host: 0, zones: 0, total: 0 };
  /** Answers that a write overtook; nothing can be said about them. */
  overtaken = 0;
  stalls = 0;
  readonly #server: Tidemark;
  readonly #model: SoakModel;
  readonly #random: Prng;
  #stopped = false;

  constructor(server: Tidemark, model: SoakModel, random: Prng) {
    this.#server = server;
    this.#model = model;
    this.#random = random;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** `readers` loops until `stop`. */
  async run(readers: number): Promise<void> {
    await Promise.all(Array.from({ length: readers }, () => this.#loop()));
  }

  /** Every bucket, once; nothing may be written meanwhile. Returns how many were compared. */
  async verifyAll(when: string): Promise<number> {
    for (let from = 0; from < this.#model.buckets; from += RANGE_BUCKETS_MAX)
      await this.#checkSums(from, Math.min(this.#model.buckets, from + RANGE_BUCKETS_MAX), when);
    for (let i = 0; i < RANGE_BUCKETS_MAX; i++) await this.#checkHost(when);
    await this.#checkTotal(when);
    return this.#model.buckets;
  }

  async #loop(): Promise<void> {
    while (!this.#stopped) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      if (this.#model.rowsAcknowledged === 0) continue;
      const startMs = performance.now();
      try {
        await this.#ask(this.#random.pick(KINDS));
      } catch (error) {
        this.#wrong(`query failed: ${(error as Error).message}`);
      }
      const tookMs = performance.now() - startMs;
      this.latencies.add(tookMs);
      if (tookMs > 1000) this.stalls++;
    }
  }

  async #ask(kind: Kind): Promise<void> {
    switch (kind) {
      case "sums": {
        const from = this.#random.below(this.#model.buckets);
        const to = Math.min(this.#model.buckets, from + 1 + this.#random.below(RANGE_BUCKETS_MAX));
        return this.#checkSums(from, to, "under load");
      }
      case "host":
        return this.#checkHost("under load");
      case "zones":
        return this.#checkZones();
      case "total":
        return this.#checkTotal("under load");
    }
  }

  async #checkSums(from: number, to: number, when: string): Promise<void> {
    const before = this.#model.stableSums(from, to);
    if (before === null) return void this.overtaken++;
    const range = tickRange(from * BUCKET_TICKS, to * BUCKET_TICKS);
    const sql = `SELECT count(*), sum(value), sum(load) FROM ${SOAK_TABLE} WHERE ${range}`;
    const rows = await this.#server.sql(sql);
    if (this.#model.stableSums(from, to)?.generation !== before.generation)
      return void this.overtaken++;
    this.checked.sums++;
    const number = (i: number) => (rows[0]?.[i] === null ? 0 : numberAt(rows, 0, i));
    const got: Sums = { rows: number(0), value: number(1), load: number(2) };
    const want = before.sums;
    if (got.rows !== want.rows || got.value !== want.value || got.load !== want.load)
      this.#wrong(`${when}: ${sql} gave ${JSON.stringify(got)}, not ${JSON.stringify(want)}`);
  }

  /** One host in one bucket, row by row. */
  async #checkHost(when: string): Promise<void> {
    const model = this.#model;
    const bucket = this.#random.below(model.buckets);
    const host = this.#random.below(model.groups * GROUP_HOSTS);
    const before = model.stableSums(bucket, bucket + 1);
    if (before === null) return void this.overtaken++;
    const from = bucket * BUCKET_TICKS;
    const want: string[] = [];
    for (let tick = from; tick < from + BUCKET_TICKS; tick++) {
      const version = model.version(tick, Math.floor(host / GROUP_HOSTS));
      if (version >= 0)
        want.push(`${tick}: ${rowValue(host, tick, version)} ${rowLoad(host, tick)}`);
    }
    const sql = `SELECT greptime_timestamp, value, load FROM ${SOAK_TABLE} WHERE host = 'host_${host}' AND ${tickRange(from, from + BUCKET_TICKS)} ORDER BY greptime_timestamp`;
    const rows = await this.#server.sql(sql);
    if (model.stableSums(bucket, bucket + 1)?.generation !== before.generation)
      return void this.overtaken++;
    this.checked.host++;
    const got = rows.map(([ts, value, load]) => `${tickOf(String(ts))}: ${value} ${load}`);
    if (got.join(", ") !== want.join(", "))
      this.#wrong(`${when}: ${sql} gave ${got.join(", ")}, not ${want.join(", ")}`);
  }

  /** Counts by tag add up to the whole. */
  async #checkZones(): Promise<void> {
    const bucket = this.#random.below(this.#model.buckets);
    const before = this.#model.stableSums(bucket, bucket + 1);
    if (before === null) return void this.overtaken++;
    const sql = `SELECT zone, count(*) FROM ${SOAK_TABLE} WHERE ${tickRange(bucket * BUCKET_TICKS, (bucket + 1) * BUCKET_TICKS)} GROUP BY zone`;
    const rows = await this.#server.sql(sql);
    if (this.#model.stableSums(bucket, bucket + 1)?.generation !== before.generation)
      return void this.overtaken++;
    this.checked.zones++;
    const got = rows.reduce((sum, _, i) => sum + numberAt(rows, i, 1), 0);
    if (got !== before.sums.rows)
      this.#wrong(`${sql} counts ${got} rows in all, not ${before.sums.rows}`);
  }

  /** The whole table: at least what was acknowledged before, at most what was sent until after. */
  async #checkTotal(when: string): Promise<void> {
    const least = this.#model.rowsAcknowledged;
    const rows = await this.#server.sql(`SELECT count(*) FROM ${SOAK_TABLE}`);
    const most = this.#model.rowsSent;
    this.checked.total++;
    const got = numberAt(rows, 0, 0);
    if (got < least || got > most)
      this.#wrong(`${when}: the table has ${got} rows, not ${least} to ${most}`);
  }

  #wrong(what: string): void {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push(what);
  }
}
