/**
 * What the table must hold: the soak's own model. Rows are (host, tick); a group is 100 hosts of one
 * tick and is written whole. Values are whole numbers computed from (host, tick, version), so that
 * sums are exact and nothing but the version of each group is remembered.
 *
 * A group is `stable` while no request that holds it is under way; only stable groups are asked for,
 * and an answer counts only if they were stable all along (`generation` unchanged).
 */

export const GROUP_HOSTS = 100;
/** Ticks of one bucket, the smallest range that queries ask for. */
export const BUCKET_TICKS = 20;
/** A primary prime to spread values with. */
const SPREAD = 1000;

export interface Sums {
  rows: number;
  value: number;
  load: number;
}

/** The field that rewrites change. */
export function rowValue(host: number, tick: number, version: number): number {
  return ((host * 7919 + tick * 104_729) % SPREAD) + SPREAD * version;
}

/** The field that only the first write sends; a rewrite must leave it as it was. */
export function rowLoad(host: number, tick: number): number {
  return (host * 31 + tick * 17) % SPREAD;
}

interface Bucket {
  sums: Sums;
  inFlight: number;
  generation: number;
}

export class SoakModel {
  readonly groups: number;
  /** tick × groups + group → version + 1; 0: not written yet. */
  #versions = new Uint8Array(1 << 16);
  readonly #buckets: Bucket[] = [];
  rowsAcknowledged = 0;
  rowsSent = 0;

  /** `hosts` is a multiple of GROUP_HOSTS. */
  constructor(hosts: number) {
    this.groups = hosts / GROUP_HOSTS;
  }

  /** −1 when the group was never acknowledged. */
  version(tick: number, group: number): number {
    return (this.#versions[tick * this.groups + group] ?? 0) - 1;
  }

  /** A request with this group leaves. `added`: rows that are not there yet. */
  sent(tick: number, added: number): void {
    const bucket = this.#bucket(tick);
    bucket.inFlight++;
    bucket.generation++;
    this.rowsSent += added;
  }

  /** It was acknowledged with this version. */
  acknowledged(tick: number, group: number, version: number): void {
    const before = this.version(tick, group);
    const bucket = this.#bucket(tick);
    bucket.inFlight--;
    bucket.generation++;
    this.#setVersion(tick * this.groups + group, version + 1);
    const first = group * GROUP_HOSTS;
    for (let host = first; host < first + GROUP_HOSTS; host++) {
      bucket.sums.value +=
        rowValue(host, tick, version) - (before < 0 ? 0 : rowValue(host, tick, before));
      if (before < 0) bucket.sums.load += rowLoad(host, tick);
    }
    if (before >= 0) return;
    bucket.sums.rows += GROUP_HOSTS;
    this.rowsAcknowledged += GROUP_HOSTS;
  }

  get buckets(): number {
    return this.#buckets.length;
  }

  /** Sums over buckets [from, to), or null while a write to one of them is under way. */
  stableSums(from: number, to: number): { sums: Sums; generation: number } | null {
    const sums: Sums = { rows: 0, value: 0, load: 0 };
    let generation = 0;
    for (const bucket of this.#buckets.slice(from, to)) {
      if (bucket.inFlight > 0) return null;
      sums.rows += bucket.sums.rows;
      sums.value += bucket.sums.value;
      sums.load += bucket.sums.load;
      generation += bucket.generation;
    }
    return { sums, generation };
  }

  #bucket(tick: number): Bucket {
    const index = Math.floor(tick / BUCKET_TICKS);
    while (this.#buckets.length <= index)
      this.#buckets.push({ sums: { rows: 0, value: 0, load: 0 }, inFlight: 0, generation: 0 });
    return this.#buckets[index]!;
  }

  #setVersion(index: number, value: number): void {
    if (index >= this.#versions.length) {
      const grown = new Uint8Array(Math.max(index + 1, this.#versions.length * 2));
      grown.set(this.#versions);
      this.#versions = grown;
    }
    this.#versions[index] = value;
  }
}
