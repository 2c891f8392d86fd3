/** What the decoders of request bodies share: their shape and their two refusals. */
import { DbError, formatBytes, messageOf } from "../base/mod.ts";

export type Encoding = "gzip" | "deflate" | "br" | "zstd";

/** Takes each piece as it comes out; a promise means "wait for it". */
export type Take = (piece: Uint8Array) => Promise<void> | undefined;

/** A decoder: fed in order, then ended. Both throw DbError for damaged or oversized data. */
export interface Inflater {
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<void>;
  /** Frees it early; further calls are not allowed. */
  destroy(): void;
}

export function tooLarge(encoding: Encoding, bytesMax: number): DbError {
  return new DbError(
    "payload_too_large",
    `the ${encoding} body inflates to more than ${formatBytes(bytesMax)}`,
  );
}

export function damaged(encoding: Encoding, error: unknown): DbError {
  return new DbError("invalid_arguments", `the ${encoding} body is damaged: ${messageOf(error)}`);
}
