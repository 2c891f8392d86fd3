/** The raw functions of kernels/assembly/index.ts as WebAssembly shows them: pointers and u32 arrive as signed 32-bit numbers. */
import type { RawParquet } from "./exports_parquet.ts";

export interface RawKernel extends RawParquet {
  readonly memory: WebAssembly.Memory;
  init(seed: bigint, seriesMax: number, columnsMax: number, bytesMax: number): number;
  powersAt(): number;
  take(bytes: number): number;
  give(at: number, bytes: number): void;
  heapLive(): number;

  parseInput(length: number): number;
  parseInputBytes(): number;
  parse(db: number, length: number, unitNs: bigint, nowNs: bigint): void;
  parseResult(): number;
  parseResultFree(): void;

  findSlot(db: number, at: number, length: number): number;
  openSlot(db: number, at: number, length: number): number;
  isSlot(slot: number): number;
  closeSlot(slot: number): void;
  renameSlot(slot: number, at: number, length: number): number;
  bindColumn(slot: number, at: number, length: number, kind: number): number;
  unbindColumn(slot: number, at: number, length: number): void;
  slotNameAt(slot: number): number;
  slotNameLength(slot: number): number;
  tagCount(slot: number): number;
  fieldCount(slot: number): number;
  seriesCount(slot: number): number;
  columnOf(slot: number, isTag: number, index: number): number;
  columnNameAt(column: number): number;
  columnNameLength(column: number): number;
  columnKind(column: number): number;

  seriesOf(slot: number, tags: number, tagCount: number, rows: number, out: number): number;
  seriesRecordAt(slot: number, sid: number): number;
  encodeSeries(slot: number, from: number, to: number): number;
  decodeSeries(
    slot: number,
    at: number,
    length: number,
    from: number,
    count: number,
    map: number,
    tags: number,
  ): number;
  seriesColumns(slot: number, from: number, to: number): number;
  readonly outAt: WebAssembly.Global<"i32">;
  readonly outLength: WebAssembly.Global<"i32">;
  readonly outCapacity: WebAssembly.Global<"i32">;

  splitLate(slot: number, sids: number, times: number, rows: number, out: number): number;
  raiseLastTimes(slot: number, below: number, time: bigint): void;
  clearLastTimes(slot: number): void;
  lastTimesAt(slot: number): number;

  widen(
    from: number,
    count: number,
    bytes: number,
    stride: number,
    signed: number,
    to: number,
  ): void;
  widenLengths(offsets: number, count: number, to: number): number;
  fillNulls(words: number, count: number, validity: number): void;
  packIntegers(words: number, count: number, to: number): number;
  packWindow(words: number, count: number, to: number): number;
  packDoubles(words: number, count: number, to: number): number;
  packBits(from: number, count: number, to: number): number;
  readonly packMethod: WebAssembly.Global<"i32">;
  readonly packWidth: WebAssembly.Global<"i32">;
  readonly packScale: WebAssembly.Global<"i32">;
  readonly packBase: WebAssembly.Global<"i64">;
  readonly packLeast: WebAssembly.Global<"i64">;
  unpack(
    from: number,
    count: number,
    method: number,
    width: number,
    scale: number,
    base: bigint,
    least: bigint,
    to: number,
    bytes: number,
    stride: number,
  ): void;
  unpackBits(from: number, count: number, to: number): void;
  unpackWhole(words: number, count: number): void;
  sumLengths(lengths: number, count: number, total: number, offsets: number): number;

  crc32c(at: number, length: number, seed: number): number;
}

/** What the kernels import. */
export interface RawHost extends WebAssembly.ModuleImports {
  slowFloat(at: number, length: number): number;
}
