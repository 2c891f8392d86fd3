/**
 * Queries, bound: CTEs, set operations, VALUES, ORDER BY and LIMIT. SELECT itself is in select.ts, FROM in from.ts.
 * Every query gives columns c0, c1, … in DuckDB's text, so that names of the dialect (case-sensitive, repeated,
 * with any character) never meet DuckDB's rules.
 */
import { DbError } from "../../base/mod.ts";
import { type ColumnType, type ResultField, sameType } from "../../types/mod.ts";
import type { Cte, Expr, Query, QueryBody, SetOperation, Values } from "../ast.ts";
import type { PlanEnv, ResolvedTable } from "./api.ts";
import { Binder, type BoundQuery, type QueryPlanner } from "./binder.ts";
import { castTo } from "./cast.ts";
import { notSupported, planError } from "./errors.ts";
import { commonType } from "./numeric.ts";
import { type ColumnOrigin, type CteScope, makeRelation, type Relation, Scope } from "./scope.ts";
import { outputOrder, planSelect, type Tail } from "./select.ts";
import { TableBuilder } from "./table_builder.ts";

/** A query within the plan, and what may be appended to put its rows in the implicit order. */
export interface PlannedQuery extends BoundQuery {
  readonly implicitOrder?: ImplicitOrder | undefined;
  /**
   * What each column is in a table, where rows of the query are rows of its tables, each on its own: a condition on
   * the column then restricts the scan. Absent where rows are grouped, counted or chosen.
   */
  readonly origins?: readonly (ColumnOrigin | undefined)[] | undefined;
}

export interface ImplicitOrder {
  /** ` ORDER BY …`, to stand before LIMIT. */
  readonly orderBy: string;
  readonly limit: string;
  /** Columns of table 0 that only the order needs. */
  readonly columns: readonly number[];
}

export class Planner implements QueryPlanner {
  readonly tables: TableBuilder[] = [];
  #aliases = 0;

  constructor(readonly env: PlanEnv) {}

  /** A fresh alias: t0, t1, … */
  alias(): string {
    return `t${this.#aliases++}`;
  }

  addTable(table: ResolvedTable): TableBuilder {
    const builder = new TableBuilder(table, this.tables.length);
    this.tables.push(builder);
    return builder;
  }

  subquery(query: Query, scope: Scope): BoundQuery {
    return this.query(query, scope, scope.ctes);
  }

  /** `top`: rows of an unordered scan get the implicit order. */
  query(
    query: Query,
    parent: Scope | undefined,
    ctes: CteScope | undefined,
    top = false,
  ): PlannedQuery {
    let visible = ctes;
    let prefix = "";
    if (query.with !== undefined) {
      const bound = this.#ctes(query.with.ctes, query.with.recursive, parent, ctes);
      visible = bound.visible;
      prefix = `WITH ${query.with.recursive ? "RECURSIVE " : ""}${bound.sql} `;
    }
    const tail: Tail = {
      orderBy: query.orderBy,
      limit: this.#limit(query.limit, query.offset, parent, visible),
    };
    const body = this.#body(query.body, tail, parent, visible, top && prefix === "");
    return prefix === "" ? body : { ...body, sql: prefix + body.sql };
  }

