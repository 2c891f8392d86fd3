/** Loads the kernels: finds the .wasm beside the build, instantiates it, fills its tables. The only file here that touches the disk. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Fatal, messageOf } from "../base/mod.ts";
import type { Kernel, KernelLimits } from "./api.ts";
import type { RawHost, RawKernel } from "./exports.ts";
import { MEMORY_MAX, WasmKernel } from "./kernel.ts";
import { powersTable } from "./powers.ts";

/** From dist/src/kernel/ and from src/kernel/. */
const PLACES = ["../../kernels.wasm", "../../dist/kernels.wasm"];

const compiled = new Map<string, Promise<WebAssembly.Module>>();

/** A new instance with its own memory. Throws Fatal when the kernels are missing or not ours. */
export async function loadKernel(limits: KernelLimits, wasmPath?: string): Promise<Kernel> {
  return new WasmKernel(await loadRaw(limits, wasmPath), limits);
}

/** The same without the typed front. */
export async function loadRaw(limits: KernelLimits, wasmPath?: string): Promise<RawKernel> {
  const path = wasmPath ?? findKernels();
  let module = compiled.get(path);
  if (module === undefined) {
    module = readFile(path).then((bytes) => WebAssembly.compile(bytes));
    compiled.set(path, module);
  }
  try {
    return await instantiate(await module, limits);
  } catch (cause) {
    compiled.delete(path);
    throw new Fatal(`cannot load the kernels from ${path}: ${messageOf(cause)}`, { cause });
  }
}

function findKernels(): string {
  const paths = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return paths.find((path) => existsSync(path)) ?? paths[1]!;
}

async function instantiate(module: WebAssembly.Module, limits: KernelLimits): Promise<RawKernel> {
  const decoder = new TextDecoder();
  let memory: WebAssembly.Memory | undefined;
  const env: RawHost = {
    slowFloat: (at, length) =>
      Number(decoder.decode(new Uint8Array(memory!.buffer, at >>> 0, length))),
  };
  const instance = await WebAssembly.instantiate(module, { env });
  const raw = instance.exports as unknown as RawKernel;
  memory = raw.memory;
  const seed = randomBytes(8).readBigUInt64LE();
  const bytesMax = Math.min(limits.memoryBytesMax ?? MEMORY_MAX, MEMORY_MAX);
  if (raw.init(seed, limits.seriesMax, limits.columnsMax, bytesMax) === 0)
    throw new Error(`${bytesMax} bytes of memory are too few`);
  new BigUint64Array(raw.memory.buffer, raw.powersAt(), 2 * 651).set(powersTable());
  return raw;
}
