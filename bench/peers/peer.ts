/**
 * A database under test, ours or another: how to start it, where to write, how to count what it has,
 * and how to bring it to rest so that its size on disk is what it will keep.
 */
import type { LoadTarget } from "../load/loader.ts";
import type { ServerProcess } from "./process.ts";

export type PeerKey = "ours" | "influxdb" | "victoria";

/** Database that every benchmark writes to. */
export const DATABASE = "benchmark";

/** What was written, so that it can be counted. */
export interface WrittenTable {
  readonly table: string;
  /** Every row has these fields. */
  readonly fields: readonly string[];
  /** First and last timestamp, nanoseconds since 1970. */
  readonly firstNs: bigint;
  readonly lastNs: bigint;
}

export interface Settled {
  readonly diskBytes: number;
  /** False: still compacting when patience ended; the size is an upper bound. */
  readonly stable: boolean;
  readonly seconds: number;
}

export interface RunningPeer {
  readonly process: ServerProcess;
  readonly dataDir: string;
  /** Seconds from start until it was ready. */
  readonly readyS: number;
  /** Where line protocol with nanoseconds goes. */
  readonly target: LoadTarget;
  /** Rows stored, over all series. */
  countRows(written: WrittenTable): Promise<number>;
  /** Flush and compact everything; returns when the disk is quiet. May restart the server. */
  settle(written: WrittenTable): Promise<Settled>;
  stop(): Promise<void>;
}

export interface Peer {
  readonly key: PeerKey;
  readonly title: string;
  /** Whether an acknowledged write survives a power cut at its defaults. */
  readonly durable: string;
  version(): Promise<string>;
  /** Starts it with an empty data folder under `folder`, and makes the database. */
  start(folder: string): Promise<RunningPeer>;
}
