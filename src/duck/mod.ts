/** DuckDB behind one wrapper: connection pool, appends from typed columns, chunks to typed arrays, limits. */
export { appendColumns } from "./append.ts";
export { decimalText, type IntervalValue } from "./decode.ts";
export {
  Duck,
  type DuckOptions,
  isOutOfMemory,
  openDuck,
  quoteName,
  quoteText,
} from "./instance.ts";
