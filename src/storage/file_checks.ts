/**
 * Whether SSTs still are what was written: each one's length and checksum are in the manifest. A Parquet file has no checksum that the
 * engine looks at, so a flipped bit in a page would be a wrong number in an answer.
 *
 * Files are looked at in the background after a start, before a compaction reads them, and when a query fails on them. A damaged
 * file stays where it is: queries of its times say so, everything else is served. Never repairs or removes anything.
 */
import { errnoOf, type Gauge, type Logger } from "../base/mod.ts";
import { crc32c } from "../codec/mod.ts";
import type { ObjectStore } from "../disk/mod.ts";
import type { SstMeta } from "./manifest.ts";
import type { RegionImpl } from "./region.ts";

/** Some milliseconds of checksum between two turns of the event loop. */
const pieceBytes = 4 * 1024 * 1024;
/** Looked at in one tick of a second: a tenth of what one core can, so that it is hardly felt. */
const sweepBytesMax = 128 * 1024 * 1024;
/** About a second. */
const suspectBytesMax = 1024 * 1024 * 1024;

export class FileChecks {
  /** By file id: undefined is sound, a text says what is wrong. */
  readonly #known = new Map<string, string | undefined>();

  constructor(
    readonly store: ObjectStore,
    readonly log: Logger,
    readonly damaged: Gauge,
  ) {}

  /** What is wrong with the file, as far as is known. */
  damageOf(file: SstMeta): string | undefined {
    return this.#known.get(file.id);
  }

  /** Reads the whole file unless that was done before. Resolves with what is wrong with it. Throws what the disk throws. */
  async check(file: SstMeta): Promise<string | undefined> {
    if (this.#known.has(file.id)) return this.#known.get(file.id);
    const damage = await this.#look(file);
    this.#known.set(file.id, damage);
    if (damage !== undefined) {
      this.damaged.inc();
      this.log.error({ file: file.name, damage }, "an SST is damaged; its times cannot be read");
    }
    return damage;
  }

  /** Looks at the files after a failure: those that the error names first, and so many others as a client has patience for. */
  async suspect(files: readonly SstMeta[], error: string): Promise<void> {
    let bytes = 0;
    for (const file of [...files].sort((a, b) => named(b, error) - named(a, error))) {
      if (!this.#known.has(file.id)) bytes += file.bytes;
      if (bytes > suspectBytesMax) return;
      await this.check(file);
    }
  }

  /** These were just written and read back. */
  trust(files: readonly SstMeta[]): void {
    for (const file of files) this.#known.set(file.id, undefined);
  }

  /** Looks at some files that nobody has looked at since the start; asked for again and again, it gets to all of them. */
  async sweep(regions: readonly RegionImpl[]): Promise<void> {
    this.#keep(new Set(regions.flatMap((region) => region.version.files.map((f) => f.id))));
    let bytes = 0;
    for (const region of regions)
      for (const file of region.version.files) {
        if (file.crc32c === undefined || this.#known.has(file.id)) continue;
        if (bytes >= sweepBytesMax) return;
        if (region.dropped) break;
        bytes += file.bytes;
        region.pins.pin([file]);
        try {
          await this.check(file);
        } finally {
          region.pins.unpin([file]);
        }
      }
  }

  /** Forgets all but these. */
  #keep(live: ReadonlySet<string>): void {
    for (const [id, damage] of this.#known)
      if (!live.has(id)) {
        this.#known.delete(id);
        if (damage !== undefined) this.damaged.dec();
      }
  }

  async #look(file: SstMeta): Promise<string | undefined> {
    try {
      const { bytes, crc } = await checksum(this.store, file.name);
      if (bytes !== file.bytes) return `it has ${bytes} bytes, ${file.bytes} were written`;
      if (file.crc32c === undefined || crc === file.crc32c) return undefined;
      return `its checksum is ${hex(crc)}, ${hex(file.crc32c)} was written`;
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return "it is missing";
      throw error;
    }
  }
}

/** The files with their checksums, for the manifest edit that names them. */
export async function withChecksums(
  store: ObjectStore,
  files: readonly SstMeta[],
): Promise<SstMeta[]> {
  const sealed: SstMeta[] = [];
  for (const file of files)
    sealed.push({ ...file, crc32c: (await checksum(store, file.name)).crc });
  return sealed;
}

async function checksum(
  store: ObjectStore,
  name: string,
): Promise<{ readonly bytes: number; readonly crc: number }> {
  let bytes = 0;
  let crc = 0;
  for (;;) {
    const piece = await store.getRange(name, bytes, pieceBytes);
    crc = crc32c(piece, crc);
    bytes += piece.length;
    if (piece.length < pieceBytes) return { bytes, crc };
  }
}

function named(file: SstMeta, error: string): number {
  return error.includes(file.id) ? 1 : 0;
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}

/** What a reader of the file is told. */
export function damageText(file: SstMeta, damage: string): string {
  return (
    `file ${file.name} is damaged: ${damage}. Rows of this table from ${file.minTime} to ${file.maxTime} (ticks of its time index) ` +
    "cannot be read; other times and tables can"
  );
}
