/**
 * One memory budget cut into shares. Pure: the sizes of the machine come in.
 * What is left over is for the process itself: code, the JavaScript heap, answers on their way out.
 */
import { Fatal, formatBytes } from "../base/mod.ts";

const MIB = 1024 ** 2;

/** The default stops here: more memory makes larger memtables and slower restarts before it makes faster queries. */
const DEFAULT_BYTES_MAX = 8 * 1024 * MIB;
/** Node.js alone takes about 100 MiB and DuckDB wants some for each thread: below this nothing would work well. */
export const BUDGET_BYTES_MIN = 256 * MIB;

export interface MemoryPlan {
  readonly totalBytes: number;
  /** DuckDB's memory_limit: memtables, sorts, scans. Half: pain has shown that more ends in the kernel's OOM killer. */
  readonly duckBytes: number;
  /** All memtables together, inside DuckDB's share with room beside them for sorting and queries. */
  readonly writeBufferBytes: number;
  /** The kernels' own memory: series dictionaries and the request that is being decoded. */
  readonly kernelBytes: number;
  /** Bodies of requests. */
  readonly inFlightBytes: number;
}

/** `wish`: a size, a share of RAM, or nothing. Throws Fatal when it is too little to run with. */
export function planMemory(
  wish: { readonly bytes: number } | { readonly share: number } | undefined,
  machineBytes: number,
): MemoryPlan {
  const totalBytes = Math.floor(
    wish === undefined
      ? Math.max(BUDGET_BYTES_MIN, Math.min(machineBytes / 2, DEFAULT_BYTES_MAX))
      : "bytes" in wish
        ? wish.bytes
        : machineBytes * wish.share,
  );
  if (totalBytes < BUDGET_BYTES_MIN)
    throw new Fatal(
      `memory_budget is ${formatBytes(totalBytes)}; at least ${formatBytes(BUDGET_BYTES_MIN)} are needed`,
    );
  return {
    totalBytes,
    duckBytes: Math.floor(totalBytes / 2),
    writeBufferBytes: Math.floor(totalBytes / 5),
    kernelBytes: Math.floor(totalBytes / 4),
    inFlightBytes: Math.floor(totalBytes / 8),
  };
}
