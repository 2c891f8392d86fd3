/**
 * Manifest: what a region consists of on disk. State is replaced by actions; a file counts only while it is named here.
 * Persisted by the VersionedLog (docs/format/versioned_log.md); the actions are docs/format/manifest.md.
 */
import { Bug } from "../base/mod.ts";
import type { ColumnType } from "../types/mod.ts";

/** One immutable Parquet file. */
export interface SstMeta {
  readonly id: string;
  /** Object name, relative to the data home. */
  readonly name: string;
  readonly bytes: number;
  /** CRC-32C of the whole file; absent in files of versions that wrote none. */
  readonly crc32c?: number | undefined;
  readonly rows: number;
  /** Inclusive, in ticks of the time index. */
  readonly minTime: bigint;
  readonly maxTime: bigint;
  readonly late: boolean;
  readonly hasDeletes: boolean;
  /** 0 from a flush, 1 from a compaction. */
  readonly level: 0 | 1;
  /** Below this sequence everything of its time range that it can hold is in it. */
  readonly maxSequence: bigint;
  readonly columns: readonly {
    readonly id: number;
    readonly name: string;
    readonly type: ColumnType;
  }[];
}

/** One immutable file of the series dictionary: the series [from, to). */
export interface SeriesFileMeta {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** CRC-32C of its bytes; absent in files of versions that wrote none. */
  readonly crc32c?: number | undefined;
}

export interface ManifestState {
  readonly files: Readonly<Record<string, SstMeta>>;
  readonly series: readonly SeriesFileMeta[];
  /** First sequence that is not in an SST. */
  readonly neededSequence: bigint;
  /** Width of a compaction window in ticks; fixed at the first flush unless the option changes. */
  readonly windowTicks: bigint;
}

export type ManifestAction =
  | {
      readonly kind: "edit";
      readonly add: readonly SstMeta[];
      readonly remove: readonly string[];
      readonly series?: SeriesFileMeta | undefined;
      readonly neededSequence?: bigint | undefined;
      readonly windowTicks?: bigint | undefined;
    }
  | { readonly kind: "truncate"; readonly neededSequence: bigint };

export const emptyManifest: ManifestState = Object.freeze({
  files: {},
  series: [],
  neededSequence: 1n,
  windowTicks: 0n,
});

/** Pure. Throws Bug when an edit removes a file that is not there: two writers would have to exist. */
export function applyManifest(state: ManifestState, action: ManifestAction): ManifestState {
  switch (action.kind) {
    case "edit": {
      const files = { ...state.files };
      for (const id of action.remove) {
        if (files[id] === undefined) throw new Bug(`manifest: no file ${id} to remove`);
        delete files[id];
      }
      for (const file of action.add) files[file.id] = file;
      return Object.freeze({
        files,
        series: action.series === undefined ? state.series : [...state.series, action.series],
        neededSequence: action.neededSequence ?? state.neededSequence,
        windowTicks: action.windowTicks ?? state.windowTicks,
      });
    }
    case "truncate":
      return Object.freeze({ ...state, files: {}, neededSequence: action.neededSequence });
  }
}
