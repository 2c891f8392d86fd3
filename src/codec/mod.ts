/** Codecs: bytes to values and back. Pure functions, no I/O. */
export * from "./crc32c.ts";
