/** Statements → text, on one line, without a semicolon. */
import type {
  AlterOperation,
  ColumnDef,
  ColumnOption,
  CreateTable,
  Ident,
  Insert,
  Options,
  Show,
  ShowFilter,
  Statement,
  TableConstraint,
} from "../ast.ts";
import { CELL, cellText, type LiteralRows } from "../ast.ts";
import { quoteString } from "../lex/string_literal.ts";
import { printExpr, printIdent, printName } from "./expr.ts";
import { printQuery } from "./query.ts";

const idents = (names: readonly Ident[]) => names.map(printIdent).join(", ");
const ifExists = (yes: boolean) => (yes ? "IF EXISTS " : "");
const ifNotExists = (yes: boolean) => (yes ? "IF NOT EXISTS " : "");

export function printStatement(statement: Statement): string {
  switch (statement.kind) {
    case "create_database":
      return `CREATE DATABASE ${ifNotExists(statement.ifNotExists)}${printIdent(statement.name)}${printWith(statement.options)}`;
    case "alter_database":
      return `ALTER DATABASE ${printIdent(statement.name)} ${
        statement.change.kind === "set"
          ? `SET ${printOptions(statement.change.options)}`
          : `UNSET ${statement.change.keys.map(quoteString).join(", ")}`
      }`;
    case "drop_database":
      return `DROP DATABASE ${ifExists(statement.ifExists)}${printIdent(statement.name)}`;
    case "use":
      return `USE ${printIdent(statement.name)}`;
    case "create_table":
      return printCreateTable(statement);
    case "create_table_like":
      return `CREATE TABLE ${ifNotExists(statement.ifNotExists)}${printName(statement.name)} LIKE ${printName(statement.source)}`;
    case "alter_table":
      return `ALTER TABLE ${printName(statement.name)} ${statement.operations.map(printOperation).join(", ")}`;
    case "drop_table":
      return `DROP TABLE ${ifExists(statement.ifExists)}${statement.names.map(printName).join(", ")}`;
    case "drop_view":
    case "drop_flow":
      return `${statement.kind.replace("_", " ").toUpperCase()} ${ifExists(statement.ifExists)}${printName(statement.name)}`;
    case "truncate": {
      const ranges = statement.ranges.map(([a, b]) => `(${printExpr(a)}, ${printExpr(b)})`);
      return `TRUNCATE TABLE ${printName(statement.name)}${ranges.length === 0 ? "" : ` FILE RANGE ${ranges.join(", ")}`}`;
    }
    case "comment":
      return printComment(statement);
    case "insert":
      return printInsert(statement);
    case "delete":
      return `DELETE FROM ${printName(statement.table)}${statement.where === undefined ? "" : ` WHERE ${printExpr(statement.where)}`}`;
    case "query":
      return printQuery(statement.query);
    case "show":
      return `SHOW ${printShow(statement.show)}`;
    case "describe":
      return `DESCRIBE TABLE ${printName(statement.name)}`;
    case "explain":
      return `EXPLAIN ${statement.analyze ? "ANALYZE " : ""}${statement.verbose ? "VERBOSE " : ""}${
        statement.format === undefined ? "" : `FORMAT ${statement.format} `
      }${printStatement(statement.statement)}`;
    case "set":
      return `SET ${statement.scope === undefined ? "" : `${statement.scope.toUpperCase()} `}${printVariable(statement.name)} = ${statement.values.map(quoteString).join(", ")}`;
    case "admin":
      return `ADMIN ${statement.name}(${statement.args.map((a) => printExpr(a)).join(", ")})`;
    case "kill":
      return `KILL ${statement.what === undefined ? "" : `${statement.what.toUpperCase()} `}${quoteString(statement.id)}`;
  }
}

/** The name of a variable: upper case, in parts. */
function printVariable(name: string): string {
  return name
    .split(".")
    .map((part) => (/^[A-Z_][A-Z0-9_]*$/.test(part) ? part : `"${part.replaceAll('"', '""')}"`))
    .join(".");
}

function printComment(statement: Extract<Statement, { kind: "comment" }>): string {
  const { target } = statement;
  const name =
    target.kind === "column"
      ? `COLUMN ${printName([...target.table, target.column])}`
      : `${target.kind.toUpperCase()} ${printName(target.name)}`;
  return `COMMENT ON ${name} IS ${statement.text === null ? "NULL" : quoteString(statement.text)}`;
}

function printOptions(options: Readonly<Record<string, string | null>>): string {
  return Object.entries(options)
    .map(([key, value]) => `${quoteString(key)} = ${value === null ? "NULL" : quoteString(value)}`)
    .join(", ");
}

function printWith(options: Options): string {
  return Object.keys(options).length === 0 ? "" : ` WITH (${printOptions(options)})`;
}

function printColumn(column: ColumnDef): string {
  return [printIdent(column.name), column.type.spelled, ...column.options.map(printOption)].join(
    " ",
  );
}

function printOption(option: ColumnOption): string {
  switch (option.kind) {
    case "null":
      return "NULL";
    case "not_null":
      return "NOT NULL";
    case "default":
      return `DEFAULT ${printExpr(option.value, 16)}`;
    case "comment":
      return `COMMENT ${quoteString(option.text)}`;
    case "time_index":
      return "TIME INDEX";
    case "primary_key":
      return "PRIMARY KEY";
    case "unique":
      return "UNIQUE";
    case "charset":
      return `CHARACTER SET ${option.name}`;
    case "index":
      return `${option.index.toUpperCase()} INDEX${printWith(option.options)}`;
  }
}

