/**
 * The soak's writes: in-order ticks at a steady rate, groups that were held back and come late, and
 * groups that are written again with a new value. Every choice comes from the seed.
 */
import { HttpConnection } from "../load/connection.ts";
import { Latencies } from "../load/latency.ts";
import type { LoadTarget } from "../load/loader.ts";
import type { Prng } from "../tsbs/prng.ts";
import { groupLines } from "./lines.ts";
import { GROUP_HOSTS, type SoakModel } from "./model.ts";

/** One group in this many is held back and sent late. */
const LATE_EVERY = 20;
/** How late, seconds. */
const LATE_S_MAX = 20;
/** Rewrites a second, at most; each is one group. */
const REWRITES_PER_S = 20;
/** A version fits in the model's byte with room. */
const VERSION_MAX = 200;
const RETRY_S = 0.5;
/** A group may be refused as overload for so long. */
const OVERLOAD_S_MAX = 30;

interface Group {
  readonly tick: number;
  readonly group: number;
  readonly version: number;
}

interface Held {
  readonly tick: number;
  readonly group: number;
  readonly dueMs: number;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export class SoakWriters {
  readonly latencies = new Latencies();
  readonly problems: string[] = [];
  /** Requests answered later than a second. */
  stalls = 0;
  retries = 0;
  rewrites = 0;
  lateGroups = 0;
  tick = 0;
  readonly #target: LoadTarget;
  readonly #model: SoakModel;
  readonly #random: Prng;
  readonly #held: Held[] = [];
  readonly #busy = new Set<string>();
  #stopped = false;

  constructor(target: LoadTarget, model: SoakModel, random: Prng) {
    this.#target = target;
    this.#model = model;
    this.#random = random;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Writes `rowsPerS` rows a second in order until `stop`, and the others beside it; then what is held back. */
  async run(rowsPerS: number): Promise<void> {
    await Promise.all([this.#inOrder(rowsPerS), this.#rewrite(), this.#late()]);
  }

  async #inOrder(rowsPerS: number): Promise<void> {
    const connection = this.#connect();
    const ticksPerS = rowsPerS / (this.#model.groups * GROUP_HOSTS);
    const startMs = performance.now();
    while (!this.#stopped) {
      const aheadMs = startMs + (this.tick / ticksPerS) * 1000 - performance.now();
      if (aheadMs > 1) await sleep(aheadMs);
      const tick = this.tick;
      const groups: Group[] = [];
      for (let group = 0; group < this.#model.groups; group++) {
        if (this.#random.below(LATE_EVERY) > 0) groups.push({ tick, group, version: 0 });
        else {
          const dueMs = performance.now() + this.#random.uniform() * LATE_S_MAX * 1000;
          this.#held.push({ tick, group, dueMs });
        }
      }
      await this.#send(connection, groups);
      this.tick++;
    }
    connection.close();
  }

  /** Goes on after `stop` until nothing is held back. */
  async #late(): Promise<void> {
    const connection = this.#connect();
    while (!this.#stopped || this.#held.length > 0) {
      const nowMs = performance.now();
      const index = this.#held.findIndex((held) => this.#stopped || held.dueMs <= nowMs);
      const held = index < 0 ? undefined : this.#held.splice(index, 1)[0];
      if (held === undefined) await sleep(10);
      else {
        await this.#send(connection, [{ tick: held.tick, group: held.group, version: 0 }]);
        this.lateGroups++;
      }
    }
    connection.close();
  }

  async #rewrite(): Promise<void> {
    const connection = this.#connect();
    while (!this.#stopped) {
      await sleep(1000 / REWRITES_PER_S);
      const tick = this.#random.below(Math.max(1, this.tick));
      const group = this.#random.below(this.#model.groups);
      const version = this.#model.version(tick, group);
      if (version < 0 || version >= VERSION_MAX || this.#busy.has(`${tick}/${group}`)) continue;
      await this.#send(connection, [{ tick, group, version: version + 1 }]);
      this.rewrites++;
    }
    connection.close();
  }

  #connect(): HttpConnection {
    return new HttpConnection(this.#target.host, this.#target.port);
  }

  async #send(connection: HttpConnection, groups: readonly Group[]): Promise<void> {
    if (groups.length === 0) return;
    const body = Buffer.from(groups.map((g) => groupLines(g.tick, g.group, g.version)).join(""));
    const head = `POST ${this.#target.path} HTTP/1.1\r\nHost: ${this.#target.host}:${this.#target.port}\r\nContent-Length: ${body.length}\r\n\r\n`;
    const request = Buffer.concat([Buffer.from(head), body]);
    for (const g of groups) {
      this.#busy.add(`${g.tick}/${g.group}`);
      this.#model.sent(g.tick, g.version === 0 ? GROUP_HOSTS : 0);
    }
    const startMs = performance.now();
    for (;;) {
      const requestMs = performance.now();
      const response = await connection.send(request).catch((error: Error) => error);
      const tookMs = performance.now() - requestMs;
      this.latencies.add(tookMs);
      if (tookMs > 1000) this.stalls++;
      if (!(response instanceof Error) && response.status === 204) break;
      const text =
        response instanceof Error ? response.message : `${response.status}: ${response.body}`;
      const overload =
        response instanceof Error || response.status === 429 || response.status === 503;
      if (!overload || performance.now() - startMs > OVERLOAD_S_MAX * 1000) {
        this.problems.push(`write refused: ${text.slice(0, 300)}`);
        this.#stopped = true;
        return;
      }
      this.retries++;
      await sleep(RETRY_S * 1000);
    }
    for (const g of groups) {
      this.#busy.delete(`${g.tick}/${g.group}`);
      this.#model.acknowledged(g.tick, g.group, g.version);
    }
  }
}
