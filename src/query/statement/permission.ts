/** Which permission each kind of statement needs. */
import { DbError } from "../../base/mod.ts";
import type { Statement } from "../../sql/mod.ts";
import type { Permission, Session } from "../api.ts";

type Need = "none" | Permission;

function needOf(statement: Statement): Need {
  switch (statement.kind) {
    // They change nothing but the session, or look only at what the user may see anyway.
    case "use":
    case "set":
      return "none";
    case "query":
    case "show":
    case "describe":
    case "kill":
      return "read";
    case "explain":
      return statement.analyze ? needOf(statement.statement) : "read";
    case "insert":
      return statement.source.kind === "query" ? "read_write" : "write";
    default:
      return "write";
  }
}

/** Throws permission_denied. */
export function checkPermission(statement: Statement, session: Session): void {
  const need = needOf(statement);
  if (need === "none" || session.permission === "read_write" || session.permission === need) return;
  // VALUES with expressions plan as a query but read no table.
  const writesOnly =
    statement.kind === "insert" &&
    statement.source.kind === "query" &&
    statement.source.query.body.kind === "values";
  if (writesOnly && session.permission === "write") return;
  throw new DbError(
    "permission_denied",
    `User ${session.user} is not authorized to perform this action`,
  );
}
