/** SET: the session's zone, time limit and database, and the names that clients set out of habit. */
import { DbError, messageOf, parseDuration } from "../../base/mod.ts";
import { parseTimezone, type Statement } from "../../sql/mod.ts";
import type { Output } from "../../types/mod.ts";
import type { StatementContext } from "../context.ts";
import { checkDatabase } from "../names.ts";
import { affected } from "../records.ts";

/** Longest delay that a timer of the runtime takes, milliseconds. */
const timerMsMax = 2 ** 31 - 1;

export function runSet(
  ctx: StatementContext,
  { name, values }: Extract<Statement, { kind: "set" }>,
): Output {
  const { session } = ctx;
  const value = values[0] ?? "";
  switch (name) {
    case "TIME_ZONE":
    case "TIMEZONE":
      session.timezone = zoneOf(value, ctx.deps.server.timezone);
      break;
    case "MAX_EXECUTION_TIME":
      session.timeoutMs = milliseconds(name, value);
      break;
    case "STATEMENT_TIMEOUT":
      session.timeoutMs = /[a-z]/i.test(value)
        ? durationMs(name, value)
        : milliseconds(name, value);
      break;
    case "SEARCH_PATH":
      checkDatabase(ctx.catalog, value);
      session.db = value;
      break;
    case "CLIENT_ENCODING":
      if (!/^utf-?8$/i.test(value))
        throw new DbError("unsupported", `Unsupported client encoding: ${value}; only UTF8 is`);
      break;
    case "READ_PREFERENCE":
      // One process holds every region and is the leader of all, so both mean the same.
      if (!/^(leader|follower)$/i.test(value))
        throw new DbError("invalid_arguments", `Invalid read preference: ${value}`);
      break;
    default:
      // Drivers of these two set many names at start-up and would not go on after an error.
      if (session.protocol !== "mysql" && session.protocol !== "postgres")
        throw new DbError("unsupported", `Unsupported set variable ${name}`);
  }
  return affected(0);
}

function zoneOf(value: string, system: string): string {
  if (value.toUpperCase() === "SYSTEM" || value.toUpperCase() === "DEFAULT") return system;
  const zone = parseTimezone(value);
  if (zone === undefined)
    throw new DbError("invalid_arguments", `Invalid timezone string: ${value}`);
  return zone;
}

function milliseconds(name: string, value: string): number {
  const ms = Number(value);
  if (!/^\d+$/.test(value) || ms > timerMsMax)
    throw new DbError("invalid_arguments", `Invalid ${name}: ${value}, expected milliseconds`);
  return ms;
}

function durationMs(name: string, value: string): number {
  try {
    return milliseconds(name, String(parseDuration(value) / 1_000_000n));
  } catch (error) {
    throw new DbError("invalid_arguments", `Invalid ${name}: ${value}: ${messageOf(error)}`);
  }
}
