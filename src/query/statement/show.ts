/** SHOW: one function per subject gives rows under the reference's headings; LIKE and WHERE come after. */
import { DbError, unreachable } from "../../base/mod.ts";
import type { Show, ShowFilter } from "../../sql/mod.ts";
import { type Output, recordsOf } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import type { Rows } from "../records.ts";
import { showCreateDatabase, showCreateTable } from "./show_create.ts";
import { applyFilter } from "./show_filter.ts";
import { showCharset, showCollation, showProcessList, showVariable } from "./show_server.ts";
import { showColumns, showIndex, showRegion } from "./show_table.ts";
import { showDatabases, showTableStatus, showTables } from "./show_tables.ts";
import { flowNotFound } from "./table_ops.ts";

type FilterOptions = Parameters<typeof applyFilter>[3];

export async function runShow(ctx: StatementContext, show: Show): Promise<Output> {
  const filtered = async (rows: Rows, filter: ShowFilter | undefined, options?: FilterOptions) => {
    const { fields, rows: kept } = await applyFilter(ctx, rows, filter, options);
    return recordsOf(fields, kept);
  };
  const empty = (...headings: string[]) => ({
    fields: headings.map((name) => ({ name, type: { kind: "string" as const } })),
    rows: [],
  });
  switch (show.what) {
    case "databases":
      return filtered(showDatabases(ctx, show.full), show.filter);
    case "tables": {
      const db = show.db?.name ?? ctx.session.db;
      const aliases = { tables: `Tables_in_${db}` };
      return filtered(showTables(ctx, db, show.full), show.filter, { aliases });
    }
    case "table_status":
      return filtered(showTableStatus(ctx, show.db?.name ?? ctx.session.db), show.filter);
    case "views":
      return filtered(empty("Views"), show.filter);
    case "flows":
      return filtered(empty("Flows"), show.filter);
    case "triggers":
      return filtered(empty("Triggers"), show.filter);
    case "columns":
      return filtered(showColumns(ctx, show.table, show.db, show.full), show.filter);
    case "index":
      return filtered(showIndex(ctx, show.table, show.db), show.filter, { likeOn: 2 });
    case "region":
      return filtered(showRegion(ctx, show.table, show.db), show.filter);
    case "create_table":
      return showCreateTable(ctx, show.name, show.postgresForeign);
    case "create_database":
      return showCreateDatabase(ctx, show.name);
    case "create_view":
      throw new DbError("table_not_found", `View not found: ${show.name.at(-1)?.name ?? ""}`);
    case "create_flow":
      throw flowNotFound(show.name);
    case "flow_status":
      return recordsOf(
        empty(
          "flow_id",
          "flow_name",
          "start_time",
          "last_execution_time",
          "uptime_seconds",
          "state_size",
        ).fields,
        [],
      );
    case "search_path":
      return recordsOf(empty("search_path").fields, [[ctx.session.db]]);
    case "warnings":
      return recordsOf(empty("Level", "Code", "Message").fields, []);
    case "status":
      return filtered(empty("Variable_name", "Value"), show.filter);
    case "charset":
      return filtered(showCharset(), show.filter);
    case "collation":
      return filtered(showCollation(), show.filter);
    case "variable":
      return showVariable(ctx, show.name);
    case "processlist":
      return showProcessList(ctx, show.full);
    default:
      return unreachable(show);
  }
}
