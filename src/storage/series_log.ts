/**
 * Which series of a region are in the log or in series files, and in which columns' terms. A series is logged with the first record that
 * uses it, in sid order without gaps, and never without one of its tags. The dictionary itself lives in the kernel.
 */
import { Fatal } from "../base/mod.ts";
import { crc32c } from "../codec/mod.ts";
import type { ObjectStore } from "../disk/mod.ts";
import type { Kernel } from "../kernel/mod.ts";
import {
  columnById,
  type RegionBatch,
  type TableSchema,
  tagColumns,
  textColumn,
} from "../types/mod.ts";
import type { SeriesFileMeta } from "./manifest.ts";

const noBytes = new Uint8Array(0);

/** Stands for a tag without a column; such a series exists in the dictionary only and is never written. */
const noColumn = 0xffff_ffff;

export class SeriesLog {
  #schema: TableSchema;
  #tags: ReadonlyMap<string, number>;
  #logged = 0;

  constructor(
    readonly kernel: Kernel,
    readonly slot: number,
    schema: TableSchema,
  ) {
    this.#schema = schema;
    this.#tags = tagsOf(schema);
  }

  /** Series below it are in the log or in a series file. */
  get logged(): number {
    return this.#logged;
  }

  bind(schema: TableSchema): void {
    this.#schema = schema;
    this.#tags = tagsOf(schema);
  }

  /** Restores the dictionary from the series files. Throws what the disk throws. */
  async load(store: ObjectStore, files: readonly SeriesFileMeta[]): Promise<void> {
    for (const file of files) this.read(await readSeriesFile(store, file));
    // Not the kernel's count: the line parser gave it the first series of a new table before the region existed.
    this.#logged = files.at(-1)?.to ?? 0;
  }

  /**
   * Takes in a series block of the log. Returns how many series before it had to be made up: a damaged record defined them. Throws when
   * the block contradicts what is known.
   */
  read(block: Uint8Array): number {
    if (block.byteLength === 0) return 0;
    const lost = this.#fillTo(firstSid(block));
    this.kernel.decodeSeries(this.slot, block, (id) => this.#indexOf(id));
    this.#logged = this.kernel.seriesCount(this.slot);
    return lost;
  }

  /** Makes up the series that a logged batch names and nobody defined. Returns how many. */
  fill(batch: RegionBatch): number {
    let max = -1;
    for (let row = 0; row < batch.rows; row++) if (batch.sids[row]! > max) max = batch.sids[row]!;
    return this.#fillTo(max + 1);
  }

  /** Makes up series until there are `count`, so that later ones keep their sids. */
  #fillTo(count: number): number {
    const known = this.kernel.seriesCount(this.slot);
    if (count <= known) return 0;
    const first = tagColumns(this.#schema)[0];
    if (first === undefined) this.kernel.seriesOf(this.slot, [], 1);
    else {
      const names = textColumn(count - known, (i) => `lost series ${known + i}`);
      const index = this.kernel.bindTag(this.slot, first.name);
      this.kernel.seriesOf(this.slot, [{ index, column: names }], count - known);
    }
    this.#logged = this.kernel.seriesCount(this.slot);
    return count - known;
  }

  /** The block of all series not yet logged, which count as logged from now on. Call `giveBack(from)` when the append fails. */
  take(): { readonly block: Uint8Array; readonly from: number } {
    const from = this.#logged;
    const known = this.kernel.seriesCount(this.slot);
    this.#logged = known;
    return { block: known > from ? this.encode(from, known) : noBytes, from };
  }

  giveBack(from: number): void {
    if (from < this.#logged) this.#logged = from;
  }

  /** The series [from, to) in the bytes of docs/format/series.md. */
  encode(from: number, to: number): Uint8Array {
    const ids = Uint32Array.from(
      this.kernel.slotInfo(this.slot).tags,
      (name) => this.#tags.get(name) ?? noColumn,
    );
    return this.kernel.encodeSeries(this.slot, from, to, ids);
  }

  /** Would `take` log a series with a tag that the catalog does not have yet? */
  get incomplete(): boolean {
    if (this.kernel.seriesCount(this.slot) === this.#logged) return false;
    // An empty name is a tag that the kernel has forgotten: its series can never be written.
    return this.kernel
      .slotInfo(this.slot)
      .tags.some((name) => name !== "" && !this.#tags.has(name));
  }

  #indexOf(id: number): number | undefined {
    const column = columnById(this.#schema, id);
    return column?.role === "tag" ? this.kernel.bindTag(this.slot, column.name) : undefined;
  }
}

/** Series that cannot be read would give rows the tags of others: nothing of the region can be served without them. */
async function readSeriesFile(store: ObjectStore, file: SeriesFileMeta): Promise<Uint8Array> {
  const bytes = await store.get(file.name);
  const crc = crc32c(bytes);
  if (file.crc32c !== undefined && crc !== file.crc32c)
    throw new Fatal(
      `${file.name} is damaged: ${bytes.length} bytes with checksum ${crc}, ${file.crc32c} was written. Put back a copy of it`,
    );
  return bytes;
}

function tagsOf(schema: TableSchema): ReadonlyMap<string, number> {
  return new Map(tagColumns(schema).map((c) => [c.name, c.id]));
}

/** The sid of a block's first series (docs/format/series.md: version, then a varint). */
function firstSid(block: Uint8Array): number {
  let sid = 0;
  for (let at = 1, shift = 0; at < block.byteLength && shift < 32; at++, shift += 7) {
    sid |= (block[at]! & 0x7f) << shift;
    if ((block[at]! & 0x80) === 0) break;
  }
  return sid >>> 0;
}
