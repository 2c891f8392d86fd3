/** ALTER TABLE, ALTER DATABASE, DROP, TRUNCATE, COMMENT ON. */
import type { AlterOperation, Expr, Ident, Statement } from "../ast.ts";
import { parseColumnDef, parseIndexKind } from "./column.ts";
import type { Cursor } from "./cursor.ts";
import { parseExpr, parseName } from "./expr.ts";
import { LEVEL } from "./levels.ts";
import {
  parseDatabaseName,
  parseIfExists,
  parseIfNotExists,
  parseOption,
  parseOptionKey,
  parseTableName,
  parseWithOptions,
} from "./options.ts";
import { parseType } from "./types.ts";

export function parseAlter(p: Cursor): Statement {
  p.expect("alter");
  if (p.take("database") || p.take("schema")) return parseAlterDatabase(p);
  p.expect("table");
  const name = parseTableName(p);
  return { kind: "alter_table", name, operations: p.list(() => parseOperation(p)) };
}

function parseAlterDatabase(p: Cursor): Statement {
  const name = parseDatabaseName(p);
  if (p.take("set")) {
    const options: Record<string, string> = {};
    p.list(() => {
      const [key, value] = parseOption(p);
      options[key] = value ?? "";
    });
    return { kind: "alter_database", name, change: { kind: "set", options } };
  }
  if (p.take("unset"))
    return {
      kind: "alter_database",
      name,
      change: { kind: "unset", keys: p.list(() => parseOptionKey(p)) },
    };
  p.fail("SET or UNSET after ALTER DATABASE");
}

function parseOperation(p: Cursor): AlterOperation {
  if (p.take("add")) return parseAdd(p);
  if (p.take("drop")) {
    p.take("column");
    return { kind: "drop_column", column: p.ident() };
  }
  if (p.take("modify") || p.take("alter")) {
    p.take("column");
    return parseModify(p, p.ident());
  }
  if (p.take("rename")) {
    if (!p.take("to")) p.take("as");
    return { kind: "rename", to: p.ident() };
  }
  if (p.take("set")) {
    const options: Record<string, string | null> = {};
    // `SET 'a'='1', 'b'='2'`: a comma may also begin the next operation, which has no string.
    do {
      const [key, value] = parseOption(p);
      options[key] = value;
    } while (p.peek(1).kind === "string" && p.takeOp(","));
    return { kind: "set_options", options };
  }
  if (p.take("unset")) {
    const keys = [parseOptionKey(p)];
    while (p.peek(1).kind === "string" && p.takeOp(",")) keys.push(parseOptionKey(p));
    return { kind: "unset_options", keys };
  }
  if (p.isWord("partition")) p.unsupported("ALTER TABLE … PARTITION");
  if (p.isWord("repartition")) p.unsupported("ALTER TABLE … REPARTITION");
  if (p.isWord("split") || p.isWord("merge")) p.unsupported("ALTER TABLE … SPLIT/MERGE PARTITION");
  p.fail("ADD or DROP or MODIFY or RENAME or SET or UNSET after ALTER TABLE");
}

function parseAdd(p: Cursor): AlterOperation {
  if (p.isWord("constraint")) p.unsupported("ALTER TABLE … ADD CONSTRAINT");
  p.take("column");
  const ifNotExists = parseIfNotExists(p);
  const column = parseColumnDef(p);
  let position: "first" | { after: Ident } | undefined;
  if (p.take("first")) position = "first";
  else if (p.take("after")) position = { after: p.ident() };
  return { kind: "add_column", column, ifNotExists, position };
}

function parseModify(p: Cursor, column: Ident): AlterOperation {
  if (p.take("set")) {
    if (p.take("default")) return { kind: "set_default", column, value: parseExpr(p, LEVEL.not) };
    const index = parseIndexKind(p);
    if (index === undefined)
      p.fail("DEFAULT or {INVERTED|SKIPPING|FULLTEXT|VECTOR} INDEX after SET");
    return { kind: "set_index", column, index, options: parseWithOptions(p) };
  }
  if (p.take("drop", "default")) return { kind: "drop_default", column };
  if (p.take("unset")) {
    const index = parseIndexKind(p);
    if (index === undefined) p.fail("{INVERTED|SKIPPING|FULLTEXT|VECTOR} INDEX after UNSET");
    return { kind: "unset_index", column, index };
  }
  if (!p.take("set", "data", "type")) p.take("type");
  return { kind: "modify_type", column, type: parseType(p) };
}

export function parseDrop(p: Cursor): Statement {
  p.expect("drop");
  if (p.take("table")) {
    const ifExists = parseIfExists(p);
    return { kind: "drop_table", ifExists, names: p.list(() => parseTableName(p)) };
  }
  if (p.take("database") || p.take("schema")) {
    const ifExists = parseIfExists(p);
    return { kind: "drop_database", ifExists, name: parseDatabaseName(p) };
  }
  for (const what of ["view", "flow"] as const) {
    if (!p.take(what)) continue;
    const ifExists = parseIfExists(p);
    return { kind: `drop_${what}`, ifExists, name: parseTableName(p) };
  }
  if (p.isWord("trigger")) p.unsupported("DROP TRIGGER");
  p.fail("DATABASE, SCHEMA, TABLE, VIEW or FLOW after DROP");
}

export function parseTruncate(p: Cursor): Statement {
  p.expect("truncate");
  p.take("table");
  const name = parseTableName(p);
  let ranges: (readonly [Expr, Expr])[] = [];
  if (p.take("file", "range"))
    ranges = p.list((): readonly [Expr, Expr] => {
      const [low, high, ...more] = p.parenthesised(() => parseExpr(p));
      if (low === undefined || high === undefined || more.length > 0)
        p.invalid("FILE RANGE needs two values: a start and an end");
      return [low, high];
    });
  return { kind: "truncate", name, ranges };
}

export function parseComment(p: Cursor): Statement {
  p.expect("comment", "on");
  const what = p.expectOneOf("table", "column", "flow");
  const name = parseName(p);
  p.expect("is");
  const text = p.take("null") ? null : p.string();
  if (what !== "column") return { kind: "comment", target: { kind: what, name }, text };
  const column = name.at(-1)!;
  const table = name.slice(0, -1);
  if (table.length === 0) p.invalid("COMMENT ON COLUMN needs a name like table.column");
  return { kind: "comment", target: { kind: "column", table, column }, text };
}
