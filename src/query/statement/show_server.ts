/** SHOW CHARSET, COLLATION, VARIABLES, PROCESSLIST: the server and the session. */
import { DbError } from "../../base/mod.ts";
import { CATALOG_NAME } from "../../catalog/mod.ts";
import { type Output, recordsOf, T } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { type Rows, textFields } from "../records.ts";

export function showCharset(): Rows {
  return {
    fields: [
      ...textFields("Charset", "Description", "Default collation"),
      { name: "Maxlen", type: T.int64 },
    ],
    rows: [["utf8", "UTF-8 Unicode", "utf8_bin", 4n]],
  };
}

export function showCollation(): Rows {
  return {
    fields: [
      ...textFields("Collation", "Charset"),
      { name: "Id", type: T.int64 },
      ...textFields("Default", "Compiled"),
      { name: "Sortlen", type: T.int64 },
    ],
    rows: [["utf8_bin", "utf8", 1n, "Yes", "Yes", 1n]],
  };
}

/** One row, one column named like the variable. */
export function showVariable(ctx: StatementContext, name: string | undefined): Output {
  const value = name === undefined ? undefined : variable(ctx, name);
  if (name === undefined || value === undefined)
    throw new DbError("invalid_arguments", `Unknown variable: ${name ?? "(none given)"}`);
  return recordsOf(textFields(name), [[value]]);
}

function variable({ session, deps }: StatementContext, name: string): string | undefined {
  switch (name) {
    case "TIME_ZONE":
    case "TIMEZONE":
      return session.timezone;
    case "SYSTEM_TIME_ZONE":
      return deps.server.timezone;
    case "READ_PREFERENCE":
      return "LEADER";
    case "DATESTYLE":
      return "ISO, MDY";
    case "INTERVALSTYLE":
      return "postgres";
    case "MAX_EXECUTION_TIME":
    case "STATEMENT_TIMEOUT":
      return String(session.timeoutMs);
    default:
      return undefined;
  }
}

export function showProcessList(ctx: StatementContext, full: boolean): Output {
  const nowMs = Number(ctx.nowNs / 1_000_000n);
  const elapsed = { kind: "duration", unit: "ms" } as const;
  const rows = ctx.processes.list().map((entry) => {
    const took = BigInt(Math.max(0, nowMs - entry.startedMs));
    return full
      ? [
          entry.id,
          CATALOG_NAME,
          entry.db,
          `${entry.protocol}[${entry.user}]`,
          ctx.deps.server.address,
          BigInt(entry.startedMs),
          took,
          entry.sql,
        ]
      : [entry.id, CATALOG_NAME, entry.sql, took];
  });
  return recordsOf(
    full
      ? [
          ...textFields("Id", "Catalog", "Schema", "Client", "Frontend"),
          { name: "Start Time", type: T.timestampMs },
          { name: "Elapsed Time", type: elapsed },
          ...textFields("Query"),
        ]
      : [...textFields("Id", "Catalog", "Query"), { name: "Elapsed Time", type: elapsed }],
    rows,
  );
}
