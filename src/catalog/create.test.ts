import { describe, expect, test } from "vitest";
import { T } from "../types/mod.ts";
import type { NewColumn } from "./api.ts";
import { buildSchema } from "./create.ts";

const ts: NewColumn = { name: "ts", type: T.timestampMs, role: "time" };
const host: NewColumn = { name: "host", type: T.string, role: "tag" };
const cpu: NewColumn = { name: "cpu", type: T.float64, role: "field" };

const build = (
  columns: readonly NewColumn[],
  primaryKey: readonly string[] = [],
  options: Record<string, string> = {},
  database: Record<string, string> = {},
) => buildSchema({ columns, primaryKey, options }, 1024, database, 100);

describe("buildSchema", () => {
  test("ids follow the declaration, the key its own order", () => {
    const dc: NewColumn = { ...host, name: "dc" };
    const schema = build([dc, cpu, host, ts], ["host", "dc"]);
    expect(schema.columns.map((c) => [c.id, c.name])).toEqual([
      [0, "dc"],
      [1, "cpu"],
      [2, "host"],
      [3, "ts"],
    ]);
    expect(schema).toMatchObject({ tableId: 1024, version: 0, primaryKey: [2, 0], timeIndex: 3 });
    expect(schema.columns[3]?.nullable).toBe(false);
    expect(schema.columns[0]?.nullable).toBe(true);
  });

  const faults: [string, () => unknown, string, string][] = [
    ["no time index", () => build([cpu]), "invalid_syntax", "Missing time index constraint"],
    [
      "two time indexes",
      () => build([ts, { ...ts, name: "t2" }]),
      "invalid_syntax",
      "Invalid time index: expected only one time index constraint but actual 2",
    ],
    [
      "time index of another type",
      () => build([{ ...ts, type: T.int64 }]),
      "invalid_arguments",
      "time index column data type should be timestamp",
    ],
    [
      "twice the same name",
      () => build([ts, cpu, cpu]),
      "invalid_arguments",
      "column name `cpu` is duplicated",
    ],
    ["unknown key", () => build([ts], ["x"]), "invalid_arguments", "Cannot find column by name: x"],
    [
      "time in the key",
      () => build([ts], ["ts"]),
      "invalid_arguments",
      "column `ts` cannot be in the primary key",
    ],
    [
      "interval",
      () => build([ts, { ...cpu, type: T.interval }]),
      "invalid_arguments",
      "column name `cpu` is interval type, which is not supported",
    ],
    [
      "append mode with last_non_null",
      () => build([ts, cpu], [], { append_mode: "true", merge_mode: "last_non_null" }),
      "invalid_arguments",
      "Invalid region options, only last_row merge_mode is allowed when append_mode is enabled",
    ],
    [
      "merge mode of another name",
      () => build([ts, cpu], [], { merge_mode: "first" }),
      "invalid_arguments",
      "Invalid table option, key: merge_mode, value: first: expected one of last_row, last_non_null",
    ],
  ];
  test.each(faults)("%s is refused", (_what, run, code, message) => {
    expect(run).toThrow(expect.objectContaining({ code, message }));
  });

  test("options of the database are copied, except what stays live, and never against the table's own", () => {
    const database = {
      ttl: "7days",
      append_mode: "true",
      "compaction.type": "twcs",
      sst_format: "flat",
    };
    expect(build([ts, cpu], [], {}, database).options).toEqual({
      append_mode: "true",
      sst_format: "flat",
    });
    expect(build([ts, cpu], [], { merge_mode: "last_non_null" }, database).options).toEqual({
      merge_mode: "last_non_null",
      sst_format: "flat",
    });
  });
});
