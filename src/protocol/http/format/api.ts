/** What an output format is: the outputs of the statements in, text or bytes out, in pieces. */
import type { Output, TimeUnit } from "../../../types/mod.ts";

export interface FormatOptions {
  /** Timestamps are scaled to this unit (influxdb_v1 only). */
  readonly epoch?: TimeUnit | undefined;
  /** Milliseconds since the request arrived. */
  elapsedMs(): number;
}

export interface Format {
  /** Canonical name, as in `x-greptime-format`. */
  readonly name: string;
  readonly contentType: string;
  /** The body can tell of one statement only. */
  readonly single: boolean;
  /** Consumes each output before it asks for the next, so that pieces leave while later rows are still computed. */
  encode(
    outputs: AsyncIterable<Output>,
    options: FormatOptions,
  ): AsyncGenerator<string | Uint8Array, void, void>;
}

/** The name under which a format reports how long it took. */
export function wholeMs(options: FormatOptions): number {
  return Math.round(options.elapsedMs());
}
