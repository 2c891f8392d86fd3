/** ADMIN functions: flush and compaction of a table or a region. One row, one column named as the statement was typed. */
import { DbError } from "../../base/mod.ts";
import { tableNotFound } from "../../catalog/mod.ts";
import type { Expr } from "../../sql/mod.ts";
import type { Region } from "../../storage/api.ts";
import { type Output, recordsOf, T } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";

export async function runAdmin(
  ctx: StatementContext,
  name: string,
  args: readonly Expr[],
): Promise<Output> {
  const values = args.map(literalText);
  switch (name.toLowerCase()) {
    case "flush_table":
      count(values, 1, 1);
      for (const region of regionsOf(ctx, values[0]!)) await region.flush("admin");
      break;
    case "compact_table": {
      count(values, 1, 3);
      const options = compaction(values[1], values[2]);
      for (const region of regionsOf(ctx, values[0]!)) await region.compact(options);
      break;
    }
    case "flush_region":
      count(values, 1, 1);
      await regionOf(ctx, values[0]!).flush("admin");
      break;
    case "compact_region":
      count(values, 1, 1);
      await regionOf(ctx, values[0]!).compact();
      break;
    default:
      throw new DbError("invalid_arguments", `Admin function not found: ${name}`);
  }
  return recordsOf([{ name: ctx.text.trim(), type: T.uint64 }], [[0n]]);
}

function literalText(expr: Expr): string {
  if (expr.kind === "string") return expr.value;
  if (expr.kind === "number") return expr.text;
  throw new DbError("invalid_arguments", "failed to cast an argument: expected a literal");
}

function count(values: readonly string[], min: number, max: number): void {
  if (values.length < min || values.length > max)
    throw new DbError(
      "invalid_arguments",
      `Expected ${min === max ? min : `${min} to ${max}`} args, but actual ${values.length}`,
    );
}

/** `t`, `db.t` or `greptime.db.t`; a table whose name holds the dots is found first. */
function regionsOf(ctx: StatementContext, name: string): Region[] {
  const { catalog, storage } = ctx.deps;
  const parts = name.split(".");
  const [table, db] = [parts.at(-1)!, parts.at(-2) ?? ctx.session.db];
  const info = catalog.table(ctx.session.db, name) ?? catalog.table(db, table);
  if (info === undefined) throw tableNotFound(db, table);
  return info.regionIds.flatMap((id) => storage.region(id) ?? []);
}

function regionOf(ctx: StatementContext, text: string): Region {
  if (!/^\d{1,20}$/.test(text))
    throw new DbError("invalid_arguments", `failed to cast ${text} to UInt64`);
  const region = ctx.deps.storage.region(BigInt(text));
  if (region === undefined) throw new DbError("region_not_found", `Region not found: ${text}`);
  return region;
}

/** The second and third argument of compact_table: 'regular' | 'strict_window' | 'swcs', '3600' | 'window=3600,…'. */
function compaction(kind = "regular", options = ""): { strictWindow: boolean; windowSec?: number } {
  const strictWindow = { regular: false, strict_window: true, swcs: true }[kind.toLowerCase()];
  if (strictWindow === undefined)
    throw new DbError("invalid_arguments", `Unknown compaction type: ${kind}`);
  let windowSec: number | undefined;
  for (const pair of options.split(",").filter((text) => text.trim() !== "")) {
    const [key, value] = pair.includes("=") ? pair.split("=") : ["window", pair];
    const number = Number(value?.trim());
    if (!Number.isInteger(number) || number <= 0)
      throw new DbError("invalid_arguments", `Invalid compaction option: ${pair}`);
    // One process compacts a region, so parallelism has nothing to divide.
    if (key!.trim() === "window") windowSec = number;
    else if (key!.trim() !== "parallelism")
      throw new DbError("invalid_arguments", `Unknown compaction option: ${pair}`);
  }
  return windowSec === undefined ? { strictWindow } : { strictWindow, windowSec };
}
