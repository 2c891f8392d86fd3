/** Storage: the region engine. Knows no SQL of users and no protocol. */
export * from "./api.ts";
export {
  defaultStorageLimits,
  type StorageDeps,
  type StorageLimits,
  storageMetrics,
} from "./deps.ts";
export { openStorage } from "./engine.ts";
export { bindSlot, kernelKind } from "./slot.ts";
