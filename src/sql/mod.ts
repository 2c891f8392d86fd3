/**
 * SQL: text → statements → plans in DuckDB's SQL. Pure: no I/O, no clock, no catalog of its own.
 * Errors are DbErrors: invalid_syntax from parsing; plan_query, table_not_found, unsupported from planning.
 */
export * from "./ast.ts";
export * from "./dialect.ts";
export { mapEngineError } from "./engine_error.ts";
export { parseExpression, parseStatements } from "./parse/mod.ts";
export type {
  InsertTarget,
  PlanEnv,
  PlannedTable,
  ResolvedTable,
  SelectPlan,
} from "./plan/api.ts";
export { tableNameOf } from "./plan/from.ts";
export { planDelete, planInsert, planSelect } from "./plan/mod.ts";
export { formatExpression, formatQuery, formatStatement } from "./print/mod.ts";
export { parseDate, parseTimestamp, type TimestampText } from "./time/timestamp.ts";
export { formatOffset, parseTimezone, zoneOffsetMs } from "./time/zone.ts";
