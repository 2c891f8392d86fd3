/** Base: failures, clock, units, logging, metrics, memory budget. Imports nothing of ours. */
export * from "./clock.ts";
export * from "./errors.ts";
export * from "./log.ts";
export * from "./memory.ts";
export * from "./metrics.ts";
export * from "./mutex.ts";
export * from "./units.ts";
