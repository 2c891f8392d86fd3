/** Column definitions of CREATE and ALTER TABLE → NewColumns: types, NULL rules, defaults, comments, indexes. */
import { DbError } from "../../base/mod.ts";
import type { NewColumn } from "../../catalog/mod.ts";
import type { ColumnDef, IndexKind, Options, TypeName } from "../../sql/mod.ts";
import type { ColumnRole, ColumnType } from "../../types/mod.ts";
import { defaultValue } from "./default_value.ts";

/** Throws unsupported for names that are no type of ours. */
export function columnType(type: TypeName): ColumnType {
  if (type.type === undefined)
    throw new DbError("unsupported", `SQL data type not supported yet: ${type.spelled}`);
  return type.type;
}

/** A definition as a column of `role`. `table` is for messages. */
export function newColumn(
  def: ColumnDef,
  role: ColumnRole,
  table: string,
  timezone: string,
): NewColumn {
  const name = def.name.name;
  const type = columnType(def.type);
  const saysNull = def.options.some((option) => option.kind === "null");
  const saysNotNull = def.options.some((option) => option.kind === "not_null");
  if (saysNull && saysNotNull)
    throw new DbError("invalid_syntax", `Column ${name} is declared both NULL and NOT NULL`);
  if (role === "time" && saysNull)
    throw new DbError("invalid_arguments", "time index column can't be null");
  const nullable = role !== "time" && !saysNotNull;
  const indexes: Record<string, Options> = {};
  let value: NewColumn["default"];
  let comment: string | undefined;
  for (const option of def.options)
    switch (option.kind) {
      case "default":
        value = defaultValue(option.value, { name, type, nullable }, table, timezone);
        break;
      case "comment":
        comment = option.text;
        break;
      case "index":
        indexes[option.index] = indexOptions(option.index, option.options, name, type);
        break;
      default: // NULL rules and roles are read above; UNIQUE and CHARACTER SET say nothing here.
    }
  return {
    name,
    type,
    role,
    nullable,
    default: value,
    comment,
    indexes: Object.keys(indexes).length === 0 ? undefined : indexes,
  };
}

/** Options of each kind of index with their defaults; SHOW CREATE TABLE prints all of them. */
const indexDefaults: Readonly<Record<IndexKind, Options>> = {
  inverted: {},
  skipping: { false_positive_rate: "0.01", granularity: "10240", type: "BLOOM" },
  fulltext: {
    analyzer: "English",
    backend: "bloom",
    case_sensitive: "false",
    false_positive_rate: "0.01",
    granularity: "10240",
  },
  vector: {
    connectivity: "16",
    engine: "usearch",
    expansion_add: "128",
    expansion_search: "64",
    metric: "l2sq",
  },
};

/** The values of an option that takes one of a few; matched without case, kept as written here. */
const indexChoices: Readonly<Record<string, readonly string[]>> = {
  "skipping.type": ["BLOOM"],
  "fulltext.analyzer": ["English", "Chinese"],
  "fulltext.backend": ["bloom", "tantivy"],
  "fulltext.case_sensitive": ["true", "false"],
};

/** Throws invalid_arguments. */
export function indexOptions(
  kind: IndexKind,
  given: Options,
  column: string,
  type: ColumnType,
): Options {
  const invalid = (why: string) =>
    new DbError("invalid_arguments", `Invalid ${kind} index on column ${column}: ${why}`);
  if (kind === "fulltext" && type.kind !== "string")
    throw invalid("fulltext index only supports string type");
  if (kind === "vector" && type.kind !== "vector")
    throw invalid("vector index only supports vector type");
  const out: Record<string, string> = { ...indexDefaults[kind] };
  for (const [key, value] of Object.entries(given)) {
    if (out[key] === undefined) throw invalid(`unrecognized option ${key}`);
    out[key] = checked(`${kind}.${key}`, value, invalid);
  }
  return out;
}

function checked(path: string, value: string, invalid: (why: string) => DbError): string {
  const choices = indexChoices[path];
  if (choices !== undefined) {
    const choice = choices.find((each) => each.toLowerCase() === value.toLowerCase());
    if (choice === undefined)
      throw invalid(`${path} is one of ${choices.join(", ")}, got ${value}`);
    return choice;
  }
  const number = Number(value);
  const key = path.slice(path.indexOf(".") + 1);
  if (key === "granularity" && !(Number.isInteger(number) && number > 0))
    throw invalid(`granularity is a positive integer, got ${value}`);
  if (key === "false_positive_rate" && !(number > 0 && number <= 1))
    throw invalid(`false_positive_rate is above 0 and at most 1, got ${value}`);
  if (key === "connectivity" && !(Number.isInteger(number) && number >= 2 && number <= 2048))
    throw invalid(`connectivity is 2 to 2048, got ${value}`);
  if (key.startsWith("expansion_") && !(Number.isInteger(number) && number > 0))
    throw invalid(`${key} is a positive integer, got ${value}`);
  return value;
}
