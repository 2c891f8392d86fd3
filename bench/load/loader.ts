/**
 * Sends a workload over HTTP with W workers, each with one connection and one request in flight, all
 * fed in order from one queue. Measures rows/s, the latency of each request and its own CPU.
 * Overload answers (429, 503, InfluxDB's back-pressure phrases) wait and repeat; a broken connection
 * repeats, as the lines are idempotent; any other refusal is an error, kept and counted.
 */
import { HttpConnection } from "./connection.ts";
import type { HttpResponse } from "./http_response.ts";
import { Latencies, type LatencySummary } from "./latency.ts";
import { Prefetch, type Slot } from "./prefetch.ts";
import type { BatchSource } from "./source.ts";

export interface LoadTarget {
  readonly host: string;
  readonly port: number;
  /** Path and query of the write endpoint. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface LoadOptions {
  readonly workers: number;
  /** Batches sent before the clock starts; stored and counted, not measured. */
  readonly warmupBatches: number;
  /** No new batch starts after this many seconds of measuring. */
  readonly secondsMax: number;
  /** No new batch starts once this many rows are under way. */
  readonly rowsMax: number;
}

export interface LoadProgress {
  readonly rows: number;
  readonly seconds: number;
}

export interface LoadResult {
  /** Rows of measured batches that the server acknowledged. */
  readonly rows: number;
  /** Rows acknowledged altogether: warm-up and measured. The server must have these. */
  readonly rowsAcknowledged: number;
  readonly batches: number;
  readonly bodyBytes: number;
  readonly seconds: number;
  readonly rowsPerS: number;
  /** Of acknowledged full-size batches. */
  readonly latency: LatencySummary;
  readonly retries: number;
  readonly errors: number;
  /** The first few refusals, as "status: body". */
  readonly errorSamples: readonly string[];
  /** CPU of the loader's process while measuring, user and system. */
  readonly loaderCpuS: number;
  /** The workload was not sent to its end. */
  readonly cutShort: boolean;
  /** Rows acknowledged in each whole second of measuring. */
  readonly rowsBySecond: readonly number[];
}

/** After this many refusals there is nothing left to measure. */
const ERRORS_MAX = 20;
const ERROR_SAMPLES_MAX = 5;
/** A batch refused as overload for this long is an error. */
const OVERLOAD_S_MAX = 60;
const RECONNECTS_MAX = 5;
/** What TSBS waits when the server gives no Retry-After. */
const BACK_OFF_S = 1;
/** How InfluxDB says "later", with status 500. */
const BACK_PRESSURE = /cache-max-memory-size exceeded|hinted handoff|timeout|max connections/i;

/** What both phases share. */
interface Phase {
  readonly measured: boolean;
  readonly startMs: number;
  readonly deadlineMs: number;
  batchesLeft: number;
}

const sleepS = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function isOverload(response: HttpResponse): boolean {
  if (response.status === 429 || response.status === 503) return true;
  return response.status === 500 && BACK_PRESSURE.test(response.body);
}

export class Loader {
  readonly #target: LoadTarget;
  readonly #source: BatchSource;
  readonly #options: LoadOptions;
  readonly #headStart: string;
  readonly #latencies = new Latencies();
  readonly #rowsBySecond: number[] = [];
  readonly #errorSamples: string[] = [];
  #prefetch: Prefetch;
  #stopped = false;
  #cutShort = false;
  #rows = 0;
  #rowsAcknowledged = 0;
  #batches = 0;
  #bodyBytes = 0;
  #retries = 0;
  #errors = 0;
  #fullBatchRows = 0;

