/** What stands between the quotes of a string or a quoted identifier, and back. */

/** MySQL's escapes; any other character after a backslash stands for itself. */
const ESCAPES: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  Z: "\x1a",
};

/** Resolves doubled quotes, and backslash escapes where the dialect has them. `\%` and `\_` stay for LIKE. */
export function unescapeString(inner: string, quote: string, backslash: boolean): string {
  if (!backslash) return inner.replaceAll(quote + quote, quote);
  let out = "";
  for (let i = 0; i < inner.length; i++) {
    const c = inner[i]!;
    if (c === "\\" && i + 1 < inner.length) {
      const next = inner[++i]!;
      out += next === "%" || next === "_" ? `\\${next}` : (ESCAPES[next] ?? next);
    } else {
      out += c;
      if (c === quote) i++;
    }
  }
  return out;
}

/** `it's` → `'it''s'`. */
export function quoteString(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
