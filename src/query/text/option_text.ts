/** WITH options as texts: the clause of SHOW CREATE, and the lines of SHOW FULL DATABASES. Pure. */

type Options = Readonly<Record<string, string>>;

/** Words and nothing else need no quotes as a key. */
const plainKey = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** `WITH(` …, one option a line, sorted by key; undefined when there is none. */
export function withClause(options: Options): string | undefined {
  const keys = Object.keys(options).sort();
  if (keys.length === 0) return undefined;
  const lines = keys.map(
    (key) => `  ${plainKey.test(key) ? key : quoted(key)} = ${quoted(options[key]!)}`,
  );
  return `WITH(\n${lines.join(",\n")}\n)`;
}

/** `'k'='v'` lines, ttl first, each ended by a newline. */
export function optionLines(options: Options): string {
  return Object.keys(options)
    .sort((a, b) => Number(b === "ttl") - Number(a === "ttl") || (a < b ? -1 : 1))
    .map((key) => `${quoted(key)}=${quoted(options[key]!)}\n`)
    .join("");
}
