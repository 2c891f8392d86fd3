/** The raw functions of kernels/assembly/parquet_*.ts as WebAssembly shows them: pointers and u32 arrive as signed 32-bit numbers. */
type Global64 = WebAssembly.Global<"i64">;
type Global32 = WebAssembly.Global<"i32">;

export interface RawParquet {
  encodeBits(bits: number, count: number, to: number): number;
  encodeIndices(words: number, count: number, width: number, to: number): number;
  encodeRuns(
    words: number,
    bits: number,
    rows: number,
    runs: number,
    width: number,
    to: number,
  ): number;
  encodeRunLevels(bits: number, rows: number, runs: number, to: number): number;
  expandRuns(rows: number, runs: number, first: number, to: number): void;

  deltaBound(count: number): number;
  encodeDelta(words: number, count: number, narrow: number, to: number): number;

  gather(
    kind: number,
    values: number,
    stride: number,
    order: number,
    count: number,
    validity: number,
    bits: number,
    words: number,
  ): number;
  gatherWide(
    values: number,
    order: number,
    count: number,
    validity: number,
    bits: number,
    kept: number,
    to: number,
  ): number;
  readonly gatherLow: Global64;
  readonly gatherHigh: Global64;
  readonly gatherLowUpper: Global64;
  readonly gatherHighUpper: Global64;
  readonly gatherNan: Global32;
  scaleWords(words: number, count: number, factor: bigint): number;
  halveWords(words: number, count: number, to: number): number;
  bitsOfWords(words: number, count: number, bits: number): void;
  appendBits(from: number, count: number, to: number, at: number): void;

  dictionaryTableBytes(entriesMax: number): number;
  dictionaryOfWords(
    words: number,
    count: number,
    entriesMax: number,
    table: number,
    entries: number,
    indices: number,
  ): number;
  dictionaryOfTexts(
    starts: number,
    lengths: number,
    count: number,
    entriesMax: number,
    bytesMax: number,
    trial: number,
    table: number,
    entries: number,
    indices: number,
  ): number;
  readonly dictionaryTextBytes: Global32;

  rebaseOffsets(from: number, count: number, base: number, to: number): void;
  textRowsWithin(offsets: number, order: number, count: number, bytesMax: number): number;
  gatherTexts(
    offsets: number,
    bytes: number,
    order: number,
    count: number,
    validity: number,
    bits: number,
    starts: number,
    lengths: number,
  ): number;
  lz4Bound(length: number): number;
  lz4Compress(from: number, length: number, to: number): number;

  textBytes(lengths: number, count: number): bigint;
  joinTexts(starts: number, lengths: number, count: number, to: number): number;
  joinEntries(starts: number, lengths: number, entries: number, count: number, to: number): number;
  textRange(starts: number, lengths: number, entries: number, count: number): void;
  readonly textLow: Global32;
  readonly textLowLength: Global32;
  readonly textHigh: Global32;
  readonly textHighLength: Global32;
}
