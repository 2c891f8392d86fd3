/**
 * Small metadata files: one line of header with format, kind, version, length and crc32c, then JSON that may hold bigints.
 * Readable with any editor, and no byte of it can change unnoticed.
 */

import { messageOf } from "../base/mod.ts";
import { crc32c } from "../codec/mod.ts";

/** Raised when the header or the meaning of the body changes. */
const FORMAT = 1;

/** Marks a bigint in JSON: {"$n":"123"}. Keys that start with `$` get one more, so user data cannot look like it. */
const BIGINT_KEY = "$n";

export interface Sealed {
  /** "delta", "checkpoint", ... : a file renamed to another role is refused. */
  readonly kind: string;
  readonly version: number;
  readonly body: unknown;
}

/** Why a file is refused: names the check that failed and both values. */
export class SealBroken extends Error {
  override name = "SealBroken";
}

/** The bytes of a sealed file. Body: plain JSON values and bigints. */
export function seal(sealed: Sealed): Uint8Array {
  const body = Buffer.from(`${stringify(sealed.body)}\n`);
  return Buffer.concat([headerLine(sealed.kind, sealed.version, body), body]);
}

/** Checks everything and decodes; throws SealBroken. */
export function unseal(bytes: Uint8Array, kind: string, version: number): unknown {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf(10) + 1;
  if (end === 0) throw new SealBroken(`no header line in ${bytes.length} bytes`);
  const body = buffer.subarray(end);
  const format = /^\{"format":(\d+),/.exec(buffer.toString("latin1", 0, end))?.[1];
  if (format !== undefined && Number(format) !== FORMAT)
    throw new SealBroken(`format ${format}, this program reads format ${FORMAT}`);
  // The header is a function of what it describes: whatever differs is damage.
  const want = headerLine(kind, version, body);
  if (!buffer.subarray(0, end).equals(want))
    throw new SealBroken(
      `header is ${show(buffer.subarray(0, end))}, the body asks for ${show(want)}`,
    );
  try {
    return parse(body.toString());
  } catch (error) {
    throw new SealBroken(`body is not JSON: ${messageOf(error)}`);
  }
}

function headerLine(kind: string, version: number, body: Uint8Array): Buffer {
  const crc = crc32c(body).toString(16).padStart(8, "0");
  const header = { format: FORMAT, kind, version, bytes: body.length, crc32c: crc };
  return Buffer.from(`${JSON.stringify(header)}\n`);
}

function show(line: Buffer): string {
  return JSON.stringify(line.toString("latin1", 0, 200).trimEnd());
}

/** JSON with bigints. */
export function stringify(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === "bigint") return { [BIGINT_KEY]: item.toString() };
    if (!isPlainObject(item) || !Object.keys(item).some((key) => key.startsWith("$"))) return item;
    return Object.fromEntries(
      Object.entries(item).map(([key, field]) => [key.startsWith("$") ? `$${key}` : key, field]),
    );
  });
}

/** The inverse of `stringify`. */
export function parse(text: string): unknown {
  return JSON.parse(text, (_key, item: unknown) => {
    if (!isPlainObject(item)) return item;
    const keys = Object.keys(item);
    if (!keys.some((key) => key.startsWith("$"))) return item;
    if (keys.length === 1 && keys[0] === BIGINT_KEY) return BigInt(item[BIGINT_KEY] as string);
    return Object.fromEntries(
      Object.entries(item).map(([key, field]) => [
        key.startsWith("$$") ? key.slice(1) : key,
        field,
      ]),
    );
  });
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
