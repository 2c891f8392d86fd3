/**
 * Finds a name and a password in a request. Knows no users and checks nothing; never logs what it finds.
 */
import { DbError } from "../base/mod.ts";

export interface Credentials {
  readonly name: string;
  readonly password: string;
}

/** What is looked at: headers by lower-case name, and query parameters. */
export interface CredentialSource {
  header(name: string): string | undefined;
  readonly query: URLSearchParams;
}

const MISSING = {
  basic: "Not found http or grpc authorization header",
  influx: "Not found influx http authorization info",
} as const;

/** Credentials by the scheme of the route. Throws auth_header_not_found, invalid_auth_header. */
export function credentialsOf(source: CredentialSource, scheme: "basic" | "influx"): Credentials {
  const header = source.header("x-greptime-auth") ?? source.header("authorization");
  if (header !== undefined && header !== "") return fromHeader(header, scheme);
  if (scheme === "influx") {
    const name = source.query.get("u");
    const password = source.query.get("p");
    if (name !== null && password !== null) return { name, password };
  }
  throw new DbError("auth_header_not_found", MISSING[scheme]);
}

function fromHeader(header: string, scheme: "basic" | "influx"): Credentials {
  const space = header.indexOf(" ");
  const word = (space < 0 ? header : header.slice(0, space)).toLowerCase();
  const rest = space < 0 ? "" : header.slice(space + 1).trim();
  if (word === "basic") return split(decodeBase64(rest));
  if (word === "token" && scheme === "influx") return split(rest);
  throw new DbError("invalid_auth_header", `Unsupported authorization scheme: ${printable(word)}`);
}

function split(pair: string): Credentials {
  const colon = pair.indexOf(":");
  if (colon < 0)
    throw new DbError("invalid_auth_header", "Invalid authorization header: no colon in it");
  return { name: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

function decodeBase64(text: string): string {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text))
    throw new DbError("invalid_auth_header", "Invalid authorization header: not base64");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(text, "base64"));
  } catch {
    throw new DbError("invalid_auth_header", "Invalid authorization header: not UTF-8");
  }
}

/** Only the scheme's word is shown, and only where it looks like one: the rest may be a secret. */
function printable(word: string): string {
  return /^[a-z0-9_-]{1,20}$/.test(word) ? word : "(unreadable)";
}