  #body(
    body: QueryBody,
    tail: Tail,
    parent: Scope | undefined,
    ctes: CteScope | undefined,
    top: boolean,
  ): PlannedQuery {
    switch (body.kind) {
      case "select":
        return planSelect(this, body, tail, new Scope(parent, ctes), top);
      case "values":
        return this.#ordered(this.#values(body, parent, ctes), tail, parent, ctes);
      case "set_operation":
        return this.#ordered(this.#setOperation(body, parent, ctes), tail, parent, ctes);
      case "nested":
        if (tail.orderBy.length === 0 && tail.limit === "")
          return this.query(body.query, parent, ctes, top);
        return this.#ordered(this.query(body.query, parent, ctes), tail, parent, ctes);
    }
  }

  /** ORDER BY and LIMIT over the columns of a query that is no SELECT. */
  #ordered(
    query: BoundQuery,
    tail: Tail,
    parent: Scope | undefined,
    ctes: CteScope | undefined,
  ): PlannedQuery {
    if (tail.orderBy.length === 0 && tail.limit === "") return query;
    const scope = new Scope(parent, ctes);
    const relation = this.derived(query, undefined);
    scope.relations.push(relation);
    const binder = new Binder(this, scope, {
      clause: "ORDER BY",
      aggregates: false,
      windows: false,
    });
    const order = outputOrder(binder, tail.orderBy, relation.columns.length);
    return {
      fields: query.fields,
      sql: `SELECT * FROM (${query.sql}) AS ${relation.alias}${order}${tail.limit}`,
    };
  }

  /** The relation that a planned query is in FROM. */
  derived(query: PlannedQuery, qualifier: string | undefined, names?: readonly string[]): Relation {
    return makeRelation(
      this.alias(),
      qualifier,
      undefined,
      query.fields.map((field, i) => ({
        name: names?.[i] ?? field.name,
        type: field.type,
        sqlName: `c${i}`,
        origin: query.origins?.[i],
      })),
    );
  }

  #values(values: Values, parent: Scope | undefined, ctes: CteScope | undefined): BoundQuery {
    const binder = new Binder(this, new Scope(parent, ctes), {
      clause: "VALUES",
      aggregates: false,
      windows: false,
    });
    const rows = values.rows.map((row) => binder.bindAll(row));
    const width = rows[0]!.length;
    for (const row of rows)
      if (row.length !== width)
        throw planError(
          `Inconsistent data length across values list: got ${row.length} values in row but expected ${width}`,
        );
    const fields: ResultField[] = [];
    for (let i = 0; i < width; i++)
      fields.push({
        name: `column${i + 1}`,
        type: binder.unify(
          rows.map((row) => row[i]!),
          "VALUES",
        ),
      });
    const tuples = rows.map(
      (row) => `(${row.map((value, i) => castTo(value, fields[i]!.type).sql).join(", ")})`,
    );
    const names = fields.map((_, i) => `c${i}`).join(", ");
    return { fields, sql: `SELECT * FROM (VALUES ${tuples.join(", ")}) AS v(${names})` };
  }

  #setOperation(
    operation: SetOperation,
    parent: Scope | undefined,
    ctes: CteScope | undefined,
  ): BoundQuery {
    const none: Tail = { orderBy: [], limit: "" };
    const left = this.#body(operation.left, none, parent, ctes, false);
    const right = this.#body(operation.right, none, parent, ctes, false);
    return this.combine(operation, left, right);
  }

  combine(operation: SetOperation, left: BoundQuery, right: BoundQuery): BoundQuery {
    const word = operation.op.toUpperCase();
    if (left.fields.length !== right.fields.length)
      throw planError(
        `${word} queries have different number of columns: left has ${left.fields.length} columns whereas right has ${right.fields.length} columns`,
      );
    const fields = left.fields.map((field, i) => {
      const type = commonType(field.type, right.fields[i]!.type);
      if (type === undefined)
        throw planError(`Incompatible inputs for ${word}: column ${field.name} has no common type`);
      return { name: field.name, type };
    });
    const a = this.castColumns(
      left,
      fields.map((f) => f.type),
    ).sql;
    const b = this.castColumns(
      right,
      fields.map((f) => f.type),
    ).sql;
    return { fields, sql: `(${a}) ${word}${operation.all ? " ALL" : ""} (${b})` };
  }

  /** The query with its columns in these types. */
  castColumns(query: BoundQuery, types: readonly ColumnType[]): BoundQuery {
    if (query.fields.every((field, i) => sameType(field.type, types[i]!))) return query;
    const alias = this.alias();
    const columns = query.fields.map((field, i) => {
      const bound = { sql: `${alias}.c${i}`, type: field.type, name: field.name };
      return `${castTo(bound, types[i]!).sql} AS c${i}`;
    });
    return {
      fields: query.fields.map((field, i) => ({ name: field.name, type: types[i]! })),
      sql: `SELECT ${columns.join(", ")} FROM (${query.sql}) AS ${alias}`,
    };
  }

  #ctes(
    list: readonly Cte[],
    recursive: boolean,
    parent: Scope | undefined,
    outer: CteScope | undefined,
  ): { readonly sql: string; readonly visible: CteScope | undefined } {
    const seen = new Set<string>();
    const texts: string[] = [];
    let visible = outer;
    for (const cte of list) {
      const { name } = cte.name;
      if (seen.has(name)) throw planError(`WITH query name "${name}" specified more than once`);
      seen.add(name);
      const sqlName = `w${this.alias()}`;
      const query =
        recursive && cte.query.body.kind === "set_operation"
          ? this.#recursiveCte(cte, cte.query.body, sqlName, parent, visible)
          : this.query(cte.query, parent, visible);
      const columns = renamed(query.fields, cte);
      texts.push(`${sqlName} AS (${query.sql})`);
      visible = { entry: { name, sqlName, columns }, outer: visible };
    }
    return { sql: texts.join(", "), visible };
  }

  /** The first operand gives the columns that the second one, which names the CTE, sees. */
  #recursiveCte(
    cte: Cte,
    body: SetOperation,
    sqlName: string,
    parent: Scope | undefined,
    outer: CteScope | undefined,
  ): BoundQuery {
    if (cte.query.orderBy.length > 0 || cte.query.limit !== undefined)
      throw notSupported("ORDER BY or LIMIT of a recursive CTE");
    const none: Tail = { orderBy: [], limit: "" };
    const anchor = this.#body(body.left, none, parent, outer, false);
    const columns = renamed(anchor.fields, cte);
    const visible: CteScope = { entry: { name: cte.name.name, sqlName, columns }, outer };
    const step = this.#body(body.right, none, parent, visible, false);
    if (step.fields.length !== anchor.fields.length)
      throw planError("the two parts of a recursive CTE have different numbers of columns");
    const cast = this.castColumns(
      step,
      anchor.fields.map((f) => f.type),
    );
    return {
      fields: anchor.fields,
      sql: `${anchor.sql} ${body.op.toUpperCase()}${body.all ? " ALL" : ""} ${cast.sql}`,
    };
  }

  /** ` LIMIT n OFFSET m`, or nothing. Both must be known while planning. */
  #limit(
    limit: Expr | undefined,
    offset: Expr | undefined,
    parent: Scope | undefined,
    ctes: CteScope | undefined,
  ): string {
    let sql = "";
    for (const [word, expr] of [
      ["LIMIT", limit],
      ["OFFSET", offset],
    ] as const) {
      if (expr === undefined) continue;
      if (expr.kind === "subquery") throw notSupported(`a sub-query in ${word}`);
      const binder = new Binder(this, new Scope(parent, ctes), {
        clause: word,
        aggregates: false,
        windows: false,
      });
      const { constant, type } = binder.bind(expr);
      if (constant?.kind === "null") continue;
      if (constant?.kind !== "int")
        throw new DbError(
          "execute_query",
          `Expected ${word} to be an integer or null, but got ${type.kind}`,
        );
      if (constant.value < 0n)
        throw planError(`${word} must be >= 0, '${constant.value}' was provided.`);
      sql += ` ${word} ${constant.value}`;
    }
    return sql;
  }
}

/** Columns of a CTE under the names that it was given. */
function renamed(fields: readonly ResultField[], cte: Cte): readonly ResultField[] {
  if (cte.columns.length === 0) return fields;
  if (cte.columns.length !== fields.length)
    throw planError(
      `Source table contains ${fields.length} columns but only ${cte.columns.length} names given as column alias`,
    );
  return fields.map((field, i) => ({ name: cte.columns[i]!.name, type: field.type }));
}
