/** Kernel: the WASM decoders and dictionaries, with typed bindings. `loadKernel` is the only way in. */
export type {
  Kernel,
  KernelKind,
  KernelLimits,
  LineError,
  ParsedBody,
  ParsedTable,
  Precision,
  SeriesTags,
  SlotInfo,
} from "./api.ts";
export { loadKernel } from "./load.ts";
export * from "./row_encoder_api.ts";