function printConstraint(constraint: TableConstraint): string {
  const what = constraint.kind === "time_index" ? "TIME INDEX" : "PRIMARY KEY";
  return `${what} (${idents(constraint.columns)})`;
}

function printCreateTable(table: CreateTable): string {
  const body = [...table.columns.map(printColumn), ...table.constraints.map(printConstraint)];
  let text = `CREATE TABLE ${ifNotExists(table.ifNotExists)}${printName(table.name)} (${body.join(", ")})`;
  if (table.partition !== undefined)
    text += ` PARTITION ON COLUMNS (${idents(table.partition.columns)}) (${table.partition.expressions.join(", ")})`;
  if (table.engine !== undefined) text += ` ENGINE=${quoteString(table.engine)}`;
  return text + printWith(table.options);
}

function printOperation(operation: AlterOperation): string {
  switch (operation.kind) {
    case "add_column": {
      const { position } = operation;
      const where =
        position === undefined
          ? ""
          : position === "first"
            ? " FIRST"
            : ` AFTER ${printIdent(position.after)}`;
      return `ADD COLUMN ${ifNotExists(operation.ifNotExists)}${printColumn(operation.column)}${where}`;
    }
    case "drop_column":
      return `DROP COLUMN ${printIdent(operation.column)}`;
    case "modify_type":
      return `MODIFY COLUMN ${printIdent(operation.column)} ${operation.type.spelled}`;
    case "set_default":
      return `MODIFY COLUMN ${printIdent(operation.column)} SET DEFAULT ${printExpr(operation.value, 16)}`;
    case "drop_default":
      return `MODIFY COLUMN ${printIdent(operation.column)} DROP DEFAULT`;
    case "set_index":
      return `MODIFY COLUMN ${printIdent(operation.column)} SET ${operation.index.toUpperCase()} INDEX${printWith(operation.options)}`;
    case "unset_index":
      return `MODIFY COLUMN ${printIdent(operation.column)} UNSET ${operation.index.toUpperCase()} INDEX`;
    case "rename":
      return `RENAME ${printIdent(operation.to)}`;
    case "set_options":
      return `SET ${printOptions(operation.options)}`;
    case "unset_options":
      return `UNSET ${operation.keys.map(quoteString).join(", ")}`;
  }
}

function printInsert(insert: Insert): string {
  const columns = insert.columns.length === 0 ? "" : ` (${idents(insert.columns)})`;
  const source =
    insert.source.kind === "query"
      ? printQuery(insert.source.query)
      : printRows(insert.source.rows);
  return `${insert.replace ? "REPLACE" : "INSERT"} INTO ${printName(insert.table)}${columns} ${source}`;
}

function printRows(rows: LiteralRows): string {
  const tuples: string[] = [];
  for (let row = 0; row < rows.rows; row++) {
    const values: string[] = [];
    for (let column = 0; column < rows.width; column++)
      values.push(printCell(rows, row * rows.width + column));
    tuples.push(`(${values.join(", ")})`);
  }
  // A ragged statement fails whatever it says; the tuple here keeps it ragged.
  if (rows.ragged !== undefined) tuples.push(`(${Array(rows.ragged).fill("NULL").join(", ")})`);
  return `VALUES ${tuples.join(", ")}`;
}

function printCell(rows: LiteralRows, cell: number): string {
  const text = cellText(rows, cell);
  switch (rows.kinds[cell]) {
    case CELL.string:
    case CELL.escaped:
      return quoteString(text);
    case CELL.hex:
      return `X'${text}'`;
    case CELL.integer:
    case CELL.decimal:
      return text;
    default:
      return text.toUpperCase();
  }
}

function printFilter(filter: ShowFilter | undefined): string {
  if (filter === undefined) return "";
  return filter.kind === "like"
    ? ` LIKE ${quoteString(filter.pattern)}`
    : ` WHERE ${printExpr(filter.expr)}`;
}

function printShow(show: Show): string {
  const inDb = "db" in show && show.db !== undefined ? ` FROM ${printIdent(show.db)}` : "";
  const filter = "filter" in show ? printFilter(show.filter) : "";
  const full = "full" in show && show.full ? "FULL " : "";
  switch (show.what) {
    case "create_table":
      return `CREATE TABLE ${printName(show.name)}${show.postgresForeign ? " FOR POSTGRES_FOREIGN_TABLE" : ""}`;
    case "create_view":
    case "create_flow":
      return `${show.what.replace("_", " ").toUpperCase()} ${printName(show.name)}`;
    case "create_database":
      return `CREATE DATABASE ${printIdent(show.name)}`;
    case "columns":
    case "index":
    case "region":
      return `${full}${show.what.toUpperCase()} FROM ${printName(show.table)}${inDb}${filter}`;
    case "variable":
      return `VARIABLES${show.name === undefined ? "" : ` ${printVariable(show.name)}`}${filter}`;
    case "flow_status":
    case "table_status":
      return `${show.what.replace("_", " ").toUpperCase()}${inDb}${filter}`;
    default:
      return `${full}${show.what.toUpperCase()}${inDb}${filter}`;
  }
}
