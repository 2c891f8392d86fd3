/** SHOW COLUMNS, SHOW INDEX, SHOW REGION: what one table is made of. */
import type { TableInfo } from "../../catalog/mod.ts";
import type { Ident, ObjectName } from "../../sql/mod.ts";
import { type ResultField, sqlTypeName, T, typeName } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { indexesOf } from "../infoschema/column_tables.ts";
import { virtualTable } from "../infoschema/mod.ts";
import { checkDatabase, existingTable, INFORMATION_SCHEMA, tableName } from "../names.ts";
import { type Rows, textFields } from "../records.ts";
import { defaultText } from "../text/default_text.ts";

function nameOf(ctx: StatementContext, table: ObjectName, db: Ident | undefined) {
  return tableName(db === undefined ? table : [db, table.at(-1)!], ctx.session);
}

const keyOf = { tag: "PRI", time: "TIME INDEX", field: "" } as const;

/** Sorted by name. A table that does not exist has no columns. */
export function showColumns(
  ctx: StatementContext,
  table: ObjectName,
  db: Ident | undefined,
  full: boolean,
): Rows {
  const name = nameOf(ctx, table, db);
  checkDatabase(ctx.catalog, name.db);
  const collation = (kind: string) => (kind === "string" ? "utf8_bin" : null);
  const rows =
    name.db === INFORMATION_SCHEMA
      ? (virtualTable(name.table)?.columns ?? []).map((column) => ({
          name: column.name,
          type: column.type,
          nullable: column.nullable,
          key: "",
          default: null as string | null,
          comment: null as string | null,
        }))
      : (ctx.catalog.table(name.db, name.table)?.schema.columns ?? []).map((column) => ({
          name: column.name,
          type: column.type,
          nullable: column.nullable,
          key: keyOf[column.role],
          default: column.default === undefined ? null : defaultText(column.default, column.type),
          comment: column.comment ?? null,
        }));
  rows.sort((a, b) => (a.name < b.name ? -1 : 1));
  const head = ["Field", "Type"];
  const middle = ["Null", "Key", "Default"];
  const tail = ["Extra", "Greptime_type"];
  return {
    fields: full
      ? textFields(...head, "Collation", ...middle, "Comment", "Privileges", ...tail)
      : textFields(...head, ...middle, ...tail),
    rows: rows.map((row) => {
      const type = sqlTypeName(row.type).toLowerCase();
      const common = [row.nullable ? "YES" : "NO", row.key, row.default];
      const native = typeName(row.type);
      return full
        ? [
            row.name,
            type,
            collation(row.type.kind),
            ...common,
            row.comment,
            "select,insert",
            "",
            native,
          ]
        : [row.name, type, ...common, "", native];
    }),
  };
}

const indexFields: readonly ResultField[] = [
  ...textFields("Table"),
  { name: "Non_unique", type: T.int64 },
  ...textFields("Key_name"),
  { name: "Seq_in_index", type: T.int64 },
  ...textFields("Column_name", "Collation"),
  { name: "Cardinality", type: T.int64 },
  { name: "Sub_part", type: T.int64 },
  ...textFields(
    "Packed",
    "Null",
    "Index_type",
    "Comment",
    "Index_comment",
    "Visible",
    "Expression",
  ),
];

export function showIndex(ctx: StatementContext, table: ObjectName, db: Ident | undefined): Rows {
  const info: TableInfo = existingTable(ctx.catalog, nameOf(ctx, table, db));
  const rows = indexesOf(info).map((index) => [
    info.name,
    index.unique ? 0n : 1n,
    index.name,
    BigInt(index.position),
    index.column.name,
    "A",
    null,
    null,
    null,
    index.column.nullable ? "YES" : "",
    index.type,
    "",
    "",
    "YES",
    null,
  ]);
  return { fields: indexFields, rows };
}

export function showRegion(ctx: StatementContext, table: ObjectName, db: Ident | undefined): Rows {
  const info = existingTable(ctx.catalog, nameOf(ctx, table, db));
  return {
    fields: [
      ...textFields("Table"),
      { name: "Region", type: T.uint64 },
      { name: "Peer", type: T.uint64 },
      ...textFields("Leader"),
    ],
    rows: info.regionIds.map((id) => [info.name, id, 0n, "Yes"]),
  };
}
