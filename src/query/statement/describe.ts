/** DESC TABLE: columns in declaration order, with native type names. */
import { tableNotFound } from "../../catalog/mod.ts";
import type { ObjectName } from "../../sql/mod.ts";
import { type Output, recordsOf, typeName } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { virtualTable } from "../infoschema/mod.ts";
import { existingTable, INFORMATION_SCHEMA, tableName } from "../names.ts";
import { textFields } from "../records.ts";
import { defaultText } from "../text/default_text.ts";

const semantic = { tag: "TAG", field: "FIELD", time: "TIMESTAMP" } as const;

export function runDescribe(ctx: StatementContext, name: ObjectName): Output {
  const fields = textFields("Column", "Type", "Key", "Null", "Default", "Semantic Type");
  const { db, table } = tableName(name, ctx.session);
  if (db === INFORMATION_SCHEMA) {
    const virtual = virtualTable(table);
    if (virtual === undefined) throw tableNotFound(db, table);
    return recordsOf(
      fields,
      virtual.columns.map((column) => [
        column.name,
        typeName(column.type),
        "",
        column.nullable ? "YES" : "NO",
        "",
        "FIELD",
      ]),
    );
  }
  const info = existingTable(ctx.catalog, { db, table });
  return recordsOf(
    fields,
    info.schema.columns.map((column) => [
      column.name,
      typeName(column.type),
      column.role === "field" ? "" : "PRI",
      column.nullable ? "YES" : "NO",
      column.default === undefined ? "" : defaultText(column.default, column.type),
      semantic[column.role],
    ]),
  );
}
