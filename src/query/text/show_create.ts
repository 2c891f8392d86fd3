/**
 * SHOW CREATE TABLE and SHOW CREATE DATABASE: the exact layout of the reference, which reads back as the same table.
 */
import type { DatabaseInfo, TableInfo } from "../../catalog/mod.ts";
import { type ColumnSchema, sqlTypeName, tagColumns, timeColumn } from "../../types/mod.ts";
import { defaultSql } from "./default_text.ts";
import { withClause } from "./option_text.ts";

export type QuoteMark = '"' | "`";

const quoteText = (text: string) => `'${text.replaceAll("'", "''")}'`;

function quoteName(name: string, mark: QuoteMark): string {
  return `${mark}${name.replaceAll(mark, mark + mark)}${mark}`;
}

/** `ttl` of the database stands in for a table without one. */
export function createTableText(
  table: TableInfo,
  databaseTtl: string | undefined,
  mark: QuoteMark,
): string {
  const { schema } = table;
  const name = (text: string) => quoteName(text, mark);
  const lines = schema.columns.map((column) => `  ${columnText(column, mark)}`);
  lines.push(`  TIME INDEX (${name(timeColumn(schema).name)})`);
  const tags = tagColumns(schema);
  if (tags.length > 0)
    lines.push(`  PRIMARY KEY (${tags.map((tag) => name(tag.name)).join(", ")})`);
  const options =
    schema.options.ttl === undefined && databaseTtl !== undefined
      ? { ...schema.options, ttl: databaseTtl }
      : schema.options;
  return [
    `CREATE TABLE IF NOT EXISTS ${name(table.name)} (`,
    lines.join(",\n"),
    ")",
    partitionText(table, mark),
    `ENGINE=${table.engine}`,
    withClause(options) ?? "",
  ].join("\n");
}

function partitionText(table: TableInfo, mark: QuoteMark): string {
  if (table.partition === undefined) return "";
  const columns = table.partition.columns.map((column) => quoteName(column, mark)).join(", ");
  const expressions = table.partition.expressions.map((expression) => `  ${expression}`);
  return `PARTITION ON COLUMNS (${columns}) (\n${expressions.join(",\n")}\n)`;
}

function columnText(column: ColumnSchema, mark: QuoteMark): string {
  const parts = [
    quoteName(column.name, mark),
    sqlTypeName(column.type),
    column.nullable ? "NULL" : "NOT NULL",
  ];
  if (column.default !== undefined)
    parts.push(`DEFAULT ${defaultSql(column.default, column.type)}`);
  if (column.comment !== undefined) parts.push(`COMMENT ${quoteText(column.comment)}`);
  for (const kind of ["fulltext", "skipping", "vector"]) {
    const options = column.indexes?.[kind];
    if (options === undefined) continue;
    const pairs = Object.keys(options)
      .sort()
      .map((key) => `${key} = ${quoteText(options[key]!)}`);
    parts.push(`${kind.toUpperCase()} INDEX WITH(${pairs.join(", ")})`);
  }
  if (column.indexes?.inverted !== undefined) parts.push("INVERTED INDEX");
  return parts.join(" ");
}

export function createDatabaseText(db: DatabaseInfo): string {
  const clause = withClause(db.options);
  return `CREATE DATABASE IF NOT EXISTS ${db.name}${clause === undefined ? "" : `\n${clause}`}`;
}

/** The PostgreSQL names of our types, for foreign tables. */
function postgresType(column: ColumnSchema): string {
  switch (column.type.kind) {
    case "int8":
    case "int16":
    case "uint8":
      return "INT2";
    case "int32":
    case "uint16":
      return "INT4";
    case "int64":
    case "uint32":
      return "INT8";
    case "uint64":
      return "NUMERIC";
    case "float32":
      return "FLOAT4";
    case "float64":
      return "FLOAT8";
    case "bool":
      return "BOOL";
    case "timestamp":
      return "TIMESTAMP";
    case "date":
      return "DATE";
    case "decimal":
      return `NUMERIC(${column.type.precision},${column.type.scale})`;
    case "binary":
    case "vector":
      return "BYTEA";
    case "json":
      return "JSON";
    default:
      return "VARCHAR";
  }
}

/** `SHOW CREATE TABLE t FOR POSTGRES_FOREIGN_TABLE`. */
export function foreignTableText(table: TableInfo): string {
  const columns = table.schema.columns.map(
    (column) => `  ${quoteName(column.name, '"')} ${postgresType(column)}`,
  );
  return [
    `CREATE FOREIGN TABLE ft_${table.name} (`,
    columns.join(",\n"),
    ")",
    "SERVER greptimedb",
    `OPTIONS (table_name ${quoteText(table.name)})`,
  ].join("\n");
}
