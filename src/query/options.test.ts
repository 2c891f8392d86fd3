import { expect, test } from "vitest";
import {
  checkDatabaseChanges,
  checkDatabaseOptions,
  checkTableChanges,
  checkTableOptions,
} from "./options.ts";

test("known keys with possible values are kept; those of the statement are not", () => {
  const given = {
    ttl: "7d",
    append_mode: "true",
    "greptime.semantic.source": "otlp",
    wait: "true",
  };
  expect(checkTableOptions(given)).toEqual({
    ttl: "7d",
    append_mode: "true",
    "greptime.semantic.source": "otlp",
  });
});

test.each([
  [{ foo: "1" }, "Unrecognized table option key: foo"],
  [{ append_mode: "maybe" }, "append_mode"],
  [{ merge_mode: "first_row" }, "merge_mode"],
  [{ ttl: "soon" }, "not a valid duration string: 'soon'"],
  [{ storage: "s3" }, "Object store not found: s3"],
  [{ max_row_group_row_count: "0" }, "max_row_group_row_count"],
  [{ max_row_group_row_count: "10485761" }, "max_row_group_row_count"],
])("CREATE TABLE WITH %j is refused", (options, message) => {
  expect(() => checkTableOptions(options)).toThrow(message);
});

test.each([
  [{ foo: "1" }, "Unrecognized database option key: foo"],
  [{ write_buffer_size: "1" }, "Unrecognized database option key: write_buffer_size"],
  [{ append_mode: "true", merge_mode: "last_row" }, "merge_mode is not allowed"],
])("CREATE DATABASE WITH %j is refused", (options, message) => {
  expect(() => checkDatabaseOptions(options)).toThrow(message);
});

test("SET takes alterable keys; NULL and '' reset", () => {
  expect(checkTableChanges({ ttl: "1d", sst_format: undefined, auto_flush_interval: "" })).toEqual({
    ttl: "1d",
    sst_format: undefined,
    auto_flush_interval: undefined,
  });
});

test.each([
  [
    { merge_mode: "last_row" },
    "Invalid set table option request: Invalid set region option request, key: merge_mode, value: last_row",
  ],
  [{ ttl: "x" }, "key: ttl, value: x"],
  [{ append_mode: "false" }, "Only allow changing append_mode from false to true"],
  [{ skip_wal: undefined }, "Only allow changing skip_wal from false to true"],
  [{ ttl: "1d", "greptime.semantic.source": "x" }, "statement of their own"],
])("ALTER TABLE SET %j is refused", (changes, message) => {
  expect(() => checkTableChanges(changes)).toThrow(message);
});

test("ALTER DATABASE knows ttl and compaction", () => {
  expect(checkDatabaseChanges({ ttl: "1d", "compaction.type": undefined })).toEqual({
    ttl: "1d",
    "compaction.type": undefined,
  });
  expect(() => checkDatabaseChanges({ append_mode: "true" })).toThrow(/append_mode/);
  expect(() => checkDatabaseChanges({ storage: "x" })).toThrow(
    "Invalid set database option, key: storage, value: x",
  );
});
