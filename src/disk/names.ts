/** Names of objects and of log files: what is allowed. A bad name is a mistake of ours (Bug), never the caller's. */
import { assert } from "../base/mod.ts";

/** Where a store keeps what is not yet an object. The name cannot be an object's: no part of one starts with a dot. */
export const TEMPORARY_FOLDER = ".tmp";

/** One part of a path: no separators or control characters, no leading dot (so no `.`, no `..`, no TEMPORARY_FOLDER). */
const PART = /^(?!\.)[^/\\\p{Cc}]+$/u;

/** Throws a Bug unless `name` is a relative path of plain parts: `a/b/c.json`. */
export function checkObjectName(name: string): string {
  assert(
    name.split("/").every((part) => PART.test(part)),
    `object name ${JSON.stringify(name)} is a relative path of plain parts`,
  );
  return name;
}

/** Throws a Bug unless `prefix` is "" or the start of an object name (a folder ends in `/`). */
export function checkPrefix(prefix: string): string {
  const folder = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
  if (prefix !== "") checkObjectName(folder);
  return prefix;
}

/** Throws a Bug unless `name` is one plain part: `0001.wal`. */
export function checkFileName(name: string): string {
  assert(PART.test(name), `file name ${JSON.stringify(name)} is one plain part`);
  return name;
}

/** Order of names everywhere: by code unit, as the bytes of plain names. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
