/**
 * Examples in Markdown pages: finds them, and compares what they print with what the page says they print.
 * The convention is in docs/testing.md. Nothing here runs anything.
 */

/** What a reader may copy and run. */
const RUNNABLE = ["sh", "sql", "js"] as const;
export type Language = (typeof RUNNABLE)[number];
/** What a fence may say; `text` and `toml` are only shown. */
export const LANGUAGES: readonly string[] = [...RUNNABLE, "text", "toml"];

export interface Example {
  /** Line of the opening fence, 1-based. */
  readonly line: number;
  readonly language: Language;
  readonly code: string;
  /** The `text` block right behind it, if there is one. */
  readonly expected: string | undefined;
}

export interface Block {
  readonly line: number;
  readonly endLine: number;
  readonly language: string;
  readonly code: string;
}

/** All fenced blocks, in order. Throws for a fence that never closes. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; language: string; code: string[] } | undefined;
  for (const [index, text] of markdown.split("\n").entries()) {
    const fence = /^```(\S*)\s*$/.exec(text);
    if (fence === null) open?.code.push(text);
    else if (open === undefined) open = { line: index + 1, language: fence[1]!, code: [] };
    else {
      const { line, language, code } = open;
      blocks.push({ line, endLine: index + 1, language, code: code.join("\n") });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`line ${open.line}: the block never closes`);
  return blocks;
}

/** The blocks that can be run, each with the output that the page shows for it. */
export function examplesOf(markdown: string): Example[] {
  const lines = markdown.split("\n");
  const blocks = blocksOf(markdown);
  return blocks.flatMap((block, i): Example[] => {
    const language = RUNNABLE.find((name) => name === block.language);
    if (language === undefined) return [];
    const next = blocks[i + 1];
    const adjacent =
      next?.language === "text" &&
      lines.slice(block.endLine, next.line - 1).every((text) => text.trim() === "");
    return [
      { line: block.line, language, code: block.code, expected: adjacent ? next.code : undefined },
    ];
  });
}

/** Statements of a `sql` block: each ends with a semicolon at the end of a line, the last one may do without. */
export function statementsOf(code: string): string[] {
  return code
    .split(/;[ \t]*(?:\n|$)/)
    .map((text) => text.trim())
    .filter((text) => text !== "");
}

/**
 * Is `actual` what the page shows? `…` stands for anything within a line, a line that is only `…` for any lines, also none.
 * Blanks at the ends of lines and empty lines at both ends do not count.
 */
export function sameOutput(expected: string, actual: string): boolean {
  const pattern = tidy(expected)
    .split(/^…(?:\n|$)/m)
    .map((part) => part.split("…").map(literal).join("[^\\n]*"))
    .join("(?:[^\\n]*(?:\\n|$))*?");
  return new RegExp(`^${pattern}$`).test(tidy(actual));
}

function tidy(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  return `${lines
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/^\n+|\n+$/g, "")}\n`;
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
