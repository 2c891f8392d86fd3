/** Series of rows that come as tag columns (SQL INSERT, later protocols): one lookup in the dictionary per row. */
import { keyBuild, keyClear, keyReserve, keySet, NO_SERIES, seriesAdd, seriesFind } from "./series";
import { seriesMax, seriesTotal, slotOf } from "./slot";

/** A tag column as the host describes it: words in this order. */
@unmanaged
class TagColumn {
  index: u32;
  /** End offsets: rows + 1 words. */
  offsets: usize;
  bytes: usize;
  /** 0 when no row is NULL. */
  validity: usize;
}

export const SERIES_OK: u32 = 0;
export const SERIES_MEMORY: u32 = 1;
export const SERIES_FULL: u32 = 2;

/** Writes the sid of each row to `out`; new series are added up to the first failure. */
export function seriesOf(slot: u32, tags: usize, tagCount: u32, rows: u32, out: usize): u32 {
  const s = slotOf(slot);
  for (let i: u32 = 0; i < tagCount; i++) {
    const tag = changetype<TagColumn>(tags + <usize>i * offsetof<TagColumn>());
    if (!keyReserve(tag.index + 1)) return SERIES_MEMORY;
  }
  keyClear();
  for (let row: u32 = 0; row < rows; row++) {
    for (let i: u32 = 0; i < tagCount; i++) {
      const tag = changetype<TagColumn>(tags + <usize>i * offsetof<TagColumn>());
      if (tag.validity !== 0)
        if (((<u32>load<u8>(tag.validity + (row >> 3)) >> (row & 7)) & 1) === 0) continue;
      const place = tag.offsets + ((<usize>row) << 2);
      const from = load<u32>(place);
      const length = load<u32>(place, 4) - from;
      if (length > 0) keySet(tag.index, tag.bytes + from, length);
    }
    if (!keyBuild()) return SERIES_MEMORY;
    let sid = seriesFind(s);
    if (sid === NO_SERIES) {
      if (seriesTotal >= seriesMax) return SERIES_FULL;
      sid = seriesAdd(s, false);
      if (sid === NO_SERIES) return SERIES_MEMORY;
    }
    store<u32>(out + ((<usize>row) << 2), sid);
  }
  return SERIES_OK;
}
