/** Column definitions of CREATE TABLE and ALTER TABLE. */

import { DbError } from "../../base/mod.ts";
import type { ColumnDef, ColumnOption, Ident, IndexKind } from "../ast.ts";
import { NO_COLUMN_NAME } from "../lex/keywords.ts";
import type { Cursor } from "./cursor.ts";
import { parseExpr } from "./expr.ts";
import { LEVEL } from "./levels.ts";
import { parseWithOptions } from "./options.ts";
import { parseType } from "./types.ts";

/** The name of a new column: an unquoted keyword is refused. */
export function parseNewColumnName(p: Cursor): Ident {
  const token = p.peek();
  const name = p.ident();
  if (!name.quoted && NO_COLUMN_NAME.has(name.name))
    throw new DbError(
      "invalid_syntax",
      `Cannot use keyword '${p.textOf(token)}' as column name. Hint: add quotes to the name.`,
    );
  return name;
}

export function parseColumnDef(p: Cursor): ColumnDef {
  const name = parseNewColumnName(p);
  const type = parseType(p);
  const options: ColumnOption[] = [];
  for (;;) {
    const option = parseColumnOption(p);
    if (option === undefined) return { name, type, options };
    options.push(option);
  }
}

function parseColumnOption(p: Cursor): ColumnOption | undefined {
  if (p.take("not", "null")) return { kind: "not_null" };
  if (p.take("null")) return { kind: "null" };
  if (p.take("default")) return { kind: "default", value: parseExpr(p, LEVEL.not) };
  if (p.take("comment")) return { kind: "comment", text: p.string() };
  if (p.take("time", "index")) return { kind: "time_index" };
  if (p.take("primary", "key")) return { kind: "primary_key" };
  if (p.take("unique")) return { kind: "unique" };
  if (p.take("character", "set") || p.take("charset"))
    return { kind: "charset", name: p.ident().name };
  const index = parseIndexKind(p);
  if (index !== undefined) return { kind: "index", index, options: parseWithOptions(p) };
  return undefined;
}

/** `INVERTED INDEX`, `SKIPPING INDEX`, ... or nothing. */
export function parseIndexKind(p: Cursor): IndexKind | undefined {
  return (["inverted", "skipping", "fulltext", "vector"] as const).find((kind) =>
    p.take(kind, "index"),
  );
}
