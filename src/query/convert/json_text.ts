/**
 * Canonical JSON text, the form in which a Json column is kept: object keys sorted, the last of duplicate keys
 * wins, no blanks, numbers with the digits they came with (64-bit integers stay exact).
 * Never builds JavaScript numbers.
 */

/** Deeper documents are refused: the parser is recursive, and no real document nests this far. */
const depthMax = 128;

/** Canonical form of a JSON text, or undefined when the text is not JSON. */
export function canonicalJson(text: string): string | undefined {
  const parser = new Parser(text);
  const out = parser.value(0);
  return out !== undefined && parser.atEnd() ? out : undefined;
}

/** Sorts by code point, as UTF-8 bytes would. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

class Parser {
  #at = 0;
  constructor(readonly text: string) {}

  atEnd(): boolean {
    this.#blanks();
    return this.#at === this.text.length;
  }

  value(depth: number): string | undefined {
    if (depth > depthMax) return undefined;
    this.#blanks();
    switch (this.text[this.#at]) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#array(depth);
      case '"': {
        const text = this.#string();
        return text === undefined ? undefined : JSON.stringify(text);
      }
      default:
        return this.#match(/true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
    }
  }

  #object(depth: number): string | undefined {
    const members = new Map<string, string>();
    this.#at++;
    this.#blanks();
    if (this.#take("}")) return "{}";
    for (;;) {
      this.#blanks();
      const key = this.#string();
      this.#blanks();
      if (key === undefined || !this.#take(":")) return undefined;
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      members.set(key, value);
      this.#blanks();
      if (this.#take("}")) break;
      if (!this.#take(",")) return undefined;
    }
    const keys = [...members.keys()].sort(byCodePoint);
    return `{${keys.map((key) => `${JSON.stringify(key)}:${members.get(key)}`).join(",")}}`;
  }

  #array(depth: number): string | undefined {
    const items: string[] = [];
    this.#at++;
    this.#blanks();
    if (this.#take("]")) return "[]";
    for (;;) {
      const item = this.value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      this.#blanks();
      if (this.#take("]")) return `[${items.join(",")}]`;
      if (!this.#take(",")) return undefined;
    }
  }

  /** The decoded text of a string token. */
  #string(): string | undefined {
    const token = this.#match(/"[^"\\]*(?:\\.[^"\\]*)*"/sy);
    if (token === undefined) return undefined;
    try {
      return JSON.parse(token) as string;
    } catch {
      return undefined; // A bad escape or a control character.
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.text)?.[0];
    if (token !== undefined) this.#at += token.length;
    return token;
  }

  #take(char: string): boolean {
    if (this.text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #blanks(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }
}
