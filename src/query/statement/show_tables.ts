/** SHOW DATABASES, SHOW TABLES, SHOW TABLE STATUS. */
import { type ResultField, T } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { virtualTables } from "../infoschema/mod.ts";
import { checkDatabase, INFORMATION_SCHEMA } from "../names.ts";
import { type Rows, textFields } from "../records.ts";
import { optionLines } from "../text/option_text.ts";

const byText = (a: readonly unknown[], b: readonly unknown[]) =>
  String(a[0]) < String(b[0]) ? -1 : 1;

export function showDatabases(ctx: StatementContext, full: boolean): Rows {
  const rows = ctx.catalog
    .databases()
    .map((db) => (full ? [db.name, optionLines(db.options)] : [db.name]));
  rows.push(full ? [INFORMATION_SCHEMA, ""] : [INFORMATION_SCHEMA]);
  rows.sort(byText);
  return { fields: full ? textFields("Database", "Options") : textFields("Database"), rows };
}

export function showTables(ctx: StatementContext, db: string, full: boolean): Rows {
  checkDatabase(ctx.catalog, db);
  const names: [string, string][] =
    db === INFORMATION_SCHEMA
      ? virtualTables().map((table) => [table.name, "LOCAL TEMPORARY"])
      : ctx.catalog.tables(db).map((table) => [table.name, "BASE TABLE"]);
  names.sort(byText);
  const heading = `Tables_in_${db}`;
  return {
    fields: full ? textFields(heading, "Table_type") : textFields(heading),
    rows: full ? names : names.map(([name]) => [name]),
  };
}

const statusFields: readonly ResultField[] = (
  [
    ["Name", T.string],
    ["Engine", T.string],
    ["Version", T.uint64],
    ["Row_format", T.string],
    ["Rows", T.uint64],
    ["Avg_row_length", T.uint64],
    ["Data_length", T.uint64],
    ["Max_data_length", T.uint64],
    ["Index_length", T.uint64],
    ["Data_free", T.uint64],
    ["Auto_increment", T.uint64],
    ["Create_time", T.timestampS],
    ["Update_time", T.timestampS],
    ["Check_time", T.timestampS],
    ["Collation", T.string],
    ["Checksum", T.uint64],
    ["Create_options", T.string],
    ["Comment", T.string],
  ] as const
).map(([name, type]) => ({ name, type }));

export function showTableStatus(ctx: StatementContext, db: string): Rows {
  checkDatabase(ctx.catalog, db);
  const rows = [...ctx.catalog.tables(db)]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((table) => {
      const stats = table.regionIds.flatMap((id) => ctx.deps.storage.region(id)?.stats() ?? []);
      const count = stats.reduce((sum, s) => sum + s.rows, 0);
      const bytes = stats.reduce((sum, s) => sum + s.sstBytes + s.memtableBytes, 0);
      const created = BigInt(Math.floor(table.createdAtMs / 1000));
      return [
        table.name,
        table.engine,
        11n,
        "Fixed",
        BigInt(count),
        BigInt(count === 0 ? 0 : Math.floor(bytes / count)),
        BigInt(bytes),
        0n,
        0n,
        0n,
        0n,
        created,
        created,
        null,
        "utf8_bin",
        0n,
        "",
        table.schema.options.comment ?? "",
      ];
    });
  return { fields: statusFields, rows };
}
