/** information_schema: the one character set and the one collation, which never change. */
import { columnsOf, type VirtualTable } from "./virtual_table.ts";

export const STATIC_TABLES: readonly VirtualTable[] = [
  {
    name: "character_sets",
    id: 9,
    columns: columnsOf("character_set_name default_collate_name description:Str maxlen:I"),
    rows: () => [["utf8", "utf8_bin", "UTF-8 Unicode", 4]],
  },
  {
    name: "collations",
    id: 10,
    columns: columnsOf(
      "collation_name character_set_name:Str id:I is_default is_compiled:Str sortlen:I",
    ),
    rows: () => [["utf8_bin", "utf8", 1, "Yes", "Yes", 1]],
  },
  {
    name: "collation_character_set_applicability",
    id: 11,
    columns: columnsOf("collation_name character_set_name:Str"),
    rows: () => [["utf8_bin", "utf8"]],
  },
];
