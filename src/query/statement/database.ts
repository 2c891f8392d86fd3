/** CREATE, ALTER and DROP DATABASE, and USE. */
import { DbError } from "../../base/mod.ts";
import type { Statement } from "../../sql/mod.ts";
import type { Output } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { databaseExists } from "../names.ts";
import { checkDatabaseChanges, checkDatabaseOptions } from "../options.ts";
import { affected } from "../records.ts";

type Of<K extends Statement["kind"]> = Extract<Statement, { kind: K }>;

export async function runCreateDatabase(
  ctx: StatementContext,
  { name, options, ifNotExists }: Of<"create_database">,
): Promise<Output> {
  await ctx.catalog.createDatabase(name.name, checkDatabaseOptions(options), ifNotExists);
  return affected(1);
}

export async function runAlterDatabase(
  ctx: StatementContext,
  { name, change }: Of<"alter_database">,
): Promise<Output> {
  const changes =
    change.kind === "set"
      ? change.options
      : Object.fromEntries(change.keys.map((key) => [key, undefined]));
  await ctx.catalog.alterDatabase(name.name, checkDatabaseChanges(changes));
  return affected(0);
}

export async function runDropDatabase(
  ctx: StatementContext,
  { name, ifExists }: Of<"drop_database">,
): Promise<Output> {
  if (name.name === ctx.session.db)
    throw new DbError("invalid_arguments", `Schema \`${name.name}\` is in use`);
  await ctx.catalog.dropDatabase(name.name, ifExists);
  return affected(0);
}

export function runUse(ctx: StatementContext, { name }: Of<"use">): Output {
  if (!databaseExists(ctx.catalog, name.name))
    throw new DbError(
      "invalid_arguments",
      `Failed to find schema, schema info: greptime.${name.name}`,
    );
  ctx.session.db = name.name;
  return affected(0);
}
