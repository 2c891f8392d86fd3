/** Conditional functions, and those that tell about the session. */
import { T } from "../../types/mod.ts";
import type { Bound } from "../plan/bound.ts";
import { castTo } from "../plan/cast.ts";
import { compare } from "../plan/compare.ts";
import { planError } from "../plan/errors.ts";
import { stringLiteral, stringSql } from "../plan/literal.ts";
import { isNumeric } from "../plan/numeric.ts";
import { ANY, type ScalarDefinition, scalar, type Table } from "./definition.ts";

const coalesce = scalar([1, ANY], (args, binder) => {
  const type = binder.unify(args, "coalesce");
  return { sql: `coalesce(${args.map((arg) => castTo(arg, type).sql).join(", ")})`, type };
});

const ifnull: ScalarDefinition = { ...coalesce, min: 2, max: 2 };

function nullif(args: readonly Bound[], binder: Parameters<ScalarDefinition["bind"]>[1]) {
  const [a, b] = args as [Bound, Bound];
  const same = compare("=", a, b, binder.env.timezone).sql;
  return { sql: `CASE WHEN ${same} THEN NULL ELSE ${a.sql} END`, type: a.type };
}

function nvl2(args: readonly Bound[], binder: Parameters<ScalarDefinition["bind"]>[1]) {
  const [test, yes, no] = args as [Bound, Bound, Bound];
  const type = binder.unify([yes, no], "nvl2");
  const sql = `CASE WHEN ${test.sql} IS NOT NULL THEN ${castTo(yes, type).sql} ELSE ${castTo(no, type).sql} END`;
  return { sql, type };
}

function ifElse(args: readonly Bound[], binder: Parameters<ScalarDefinition["bind"]>[1]) {
  const [test, yes, no] = args as [Bound, Bound, Bound];
  const type = binder.unify([yes, no], "if");
  const condition = isNumeric(test.type) ? `(${test.sql} <> 0)` : binder.condition(test, "if").sql;
  const sql = `CASE WHEN ${condition} THEN ${castTo(yes, type).sql} ELSE ${castTo(no, type).sql} END`;
  return { sql, type };
}

/** A text that is known before the query runs. */
const known = (value: (binder: Parameters<ScalarDefinition["bind"]>[1]) => string) =>
  scalar([0, 1], (_args, binder) => {
    const { sql, type, constant } = stringLiteral(value(binder));
    return { sql, type, constant };
  });

const isnull = scalar(1, ([x]) => ({ sql: `(${x!.sql} IS NULL)`, type: T.bool }));

const connectionId = scalar(0, (_args, binder) => ({
  sql: `${binder.env.connectionId}::BIGINT`,
  type: T.int64,
}));

/** Comments of objects: there are none. */
const noDescription = scalar([1, 2], () => ({ sql: "NULL::VARCHAR", type: T.string }));

export const CONDITIONAL: Table = {
  coalesce,
  if: scalar(3, ifElse),
  ifnull,
  isnull,
  nullif: scalar(2, nullif),
  nvl: ifnull,
  nvl2: scalar(3, nvl2),
};

export const SESSION: Table = {
  col_description: noDescription,
  connection_id: connectionId,
  current_catalog: known(() => "greptime"),
  current_database: known(() => "greptime"),
  current_schema: known((binder) => binder.env.db),
  current_schemas: scalar(1, (_args, binder) => ({
    sql: `[${[binder.env.db, "information_schema", "pg_catalog", "greptime_private"].map(stringSql).join(", ")}]`,
    type: { kind: "list", item: T.string },
  })),
  current_user: known((binder) => binder.env.user),
  database: known((binder) => binder.env.db),
  format_type: scalar(2, ([oid]) => ({ sql: castTo(oid!, T.string).sql, type: T.string })),
  has_database_privilege: scalar([2, 3], () => ({ sql: "TRUE", type: T.bool })),
  has_schema_privilege: scalar([2, 3], () => ({ sql: "TRUE", type: T.bool })),
  has_table_privilege: scalar([2, 3], () => ({ sql: "TRUE", type: T.bool })),
  obj_description: noDescription,
  pg_backend_pid: connectionId,
  pg_get_userbyid: known((binder) => binder.env.user),
  pg_my_temp_schema: scalar(0, () => ({ sql: "0::BIGINT", type: T.int64 })),
  pg_table_is_visible: scalar(1, () => ({ sql: "TRUE", type: T.bool })),
  pg_total_relation_size: scalar(1, () => ({ sql: "0::BIGINT", type: T.int64 })),
  quote_ident: scalar(1, ([x]) => {
    if (x!.type.kind !== "string") throw planError("quote_ident needs a string");
    const quoted = `'"' || replace(${x!.sql}, '"', '""') || '"'`;
    return {
      sql: `CASE WHEN regexp_full_match(${x!.sql}, '[a-z_][a-z0-9_]*') THEN ${x!.sql} ELSE ${quoted} END`,
      type: T.string,
    };
  }),
  read_preference: known(() => "leader"),
  session_user: known((binder) => binder.env.user),
  shobj_description: noDescription,
  timezone: known((binder) => binder.env.timezone),
  user: known((binder) => binder.env.user),
  version: known((binder) => binder.env.version),
};