  constructor(target: LoadTarget, source: BatchSource, options: LoadOptions) {
    this.#target = target;
    this.#source = source;
    this.#options = options;
    const headers = Object.entries(target.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#headStart = `POST ${target.path} HTTP/1.1\r\nHost: ${target.host}:${target.port}\r\n${headers.join("")}Content-Length: `;
    // Two buffers a worker: one on its way, one ready.
    this.#prefetch = new Prefetch(source, options.workers * 2, options.rowsMax);
  }

  /** Rows acknowledged so far, warm-up included. */
  get rowsAcknowledged(): number {
    return this.#rowsAcknowledged;
  }

  /** Lets requests in flight end and starts no new one. */
  stop(): void {
    this.#stopped = true;
  }

  /** Sends everything. Throws when the server cannot be reached at all. */
  async run(): Promise<LoadResult> {
    const { host, port } = this.#target;
    const connections = Array.from(
      { length: this.#options.workers },
      () => new HttpConnection(host, port),
    );
    await Promise.all(connections.map((c) => c.open()));
    if (this.#options.warmupBatches > 0) await this.#phase(connections, false);
    const cpuBefore = process.cpuUsage();
    const seconds = await this.#phase(connections, true);
    const cpu = process.cpuUsage(cpuBefore);
    for (const connection of connections) connection.close();
    this.#prefetch.stop();
    return {
      rows: this.#rows,
      rowsAcknowledged: this.#rowsAcknowledged,
      batches: this.#batches,
      bodyBytes: this.#bodyBytes,
      seconds,
      rowsPerS: this.#rows / seconds,
      latency: this.#latencies.summary(),
      retries: this.#retries,
      errors: this.#errors,
      errorSamples: this.#errorSamples,
      loaderCpuS: (cpu.user + cpu.system) / 1e6,
      cutShort: this.#cutShort || this.#rowsAcknowledged < this.#source.rowsTotal,
      rowsBySecond: Array.from(this.#rowsBySecond, (rows) => rows ?? 0),
    };
  }

  /** One run of all workers over the queue; returns its seconds. */
  async #phase(connections: readonly HttpConnection[], measured: boolean): Promise<number> {
    const startMs = performance.now();
    const phase: Phase = {
      measured,
      startMs,
      deadlineMs: measured ? startMs + this.#options.secondsMax * 1000 : Number.POSITIVE_INFINITY,
      batchesLeft: measured ? Number.POSITIVE_INFINITY : this.#options.warmupBatches,
    };
    await Promise.all(connections.map((connection) => this.#work(connection, phase)));
    return (performance.now() - startMs) / 1000;
  }

  async #work(connection: HttpConnection, phase: Phase): Promise<void> {
    while (!this.#stopped && phase.batchesLeft > 0) {
      if (performance.now() >= phase.deadlineMs) {
        this.#cutShort = true;
        return;
      }
      phase.batchesLeft--;
      const slot = await this.#prefetch.take();
      if (slot === null) return;
      await this.#sendBatch(connection, slot, phase);
      this.#prefetch.give(slot);
    }
  }

  async #sendBatch(connection: HttpConnection, slot: Slot, phase: Phase): Promise<void> {
    const request = slot.requestIn(`${this.#headStart}${slot.bytes}\r\n\r\n`);
    const startMs = performance.now();
    for (let reconnects = 0; ; ) {
      try {
        const response = await connection.send(request);
        if (response.status >= 200 && response.status < 300) {
          this.#acknowledged(slot, phase, startMs);
          return;
        }
        const waitedS = (performance.now() - startMs) / 1000;
        if (!isOverload(response) || waitedS > OVERLOAD_S_MAX) {
          this.#refused(`${response.status}: ${response.body.slice(0, 300)}`);
          return;
        }
        this.#retries++;
        await sleepS(response.retryAfterS ?? BACK_OFF_S);
      } catch (error) {
        if (this.#stopped || ++reconnects > RECONNECTS_MAX) {
          this.#refused((error as Error).message);
          return;
        }
        this.#retries++;
        await sleepS(0.1);
      }
    }
  }

  #acknowledged(slot: Slot, phase: Phase, startMs: number): void {
    this.#rowsAcknowledged += slot.rows;
    if (!phase.measured) return;
    const nowMs = performance.now();
    this.#fullBatchRows = Math.max(this.#fullBatchRows, slot.rows);
    if (slot.rows === this.#fullBatchRows) this.#latencies.add(nowMs - startMs);
    this.#rows += slot.rows;
    this.#batches++;
    this.#bodyBytes += slot.bytes;
    const second = Math.floor((nowMs - phase.startMs) / 1000);
    this.#rowsBySecond[second] = (this.#rowsBySecond[second] ?? 0) + slot.rows;
  }

  #refused(what: string): void {
    this.#errors++;
    if (this.#errorSamples.length < ERROR_SAMPLES_MAX) this.#errorSamples.push(what);
    if (this.#errors >= ERRORS_MAX) this.#stopped = true;
  }
}
