/** What a region and the engine around it tell each other. Types only. */
import type { FileChecks } from "./file_checks.ts";
import type { Generation } from "./memtable.ts";
import type { RegionImpl } from "./region.ts";

/** What a flush writes. */
export interface Frozen {
  readonly generations: readonly Generation[];
  /** Everything below it is in the generations or in files. */
  readonly neededSequence: bigint;
  /** Series logged at the freeze: all that the generations use. Later ones may still wait for their tags in the catalog. */
  readonly series: number;
}

/** Asks the engine for room before a write, and tells it what happened after. */
export interface RegionHost {
  readonly checks: FileChecks;
  admit(region: RegionImpl, bytes: number): Promise<void> | undefined;
  applied(region: RegionImpl): void;
  /** Runs a flush of this region (serialized with others). */
  flush(region: RegionImpl, reason: string): Promise<void>;
  compact(
    region: RegionImpl,
    options: { readonly strictWindow?: boolean; readonly windowSec?: number },
  ): Promise<void>;
}
