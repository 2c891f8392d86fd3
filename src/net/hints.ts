/** Write hints from request headers: what an auto-created table shall look like. Pure. */
import { DbError } from "../base/mod.ts";
import type { WriteHints } from "../ingest/api.ts";

const PREFIX = "x-greptime-hint-";

/** The option `auto_create_table` decides; every other hint is an option of the table. Throws invalid_arguments. */
export function writeHintsOf(
  header: (name: string) => string | undefined,
  names: string[],
): WriteHints {
  const pairs = new Map<string, string>();
  const list = header("x-greptime-hints");
  if (list !== undefined) {
    for (const item of list.split(",")) {
      if (item.trim() === "") continue;
      const equals = item.indexOf("=");
      if (equals <= 0) throw new DbError("invalid_arguments", `not a hint (k=v): ${item.trim()}`);
      pairs.set(item.slice(0, equals).trim(), item.slice(equals + 1).trim());
    }
  } else {
    for (const name of names)
      if (name.startsWith(PREFIX))
        // HTTP/2 and some proxies turn _ into -; option names have no dashes.
        pairs.set(name.slice(PREFIX.length).replaceAll("-", "_"), header(name) ?? "");
  }
  const auto = pairs.get("auto_create_table");
  pairs.delete("auto_create_table");
  pairs.delete("read_preference");
  const options = Object.fromEntries(pairs);
  return auto === undefined ? { options } : { options, autoCreateTable: parseBool(auto) };
}

function parseBool(text: string): boolean {
  const word = text.toLowerCase();
  if (word === "true") return true;
  if (word === "false") return false;
  throw new DbError("invalid_arguments", `hint auto_create_table is not a boolean: ${text}`);
}
