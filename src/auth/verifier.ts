/**
 * How a password is remembered: as itself, or as one of three hashes that cannot be turned back. Checks a clear-text
 * password against any of them, in time that does not depend on where they differ. No I/O; never prints a secret.
 */
import {
  createHash,
  createHmac,
  pbkdf2 as pbkdf2Callback,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { promisify } from "node:util";
import { DbError, unreachable } from "../base/mod.ts";

const pbkdf2 = promisify(pbkdf2Callback);

export type Verifier =
  | { readonly kind: "plain"; readonly password: string }
  | {
      readonly kind: "pbkdf2_sha256";
      readonly iterations: number;
      readonly salt: Buffer;
      readonly hash: Buffer;
    }
  | { readonly kind: "mysql_native_password"; readonly hash: Buffer }
  | {
      readonly kind: "pg_scram_sha256";
      readonly iterations: number;
      readonly salt: Buffer;
      readonly storedKey: Buffer;
      readonly serverKey: Buffer;
    };

export type HashFormat = Exclude<Verifier["kind"], "plain">;
export const HASH_FORMATS: readonly HashFormat[] = [
  "pbkdf2_sha256",
  "mysql_native_password",
  "pg_scram_sha256",
];

/** More iterations than this would let one login hold a core for a second. */
const ITERATIONS_MAX = 1_000_000;
const SHA256_BYTES = 32;
const SHA1_BYTES = 20;

const sha1 = (bytes: string | Buffer) => createHash("sha1").update(bytes).digest();
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest();
const hmac = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/**
 * `pbkdf2_sha256:<iterations>:<salt>:<hash>`, `mysql_native_password:<hash>`, `pg_scram_sha256:<iterations>:<salt>:<stored>:<server>`,
 * `plain:<password>`, or a bare password. Bytes are hex, or base64 when the hash is. Throws invalid_arguments, without the text.
 */
export function parseVerifier(text: string): Verifier {
  const [kind, ...rest] = text.split(":");
  switch (kind) {
    case "plain":
      return { kind, password: text.slice("plain:".length) };
    case "pbkdf2_sha256": {
      const [iterations, salt, hash] = exactly(kind, rest, 3);
      const decode = decoder(kind, hash!, SHA256_BYTES);
      return {
        kind,
        iterations: parseIterations(kind, iterations!),
        salt: decode(salt!),
        hash: decode(hash!, SHA256_BYTES),
      };
    }
    case "mysql_native_password": {
      const [hash] = exactly(kind, rest, 1);
      const hex = hash!.replace(/^\*/, "");
      return { kind, hash: decoder(kind, hex, SHA1_BYTES)(hex, SHA1_BYTES) };
    }
    case "pg_scram_sha256": {
      const [iterations, salt, stored, server] = exactly(kind, rest, 4);
      const decode = decoder(kind, stored!, SHA256_BYTES);
      return {
        kind,
        iterations: parseIterations(kind, iterations!),
        salt: decode(salt!),
        storedKey: decode(stored!, SHA256_BYTES),
        serverKey: decode(server!, SHA256_BYTES),
      };
    }
    default:
      return { kind: "plain", password: text };
  }
}

/** The line for a user file. Hex throughout, because a `=` of base64 would break the line. */
export function formatVerifier(verifier: Exclude<Verifier, { kind: "plain" }>): string {
  switch (verifier.kind) {
    case "pbkdf2_sha256":
      return `pbkdf2_sha256:${verifier.iterations}:${verifier.salt.toString("hex")}:${verifier.hash.toString("hex")}`;
    case "mysql_native_password":
      return `mysql_native_password:${verifier.hash.toString("hex")}`;
    case "pg_scram_sha256":
      return `pg_scram_sha256:${verifier.iterations}:${verifier.salt.toString("hex")}:${verifier.storedKey.toString("hex")}:${verifier.serverKey.toString("hex")}`;
    default:
      return unreachable(verifier);
  }
}

/** Hashes a password for a user file. `salt` is random unless given. Throws invalid_arguments for odd iterations. */
export async function hashPassword(
  format: HashFormat,
  password: string,
  options: { readonly iterations: number; readonly saltBytes: number; readonly salt?: Buffer },
): Promise<Exclude<Verifier, { kind: "plain" }>> {
  const iterations = parseIterations(format, String(options.iterations));
  const salt = options.salt ?? randomBytes(options.saltBytes);
  switch (format) {
    case "mysql_native_password":
      return { kind: format, hash: sha1(sha1(password)) };
    case "pbkdf2_sha256":
      return { kind: format, iterations, salt, hash: await stretch(password, salt, iterations) };
    case "pg_scram_sha256":
      return { kind: format, iterations, salt, ...(await scramKeys(password, salt, iterations)) };
    default:
      return unreachable(format);
  }
}

/** Is this the password? */
export async function matches(verifier: Verifier, password: string): Promise<boolean> {
  switch (verifier.kind) {
    case "plain":
      // Hashed first, so that neither length nor content shows in the time.
      return timingSafeEqual(sha256(Buffer.from(verifier.password)), sha256(Buffer.from(password)));
    case "pbkdf2_sha256":
      return timingSafeEqual(
        verifier.hash,
        await stretch(password, verifier.salt, verifier.iterations),
      );
    case "mysql_native_password":
      return timingSafeEqual(verifier.hash, sha1(sha1(password)));
    case "pg_scram_sha256": {
      const keys = await scramKeys(password, verifier.salt, verifier.iterations);
      return timingSafeEqual(verifier.storedKey, keys.storedKey);
    }
    default:
      return unreachable(verifier);
  }
}

function stretch(password: string, salt: Buffer, iterations: number): Promise<Buffer> {
  return pbkdf2(password, salt, iterations, SHA256_BYTES, "sha256");
}

/** RFC 5802 and 7677. */
async function scramKeys(password: string, salt: Buffer, iterations: number) {
  const salted = await stretch(password.normalize("NFKC"), salt, iterations);
  return { storedKey: sha256(hmac(salted, "Client Key")), serverKey: hmac(salted, "Server Key") };
}

function exactly(kind: string, parts: string[], count: number): string[] {
  if (parts.length !== count)
    throw new DbError("invalid_arguments", `${kind} needs ${count} parts, not ${parts.length}`);
  return parts;
}

function parseIterations(kind: string, text: string): number {
  const iterations = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(iterations >= 1 && iterations <= ITERATIONS_MAX))
    throw new DbError("invalid_arguments", `${kind}: iterations are 1 to ${ITERATIONS_MAX}`);
  return iterations;
}

/** Hex or base64, decided by the hash, whose length is known: 2 × bytes is hex, anything else base64. */
function decoder(kind: string, hash: string, bytes: number) {
  const hex = hash.length === 2 * bytes;
  return (text: string, bytesWanted?: number): Buffer => {
    const ok = hex ? /^([0-9A-Fa-f]{2})*$/.test(text) : /^[A-Za-z0-9+/]*={0,2}$/.test(text);
    const out = Buffer.from(text, hex ? "hex" : "base64");
    if (!ok || (bytesWanted !== undefined && out.length !== bytesWanted))
      throw new DbError(
        "invalid_arguments",
        `${kind}: a part is not ${hex ? "hex" : "base64"} of the right length`,
      );
    return out;
  };
}
