/**
 * Starts main.js with a larger thread pool. The pool's size is read from the environment before the first module of the modern
 * kind is loaded, so it must be set here, in a script of the old kind. File syncs and DuckDB's calls share that pool: with
 * the usual four threads, four long queries would hold up every write.
 */
const THREADS = 64;

process.env.UV_THREADPOOL_SIZE ??= String(THREADS);
void import("./main.js");
