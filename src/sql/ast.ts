/** The syntax tree: tagged unions, one file per level. Names are folded, nothing is resolved. */
export * from "./ast/expr.ts";
export * from "./ast/literal_rows.ts";
export * from "./ast/query.ts";
export * from "./ast/statement.ts";
