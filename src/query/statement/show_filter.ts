/**
 * LIKE and WHERE of SHOW statements, over rows that are already made. LIKE is on one heading; WHERE goes through the
 * engine like any SELECT, with the headings as column names in lower case (as unquoted names fold).
 */
import type { Expr, ShowFilter } from "../../sql/mod.ts";
import { planSelect } from "../../sql/mod.ts";
import type { ResultField } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { type Cell, relationText } from "../infoschema/virtual_table.ts";
import { collect, type Rows } from "../records.ts";
import { streamRows } from "../select.ts";

/** Name of the relation that a WHERE runs over; no one can refer to it. */
const relationName = "shown";

/** `aliases`: other names of headings, e.g. `Tables` for `Tables_in_public`. `likeOn`: index of LIKE's heading. */
export async function applyFilter(
  ctx: StatementContext,
  shown: Rows,
  filter: ShowFilter | undefined,
  options: { readonly likeOn?: number; readonly aliases?: Readonly<Record<string, string>> } = {},
): Promise<Rows> {
  if (filter === undefined) return shown;
  if (filter.kind === "like") {
    const matches = likePattern(filter.pattern);
    const at = options.likeOn ?? 0;
    return { ...shown, rows: shown.rows.filter((row) => matches.test(String(row[at] ?? ""))) };
  }
  return { ...shown, rows: await filterWhere(ctx, shown, filter.expr, options.aliases ?? {}) };
}

/** SQL's LIKE as a regular expression: `%`, `_`, and `\` before either. */
export function likePattern(pattern: string): RegExp {
  let source = "";
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === "%") source += ".*";
    else if (char === "_") source += ".";
    else {
      const literal = char === "\\" && i + 1 < pattern.length ? pattern[++i]! : char;
      source += literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    }
  }
  return new RegExp(`^${source}$`, "su");
}

async function filterWhere(
  ctx: StatementContext,
  shown: Rows,
  where: Expr,
  aliases: Readonly<Record<string, string>>,
): Promise<(readonly unknown[])[]> {
  const lower = (name: string) => name.toLowerCase();
  const extra = Object.entries(aliases).map(([alias, heading]) => ({
    alias: lower(alias),
    at: shown.fields.findIndex((field) => field.name === heading),
  }));
  const columns: ResultField[] = [
    ...shown.fields.map((field) => ({ name: lower(field.name), type: field.type })),
    ...extra.map(({ alias, at }) => ({ name: alias, type: shown.fields[at]!.type })),
  ];
  const ident = (name: string) => ({ name, quoted: true });
  const plan = planSelect(
    {
      body: {
        kind: "select",
        items: columns.slice(0, shown.fields.length).map((column) => ({
          kind: "expr",
          expr: { kind: "column", name: [ident(column.name)] },
        })),
        from: [{ kind: "table", name: [ident(relationName)] }],
        where,
        groupBy: [],
        windows: [],
      },
      orderBy: [],
    },
    ctx.planEnv((db, name) =>
      name === relationName ? { kind: "virtual", db, name, columns } : undefined,
    ),
  );
  const relations = plan.tables.map(({ columns: ids }) => {
    const wanted = ids.length === 0 ? [0] : ids;
    const source = (id: number) =>
      id < shown.fields.length ? id : extra[id - shown.fields.length]!.at;
    return relationText(
      wanted.map((id) => ({ ...columns[id]!, nullable: true })),
      wanted.map((id) => `c${id}`),
      shown.rows.map((row) => wanted.map((id) => row[source(id)] as Cell)),
    );
  });
  return collect(await streamRows(ctx, plan.sql(relations), plan.fields));
}
