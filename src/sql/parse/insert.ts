/** INSERT, REPLACE and DELETE. */
import type { Insert, Statement } from "../ast.ts";
import type { Cursor } from "./cursor.ts";
import { parseExpr } from "./expr.ts";
import { scanLiteralRows } from "./literal_rows.ts";
import { parseTableName } from "./options.ts";
import { parseQuery, startsQuery } from "./query.ts";

export function parseInsert(p: Cursor): Insert {
  const replace = p.expectOneOf("insert", "replace") === "replace";
  p.take("into");
  // `table` may also be the name: INSERT INTO TABLE t, INSERT INTO "table".
  if (p.isWord("table") && p.peek(1).kind !== "op") p.next();
  const table = parseTableName(p);
  const columns = p.isOp("(") && !startsQuery(p, true) ? p.parenthesised(() => p.ident()) : [];
  if (p.isWord("values")) {
    const values = p.peek();
    const rows = scanLiteralRows(p.text, values.end, p.dialect);
    if (rows !== undefined) {
      p.next();
      p.seek(rows.end);
      refuseConflict(p);
      return {
        kind: "insert",
        replace,
        table,
        columns,
        source: { kind: "literals", rows: rows.rows },
      };
    }
  } else if (!startsQuery(p, true)) {
    p.fail("VALUES or SELECT");
  }
  const query = parseQuery(p);
  refuseConflict(p);
  return { kind: "insert", replace, table, columns, source: { kind: "query", query } };
}

function refuseConflict(p: Cursor): void {
  if (p.isWord("on")) p.unsupported("INSERT … ON CONFLICT / ON DUPLICATE KEY");
  if (p.isWord("returning")) p.unsupported("INSERT … RETURNING");
}

export function parseDelete(p: Cursor): Statement {
  p.expect("delete", "from");
  const table = parseTableName(p);
  for (const word of ["using", "order", "limit", "returning"])
    if (p.isWord(word)) p.unsupported(`DELETE … ${word.toUpperCase()}`);
  const where = p.take("where") ? parseExpr(p) : undefined;
  for (const word of ["order", "limit", "returning"])
    if (p.isWord(word)) p.unsupported(`DELETE … ${word.toUpperCase()}`);
  return { kind: "delete", table, where };
}
