/** The write-ahead log. */
export * from "./api.ts";
export { openWal, type WalOptions } from "./wal.ts";
