/** docs/config.md lists every setting as it is: `UPDATE=1 npx vitest run src/server/config_docs` writes the table anew. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { envName, SETTING_KEYS, SETTINGS } from "./settings.ts";

const PAGE = new URL("../../docs/config.md", import.meta.url);
const START = "<!-- settings: start -->\n";
const END = "<!-- settings: end -->";

function table(): string {
  const rows = SETTING_KEYS.map((key) => {
    const { default: fallback, flag, help } = SETTINGS[key];
    const shown = fallback === undefined ? "unset" : `\`${JSON.stringify(fallback)}\``;
    const switches = flag === undefined ? "" : `\`${flag.split(" <")[0]}\``;
    return `| \`${key}\` | ${shown} | ${switches} | ${help.replaceAll("|", "\\|")} |`;
  });
  return ["| key | default | flag | meaning |", "|---|---|---|---|", ...rows, ""].join("\n");
}

test("docs/config.md has the settings of the code", () => {
  const page = readFileSync(PAGE, "utf8");
  const from = page.indexOf(START) + START.length;
  const to = page.indexOf(END);
  expect(from).toBeGreaterThan(START.length);
  if (process.env.UPDATE === "1")
    writeFileSync(PAGE, page.slice(0, from) + table() + page.slice(to));
  else expect(page.slice(from, to)).toBe(table());
});

test("environment names cannot clash", () => {
  expect(new Set(SETTING_KEYS.map(envName)).size).toBe(SETTING_KEYS.length);
});
