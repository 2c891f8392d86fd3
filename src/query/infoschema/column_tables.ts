/** information_schema: columns, key_column_usage, table_constraints, statistics. */
import type { TableInfo } from "../../catalog/mod.ts";
import { CATALOG_NAME } from "../../catalog/mod.ts";
import {
  type ColumnSchema,
  type ColumnType,
  columnByName,
  sqlTypeName,
  tagColumns,
  timeColumn,
  typeName,
} from "../../types/mod.ts";
import { INFORMATION_SCHEMA } from "../names.ts";
import { defaultText } from "../text/default_text.ts";
import { type Cell, columnsOf, type VirtualColumn, type VirtualTable } from "./virtual_table.ts";
import { tablesOf, wantsSystem } from "./walk.ts";

/** Catalog name in the tables that copy MySQL. */
const mysqlCatalog = "def";

/** Longest string, as MySQL clients expect it of a LONGTEXT: 2^31 - 1. */
const textLengthMax = 2_147_483_647;

const numeric: Readonly<Record<string, readonly [number, number | null]>> = {
  int8: [3, 0],
  int16: [5, 0],
  int32: [10, 0],
  int64: [19, 0],
  uint8: [3, 0],
  uint16: [5, 0],
  uint32: [10, 0],
  uint64: [20, 0],
  float32: [12, null],
  float64: [22, null],
};

const timePrecision = { s: 0, ms: 3, us: 6, ns: 9 } as const;

/** character_maximum_length … collation_name: the seven cells that depend on the type alone. */
function typeCells(type: ColumnType): Cell[] {
  const text = type.kind === "string";
  const [precision, scale] =
    type.kind === "decimal" ? [type.precision, type.scale] : (numeric[type.kind] ?? [null, null]);
  return [
    text ? textLengthMax : null,
    text ? textLengthMax : null,
    precision,
    scale,
    type.kind === "timestamp" ? timePrecision[type.unit] : null,
    text ? "utf8" : null,
    text ? "utf8_bin" : null,
  ];
}

const keyOf = { tag: "PRI", time: "TIME INDEX", field: "" } as const;
const semanticOf = { tag: "TAG", time: "TIMESTAMP", field: "FIELD" } as const;

function columnRow(table: TableInfo, column: ColumnSchema, position: number): Cell[] {
  const sqlType = sqlTypeName(column.type).toLowerCase();
  return [
    CATALOG_NAME,
    table.db,
    table.name,
    column.name,
    position,
    ...typeCells(column.type),
    keyOf[column.role],
    "",
    "select,insert",
    "",
    typeName(column.type),
    sqlType,
    semanticOf[column.role],
    column.default === undefined ? null : defaultText(column.default, column.type),
    column.nullable ? "YES" : "NO",
    sqlType,
    column.comment ?? null,
    null,
  ];
}

function systemColumnRow(table: VirtualTable, column: VirtualColumn, position: number): Cell[] {
  const sqlType = sqlTypeName(column.type).toLowerCase();
  return [
    CATALOG_NAME,
    INFORMATION_SCHEMA,
    table.name,
    column.name,
    position,
    ...typeCells(column.type),
    "",
    "",
    "select,insert",
    "",
    typeName(column.type),
    sqlType,
    "FIELD",
    null,
    column.nullable ? "YES" : "NO",
    sqlType,
    null,
    null,
  ];
}

/** `columns` lists the columns of virtual tables too, so it is given the list. */
export function columnsTable(all: () => readonly VirtualTable[]): VirtualTable {
  return {
    name: "columns",
    id: 4,
    columns: columnsOf(`table_catalog table_schema table_name column_name:Str ordinal_position:I
      character_maximum_length character_octet_length numeric_precision numeric_scale
      datetime_precision:I? character_set_name collation_name:Str? column_key extra privileges
      generation_expression greptime_data_type data_type semantic_type:Str column_default:Str?
      is_nullable column_type:Str column_comment:Str? srs_id:I?`),
    rows: (world) => [
      ...all()
        .filter((table) => wantsSystem(world, table.name))
        .flatMap((table) => table.columns.map((c, i) => systemColumnRow(table, c, i + 1))),
      ...tablesOf(world).flatMap((table) =>
        table.schema.columns.map((column, i) => columnRow(table, column, i + 1)),
      ),
    ],
  };
}

