/** What DuckDB throws → the dialect's errors: which kind, and the texts that clients know. */
import { DbError, type ErrorCode } from "../base/mod.ts";

/** DuckDB's class, the text before the first colon → kind. */
const KINDS: Readonly<Record<string, ErrorCode>> = {
  "Binder Error": "plan_query",
  "Catalog Error": "plan_query",
  "Parser Error": "invalid_syntax",
  "Syntax Error": "invalid_syntax",
  "Conversion Error": "execute_query",
  "Out of Range Error": "execute_query",
  "Invalid Input Error": "execute_query",
  "Constraint Error": "execute_query",
  "Mismatch Type Error": "execute_query",
  "Invalid Type Error": "execute_query",
  "Not implemented Error": "unsupported",
  "INTERRUPT Error": "cancelled",
  "Out of Memory Error": "resources_exhausted",
  "IO Error": "internal",
  "INTERNAL Error": "internal",
  "FATAL Error": "internal",
};

/** Types as DuckDB names them in messages → the dialect's. */
const TYPES: Readonly<Record<string, string>> = {
  INT8: "Int8",
  INT16: "Int16",
  INT32: "Int32",
  INT64: "Int64",
  UINT8: "UInt8",
  UINT16: "UInt16",
  UINT32: "UInt32",
  UINT64: "UInt64",
  TINYINT: "Int8",
  SMALLINT: "Int16",
  INTEGER: "Int32",
  BIGINT: "Int64",
  UTINYINT: "UInt8",
  USMALLINT: "UInt16",
  UINTEGER: "UInt32",
  UBIGINT: "UInt64",
  FLOAT: "Float32",
  DOUBLE: "Float64",
  BOOL: "Boolean",
  BOOLEAN: "Boolean",
  DATE: "Date32",
};

const arrowType = (duck: string) => TYPES[duck] ?? duck;

/** A message of DuckDB as a DbError. Unknown ones are execution errors with their first line. */
export function mapEngineError(message: string): DbError {
  const firstLine = message.split("\n")[0]!;
  const colon = firstLine.indexOf(": ");
  const duckClass = colon === -1 ? "" : firstLine.slice(0, colon);
  const kind = Object.hasOwn(KINDS, duckClass) ? KINDS[duckClass]! : "execute_query";
  const text = colon === -1 ? firstLine : firstLine.slice(colon + 2);
  return new DbError(kind, textOf(kind, text), { cause: new Error(message) });
}

function textOf(kind: ErrorCode, text: string): string {
  switch (kind) {
    case "plan_query":
      return `Failed to plan SQL: Error during planning: ${text}`;
    case "invalid_syntax":
      return `Invalid SQL syntax: sql parser error: ${text}`;
    case "unsupported":
      return `This feature is not implemented: ${text}`;
    case "cancelled":
      return "Query was cancelled";
    case "execute_query":
      return executionText(text);
    default:
      return text;
  }
}

function executionText(text: string): string {
  // Texts of our own, raised by error() in the plan.
  if (/^(Divide by zero error|(Cast|Execution|Parser|Arithmetic) )/.test(text)) return text;
  const range =
    /^Type (\w+) with value (\S+) can't be cast because the value is out of range for the destination type (\w+)/.exec(
      text,
    );
  if (range !== null)
    return `Cast error: Can't cast value ${range[2]} to type ${arrowType(range[3]!)}`;
  const string = /^Could not convert string '(.*)' to (\w+)/s.exec(text);
  if (string !== null)
    return `Cast error: Cannot cast string '${string[1]}' to value of ${arrowType(string[2]!)} type`;
  const timestamp =
    /^(?:timestamp field value out of range|invalid timestamp field format): "(.*?)"/.exec(text);
  if (timestamp !== null)
    return `Parser error: Error parsing timestamp from '${timestamp[1]}': error parsing date`;
  const overflow = /^Overflow in (\w+) of (\w+) \((.*)\)/.exec(text);
  if (overflow !== null) return `Arithmetic overflow: Overflow happened on: ${overflow[3]}`;
  return text;
}
