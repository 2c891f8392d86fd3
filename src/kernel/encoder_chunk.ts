/**
 * One column chunk: which encoding it gets, and the calls that make it. Integers become deltas, unless a dictionary is shorter; floats
 * stay as they are unless a dictionary is shorter, as do texts, with their lengths as deltas, and compressed. A column with a value per run becomes a
 * dictionary whose indices are runs, without a look at the rows. What a call leaves in the kernels' globals is read at once.
 */
import { DbError } from "../base/mod.ts";
import type { EncoderColumn } from "./encoder_column.ts";
import type { RawKernel } from "./exports.ts";
import { type KernelMemory, SLACK } from "./memory.ts";
import type { EncodedChunk, EncodedPage } from "./row_encoder_api.ts";

/** Entries of a dictionary: of texts so many that an index takes two bytes at most; of numbers so few that a failed attempt is cheap. */
const textEntriesMax = 32_768;
const wordEntriesMax = 4096;
/** Bytes of a page of texts, and of a dictionary of them: readers hold one of each in memory. */
const pageBytesMax = 1 << 20;
/** Bits per value from which on deltas are long enough to try a dictionary. */
const deltaBitsToDoubt = 8;
/** Longer least or greatest texts are left out: they would bloat the footer, and nobody prunes by them. */
const rangeBytesMax = 65_536;

/** A page is compressed if that saves an eighth of it; reading it costs more then. */
const worthwhile = 7 / 8;

const nothing = new Uint8Array(0);

/** The parts of a scratch block for chunks of `n` rows: addresses once `base` is added, and the block's size. */
export function chunkScratch(raw: RawKernel, n: number) {
  let end = 0;
  const part = (bytes: number): number => {
    const at = end;
    end += (bytes + SLACK + 15) & ~15;
    return at;
  };
  const entries = Math.max(powerOfTwo(n, textEntriesMax), wordEntriesMax);
  return {
    /** Values, or lengths of texts; row numbers behind them while NULLs are left out. */
    words: part(12 * n),
    indices: part(8 * n),
    /** Places of texts. */
    starts: part(4 * n),
    /** A bit per row: is it not NULL? */
    bits: part((n + 7) >> 3),
    /** Booleans as bits. */
    flags: part((n + 7) >> 3),
    /** Rows of each run. */
    counts: part(4 * n),
    /** What to gather, when that is not the order of the rows. */
    order: part(4 * n),
    entries: part(8 * entries),
    table: part(raw.dictionaryTableBytes(entries) >>> 0),
    // A hybrid is at most its packed form and a header for every 8 values.
    levels: part(n + 64),
    out: part(Math.max(16 * n, raw.deltaBound(n) >>> 0, pageBytesMax + 4 * entries) + 64),
    bytes: end,
  };
}
export type ChunkScratch = ReturnType<typeof chunkScratch>;

/** The least power of two that is at least `n`, but no more than `most`. */
function powerOfTwo(n: number, most: number): number {
  return Math.min(n <= 1 ? 1 : 2 ** (32 - Math.clz32(n - 1)), most);
}

/** Bits of an index into `entries`, at least one. */
const indexWidth = (entries: number) => Math.max(1, 32 - Math.clz32(entries - 1));

type PageHead = Omit<EncodedPage, "values" | "plainBytes">;

/** Output rows of a chunk. */
export interface ChunkRows {
  readonly count: number;
  /** Address of the numbers of the values to gather, and how many. */
  readonly order: number;
  readonly gathered: number;
  /** When a value is gathered per run: the rows of each, which are in the scratch's counts, too. */
  readonly runs: Uint32Array | undefined;
}

export class ChunkCoder {
  constructor(
    readonly raw: RawKernel,
    readonly memory: KernelMemory,
    /** Addresses. */
    readonly at: ChunkScratch,
  ) {}

  /** Undefined when runs cannot be a dictionary, and the rows are needed. */
  encode(column: EncoderColumn, rows: ChunkRows): EncodedChunk | undefined {
    switch (column.physical) {
      case "bytes":
        return this.#texts(column, rows);
      case "boolean":
        return rows.runs === undefined ? this.#booleans(column, rows) : undefined;
      case "wide":
        return rows.runs === undefined ? this.#wide(column, rows) : undefined;
      default:
        return this.#words(column, rows);
    }
  }

