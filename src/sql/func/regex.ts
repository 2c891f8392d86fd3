/** Regular expressions. Both sides are RE2-like: no look-around, no back-references in patterns. */
import { T } from "../../types/mod.ts";
import type { Bound } from "../plan/bound.ts";
import { planError } from "../plan/errors.ts";
import { stringSql } from "../plan/literal.ts";
import { integer, scalar, type Table, text } from "./definition.ts";

/** Flags as a prefix of the pattern: works in every function of DuckDB. `g` is the caller's. */
function pattern(arg: Bound, flags: Bound | undefined): string {
  const inline = inlineFlags(flags);
  if (arg.constant?.kind === "string") return stringSql(inline + arg.constant.value);
  return inline === "" ? text(arg) : `('${inline}' || ${text(arg)})`;
}

function inlineFlags(flags: Bound | undefined): string {
  if (flags === undefined) return "";
  if (flags.constant?.kind !== "string")
    throw planError("regular expression flags must be a literal");
  const letters = flags.constant.value.replaceAll("g", "");
  if (!/^[imsUx]*$/.test(letters))
    throw planError(`unsupported regular expression flags: ${flags.constant.value}`);
  return letters === "" ? "" : `(?${letters})`;
}

const isGlobal = (flags: Bound | undefined) =>
  flags?.constant?.kind === "string" && flags.constant.value.includes("g");

/** `$1` and `${1}` are `\1` in DuckDB. */
function replacement(arg: Bound): string {
  if (arg.constant?.kind === "string")
    return stringSql(
      arg.constant.value.replace(/\$(?:\{(\d)\}|(\d))/g, (_m, a, b) => `\\${a ?? b}`),
    );
  return `regexp_replace(${text(arg)}, '\\$\\{?([0-9])\\}?', '\\\\\\1', 'g')`;
}

export const REGEX: Table = {
  regexp_count: scalar([2, 4], ([s, p, start, flags]) => {
    const from =
      start === undefined ? text(s!) : `substr(${text(s!)}, ${integer(start, "regexp_count")})`;
    return { sql: `len(regexp_extract_all(${from}, ${pattern(p!, flags)}))`, type: T.int64 };
  }),
  regexp_extract: scalar(2, ([s, p]) => {
    const re = pattern(p!, undefined);
    return {
      sql: `CASE WHEN regexp_matches(${text(s!)}, ${re}) THEN regexp_extract(${text(s!)}, ${re}) END`,
      type: T.string,
    };
  }),
  regexp_like: scalar([2, 3], ([s, p, flags]) => ({
    sql: `regexp_matches(${text(s!)}, ${pattern(p!, flags)})`,
    type: T.bool,
  })),
  regexp_match: scalar([2, 3], ([s, p, flags]) => {
    const re = pattern(p!, flags);
    const source = p!.constant?.kind === "string" ? p!.constant.value : undefined;
    if (source === undefined) throw planError("regexp_match needs a literal pattern");
    // Groups: opening parentheses that are neither escaped nor (?…) without a name.
    const groups = (source.replace(/\\./g, "").match(/\((?!\?(?!P?<[A-Za-z]))/g) ?? []).length;
    const items =
      groups === 0
        ? [`regexp_extract(${text(s!)}, ${re})`]
        : Array.from({ length: groups }, (_, i) => `regexp_extract(${text(s!)}, ${re}, ${i + 1})`);
    return {
      sql: `CASE WHEN regexp_matches(${text(s!)}, ${re}) THEN [${items.join(", ")}] END`,
      type: { kind: "list", item: T.string },
    };
  }),
  regexp_replace: scalar([3, 4], ([s, p, to, flags]) => ({
    sql: `regexp_replace(${text(s!)}, ${pattern(p!, flags)}, ${replacement(to!)}${isGlobal(flags) ? ", 'g'" : ""})`,
    type: T.string,
  })),
};
