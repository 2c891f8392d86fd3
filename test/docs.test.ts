/**
 * Every example of README.md and docs/*.md, run against a real server, page by page from top to bottom: an example that does not
 * do what its page says fails here, with file and line. The convention is in docs/testing.md.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse as parseToml } from "smol-toml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  blocksOf,
  type Example,
  examplesOf,
  LANGUAGES,
  sameOutput,
  statementsOf,
} from "./harness/doc_page.ts";
import { freePort, MAIN, TestServer } from "./harness/server.ts";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** What pages call the server. */
const ADDRESS = /\b(localhost|127\.0\.0\.1)(:| -port )4000\b/g;
/** An example that needs longer is no example. */
const EXAMPLE_MS_MAX = 60_000;
/** How a refusal looks that the page does not speak of. */
const REFUSED = /^Error: |"error":/m;
/** Programs that pages use and a machine may lack: their examples are skipped there, visibly. */
const OPTIONAL = ["influx", "openssl"].filter(
  (name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0,
);

/** A folder as a reader has it: the server's data in it, `tidemark` in the path, and nothing of this machine's user. */
class Reader {
  #server: TestServer | undefined;

  private constructor(
    readonly folder: string,
    readonly port: number,
  ) {}

  static async open(): Promise<Reader> {
    const folder = await mkdtemp(join(tmpdir(), "tidemark-docs-"));
    const reader = new Reader(folder, await freePort());
    mkdirSync(join(folder, ".bin"));
    const command = `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`;
    writeFileSync(join(folder, ".bin", "tidemark"), command, { mode: 0o755 });
    // Somewhere else than in a terminal, curl would print a progress meter.
    writeFileSync(join(folder, ".curlrc"), "silent\nshow-error\n");
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    await reader.start([]);
    return reader;
  }

  async start(flags: readonly string[]): Promise<void> {
    await this.#server?.stop();
    const { folder, port } = this;
    const dataHome = join(folder, "tidemark_data");
    const server = await TestServer.start({ dataHome, port, flags, cwd: folder, wait: false });
    this.#server = server;
    const deadline = performance.now() + EXAMPLE_MS_MAX;
    while (!server.log.includes("is ready")) {
      if (server.exitCode !== undefined || performance.now() > deadline)
        throw new Error(`the server did not start:\n${server.log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Runs the example; returns what a reader would see. Throws when it fails. */
  async run({ language, code }: Example): Promise<string> {
    const text = code.replace(ADDRESS, `127.0.0.1$2${this.port}`);
    switch (language) {
      case "sql": {
        const seen: string[] = [];
        for (const statement of statementsOf(text)) seen.push(await this.#sql(statement));
        return seen.join("\n");
      }
      case "js": {
        writeFileSync(join(this.folder, "example.mjs"), text);
        return this.#spawn(process.execPath, ["example.mjs"]);
      }
      case "sh": {
        const start = /^bin\/run\b(.*)$/.exec(text.trim());
        if (start === null) return this.#spawn("bash", ["-euo", "pipefail", "-c", text]);
        await this.start(start[1]!.split(" ").filter((flag) => flag !== ""));
        return "";
      }
    }
  }

  /** One statement; a refused one is shown as its message, for pages that show what is refused. */
  async #sql(statement: string): Promise<string> {
    const { status, text } = await this.#server!.query(statement, { format: "table" });
    return status === 200 ? text : `Error: ${JSON.parse(text).error}`;
  }

  async #spawn(command: string, args: readonly string[]): Promise<string> {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(TIDEMARK|GREPTIMEDB|INFLUX)_/.test(name)),
    );
    const { folder } = this;
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...env, HOME: folder, PATH: `${join(folder, ".bin")}:${env.PATH}` },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: EXAMPLE_MS_MAX,
    });
    let seen = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        seen += chunk.toString();
      });
    const [exit, signal] = await once(child, "close");
    if (exit !== 0) throw new Error(`it ended with ${exit ?? signal}:\n${seen}`);
    return seen;
  }

  async close(): Promise<void> {
    await this.#server?.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const pages = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

for (const page of pages) {
  const markdown = readFileSync(join(ROOT, page), "utf8");
  const examples = examplesOf(markdown);

  test(`${page}: blocks say what they are, toml is toml, links lead somewhere`, () => {
    for (const { language, code, line } of blocksOf(markdown)) {
      expect(LANGUAGES, `${page}:${line}`).toContain(language);
      if (language === "toml") expect(() => parseToml(code), `${page}:${line}`).not.toThrow();
    }
    expect(brokenLinks(page, markdown)).toEqual([]);
  });

  if (examples.length === 0) continue;
  describe(page, () => {
    let reader: Reader;
    beforeAll(async () => {
      reader = await Reader.open();
    }, 120_000);
    afterAll(() => reader?.close());

    for (const example of examples) {
      const { line, language, code, expected } = example;
      const missing = OPTIONAL.find(
        (name) => language === "sh" && new RegExp(`^\\s*${name}\\s`, "m").test(code),
      );
      const name = `${page}:${line} ${language}${missing === undefined ? "" : ` (no ${missing} here)`}`;
      test.skipIf(missing !== undefined)(name, { timeout: EXAMPLE_MS_MAX + 10_000 }, async () => {
        const seen = await reader.run(example).catch((error: Error) => {
          throw new Error(`${page}:${line}: ${error.message}\n--- the example\n${code}`);
        });
        if (expected === undefined && !REFUSED.test(seen)) return;
        if (expected !== undefined && sameOutput(expected, seen)) return;
        throw new Error(
          `${page}:${line} does something else\n--- the example\n${code}\n--- says\n${expected ?? "(nothing)"}\n--- does\n${seen}`,
        );
      });
    }
  });
}

/** Links to files that are not there, and to headings that are not in them. */
function brokenLinks(page: string, markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1]!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = "", heading] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      try {
        if (heading === undefined) return !existsSync(join(ROOT, file));
        return !headings(readFileSync(join(ROOT, file), "utf8")).includes(heading);
      } catch {
        return true;
      }
    });
}

/** Anchors as GitHub makes them. */
function headings(markdown: string): string[] {
  return [...markdown.matchAll(/^#+\s+(.*)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}
