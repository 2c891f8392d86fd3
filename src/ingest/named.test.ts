/** Rows with named columns, as SQL INSERT and later protocols hand them in. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RecordingStorage } from "../../test/harness/recording_storage.ts";
import { ManualClock, MemoryBudget, Metrics, silentLogger } from "../base/mod.ts";
import { type Catalog, openCatalog, type SlotKeeper } from "../catalog/mod.ts";
import { openLocalStore } from "../disk/mod.ts";
import { loadKernel } from "../kernel/mod.ts";
import { type FixedArray, type NamedRows, T, textColumn } from "../types/mod.ts";
import { createIngestor, type Ingestor } from "./mod.ts";

let home: string;
let storage: RecordingStorage;
let catalog: Catalog & SlotKeeper;
let ingest: Ingestor;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "tidemark-named-"));
  const kernel = await loadKernel({ seriesMax: 1000, columnsMax: 100 });
  storage = new RecordingStorage(kernel);
  const clock = new ManualClock();
  catalog = await openCatalog({
    store: await openLocalStore(home),
    storage,
    kernel,
    clock,
    log: silentLogger,
    prefix: "metadata/",
    columnsMax: 100,
  });
  ingest = createIngestor({
    catalog,
    storage,
    kernel,
    clock,
    metrics: new Metrics(),
    budget: new MemoryBudget(1 << 30),
    autoCreateTable: true,
    lineMergeMode: "last_non_null",
  });
  await catalog.createTable(
    {
      db: "public",
      name: "t",
      columns: [
        { name: "host", type: T.string, role: "tag" },
        { name: "id", type: T.int32, role: "tag", default: { kind: "literal", value: 7 } },
        { name: "ts", type: T.timestampMs, role: "time", default: { kind: "now" } },
        { name: "v", type: T.float64, role: "field" },
        { name: "n", type: T.int64, role: "field", nullable: false },
        {
          name: "d",
          type: T.date,
          role: "field",
          default: { kind: "literal", value: "2024-01-02" },
        },
      ],
      primaryKey: ["host", "id"],
      options: {},
    },
    false,
  );
});
afterEach(() => rm(home, { recursive: true, force: true }));

type Named = NamedRows["columns"][number];

const text = (
  name: string,
  role: Named["role"],
  values: readonly (string | undefined)[],
): Named => ({
  name,
  role,
  type: T.string,
  column: textColumn(values.length, (row) => values[row]),
});
const fixed = (
  name: string,
  role: Named["role"],
  type: Named["type"],
  values: FixedArray,
): Named => ({
  name,
  role,
  type,
  column: { type, values },
});
const of = (columns: readonly Named[], rows: number, table = "t"): NamedRows => ({
  db: "public",
  table,
  rows,
  columns,
});
const rows = (table = "t") => storage.region(catalog.table("public", table)!.regionIds[0]!)!.rows();

const n = fixed("n", "field", T.int64, new BigInt64Array([1n, 2n]));
const ts = fixed("ts", "time", T.timestampMs, new BigInt64Array([10n, 20n]));

describe("insertRows", () => {
  test("fills in defaults: literal, now, of a tag, of a date", async () => {
    expect(await ingest.insertRows(of([text("host", "tag", ["a", undefined]), n], 2))).toBe(2);
    const filled = { id: "7", ts: 1_700_000_000_000n, d: 19724 };
    expect(rows()).toEqual([
      { host: "a", n: 1n, ...filled },
      { n: 2n, ...filled },
    ]);
  });

  test("keeps an empty tag apart from an absent one", async () => {
    await ingest.insertRows(of([text("host", "tag", ["", undefined]), ts, n], 2));
    expect(rows().map((row) => row.host)).toEqual(["\0", undefined]);
  });

  const faults: [string, readonly Named[], string, string][] = [
    [
      "a column that is missing and has no default",
      [ts],
      "invalid_arguments",
      "No valid default value can be built automatically, column: n",
    ],
    [
      "a column nobody knows",
      [ts, n, text("x", "field", ["", ""])],
      "column_not_found",
      "Column x not exists in table t",
    ],
    [
      "another type",
      [ts, text("n", "field", ["1", "2"])],
      "invalid_arguments",
      't.n is Int64, got String "1"',
    ],
    [
      "another role",
      [ts, n, text("v", "tag", ["1", "2"])],
      "invalid_arguments",
      't.v is Float64 (a field), got a tag "1"',
    ],
  ];
  test.each(faults)("refuses %s, and all rows with it", async (_what, columns, code, message) => {
    await expect(ingest.insertRows(of(columns, 2))).rejects.toMatchObject({ code, message });
    expect(rows()).toEqual([]);
  });

  test("refuses NULL where it may not be", async () => {
    const nulls: Named = { ...n, column: { ...n.column, validity: new Uint8Array([1]) } };
    await expect(ingest.insertRows(of([ts, nulls], 2))).rejects.toMatchObject({
      message:
        "Invalid request to region, reason: column n is not null but input has null (table t)",
    });
  });

  test("needs the table", async () => {
    await expect(ingest.insertRows(of([ts], 2, "no"))).rejects.toMatchObject({
      code: "table_not_found",
      message: "Table not found: greptime.public.no",
    });
  });
});

describe("mergeRows", () => {
  const merge = (named: NamedRows, options = {}) => ingest.mergeRows(named, { options }, "otlp");

  test("makes the table in the order of the columns", async () => {
    const report = await merge(of([text("job", "tag", ["a", "b"]), n, ts], 2, "new"), {
      ttl: "1d",
    });
    expect(report).toMatchObject({ rowsWritten: 2, rowsRefused: 0 });
    const { schema } = catalog.table("public", "new")!;
    expect(schema.columns.map((c) => c.name)).toEqual(["job", "n", "ts"]);
    expect(schema.options).toEqual({ comment: "Created on insertion", ttl: "1day" });
  });

  test("adds columns, converts what fits, refuses the rows that do not", async () => {
    const at = fixed("time", "time", T.timestampNs, new BigInt64Array([10_999_999n, 20_000_000n]));
    const small = fixed("id", "tag", T.int64, new BigInt64Array([5n, 2n ** 40n]));
    const v = fixed("v", "field", T.int64, new BigInt64Array([3n, 4n]));
    const report = await merge(of([text("new", "tag", ["x", "y"]), small, at, v, n], 2));
    expect(report).toMatchObject({
      rowsWritten: 1,
      rowsRefused: 1,
      refusals: ["otlp row 2: t.id is Int32, got Int64 1099511627776"],
    });
    expect(rows()).toEqual([{ new: "x", id: "5", ts: 10n, v: 3, n: 1n, d: 19724 }]);
  });

  test("does not create where hints forbid it, nor in a database that is not there", async () => {
    const hints = { options: {}, autoCreateTable: false };
    await expect(ingest.mergeRows(of([n, ts], 2, "x"), hints, "otlp")).rejects.toMatchObject({
      code: "table_not_found",
    });
    await expect(merge({ ...of([n, ts], 2), db: "no" })).rejects.toMatchObject({
      code: "database_not_found",
    });
  });
});
