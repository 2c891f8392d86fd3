import { describe, expect, test } from "vitest";
import { T, type TableSchema } from "../types/mod.ts";
import { alterSchema } from "./alter.ts";
import type { AlterStep, NewColumn } from "./api.ts";
import { buildSchema } from "./create.ts";

const COLUMNS_MAX = 8;

function schema(): TableSchema {
  const columns: NewColumn[] = [
    { name: "host", type: T.string, role: "tag" },
    { name: "ts", type: T.timestampMs, role: "time" },
    { name: "cpu", type: T.float64, role: "field" },
    {
      name: "n",
      type: T.int32,
      role: "field",
      nullable: false,
      default: { kind: "literal", value: 1 },
    },
  ];
  return buildSchema({ columns, primaryKey: ["host"], options: {} }, 1024, {}, COLUMNS_MAX);
}

const alter = (...steps: AlterStep[]) => alterSchema(schema(), "t", steps, COLUMNS_MAX);
const add = (column: NewColumn, more: Partial<Extract<AlterStep, { kind: "add_column" }>> = {}) =>
  ({ kind: "add_column", column, ifNotExists: false, ...more }) as const;

describe("alterSchema", () => {
  test("columns go where they are told, tags also to the end of the key", () => {
    const next = alter(
      add({ name: "a", type: T.string, role: "tag" }, { position: "first" }),
      add({ name: "b", type: T.int64, role: "field" }, { position: { after: "host" } }),
      add({ name: "c", type: T.bool, role: "field" }),
    );
    expect(next.columns.map((c) => c.name)).toEqual(["a", "host", "b", "ts", "cpu", "n", "c"]);
    expect(next.primaryKey).toEqual([0, 4]);
    expect(next.version).toBe(1);
    expect(Object.isFrozen(next) && Object.isFrozen(next.columns)).toBe(true);
  });

  test("an id is never given out twice", () => {
    const dropped = alter({ kind: "drop_column", name: "cpu" });
    const again = alterSchema(
      dropped,
      "t",
      [add({ name: "cpu", type: T.float64, role: "field" })],
      COLUMNS_MAX,
    );
    expect(again.columns.find((c) => c.name === "cpu")?.id).toBe(4);
    expect(again.nextColumnId).toBe(5);
  });

  test("a statement is applied as a whole or not at all", () => {
    const before = schema();
    expect(() =>
      alterSchema(
        before,
        "t",
        [
          add({ name: "b", type: T.int64, role: "field" }),
          add({ name: "cpu", type: T.int64, role: "field" }),
        ],
        COLUMNS_MAX,
      ),
    ).toThrow("Column cpu already exists in table t");
    expect(before).toEqual(schema());
  });

  test("IF NOT EXISTS makes a repeated step harmless", () => {
    const step = add({ name: "b", type: T.int64, role: "field" }, { ifNotExists: true });
    const once = alter(step);
    expect(alterSchema(once, "t", [step], COLUMNS_MAX)).toBe(once);
  });

  const refused: [string, AlterStep, string, string][] = [
    [
      "drop unknown",
      { kind: "drop_column", name: "x" },
      "column_not_found",
      "Column x not exists in table t",
    ],
    [
      "drop tag",
      { kind: "drop_column", name: "host" },
      "invalid_arguments",
      "Not allowed to remove index column host from table t",
    ],
    [
      "drop time",
      { kind: "drop_column", name: "ts" },
      "invalid_arguments",
      "Not allowed to remove index column ts from table t",
    ],
    [
      "add existing",
      add({ name: "cpu", type: T.string, role: "field" }),
      "column_exists",
      "Column cpu already exists in table t",
    ],
    [
      "add not null",
      add({ name: "x", type: T.int64, role: "field", nullable: false }),
      "invalid_arguments",
      "no default value for column x",
    ],
    [
      "add after unknown",
      add({ name: "x", type: T.int64, role: "field" }, { position: { after: "y" } }),
      "column_not_found",
      "Column y not exists in table t",
    ],
    [
      "add time",
      add({ name: "x", type: T.timestampMs, role: "time" }),
      "invalid_arguments",
      "Not allowed to add a time index to table t",
    ],
    [
      "type of time",
      { kind: "modify_type", name: "ts", type: T.timestampNs },
      "invalid_arguments",
      "Invalid alter table(t) request: Not allowed to change time index column 'ts' datatype",
    ],
    [
      "type of tag",
      { kind: "modify_type", name: "host", type: T.int64 },
      "invalid_arguments",
      "Invalid alter table(t) request: Not allowed to change primary key index column 'host'",
    ],
    [
      "type not null",
      { kind: "modify_type", name: "n", type: T.string },
      "invalid_arguments",
      "Invalid alter table(t) request: column 'n' must be nullable to ensure safe conversion.",
    ],
    [
      "type no cast",
      { kind: "modify_type", name: "cpu", type: T.timestampMs },
      "invalid_arguments",
      "Invalid alter table(t) request: column 'cpu' cannot be cast automatically to type 'TimestampMillisecond'",
    ],
    [
      "default type",
      { kind: "set_default", name: "cpu", value: { kind: "literal", value: "x" } },
      "invalid_arguments",
      "the default value of column 'cpu' does not fit type 'Float64'",
    ],
    [
      "bad ttl",
      { kind: "set_options", options: { ttl: "soon" } },
      "invalid_arguments",
      "not a valid duration string: 'soon'",
    ],
  ];
  test.each(refused)("%s is refused by name", (_what, step, code, message) => {
    expect(() => alter(step)).toThrow(expect.objectContaining({ code, message }));
  });

  test("a type changes, the id stays", () => {
    const next = alter({ kind: "modify_type", name: "cpu", type: T.string });
    expect(next.columns[2]).toMatchObject({ id: 2, name: "cpu", type: { kind: "string" } });
    expect(alterSchema(next, "t", [{ kind: "modify_type", name: "cpu", type: T.string }], 8)).toBe(
      next,
    );
  });

  test("options: ttl is humanised, append mode never goes back", () => {
    const on = alter({ kind: "set_options", options: { ttl: "7d", append_mode: "true" } });
    expect(on.options).toEqual({ ttl: "7days", append_mode: "true" });
    for (const value of ["false", undefined])
      expect(() =>
        alterSchema(on, "t", [{ kind: "set_options", options: { append_mode: value } }], 8),
      ).toThrow("Only allow changing append_mode from false to true");
    const off = alterSchema(on, "t", [{ kind: "set_options", options: { ttl: undefined } }], 8);
    expect(off.options).toEqual({ append_mode: "true" });
  });

  test("comments and indexes come and go", () => {
    const on = alter(
      { kind: "set_comment", name: "cpu", comment: "load" },
      { kind: "set_comment", name: undefined, comment: "hosts" },
      { kind: "set_index", name: "cpu", index: "skipping", options: { type: "BLOOM" } },
    );
    expect(on.columns[2]).toMatchObject({
      comment: "load",
      indexes: { skipping: { type: "BLOOM" } },
    });
    expect(on.options.comment).toBe("hosts");
    const off = alterSchema(
      on,
      "t",
      [
        { kind: "set_comment", name: "cpu", comment: undefined },
        { kind: "set_comment", name: undefined, comment: undefined },
        { kind: "set_index", name: "cpu", index: "skipping", options: undefined },
      ],
      8,
    );
    expect(off.columns[2]).toEqual(schema().columns[2]);
    expect(off.options).toEqual({});
  });

  test("the number of columns has a limit, and a table over it can still shrink", () => {
    const five = ["a", "b", "c", "d", "e"].map((name) =>
      add({ name, type: T.bool, role: "field" }),
    );
    expect(() => alter(...five)).toThrow("a table has at most 8 columns, t would have 9");
    expect(
      alterSchema(schema(), "t", [{ kind: "drop_column", name: "cpu" }], 2).columns,
    ).toHaveLength(3);
  });
});
