/**
 * The kernels' front door: every function the host may call. Pointers are offsets into the linear memory; a call may grow the memory,
 * after which the host must renew its views. Calls never nest.
 */
import { aliasInit } from "./alias";
import { budgetInit } from "./column";
import { crcInit } from "./crc";
import { fieldsInit } from "./fields";
import { hashInit } from "./hash";
import { heapInit } from "./heap";
import { slotsInit } from "./slot";

export { parse, parseInput, parseInputBytes, parseResult, parseResultFree } from "./body";
export * from "./catalog";
export { crc32c } from "./crc";
export { powersAt } from "./float";
export { give, heapLive, take } from "./heap";
export { clearLastTimes, lastTimesAt, raiseLastTimes, seriesRecordAt, splitLate } from "./late";
export {
  fillNulls,
  packBase,
  packBits,
  packDoubles,
  packIntegers,
  packLeast,
  packMethod,
  packScale,
  packWidth,
  packWindow,
  sumLengths,
  unpack,
  unpackBits,
  unpackWhole,
  widen,
  widenLengths,
} from "./pack";
export * from "./parquet_bits";
export * from "./parquet_delta";
export * from "./parquet_dictionary";
export * from "./parquet_gather";
export * from "./parquet_lz4";
export * from "./parquet_text";
export {
  decodeSeries,
  encodeSeries,
  outAt,
  outCapacity,
  outLength,
  seriesColumns,
} from "./series_bytes";
export { seriesOf } from "./series_of";

/** At most half of the memory may be columns of one call. */
const CALL_SHARE: usize = 2;
/** And at most 1 GiB: a 64 MiB body of the shortest lines needs a third of it. */
const CALL_BYTES_MAX: usize = 1 << 30;

/** Call once, before anything else. False when even the empty tables do not fit. */
export function init(seed: u64, seriesMax: u32, columnsMax: u32, bytesMax: usize): bool {
  heapInit(bytesMax);
  budgetInit(min(bytesMax / CALL_SHARE, CALL_BYTES_MAX));
  hashInit(seed);
  crcInit();
  return slotsInit(seriesMax, columnsMax) && aliasInit() && fieldsInit(columnsMax);
}
