/** Arrays: the everyday ones, as DuckDB's lists. */
import { type ColumnType, T, typeName } from "../../types/mod.ts";
import type { Bound } from "../plan/bound.ts";
import { castTo } from "../plan/cast.ts";
import { planError } from "../plan/errors.ts";
import { commonType } from "../plan/numeric.ts";
import { ANY, integer, type ScalarDefinition, scalar, type Table, text } from "./definition.ts";
import { joined } from "./string.ts";

function list(
  arg: Bound,
  name: string,
): Bound & { readonly type: { kind: "list"; item: ColumnType } } {
  if (arg.type.kind !== "list")
    throw planError(`Function '${name}' expects a list but received ${typeName(arg.type)}`);
  return arg as Bound & { readonly type: { kind: "list"; item: ColumnType } };
}

/** A list and an element, in a common type. */
function withElement(args: readonly Bound[], name: string, listAt: 0 | 1) {
  const l = list(args[listAt]!, name);
  const element = args[1 - listAt]!;
  const item = commonType(l.type.item, element.type);
  if (item === undefined)
    throw planError(
      `Function '${name}': ${typeName(element.type)} does not fit into ${typeName(l.type)}`,
    );
  const type: ColumnType = { kind: "list", item };
  return { list: castTo(l, type).sql, element: castTo(element, item).sql, type };
}

const makeArray = scalar([0, ANY], (args, binder) => {
  if (args.length === 0) return { sql: "[]::BIGINT[]", type: { kind: "list", item: T.int64 } };
  const item = binder.unify(args, "make_array");
  const items = args.map((arg) => castTo(arg, item).sql).join(", ");
  return { sql: `[${items}]`, type: { kind: "list", item } };
});

const same = (duck: string) =>
  scalar(1, ([l]) => {
    const array = list(l!, duck);
    return { sql: `${duck}(${array.sql})`, type: array.type };
  });

const length = scalar(1, ([l]) => ({
  sql: `CAST(len(${list(l!, "array_length").sql}) AS UBIGINT)`,
  type: T.uint64,
}));

const range = (name: "range" | "generate_series"): ScalarDefinition =>
  scalar([1, 3], (args) => ({
    sql: `${name}(${args.map((arg) => integer(arg, name)).join(", ")})`,
    type: { kind: "list", item: T.int64 },
  }));

const extract = scalar(2, ([l, n]) => {
  const array = list(l!, "array_element");
  return {
    sql: `list_extract(${array.sql}, ${integer(n!, "array_element")})`,
    type: array.type.item,
  };
});

const has = scalar(2, (args) => {
  const parts = withElement(args, "array_has", 0);
  return { sql: `list_contains(${parts.list}, ${parts.element})`, type: T.bool };
});

const concat = scalar([1, ANY], (args, binder) => {
  const type = binder.unify(
    args.map((arg) => list(arg, "array_concat")),
    "array_concat",
  );
  const sql = args.map((arg) => castTo(arg, type).sql).reduce((a, b) => `list_concat(${a}, ${b})`);
  return { sql, type };
});

const entries: Table = {
  append: scalar(2, (args) => {
    const parts = withElement(args, "array_append", 0);
    return { sql: `list_append(${parts.list}, ${parts.element})`, type: parts.type };
  }),
  cat: concat,
  concat,
  contains: has,
  distinct: same("list_distinct"),
  element: extract,
  extract,
  has,
  length,
  position: scalar(2, (args) => {
    const parts = withElement(args, "array_position", 0);
    return {
      sql: `CAST(nullif(list_position(${parts.list}, ${parts.element}), 0) AS UBIGINT)`,
      type: T.uint64,
    };
  }),
  prepend: scalar(2, (args) => {
    const parts = withElement(args, "array_prepend", 1);
    return { sql: `list_prepend(${parts.element}, ${parts.list})`, type: parts.type };
  }),
  reverse: same("list_reverse"),
  sort: scalar(1, ([l]) => {
    const array = list(l!, "array_sort");
    return { sql: `list_sort(${array.sql}, 'ASC', 'NULLS FIRST')`, type: array.type };
  }),
  to_string: scalar(2, ([l, separator]) => ({
    sql: joined(
      castTo(list(l!, "array_to_string"), { kind: "list", item: T.string }).sql,
      separator!,
    ),
    type: T.string,
  })),
};

/** Every one is known as array_x and as list_x. */
export const ARRAY: Table = {
  ...Object.fromEntries(
    Object.entries(entries).flatMap(([name, definition]) => [
      [`array_${name}`, definition],
      [`list_${name}`, definition],
    ]),
  ),
  cardinality: length,
  empty: scalar(1, ([l]) => ({ sql: `(len(${list(l!, "empty").sql}) = 0)`, type: T.bool })),
  generate_series: range("generate_series"),
  make_array: makeArray,
  make_list: makeArray,
  range: range("range"),
  string_to_array: scalar(2, ([s, separator]) => ({
    sql: `CASE WHEN ${text(s!)} = '' THEN [] ELSE string_split(${text(s!)}, coalesce(${text(separator!)}, '')) END`,
    type: { kind: "list", item: T.string },
  })),
  unnest: scalar(
    1,
    ([l]) => {
      const array = list(l!, "unnest");
      return { sql: `unnest(${array.sql})`, type: array.type.item, name: `UNNEST(${l!.name})` };
    },
    "UNNEST",
  ),
};
