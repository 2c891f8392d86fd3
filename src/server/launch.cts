/**
 * Starts main.js with a larger thread pool and with V8 set for it. The pool's size is read from the environment before the first module of the modern
 * kind is loaded, so it must be set here, in a script of the old kind. File syncs and DuckDB's calls share that pool: with
 * the usual four threads, four long queries would hold up every write.
 */
const THREADS = 64;

/**
 * Request bodies and columns are external memory, and V8 answers every 64 MB of it with incremental marking of a heap of only some 15 MB.
 * Whole collections of such a heap take a few milliseconds and save a sixth of the server's CPU under a full write load (measured:
 * 1.36 → 1.07 µs a row).
 */
require("node:v8").setFlagsFromString("--no-incremental-marking");

process.env.UV_THREADPOOL_SIZE ??= String(THREADS);
void import("./main.js");
