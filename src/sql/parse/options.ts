/** `k = v` lists, IF [NOT] EXISTS, and names of tables and databases. */
import type { Ident, ObjectName, Options } from "../ast.ts";
import type { Cursor } from "./cursor.ts";
import { parseName } from "./expr.ts";

export function parseIfNotExists(p: Cursor): boolean {
  return p.take("if", "not", "exists");
}

export function parseIfExists(p: Cursor): boolean {
  return p.take("if", "exists");
}

/** A database: an identifier or a string. */
export function parseDatabaseName(p: Cursor): Ident {
  const token = p.peek();
  if (token.kind !== "string") return p.ident();
  p.next();
  return { name: token.value, quoted: true };
}

/** A table: up to catalog, database and name. */
export function parseTableName(p: Cursor): ObjectName {
  const name = parseName(p);
  if (name.length > 3) p.invalid(`Invalid table name: ${name.map((part) => part.name).join(".")}`);
  return name;
}

/** `WITH (k = v, …)` or nothing. */
export function parseWithOptions(p: Cursor): Options {
  if (!p.take("with")) return {};
  p.expectOp("(");
  const options: Record<string, string> = {};
  if (!p.isOp(")"))
    p.list(() => {
      const [key, value] = parseOption(p);
      options[key] = value ?? "";
    });
  p.expectOp(")");
  return options;
}

/** `key = value`; a value of NULL is null. Keys are names, dotted names or strings. */
export function parseOption(p: Cursor): [string, string | null] {
  const key = parseOptionKey(p);
  p.expectOp("=");
  return [key, parseOptionValue(p)];
}

export function parseOptionKey(p: Cursor): string {
  const token = p.peek();
  if (token.kind === "string") {
    p.next();
    return token.value;
  }
  return parseName(p)
    .map((part) => part.name)
    .join(".");
}

function parseOptionValue(p: Cursor): string | null {
  const token = p.peek();
  switch (token.kind) {
    case "string":
    case "quoted":
    case "number":
      p.next();
      return token.value;
    case "word":
      p.next();
      // A bare word is taken as it stands: `format = Parquet`.
      return token.value === "null" ? null : p.textOf(token);
    case "op":
      if (token.value === "-" && p.peek(1).kind === "number") {
        p.next();
        return `-${p.next().value}`;
      }
      break;
  }
  p.fail("a literal option value", token);
}
