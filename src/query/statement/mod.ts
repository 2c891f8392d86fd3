/** One statement → one Output. Each family has its file; here is only which. */
import { unreachable } from "../../base/mod.ts";
import { planSelect, type Query, type Statement } from "../../sql/mod.ts";
import type { Output } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { runPlan, tableResolver } from "../select.ts";
import { virtualFilter } from "../virtual_filter.ts";
import { runAdmin } from "./admin.ts";
import { runAlterTable } from "./alter_table.ts";
import { runCreateTable, runCreateTableLike } from "./create_table.ts";
import { runAlterDatabase, runCreateDatabase, runDropDatabase, runUse } from "./database.ts";
import { runDelete } from "./delete.ts";
import { runDescribe } from "./describe.ts";
import { runExplain } from "./explain.ts";
import { runInsert } from "./insert.ts";
import { runKill } from "./kill.ts";
import { runSet } from "./set.ts";
import { runShow } from "./show.ts";
import { runComment, runDropMissing, runDropTable, runTruncate } from "./table_ops.ts";

export { checkPermission } from "./permission.ts";

/** Statements that read tables, and so take a turn in the queue; the others never wait behind them. */
export function needsTurn(statement: Statement): boolean {
  switch (statement.kind) {
    case "query":
    case "delete":
      return true;
    case "insert":
      return statement.source.kind === "query";
    case "explain":
      return statement.analyze;
    default:
      return false;
  }
}

export function runStatement(
  ctx: StatementContext,
  statement: Statement,
): Output | Promise<Output> {
  switch (statement.kind) {
    case "query":
      return runSelect(ctx, statement.query);
    case "insert":
      return runInsert(ctx, statement);
    case "delete":
      return runDelete(ctx, statement.table, statement.where);
    case "create_database":
      return runCreateDatabase(ctx, statement);
    case "alter_database":
      return runAlterDatabase(ctx, statement);
    case "drop_database":
      return runDropDatabase(ctx, statement);
    case "use":
      return runUse(ctx, statement);
    case "create_table":
      return runCreateTable(ctx, statement);
    case "create_table_like":
      return runCreateTableLike(ctx, statement);
    case "alter_table":
      return runAlterTable(ctx, statement);
    case "drop_table":
      return runDropTable(ctx, statement);
    case "drop_view":
    case "drop_flow":
      return runDropMissing(statement, ctx);
    case "truncate":
      return runTruncate(ctx, statement);
    case "comment":
      return runComment(ctx, statement.target, statement.text);
    case "show":
      return runShow(ctx, statement.show);
    case "describe":
      return runDescribe(ctx, statement.name);
    case "explain":
      return runExplain(ctx, statement);
    case "set":
      return runSet(ctx, statement);
    case "admin":
      return runAdmin(ctx, statement.name, statement.args);
    case "kill":
      return runKill(ctx, statement.id);
    default:
      return unreachable(statement);
  }
}

function runSelect(ctx: StatementContext, query: Query): Promise<Output> {
  const started = ctx.deps.clock.monotonicMs();
  const plan = planSelect(query, ctx.planEnv(tableResolver(ctx)));
  ctx.stats.stage("plan", ctx.deps.clock.monotonicMs() - started);
  return runPlan(ctx, plan, virtualFilter(query));
}
