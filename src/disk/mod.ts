/** Disk: object stores, log folders, the lock of the data home, the versioned metadata log, and faults for tests. */
export * from "./api.ts";
export { type DataHomeLock, lockDataHome } from "./data_home_lock.ts";
export { FAULT_STEPS, type Fault, FaultPlan, type FaultStep } from "./fault_plan.ts";
export { faultyLogFolder } from "./faulty_log.ts";
export { faultyStore } from "./faulty_store.ts";
export { openLogFolder } from "./local_log.ts";
export { openLocalStore } from "./local_store.ts";
export { MemoryDisk, type MemoryDiskOptions } from "./memory_disk.ts";
export { asUnavailable, isDiskTrouble } from "./unavailable.ts";
export {
  openVersionedLog,
  type VersionedLog,
  type VersionedLogOptions,
} from "./versioned_log.ts";
