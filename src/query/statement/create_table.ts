/** CREATE TABLE and CREATE TABLE … LIKE: the rules of time index and primary key, then one call of the catalog. */
import { DbError } from "../../base/mod.ts";
import type { NewColumn, NewTable } from "../../catalog/mod.ts";
import type { ColumnDef, CreateTable, ObjectName, TableConstraint } from "../../sql/mod.ts";
import { columnById, type Output } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { existingTable, type TableName, tableName } from "../names.ts";
import { checkTableOptions } from "../options.ts";
import { affected } from "../records.ts";
import { newColumn } from "./column_def.ts";

export async function runCreateTable(ctx: StatementContext, create: CreateTable): Promise<Output> {
  const name = tableName(create.name, ctx.session);
  await ctx.catalog.createTable(newTable(create, name, ctx.session.timezone), create.ifNotExists);
  return affected(0);
}

/** Throws invalid_syntax and invalid_arguments, with the reference's texts. */
export function newTable(create: CreateTable, name: TableName, timezone: string): NewTable {
  const engine = (create.engine ?? "mito").toLowerCase();
  if (engine !== "mito")
    throw new DbError("unsupported", `table engine ${create.engine} is not supported`);
  const time = timeIndex(create.columns, create.constraints);
  const primaryKey = primaryKeyOf(create.columns, create.constraints);
  for (const column of [time, ...primaryKey])
    if (!create.columns.some((def) => def.name.name === column))
      throw new DbError("invalid_arguments", `Cannot find column by name: ${column}`);
  if (primaryKey.includes(time))
    throw new DbError(
      "invalid_arguments",
      `Illegal primary keys definition: time index column ${time} can't be included in primary keys`,
    );
  const table = `${name.db}.${name.table}`;
  const columns = create.columns.map((def): NewColumn => {
    const column = def.name.name;
    const role = column === time ? "time" : primaryKey.includes(column) ? "tag" : "field";
    return newColumn(def, role, table, timezone);
  });
  if (columns.find((column) => column.role === "time")?.type.kind !== "timestamp")
    throw new DbError("invalid_arguments", "time index column data type should be timestamp");
  return {
    db: name.db,
    name: name.table,
    columns,
    primaryKey,
    options: checkTableOptions(create.options),
    engine,
    partition: partitionOf(create),
  };
}

function timeIndex(columns: readonly ColumnDef[], constraints: readonly TableConstraint[]): string {
  const found = columns
    .filter((def) => def.options.some((option) => option.kind === "time_index"))
    .map((def) => def.name.name);
  for (const constraint of constraints) {
    if (constraint.kind !== "time_index") continue;
    if (constraint.columns.length !== 1)
      throw new DbError("invalid_syntax", "Invalid time index: it should contain only one column");
    found.push(constraint.columns[0]!.name);
  }
  const [time] = found;
  if (time === undefined) throw new DbError("invalid_syntax", "Missing time index constraint");
  if (found.length > 1)
    throw new DbError(
      "invalid_syntax",
      `Invalid time index: expected only one time index constraint but actual ${found.length}`,
    );
  return time;
}

function primaryKeyOf(
  columns: readonly ColumnDef[],
  constraints: readonly TableConstraint[],
): readonly string[] {
  const illegal = (why: string) =>
    new DbError("invalid_arguments", `Illegal primary keys definition: ${why}`);
  const inline = columns
    .filter((def) => def.options.some((option) => option.kind === "primary_key"))
    .map((def) => def.name.name);
  const listed = constraints.filter((constraint) => constraint.kind === "primary_key");
  if (inline.length > 1)
    throw illegal("not allowed to inline multiple primary keys in columns options");
  if (inline.length + listed.length > 1)
    throw illegal("found definitions of primary keys in multiple places");
  const names = listed[0]?.columns.map((column) => column.name) ?? inline;
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw illegal(`column ${twice} is listed twice`);
  return names;
}

function partitionOf(create: CreateTable): NewTable["partition"] {
  const { partition } = create;
  // An empty list of expressions is one region: the same as no rule.
  if (partition === undefined || partition.columns.length === 0) return undefined;
  for (const { name } of partition.columns)
    if (!create.columns.some((def) => def.name.name === name))
      throw new DbError("invalid_arguments", `Partition column "${name}" not defined`);
  return {
    columns: partition.columns.map((column) => column.name),
    expressions: partition.expressions,
  };
}

/** Copies columns, key and options; no rows. */
export async function runCreateTableLike(
  ctx: StatementContext,
  statement: {
    readonly name: ObjectName;
    readonly source: ObjectName;
    readonly ifNotExists: boolean;
  },
): Promise<Output> {
  const name = tableName(statement.name, ctx.session);
  const source = existingTable(ctx.catalog, tableName(statement.source, ctx.session));
  await ctx.catalog.createTable(
    {
      db: name.db,
      name: name.table,
      columns: source.schema.columns,
      primaryKey: source.schema.primaryKey.map((id) => columnById(source.schema, id)!.name),
      options: source.schema.options,
      engine: source.engine,
      partition: source.partition,
    },
    statement.ifNotExists,
  );
  return affected(0);
}
