/** Walks over databases and tables in name order, within what the statement asked for. */
import type { DatabaseInfo, TableInfo } from "../../catalog/mod.ts";
import type { Region } from "../../storage/api.ts";
import { INFORMATION_SCHEMA } from "../names.ts";
import type { VirtualWorld } from "./virtual_table.ts";

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

export function databasesOf(world: VirtualWorld): DatabaseInfo[] {
  return world.catalog
    .databases()
    .filter((db) => db.name !== INFORMATION_SCHEMA && wants(world.only.schema, db.name))
    .sort(byName);
}

export function tablesOf(world: VirtualWorld): TableInfo[] {
  return databasesOf(world).flatMap((db) =>
    world.catalog
      .tables(db.name)
      .filter((table) => wants(world.only.table, table.name))
      .sort(byName),
  );
}

/** Does the statement ask for rows of this system table? */
export function wantsSystem(world: VirtualWorld, table: string): boolean {
  return wants(world.only.schema, INFORMATION_SCHEMA) && wants(world.only.table, table);
}

/** Regions of all tables, with their table. A table that is being made or dropped may have none. */
export function regionsOf(world: VirtualWorld): { table: TableInfo; region: Region }[] {
  return tablesOf(world).flatMap((table) =>
    table.regionIds.flatMap((id) => {
      const region = world.storage.region(id);
      return region === undefined ? [] : [{ table, region }];
    }),
  );
}

function wants(only: string | undefined, name: string): boolean {
  return only === undefined || only === name;
}
