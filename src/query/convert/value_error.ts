/**
 * The errors of value conversion: what the reference says, then where: row, column, its type, table.
 * Never decides whether a value is wrong.
 */
import { DbError, type ErrorCode } from "../../base/mod.ts";
import { type ColumnSchema, sqlTypeName, typeName } from "../../types/mod.ts";

/** Long values are cut in messages, so that an error is never a megabyte. */
const shownCharsMax = 80;

export function shown(text: string): string {
  return text.length <= shownCharsMax ? text : `${text.slice(0, shownCharsMax)}...`;
}

/** A place in an INSERT: the table as people name it, the column, the row counted from 1; 0 for a DEFAULT clause. */
export interface Place {
  readonly table: string;
  readonly column: ColumnSchema;
  readonly row: number;
}

function at(place: Place): string {
  const row = place.row === 0 ? "" : `row ${place.row}, `;
  return ` (${row}column ${place.column.name} ${sqlTypeName(place.column.type)} of table ${place.table})`;
}

function failed(code: ErrorCode, text: string, place: Place): DbError {
  return new DbError(code, text + at(place));
}

/** A literal of a kind that the column never takes: both types are named. */
export function wrongKind(kind: string, text: string, place: Place): DbError {
  return failed(
    "invalid_arguments",
    `Column ${place.column.name} expect type: ${typeName(place.column.type)}, actual: ${kind} ${shown(text)}`,
    place,
  );
}

/** A number that the column's type cannot hold. */
export function badNumber(text: string, place: Place): DbError {
  return failed(
    "invalid_syntax",
    `Fail to parse number ${shown(text)}, invalid column type: ${typeName(place.column.type)}`,
    place,
  );
}

/** A string that does not read as a value of the column's type. */
export function badText(text: string, what: string, place: Place): DbError {
  return failed(
    "invalid_syntax",
    `Failed to parse value: Failed to parse ${shown(text)} to ${what} value`,
    place,
  );
}

export function outOfRange(text: string, place: Place): DbError {
  return failed("invalid_syntax", text, place);
}

export function nullRefused(place: Place): DbError {
  return failed(
    "invalid_arguments",
    `Invalid request to region, reason: column ${place.column.name} is not null but input has null`,
    place,
  );
}
