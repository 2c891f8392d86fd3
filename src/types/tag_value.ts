/**
 * Tags of any type as the text that a series dictionary keeps, and back. The mapping is exact both ways, so two
 * different values never become one series and SQL sees the value that was written.
 *
 * | type              | dictionary text                                   |
 * |-------------------|---------------------------------------------------|
 * | string, json      | the text itself; a text of k NULs only, k ≥ 0, as k + 1 NULs |
 * | integers          | decimal digits, `-` first when negative           |
 * | float32, float64  | shortest decimal that reads back equal; `NaN`, `Infinity`, `-Infinity`; `-0` as `0` |
 * | bool              | `true`, `false`                                   |
 * | date              | days since 1970-01-01, decimal                    |
 * | timestamp         | ticks of the column's unit, decimal               |
 * | decimal           | digits with the column's scale, `1.50`            |
 * | binary            | lower-case hex; the empty value as one NUL        |
 *
 * The dictionary takes the empty text for "absent" (NULL), which is what line protocol means by it. An empty SQL
 * string is a value, hence the NUL. Line protocol stores its bytes as they are: a tag value made of NULs only, which no
 * client writes, loses one of them.
 */
import { DbError } from "../base/mod.ts";
import { type Column, isNull, isVar, type VarColumn } from "./batch.ts";
import { textColumn } from "./column_build.ts";
import { type ColumnType, duckTypeName, typeName } from "./column_type.ts";

const NUL = "\0";
const NULS_ONLY = /^\0*$/;

/** Dictionary text of a string value. */
export function encodeTagValue(value: string): string {
  return NULS_ONLY.test(value) ? NUL + value : value;
}

/** The string value of a dictionary text. */
export function decodeTagValue(text: string): string {
  return text !== "" && NULS_ONLY.test(text) ? text.slice(1) : text;
}

/** Can a column of this type be a tag? */
export function isTagType(type: ColumnType): boolean {
  switch (type.kind) {
    case "vector":
    case "interval":
    case "null":
    case "time":
    case "duration":
    case "list":
    case "struct":
      return false;
    default:
      return true;
  }
}

/**
 * Dictionary texts of a tag column, as the utf-8 column that `Kernel.seriesOf` takes. Rows: the first `rows` ones.
 * Returns the column itself when no value needs another form.
 */
export function encodeTagColumn(column: Column, rows: number): VarColumn {
  const { kind } = column.type;
  if (isVar(column) && kind !== "binary") return escapeTexts(column, rows);
  return textColumn(rows, (row) => (isNull(column, row) ? undefined : tagText(column, row)));
}

function escapeTexts(column: VarColumn, rows: number): VarColumn {
  let special = false;
  for (let row = 0; row < rows && !special; row++) {
    const from = column.offsets[row]!;
    special =
      (from === column.offsets[row + 1]! || column.bytes[from] === 0) && !isNull(column, row);
  }
  if (!special) return column;
  const decoder = new TextDecoder();
  return textColumn(rows, (row) => {
    if (isNull(column, row)) return undefined;
    const bytes = column.bytes.subarray(column.offsets[row]!, column.offsets[row + 1]!);
    return encodeTagValue(decoder.decode(bytes));
  });
}

function tagText(column: Column, row: number): string {
  if (isVar(column)) {
    const bytes = column.bytes.subarray(column.offsets[row]!, column.offsets[row + 1]!);
    const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
    return encodeTagValue(hex);
  }
  const { type, values } = column;
  switch (type.kind) {
    case "bool":
      return values[row] === 0 ? "false" : "true";
    case "decimal":
      return decimalText(values as BigInt64Array, row, type.scale);
    case "float32":
    case "float64":
    case "int8":
    case "int16":
    case "int32":
    case "int64":
    case "uint8":
    case "uint16":
    case "uint32":
    case "uint64":
    case "date":
    case "timestamp":
      return String(values[row]!);
    default:
      throw new DbError("unsupported", `${typeName(type)} cannot be the type of a tag`);
  }
}

/** The scaled 128-bit integer at `row` of a decimal column, as digits with `scale` places. */
function decimalText(words: BigInt64Array, row: number, scale: number): string {
  const scaled = (words[2 * row + 1]! << 64n) | BigInt.asUintN(64, words[2 * row]!);
  const negative = scaled < 0n;
  const digits = (negative ? -scaled : scaled).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const text = scale === 0 ? whole : `${whole}.${digits.slice(digits.length - scale)}`;
  return negative ? `-${text}` : text;
}

/**
 * SQL text for DuckDB: the typed value of a tag whose dictionary text is the expression `text` (a VARCHAR; NULL stays NULL).
 * A text that is no value of the type is NULL: a refused line may leave one in the dictionary, where no row refers to it.
 */
export function tagValueSql(type: ColumnType, text: string): string {
  const number = `TRY_CAST(${text} AS BIGINT)`;
  switch (type.kind) {
    case "string":
    case "json":
      return unescapeSql(text);
    case "binary":
      return `TRY(unhex(${unescapeSql(text)}))`;
    case "date":
      return `(DATE '1970-01-01' + TRY_CAST(${text} AS INTEGER))`;
    case "timestamp":
      switch (type.unit) {
        case "s":
          return `TRY(CAST(make_timestamp(${number} * 1000000) AS TIMESTAMP_S))`;
        case "ms":
          return `TRY(CAST(make_timestamp_ms(${number}) AS TIMESTAMP_MS))`;
        case "us":
          return `TRY(make_timestamp(${number}))`;
        case "ns":
          return `TRY(make_timestamp_ns(${number}))`;
      }
      break;
    default:
      return `TRY_CAST(${text} AS ${duckTypeName(type)})`;
  }
}

/** Takes one NUL off a text that is nothing but NULs. */
function unescapeSql(text: string): string {
  return `CASE WHEN starts_with(${text}, chr(0)) AND ltrim(${text}, chr(0)) = '' THEN ${text}[2:] ELSE ${text} END`;
}
