/** The user list: `name[:mode]=verifier` lines. Pure; a bad line is reported by number and skipped, never shown. */

import { messageOf } from "../base/mod.ts";
import type { Permission } from "../query/api.ts";
import type { User } from "./api.ts";
import { parseVerifier, type Verifier } from "./verifier.ts";

export interface UserEntry {
  readonly user: User;
  readonly verifier: Verifier;
}

export interface UserList {
  readonly users: ReadonlyMap<string, UserEntry>;
  /** "line 3: …", without any part of a secret. */
  readonly warnings: readonly string[];
}

const MODES: Readonly<Record<string, Permission>> = {
  rw: "read_write",
  readwrite: "read_write",
  read_write: "read_write",
  ro: "read",
  readonly: "read",
  read_only: "read",
  wo: "write",
  writeonly: "write",
  write_only: "write",
};

/** Lines of a user file, or the comma-separated items of `static_user_provider:cmd:`. The last line of a name wins. */
export function parseUsers(lines: readonly string[]): UserList {
  const users = new Map<string, UserEntry>();
  const warnings: string[] = [];
  for (const [i, raw] of lines.entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const entry = parseLine(line);
    if (typeof entry === "string") warnings.push(`line ${i + 1}: ${entry}`);
    else users.set(entry.user.name, entry);
  }
  return { users, warnings };
}

function parseLine(line: string): UserEntry | string {
  const parts = line.split("=");
  if (parts.length !== 2) return "needs exactly one '=' (a password must not contain one)";
  const [left, secret] = parts as [string, string];
  const colon = left.indexOf(":");
  const name = (colon < 0 ? left : left.slice(0, colon)).trim();
  if (name === "") return "no user name";
  const mode = colon < 0 ? "rw" : left.slice(colon + 1).trim();
  const permission = MODES[mode.toLowerCase()];
  if (permission === undefined) return `user ${name}: mode is not rw, ro or wo`;
  if (secret.trim() === "") return `user ${name}: an empty password would let anyone in`;
  try {
    return { user: { name, permission }, verifier: parseVerifier(secret.trim()) };
  } catch (error) {
    return `user ${name}: ${messageOf(error)}`;
  }
}
