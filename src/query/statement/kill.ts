/** KILL 'addr/id' and KILL [QUERY|CONNECTION] n. */
import { DbError } from "../../base/mod.ts";
import type { Output } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { affected } from "../records.ts";

/** Affected rows: 1 when such a statement ran, else 0. Without write permission only for one's own statements. */
export function runKill(ctx: StatementContext, id: string): Output {
  const target = ctx.processes.find(id);
  if (target === undefined) return affected(0);
  if (ctx.session.permission === "read" && target.user !== ctx.session.user)
    throw new DbError(
      "permission_denied",
      `User ${ctx.session.user} may not stop a statement of another user`,
    );
  return affected(ctx.processes.kill(id) ? 1 : 0);
}
