/** Names of precisions in requests. */
import { DbError } from "../../base/mod.ts";
import type { Precision } from "../../kernel/mod.ts";

const PRECISIONS: Readonly<Record<string, Precision>> = {
  n: "ns",
  ns: "ns",
  u: "us",
  us: "us",
  ms: "ms",
  s: "s",
  m: "m",
  h: "h",
};

/** The precision of a write; nanoseconds when the parameter is absent or empty. Throws invalid_arguments. */
export function writePrecision(name: string | null): Precision {
  if (name === null || name === "") return "ns";
  const precision = Object.hasOwn(PRECISIONS, name) ? PRECISIONS[name] : undefined;
  if (precision === undefined)
    throw new DbError("invalid_arguments", `Failed to convert time precision, name: ${name}`);
  return precision;
}

/** `epoch` of a query: undefined when absent or empty, which means RFC 3339 text. Throws invalid_arguments. */
export function queryEpoch(name: string | null): Precision | undefined {
  return name === null || name === "" ? undefined : writePrecision(name);
}
