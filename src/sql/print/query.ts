/** Queries → text, on one line. */
import type {
  Align,
  GroupItem,
  Query,
  QueryBody,
  Select,
  SelectItem,
  TableAlias,
  TableRef,
} from "../ast.ts";
import { quoteString } from "../lex/string_literal.ts";
import { LEVEL } from "../parse/levels.ts";
import {
  printDuration,
  printExpr,
  printFill,
  printIdent,
  printName,
  printOrder,
  printWindow,
} from "./expr.ts";

const exprs = (items: Parameters<typeof printExpr>[0][]) =>
  items.map((e) => printExpr(e)).join(", ");

export function printQuery(query: Query): string {
  let text = "";
  if (query.with !== undefined) {
    const ctes = query.with.ctes.map((cte) => {
      const columns =
        cte.columns.length === 0 ? "" : ` (${cte.columns.map(printIdent).join(", ")})`;
      return `${printIdent(cte.name)}${columns} AS (${printQuery(cte.query)})`;
    });
    text += `WITH ${query.with.recursive ? "RECURSIVE " : ""}${ctes.join(", ")} `;
  }
  text += printBody(query.body);
  if (query.orderBy.length > 0) text += ` ORDER BY ${printOrder(query.orderBy)}`;
  if (query.limit !== undefined) text += ` LIMIT ${printExpr(query.limit)}`;
  if (query.offset !== undefined) text += ` OFFSET ${printExpr(query.offset)}`;
  return text;
}

function printBody(body: QueryBody): string {
  switch (body.kind) {
    case "select":
      return printSelect(body);
    case "values":
      return `VALUES ${body.rows.map((row) => `(${exprs([...row])})`).join(", ")}`;
    case "nested":
      return `(${printQuery(body.query)})`;
    case "set_operation":
      return `${printBody(body.left)} ${body.op.toUpperCase()}${body.all ? " ALL" : ""} ${printBody(body.right)}`;
  }
}

function printSelect(select: Select): string {
  let text = "SELECT ";
  if (select.distinct !== undefined)
    text +=
      select.distinct.kind === "on"
        ? `DISTINCT ON (${exprs([...select.distinct.exprs])}) `
        : "DISTINCT ";
  text += select.items.map(printItem).join(", ");
  if (select.from.length > 0) text += ` FROM ${select.from.map(printTable).join(", ")}`;
  if (select.where !== undefined) text += ` WHERE ${printExpr(select.where)}`;
  if (select.align !== undefined) text += ` ${printAlign(select.align)}`;
  if (select.groupBy.length > 0) text += ` GROUP BY ${select.groupBy.map(printGroup).join(", ")}`;
  if (select.having !== undefined) text += ` HAVING ${printExpr(select.having)}`;
  if (select.windows.length > 0)
    text += ` WINDOW ${select.windows.map((w) => `${printIdent(w.name)} AS ${printWindow(w.spec)}`).join(", ")}`;
  if (select.qualify !== undefined) text += ` QUALIFY ${printExpr(select.qualify)}`;
  return text;
}

function printItem(item: SelectItem): string {
  if (item.kind === "expr")
    return printExpr(item.expr) + (item.alias === undefined ? "" : ` AS ${printIdent(item.alias)}`);
  let text = item.qualifier.length === 0 ? "*" : `${printName(item.qualifier)}.*`;
  if (item.exclude.length > 0) text += ` EXCLUDE (${item.exclude.map(printIdent).join(", ")})`;
  if (item.replace.length > 0)
    text += ` REPLACE (${item.replace.map((r) => `${printExpr(r.expr)} AS ${printIdent(r.name)}`).join(", ")})`;
  return text;
}

function printGroup(item: GroupItem): string {
  if (item.kind === "expr") return printExpr(item.expr);
  const sets = item.sets.map((set) => `(${exprs([...set])})`).join(", ");
  return `${item.kind === "grouping_sets" ? "GROUPING SETS" : item.kind.toUpperCase()} (${sets})`;
}

function printAlias(alias: TableAlias | undefined): string {
  if (alias === undefined) return "";
  const columns =
    alias.columns.length === 0 ? "" : ` (${alias.columns.map(printIdent).join(", ")})`;
  return ` AS ${printIdent(alias.name)}${columns}`;
}

function printTable(ref: TableRef): string {
  switch (ref.kind) {
    case "table":
      return printName(ref.name) + printAlias(ref.alias);
    case "derived":
      return `${ref.lateral ? "LATERAL " : ""}(${printQuery(ref.query)})${printAlias(ref.alias)}`;
    case "table_function":
      return `${ref.lateral ? "LATERAL " : ""}${printName(ref.name)}(${exprs([...ref.args])})${printAlias(ref.alias)}`;
    case "join":
      return printJoin(ref);
  }
}

function printJoin(ref: Extract<TableRef, { kind: "join" }>): string {
  const natural = ref.constraint.kind === "natural" ? "NATURAL " : "";
  const right = ref.right.kind === "join" ? `(${printTable(ref.right)})` : printTable(ref.right);
  const word = ref.join === "inner" ? "" : `${ref.join.toUpperCase().replace("_", " ")} `;
  let text = `${printTable(ref.left)} ${natural}${word}JOIN ${right}`;
  if (ref.constraint.kind === "on") text += ` ON ${printExpr(ref.constraint.expr)}`;
  if (ref.constraint.kind === "using")
    text += ` USING (${ref.constraint.columns.map(printIdent).join(", ")})`;
  return text;
}

function printAlign(align: Align): string {
  let text = `ALIGN ${printDuration(align.step)}`;
  switch (align.to?.kind) {
    case "now":
      text += " TO NOW";
      break;
    case "text":
      text += ` TO ${quoteString(align.to.text)}`;
      break;
    case "expr":
      text += ` TO (${printExpr(align.to.expr, LEVEL.or)})`;
      break;
  }
  if (align.by !== undefined) text += ` BY (${exprs([...align.by])})`;
  if (align.fill !== undefined) text += ` ${printFill(align.fill)}`;
  return text;
}