  #gather(column: EncoderColumn, rows: ChunkRows): number {
    const { at, raw } = this;
    const kept = raw.gather(
      column.gatherKind,
      column.at,
      column.stride,
      rows.order,
      rows.gathered,
      column.validityAt,
      at.bits,
      at.words,
    );
    if (kept > 0 && column.factor !== 1n && raw.scaleWords(at.words, kept, column.factor) === 0)
      throw new DbError("invalid_arguments", "a time is too far from 1970 for microseconds");
    return kept;
  }

  #words(column: EncoderColumn, rows: ChunkRows): EncodedChunk | undefined {
    const { at, raw } = this;
    const kept = this.#gather(column, rows);
    const range = kept === 0 ? undefined : this.#range(column);
    const page = this.#page(column, rows, kept);
    if (kept === 0) return { encoding: "plain", ...single(page, nothing), range };
    const isFloat = column.physical === "float" || column.physical === "double";
    const width = column.physical === "int32" || column.physical === "float" ? 4 : 8;
    let encoding: "plain" | "delta" = "plain";
    let end = at.words + 8 * kept;
    let from = at.words;
    let size = width * kept;
    if (!isFloat && rows.runs === undefined) {
      encoding = "delta";
      from = at.out;
      end = raw.encodeDelta(at.words, kept, width === 4 ? 1 : 0, from) >>> 0;
      size = end - from;
    }
    if (rows.runs !== undefined || isFloat || size * 8 > kept * deltaBitsToDoubt) {
      const most = rows.runs === undefined ? wordEntriesMax : textEntriesMax;
      const entries = raw.dictionaryOfWords(
        at.words,
        kept,
        powerOfTwo(kept, most),
        at.table,
        at.entries,
        at.indices,
      );
      const short = entries * width + (kept * indexWidth(entries)) / 8 < size;
      if (rows.runs !== undefined ? entries > 0 : entries > 0 && short) {
        const plain = this.#plain(at.entries, entries, width);
        return this.#dictionary(rows, page, kept, entries, plain, range);
      }
      if (rows.runs !== undefined) return undefined;
    }
    const values =
      encoding === "plain"
        ? this.#plain(at.words, kept, width)
        : this.memory.copyBytes(from, end - from);
    return { encoding, ...single(page, values), range };
  }

  /** Words as numbers of `width` bytes, in place. */
  #plain(words: number, count: number, width: number): Uint8Array {
    if (width === 4) this.raw.halveWords(words, count, words);
    return this.memory.copyBytes(words, count * width);
  }

  #booleans(column: EncoderColumn, rows: ChunkRows): EncodedChunk {
    const { at, raw } = this;
    const kept = this.#gather(column, rows);
    const range = kept === 0 ? undefined : this.#range(column);
    const page = this.#page(column, rows, kept);
    if (kept === 0) return { encoding: "plain", ...single(page, nothing), range };
    raw.bitsOfWords(at.words, kept, at.flags);
    // The length of the hybrid goes before it.
    const end = raw.encodeBits(at.flags, kept, at.out + 4) >>> 0;
    this.memory.write(at.out, Uint32Array.of(end - at.out - 4));
    return { encoding: "rle", ...single(page, this.memory.copyBytes(at.out, end - at.out)), range };
  }

  #wide(column: EncoderColumn, rows: ChunkRows): EncodedChunk {
    const { at, raw } = this;
    const kept = raw.gatherWide(
      column.at,
      rows.order,
      rows.gathered,
      column.validityAt,
      at.bits,
      at.words,
      at.out,
    );
    const wide = (upper: bigint, lower: bigint) => {
      const view = new DataView(new ArrayBuffer(16));
      view.setBigInt64(0, upper);
      view.setBigInt64(8, lower);
      return new Uint8Array(view.buffer);
    };
    const low = wide(raw.gatherLowUpper.value, raw.gatherLow.value);
    const high = wide(raw.gatherHighUpper.value, raw.gatherHigh.value);
    const page = this.#page(column, rows, kept);
    const values = this.memory.copyBytes(at.out, 16 * kept);
    const range = kept === 0 ? undefined : { low, high };
    return { encoding: "plain", ...single(page, values), range };
  }

  #texts(column: EncoderColumn, rows: ChunkRows): EncodedChunk | undefined {
    const { at, raw } = this;
    const kept = this.#gatherTexts(column, rows);
    const page = this.#page(column, rows, kept);
    if (kept === 0) return { encoding: "plain", ...single(page, nothing), range: undefined };
    const bytes = Number(raw.textBytes(at.words, kept));
    const entries = raw.dictionaryOfTexts(
      at.starts,
      at.words,
      kept,
      powerOfTwo(kept, textEntriesMax),
      pageBytesMax,
      rows.runs === undefined ? 1 : 0,
      at.table,
      at.entries,
      at.indices,
    );
    if (entries === 0 && rows.runs !== undefined) return undefined;
    const size = 4 * entries + raw.dictionaryTextBytes.value + (kept * indexWidth(entries)) / 8;
    if (entries > 0 && (rows.runs !== undefined || size < bytes + kept)) {
      const range = this.#textRange(at.entries, entries);
      const end = raw.joinEntries(at.starts, at.words, at.entries, entries, at.out) >>> 0;
      const plain = this.memory.copyBytes(at.out, end - at.out);
      return this.#dictionary(rows, page, kept, entries, plain, range);
    }
    const range = this.#textRange(0, kept);
    const pages =
      bytes <= pageBytesMax
        ? [{ ...page, ...this.#joined(kept, bytes) }]
        : this.#textPages(column, rows);
    const encoding = "delta_length";
    return { encoding, dictionary: undefined, pages, nulls: page.nulls, range };
  }

  /** Pages of texts that are too long for one; a page takes some milliseconds. */
  *#textPages(column: EncoderColumn, rows: ChunkRows): Generator<EncodedPage> {
    for (let from = 0; from < rows.count; ) {
      const order = rows.order + 4 * from;
      const most = rows.count - from;
      const count = this.raw.textRowsWithin(column.at, order, most, pageBytesMax);
      const part = { count, order, gathered: count, runs: undefined };
      const kept = this.#gatherTexts(column, part);
      const bytes = Number(this.raw.textBytes(this.at.words, kept));
      yield { ...this.#page(column, part, kept), ...this.#joined(kept, bytes) };
      from += count;
    }
  }

  #gatherTexts(column: EncoderColumn, rows: ChunkRows): number {
    return this.raw.gatherTexts(
      column.at,
      column.bytesAt,
      rows.order,
      rows.gathered,
      column.validityAt,
      this.at.bits,
      this.at.starts,
      this.at.words,
    );
  }

  /** The gathered texts as DELTA_LENGTH_BYTE_ARRAY, compressed if that is worthwhile. */
  #joined(kept: number, bytes: number): Pick<EncodedPage, "values" | "plainBytes"> {
    const { at, memory, raw } = this;
    return memory.withBlock((raw.deltaBound(kept) >>> 0) + bytes, (out) => {
      const lengths = raw.encodeDelta(at.words, kept, 1, out) >>> 0;
      const size = (raw.joinTexts(at.starts, at.words, kept, lengths) >>> 0) - out;
      return memory.withBlock(raw.lz4Bound(size) >>> 0, (packed) => {
        const packedSize = (raw.lz4Compress(out, size, packed) >>> 0) - packed;
        return packedSize < size * worthwhile
          ? { values: memory.copyBytes(packed, packedSize), plainBytes: size }
          : { values: memory.copyBytes(out, size), plainBytes: undefined };
      });
    });
  }

  #dictionary(
    rows: ChunkRows,
    page: PageHead,
    kept: number,
    entries: number,
    plain: Uint8Array,
    range: EncodedChunk["range"],
  ): EncodedChunk {
    const { at, raw } = this;
    const width = indexWidth(entries);
    const bits = kept === rows.gathered ? 0 : at.bits;
    const end =
      rows.runs === undefined
        ? raw.encodeIndices(at.indices, kept, width, at.out + 1)
        : raw.encodeRuns(at.indices, bits, at.counts, rows.runs.length, width, at.out + 1);
    this.memory.bytes[at.out] = width;
    const values = this.memory.copyBytes(at.out, (end >>> 0) - at.out);
    return {
      encoding: "dictionary",
      ...single(page, values),
      dictionary: { entries, bytes: plain },
      range,
    };
  }

  /** Levels and counts of the rows last gathered, of which `kept` values are not NULL. */
  #page(column: EncoderColumn, rows: ChunkRows, kept: number): PageHead {
    const { at, raw } = this;
    const { count, runs } = rows;
    if (column.required) return { rows: count, nulls: 0, levels: nothing };
    if (kept === rows.gathered) return { rows: count, nulls: 0, levels: allPresent(count) };
    const end =
      runs === undefined
        ? raw.encodeBits(at.bits, count, at.levels)
        : raw.encodeRunLevels(at.bits, at.counts, runs.length, at.levels);
    const nulls = runs === undefined ? count - kept : this.#nullRows(runs);
    return {
      rows: count,
      nulls,
      levels: this.memory.copyBytes(at.levels, (end >>> 0) - at.levels),
    };
  }

  #nullRows(runs: Uint32Array): number {
    const { bytes } = this.memory;
    const isNull = (run: number) => ((bytes[this.at.bits + (run >> 3)]! >> (run & 7)) & 1) === 0;
    return runs.reduce((sum, rows, run) => (isNull(run) ? sum + rows : sum), 0);
  }

  /** Range of the words last gathered. */
  #range(column: EncoderColumn): EncodedChunk["range"] {
    const { physical } = column;
    const isFloat = physical === "float" || physical === "double";
    if (isFloat && this.raw.gatherNan.value !== 0) return undefined;
    const width =
      physical === "boolean" ? 1 : physical === "int64" || physical === "double" ? 8 : 4;
    const plain = (bits: bigint) => new Uint8Array(BigInt64Array.of(bits).buffer, 0, width);
    return { low: plain(this.raw.gatherLow.value), high: plain(this.raw.gatherHigh.value) };
  }

  #textRange(entries: number, count: number): EncodedChunk["range"] {
    const { at, raw } = this;
    raw.textRange(at.starts, at.words, entries, count);
    const lowLength = raw.textLowLength.value >>> 0;
    const highLength = raw.textHighLength.value >>> 0;
    if (lowLength > rangeBytesMax || highLength > rangeBytesMax) return undefined;
    return {
      low: this.memory.copyBytes(raw.textLow.value, lowLength),
      high: this.memory.copyBytes(raw.textHigh.value, highLength),
    };
  }
}

function single(page: PageHead, values: Uint8Array) {
  return {
    dictionary: undefined,
    pages: [{ ...page, values, plainBytes: undefined }],
    nulls: page.nulls,
  };
}

/** A hybrid of `count` ones. */
function allPresent(count: number): Uint8Array {
  const bytes: number[] = [];
  let rest = count * 2;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.of(...bytes, rest, 1);
}
