/**
 * SQL: text → statements → plans in DuckDB's SQL. Pure: no I/O, no clock, no catalog of its own.
 * Errors are DbErrors: invalid_syntax from parsing; plan_query, table_not_found, unsupported from planning.
 */
export * from "./ast.ts";
export * from "./dialect.ts";
export { mapEngineError } from "./engine_error.ts";
export { parseExpression, parseStatements } from "./parse/mod.ts";
export { planDelete, planInsert, planSelect } from "./plan/mod.ts";
export type {
  InsertTarget,
  PlannedTable,
  PlanEnv,
  ResolvedTable,
  SelectPlan,
} from "./plan/api.ts";
export { formatExpression, formatQuery, formatStatement } from "./print/mod.ts";
export { parseTimestamp, type TimestampText } from "./time/timestamp.ts";
export { formatOffset, zoneOffsetMs, parseTimezone } from "./time/zone.ts";
