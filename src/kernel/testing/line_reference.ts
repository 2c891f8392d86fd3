/**
 * A second line protocol parser, in plain TypeScript, slow and obvious: what the tests hold against the kernels. Written from the
 * grammar in docs/format/line_protocol.md and kept apart from the kernels' code on purpose. One instance is one database.
 */
import type { KernelKind, LineError } from "../api.ts";

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const EQUALS = 61;
const BACKSLASH = 92;
const KEY_MAX = 65535;

export type RefValue = { readonly kind: KernelKind; readonly value: unknown };

export interface RefRow {
  readonly table: string;
  /** Tags by name, only those that are set. */
  readonly tags: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, RefValue>;
  readonly time: bigint;
  readonly line: number;
}

export interface RefTable {
  /** In order of appearance. */
  readonly tags: string[];
  readonly fields: Map<string, KernelKind>;
  readonly series: Set<string>;
}

export interface RefResult {
  readonly rows: RefRow[];
  readonly errors: Pick<LineError, "line" | "column" | "code" | "table">[];
  readonly lines: number;
}

class Refusal extends Error {
  constructor(
    readonly code: LineError["code"],
    readonly at: number,
  ) {
    super(code);
  }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class LineReference {
  readonly tables = new Map<string, RefTable>();
  #data = new Uint8Array(0);
  #end = 0;
  #at = 0;

  constructor(readonly limits: { readonly seriesMax: number; readonly columnsMax: number }) {}

  get series(): number {
    let sum = 0;
    for (const table of this.tables.values()) sum += table.series.size;
    return sum;
  }

  /** `unit` is a tick in nanoseconds. */
  parse(body: Uint8Array, unit: bigint, now: bigint): RefResult {
    // Every line ends with a newline, the last one too.
    this.#data = new Uint8Array(body.length + 1);
    this.#data.set(body);
    this.#data[body.length] = NEWLINE;
    this.#end = body.length;
    const result: RefResult & { lines: number } = { rows: [], errors: [], lines: 0 };
    let at = 0;
    while (at < this.#end) {
      const c = this.#data[at]!;
      if (c === SPACE || c === 9) at++;
      else if (this.#endsLine(at) || c === 35) at = this.#newline(at) + 1;
      else {
        result.lines++;
        at = this.#line(at, unit, now, result);
      }
    }
    return result;
  }

  /** Parses one line; returns where the next one starts. */
  #line(start: number, unit: bigint, now: bigint, result: RefResult): number {
    let table: string | undefined;
    try {
      const draft = this.#parseLine(start, unit, now, (name) => {
        table = name;
      });
      this.#commit(draft);
      result.rows.push(draft);
      return this.#at + 1;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { line, column } = this.#place(error.at);
      result.errors.push({
        line,
        column,
        code: error.code,
        ...(table === undefined ? {} : { table }),
      });
      return this.#recover(start, error);
    }
  }

  #parseLine(start: number, unit: bigint, now: bigint, onTable: (name: string) => void): RefRow {
    const keyEnd = this.#keyEnd(start);
    const { table, tags } = this.#key(start, keyEnd, onTable);
    this.#at = keyEnd;
    while (this.#data[this.#at] === SPACE) this.#at++;
    if (this.#endsLine(this.#at)) throw new Refusal("no_fields", this.#at);
    const fields = this.#fields(table, tags);
    const time = this.#time(unit, now);
    return { table, tags, fields, time, line: this.#place(start).line };
  }

  #key(
    start: number,
    end: number,
    onTable: (name: string) => void,
  ): { table: string; tags: Map<string, string> } {
    if (end - start > KEY_MAX) throw new Refusal("name_too_long", start);
    const measurement = this.#element(start, end, false);
    if (measurement.end === start) throw new Refusal("no_measurement", start);
    const table = this.#text(measurement.bytes, start);
    onTable(table);
    const known = this.tables.get(table);
    const tags = new Map<string, string>();
    const fresh = new Set<string>();
    let at = measurement.end;
    while (at < end) {
      const tagStart = at + 1;
      const key = this.#element(tagStart, end, true);
      if (key.end === tagStart || key.end >= end || this.#data[key.end] !== EQUALS)
        throw new Refusal("bad_tag", tagStart);
      const name = this.#text(key.bytes, tagStart);
      const value = this.#element(key.end + 1, end, true);
      if (value.end < end && this.#data[value.end] === EQUALS)
        throw new Refusal("bad_tag", tagStart);
      if (value.bytes.length === 0) throw new Refusal("empty_tag_value", key.end + 1);
      const text = this.#text(value.bytes, key.end + 1);
      if (known?.fields.has(name)) throw new Refusal("tag_is_field", tagStart);
      if (!known?.tags.includes(name)) {
        const columns = (known?.tags.length ?? 0) + (known?.fields.size ?? 0) + fresh.size;
        if (!fresh.has(name) && columns >= this.limits.columnsMax)
          throw new Refusal("too_many_columns", tagStart);
        fresh.add(name);
      }
      tags.set(name, text);
      at = value.end;
    }
    if (!known?.series.has(seriesKey(tags)) && this.series >= this.limits.seriesMax)
      throw new Refusal("series_limit", start);
    return { table, tags };
  }

  #fields(table: string, tags: ReadonlyMap<string, string>): Map<string, RefValue> {
    const known = this.tables.get(table);
    const isTag = (name: string) => tags.has(name) || known?.tags.includes(name) === true;
    const fields = new Map<string, RefValue>();
    const names = new Set([
      ...(known?.tags ?? []),
      ...(known?.fields.keys() ?? []),
      ...tags.keys(),
    ]);
    for (;;) {
      const start = this.#at;
      if (this.#endsLine(start) || this.#data[start] === SPACE)
        throw new Refusal("bad_field", start);
      const key = this.#element(start, this.#data.length, true);
      if (key.end - start > KEY_MAX) throw new Refusal("name_too_long", start);
      if (key.end === start || this.#data[key.end] !== EQUALS)
        throw new Refusal("bad_field", start);
      const name = this.#text(key.bytes, start);
      if (isTag(name)) throw new Refusal("field_is_tag", start);
      if (!names.has(name) && names.size >= this.limits.columnsMax)
        throw new Refusal("too_many_columns", start);
      names.add(name);
      if (fields.has(name)) throw new Refusal("duplicate_field", start);
      this.#at = key.end + 1;
      fields.set(name, this.#value(known?.fields.get(name)));
      if (this.#data[this.#at] !== COMMA) return fields;
      this.#at++;
    }
  }

  /** Reads a value for a field of kind `bound`, if it is known. */
  #value(bound: KernelKind | undefined): RefValue {
    const start = this.#at;
    const lead = String.fromCharCode(this.#data[start]!);
    const value = lead === '"' ? this.#string() : this.#word(lead);
    if (bound === undefined || bound === value.kind) return value;
    if (bound === "float64" && typeof value.value === "bigint")
      return { kind: "float64", value: Number(value.value) };
    throw new Refusal("type_conflict", start);
  }

  #word(lead: string): RefValue {
    const start = this.#at;
    let end = start;
    while (this.#data[end] !== COMMA && this.#data[end] !== SPACE && !this.#endsLine(end)) end++;
    const text = String.fromCharCode(...this.#data.subarray(start, Math.min(end, start + 5000)));
    this.#at = end;
    if (/^[-0-9]/.test(lead)) return { ...numberOf(text, start) };
    if (/^(t|T|true|True|TRUE)$/.test(text)) return { kind: "bool", value: true };
    if (/^(f|F|false|False|FALSE)$/.test(text)) return { kind: "bool", value: false };
    if (/^[tTfF]/.test(lead)) throw new Refusal("bad_bool", start);
    throw new Refusal(/^[-+.nNiI]/.test(lead) ? "bad_number" : "bad_field", start);
  }

  #string(): RefValue {
    const start = this.#at;
    const close = this.#closing(start);
    if (close === undefined) throw new Refusal("unterminated_string", start);
    const bytes: number[] = [];
    for (let i = start + 1; i < close; i++) {
      const next = this.#data[i + 1];
      if (this.#data[i] === BACKSLASH && (next === QUOTE || next === BACKSLASH)) i++;
      bytes.push(this.#data[i]!);
    }
    const value = this.#text(Uint8Array.from(bytes), start);
    this.#at = close + 1;
    const c = this.#data[this.#at];
    if (c !== COMMA && c !== SPACE && !this.#endsLine(this.#at))
      throw new Refusal("bad_field", start);
    return { kind: "string", value };
  }

  /** The quote that closes the string which opens at `at`. */
  #closing(at: number): number | undefined {
    for (let i = at + 1; i < this.#end; i++) {
      if (this.#data[i] === QUOTE) return i;
      const next = this.#data[i + 1];
      if (this.#data[i] === BACKSLASH && (next === QUOTE || next === BACKSLASH)) i++;
    }
    return undefined;
  }

  /** Reads the time and leaves the cursor at the newline. */
  #time(unit: bigint, now: bigint): bigint {
    while (this.#data[this.#at] === SPACE) this.#at++;
    let time = now - (((now % unit) + unit) % unit);
    if (!this.#endsLine(this.#at)) {
      const start = this.#at;
      let end = start;
      while (this.#data[end] !== SPACE && !this.#endsLine(end)) end++;
      const text = String.fromCharCode(...this.#data.subarray(start, Math.min(end, start + 5000)));
      if (!/^-?\d+$/.test(text)) throw new Refusal("bad_timestamp", start);
      time = BigInt(text) * unit;
      if (BigInt.asIntN(64, time) !== time) throw new Refusal("timestamp_out_of_range", start);
      while (this.#data[end] === SPACE) end++;
      if (!this.#endsLine(end)) throw new Refusal("bad_timestamp", end);
      this.#at = end;
    }
    if (this.#data[this.#at] === RETURN) this.#at++;
    return time;
  }

  #commit(row: RefRow): void {
    let table = this.tables.get(row.table);
    if (table === undefined) {
      table = { tags: [], fields: new Map(), series: new Set() };
      this.tables.set(row.table, table);
    }
    for (const name of row.tags.keys()) if (!table.tags.includes(name)) table.tags.push(name);
    for (const [name, value] of row.fields)
      if (!table.fields.has(name)) table.fields.set(name, value.kind);
    table.series.add(seriesKey(row.tags));
  }

  /** An element with its escapes resolved: up to an unescaped comma, space, newline, or `=` if `equals`. */
  #element(start: number, end: number, equals: boolean): { bytes: Uint8Array; end: number } {
    const bytes: number[] = [];
    let at = start;
    while (at < end) {
      const c = this.#data[at]!;
      if (c === COMMA || c === SPACE || c === NEWLINE || (equals && c === EQUALS)) break;
      if (c === BACKSLASH) {
        if (this.#endsLine(at + 1)) throw new Refusal("trailing_backslash", at);
        const next = this.#data[at + 1]!;
        if (next === SPACE || next === COMMA || next === BACKSLASH || (equals && next === EQUALS))
          at++;
      }
      bytes.push(this.#data[at++]!);
    }
    return { bytes: Uint8Array.from(bytes), end: at };
  }

  #text(bytes: Uint8Array, at: number): string {
    try {
      return strict.decode(bytes);
    } catch {
      throw new Refusal("bad_utf8", at);
    }
  }

  #endsLine(at: number): boolean {
    const c = this.#data[at];
    return c === NEWLINE || (c === RETURN && this.#data[at + 1] === NEWLINE);
  }

  #newline(at: number): number {
    return this.#data.indexOf(NEWLINE, at);
  }

  /** The first unescaped space, or the end of the line. */
  #keyEnd(start: number): number {
    let at = start;
    while (this.#data[at] !== SPACE && !this.#endsLine(at)) {
      if (this.#data[at] === BACKSLASH && !this.#endsLine(at + 1)) at++;
      at++;
    }
    return at;
  }

  #place(at: number): { line: number; column: number } {
    let line = 1;
    let start = 0;
    for (let i = 0; i < at; i++)
      if (this.#data[i] === NEWLINE) {
        line++;
        start = i + 1;
      }
    return { line, column: at - start + 1 };
  }

  #recover(start: number, error: Refusal): number {
    if (error.code === "unterminated_string") return this.#newline(error.at) + 1;
    let at = Math.max(this.#keyEnd(start), error.at);
    while (this.#data[at] !== NEWLINE) {
      if (this.#data[at] === QUOTE && this.#data[at - 1] === EQUALS) {
        const close = this.#closing(at);
        if (close === undefined) return this.#newline(at) + 1;
        at = close;
      }
      at++;
    }
    return at + 1;
  }
}

export function seriesKey(tags: ReadonlyMap<string, string>): string {
  return JSON.stringify([...tags].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

function numberOf(text: string, at: number): RefValue {
  if (/^-?\d+i$/.test(text)) {
    const value = BigInt(text.slice(0, -1));
    if (BigInt.asIntN(64, value) === value) return { kind: "int64", value };
  } else if (/^\d+u$/.test(text)) {
    const value = BigInt(text.slice(0, -1));
    if (BigInt.asUintN(64, value) === value) return { kind: "uint64", value };
  } else if (/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text)) {
    const value = Number(text);
    if (Number.isFinite(value)) return { kind: "float64", value };
  }
  throw new Refusal("bad_number", at);
}