/** Tag and time columns with the constraint that they belong to, tags first. */
function keyColumns(table: TableInfo): { constraint: string; column: string; position: number }[] {
  const tags = tagColumns(table.schema).map((column, i) => ({
    constraint: "PRIMARY",
    column: column.name,
    position: i + 1,
  }));
  return [
    { constraint: "TIME INDEX", column: timeColumn(table.schema).name, position: 1 },
    ...tags,
  ];
}

function constraintRows(table: TableInfo): Cell[][] {
  const row = (name: string, type: string): Cell[] => [
    mysqlCatalog,
    table.db,
    name,
    table.db,
    table.name,
    type,
    "YES",
  ];
  const rows = [row("TIME INDEX", "TIME INDEX")];
  if (table.schema.primaryKey.length > 0) rows.push(row("PRIMARY", "PRIMARY KEY"));
  return rows;
}

/** An index of a table, as SHOW INDEX and `statistics` list it. */
export interface IndexEntry {
  readonly name: string;
  readonly unique: boolean;
  readonly position: number;
  readonly column: ColumnSchema;
  readonly type: string;
  readonly greptimeType: string;
}

const indexTypes: Readonly<Record<string, readonly [string, string]>> = {
  inverted: ["INVERTED INDEX", "inverted"],
  skipping: ["SKIPPING INDEX", "bloom_filter"],
  fulltext: ["FULLTEXT INDEX", "fulltext_bloom"],
  vector: ["VECTOR INDEX", "vector"],
};

/** All indexes of a table, by name. */
export function indexesOf(table: TableInfo): IndexEntry[] {
  const entries: IndexEntry[] = keyColumns(table).map((key) => ({
    name: key.constraint,
    unique: key.constraint === "PRIMARY",
    position: key.position,
    column: columnByName(table.schema, key.column)!,
    type: key.constraint === "PRIMARY" ? "PRIMARY" : "TIME",
    greptimeType: key.constraint === "PRIMARY" ? "dense" : "",
  }));
  for (const column of table.schema.columns)
    for (const [kind, options] of Object.entries(column.indexes ?? {})) {
      const [type, greptimeType] = indexTypes[kind] ?? [kind.toUpperCase(), kind];
      entries.push({
        name: `${type.replaceAll(" ", "_")}_${column.name}`,
        unique: false,
        position: 1,
        column,
        type: type.replace(" INDEX", ""),
        greptimeType: kind === "fulltext" ? `fulltext_${options.backend ?? "bloom"}` : greptimeType,
      });
    }
  return entries.sort((a, b) =>
    a.name === b.name ? a.position - b.position : a.name < b.name ? -1 : 1,
  );
}

export const COLUMN_TABLES: readonly VirtualTable[] = [
  {
    name: "key_column_usage",
    id: 16,
    columns: columnsOf(`constraint_catalog constraint_schema constraint_name table_catalog
      real_table_catalog table_schema table_name column_name:Str ordinal_position:U32
      position_in_unique_constraint:U32? referenced_table_schema referenced_table_name
      referenced_column_name greptime_index_type:Str?`),
    rows: (world) =>
      tablesOf(world).flatMap((table) =>
        keyColumns(table).map((key): Cell[] => [
          mysqlCatalog,
          table.db,
          key.constraint,
          mysqlCatalog,
          CATALOG_NAME,
          table.db,
          table.name,
          key.column,
          key.position,
          null,
          null,
          null,
          null,
          key.constraint === "PRIMARY" ? "dense" : "",
        ]),
      ),
  },
  {
    name: "table_constraints",
    id: 30,
    columns: columnsOf(`constraint_catalog constraint_schema constraint_name table_schema
      table_name constraint_type enforced:Str`),
    rows: (world) => tablesOf(world).flatMap(constraintRows),
  },
  {
    name: "statistics",
    id: 26,
    columns: columnsOf(`table_catalog table_schema table_name:Str non_unique:I index_schema
      index_name:Str seq_in_index:I column_name:Str collation:Str? cardinality sub_part:I?
      packed:Str? nullable index_type comment index_comment is_visible:Str
      expression greptime_index_type:Str?`),
    rows: (world) =>
      tablesOf(world).flatMap((table) =>
        indexesOf(table).map((index): Cell[] => [
          mysqlCatalog,
          table.db,
          table.name,
          index.unique ? 0 : 1,
          table.db,
          index.name,
          index.position,
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
          index.greptimeType,
        ]),
      ),
  },
];
