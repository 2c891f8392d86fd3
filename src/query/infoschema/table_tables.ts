/** information_schema: tables, schemata, views, table_semantics. */
import type { TableInfo } from "../../catalog/mod.ts";
import { CATALOG_NAME } from "../../catalog/mod.ts";
import { INFORMATION_SCHEMA } from "../names.ts";
import { optionLines } from "../text/option_text.ts";
import { type Cell, columnsOf, type VirtualTable, type VirtualWorld } from "./virtual_table.ts";
import { databasesOf, tablesOf, wantsSystem } from "./walk.ts";

/** The on-disk layout version that the reference reports; clients only show it. */
const layoutVersion = 11;

/** `tables` lists the virtual tables too, so it is given the list. */
export function tablesTable(all: () => readonly VirtualTable[]): VirtualTable {
  return {
    name: "tables",
    id: 3,
    columns: columnsOf(`table_catalog table_schema table_name table_type:Str table_id:U32?
      data_length max_data_length index_length max_index_length avg_row_length:U? engine:Str?
      version:U? row_format:Str? table_rows data_free auto_increment:U?
      create_time update_time check_time:TsS? table_collation:Str? checksum:U?
      create_options table_comment temporary:Str?`),
    rows: (world) => [...systemRows(world, all()), ...tablesOf(world).map((t) => row(world, t))],
  };
}

function row(world: VirtualWorld, table: TableInfo): Cell[] {
  const stats = table.regionIds.flatMap((id) => world.storage.region(id)?.stats() ?? []);
  const sum = (pick: (s: (typeof stats)[number]) => number) =>
    stats.reduce((total, s) => total + pick(s), 0);
  const rows = sum((s) => s.rows);
  const bytes = sum((s) => s.sstBytes + s.memtableBytes);
  const created = BigInt(Math.floor(table.createdAtMs / 1000));
  return [
    CATALOG_NAME,
    table.db,
    table.name,
    "BASE TABLE",
    table.id,
    bytes,
    0,
    0,
    0,
    rows === 0 ? 0 : Math.floor(bytes / rows),
    table.engine,
    layoutVersion,
    "Fixed",
    rows,
    0,
    0,
    created,
    created,
    null,
    "utf8_bin",
    0,
    createOptions(table.schema.options),
    table.schema.options.comment ?? null,
    "N",
  ];
}

function systemRows(world: VirtualWorld, all: readonly VirtualTable[]): Cell[][] {
  const created = BigInt(Math.floor(world.server.startedAtMs / 1000));
  return all
    .filter((table) => wantsSystem(world, table.name))
    .map((table) => [
      CATALOG_NAME,
      INFORMATION_SCHEMA,
      table.name,
      "LOCAL TEMPORARY",
      table.id,
      0,
      0,
      0,
      0,
      0,
      "",
      layoutVersion,
      "Fixed",
      0,
      0,
      0,
      created,
      created,
      null,
      "utf8_bin",
      0,
      "",
      null,
      "Y",
    ]);
}

/** `k=v k=v`: write_buffer_size, ttl and skip_wal first, the others by name. */
function createOptions(options: Readonly<Record<string, string>>): string {
  const first = ["write_buffer_size", "ttl", "skip_wal"];
  const rank = (key: string) => (first.includes(key) ? first.indexOf(key) : first.length);
  return Object.keys(options)
    .filter((key) => key !== "comment")
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((key) => `${key}=${options[key]}`)
    .join(" ");
}

export const SCHEMA_TABLES: readonly VirtualTable[] = [
  {
    name: "schemata",
    id: 15,
    columns: columnsOf(`catalog_name schema_name default_character_set_name
      default_collation_name:Str sql_path options:Str?`),
    rows: (world) => {
      const rows: Cell[][] = databasesOf(world).map((db) => [
        CATALOG_NAME,
        db.name,
        "utf8",
        "utf8_bin",
        null,
        optionLines(db.options),
      ]);
      rows.push([CATALOG_NAME, INFORMATION_SCHEMA, "utf8", "utf8_bin", null, ""]);
      return rows.sort((a, b) => (String(a[1]) < String(b[1]) ? -1 : 1));
    },
  },
  {
    name: "views",
    id: 32,
    columns: columnsOf(`table_catalog table_schema table_name view_definition:Str check_option
      is_updatable definer security_type character_set_client collation_connection:Str?`),
    rows: () => [],
  },
  {
    name: "table_semantics",
    id: 45,
    columns: columnsOf(`table_catalog table_schema table_name:Str table_id:U32 signal_type source
      source_version pipeline metadata_quality semantic_options:Str?`),
    rows: (world) => tablesOf(world).flatMap(semanticRow),
  },
];

const semanticPrefix = "greptime.semantic.";

/** A row for tables whose options say what their signal means. */
function semanticRow(table: TableInfo): Cell[][] {
  const entries = Object.entries(table.schema.options)
    .filter(([key]) => key.startsWith(semanticPrefix))
    .map(([key, value]) => [key.slice(semanticPrefix.length), value] as const);
  if (entries.length === 0) return [];
  const known = Object.fromEntries(entries);
  const named = ["signal_type", "source", "source_version", "pipeline", "metadata_quality"];
  const rest = Object.fromEntries(entries.filter(([key]) => !named.includes(key)));
  return [
    [
      CATALOG_NAME,
      table.db,
      table.name,
      table.id,
      ...named.map((key) => known[key] ?? null),
      Object.keys(rest).length === 0 ? null : JSON.stringify(rest),
    ],
  ];
}
