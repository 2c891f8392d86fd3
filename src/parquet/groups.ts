/** Row groups: which output rows each has, and which runs, of which the first and the last may be cut. */
import { assert } from "../base/mod.ts";

export interface Group {
  /** Output rows [from, to). */
  readonly from: number;
  readonly to: number;
  readonly firstRun: number;
  /** Rows of the runs from `firstRun` on that lie in the group. */
  readonly counts: Uint32Array;
}

/** Cuts rows, which come in `runs`, into groups of `groupRows`; the last has what is left. */
export function groupsOf(runs: Uint32Array, groupRows: number): Group[] {
  const groups: Group[] = [];
  let counts: number[] = [];
  let from = 0;
  let at = 0;
  let firstRun = 0;
  const close = (nextRun: number) => {
    groups.push({ from, to: at, firstRun, counts: Uint32Array.from(counts) });
    counts = [];
    from = at;
    firstRun = nextRun;
  };
  for (const [run, rows] of runs.entries()) {
    assert(rows > 0, "a run has rows");
    for (let left = rows; left > 0; ) {
      const taken = Math.min(left, from + groupRows - at);
      counts.push(taken);
      at += taken;
      left -= taken;
      if (at === from + groupRows) close(left > 0 ? run : run + 1);
    }
  }
  if (at > from) close(runs.length);
  return groups;
}
