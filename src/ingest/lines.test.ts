/** Line protocol through the real kernel and the real catalog into a storage that records. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RecordingStorage, type Row } from "../../test/harness/recording_storage.ts";
import { DbError, ManualClock, MemoryBudget, Metrics, silentLogger } from "../base/mod.ts";
import { type Catalog, openCatalog, type SlotKeeper } from "../catalog/mod.ts";
import { openLocalStore } from "../disk/mod.ts";
import { type Kernel, loadKernel, type Precision } from "../kernel/mod.ts";
import { T } from "../types/mod.ts";
import { createIngestor, type Ingestor, type WriteHints, type WriteReport } from "./mod.ts";

const COLUMNS_MAX = 200;

let home: string;
let kernel: Kernel;
let storage: RecordingStorage;
let catalog: Catalog & SlotKeeper;
let ingest: Ingestor;
const clock = new ManualClock();
const budget = new MemoryBudget(1 << 30);

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "tidemark-ingest-"));
  kernel = await loadKernel({ seriesMax: 10_000, columnsMax: COLUMNS_MAX });
  storage = new RecordingStorage(kernel);
  catalog = await openCatalog({
    store: await openLocalStore(home),
    storage,
    kernel,
    clock,
    log: silentLogger,
    prefix: "metadata/",
    columnsMax: COLUMNS_MAX,
  });
  ingest = ingestor();
});

afterEach(async () => {
  expect(budget.used("in_flight")).toBe(0);
  await rm(home, { recursive: true, force: true });
});

function ingestor(autoCreateTable = true): Ingestor {
  const metrics = new Metrics();
  const parts = { catalog, storage, kernel, clock, metrics, budget };
  return createIngestor({ ...parts, autoCreateTable, lineMergeMode: "last_non_null" });
}

interface Write {
  precision?: Precision;
  hints?: WriteHints;
  db?: string;
}

function write(lines: string, { precision = "ns", hints, db = "public" }: Write = {}) {
  const body = [new TextEncoder().encode(lines)];
  return ingest.writeLines({ db, precision, body, hints: hints ?? { options: {} } });
}

function rows(table: string, db = "public"): Row[] {
  const info = catalog.table(db, table);
  return info === undefined ? [] : storage.region(info.regionIds[0]!)!.rows();
}

const columns = (table: string) =>
  catalog.table("public", table)?.schema.columns.map((c) => `${c.name} ${c.role} ${c.type.kind}`);

const all = (count: number): WriteReport => ({
  rowsWritten: count,
  rowsRefused: 0,
  refusals: [],
  rowsOverLimit: 0,
});

describe("a new table", () => {
  test("has the first line's tags and fields, the time, then what later lines add", async () => {
    const lines = "m,b=1,a=2 v=1,i=2i 1\nm,c=3,a=2 w=t 2\nm,a=1,d=4 u=3u 3\n";
    expect(await write(lines)).toEqual(all(3));
    expect(columns("m")).toEqual([
      "b tag string",
      "a tag string",
      "v field float64",
      "i field int64",
      "greptime_timestamp time timestamp",
      "c tag string",
      "w field bool",
      "d tag string",
      "u field uint64",
    ]);
    const { schema } = catalog.table("public", "m")!;
    expect(schema.primaryKey.map((id) => schema.columns.find((c) => c.id === id)?.name)).toEqual([
      "b",
      "a",
      "c",
      "d",
    ]);
    expect(schema.options).toEqual({
      comment: "Created on insertion",
      merge_mode: "last_non_null",
    });
    expect(rows("m")).toEqual([
      { b: "1", a: "2", v: 1, i: 2n, greptime_timestamp: 1n },
      { c: "3", a: "2", w: true, greptime_timestamp: 2n },
      { a: "1", d: "4", u: 3n, greptime_timestamp: 3n },
    ]);
  });

  test("needs no tags", async () => {
    await write('m s="x" 1');
    expect(columns("m")).toEqual(["s field string", "greptime_timestamp time timestamp"]);
    expect(catalog.table("public", "m")?.schema.primaryKey).toEqual([]);
  });

  const hinted: [Record<string, string>, Record<string, string>][] = [
    [{ append_mode: "true" }, { append_mode: "true", merge_mode: "last_row" }],
    [{ merge_mode: "last_row" }, { merge_mode: "last_row" }],
    [
      { ttl: "30d", physical_table: "x" },
      { ttl: "30days", merge_mode: "last_non_null" },
    ],
    [{ comment: "mine" }, { comment: "mine", merge_mode: "last_non_null" }],
  ];
  test.each(hinted)("hints %o give options %o", async (options, want) => {
    await write("m v=1 1", { hints: { options } });
    expect(catalog.table("public", "m")?.schema.options).toEqual({
      comment: "Created on insertion",
      ...want,
    });
  });

  test("a database in append mode has its way", async () => {
    await catalog.createDatabase("logs", { append_mode: "true" }, false);
    await write("m v=1 1", { db: "logs" });
    expect(catalog.table("logs", "m")?.schema.options).toMatchObject({ append_mode: "true" });
    expect(catalog.table("logs", "m")?.schema.options.merge_mode).toBeUndefined();
  });

  test("is not made where it may not be, and its name is then free for other types", async () => {
    const no = { hints: { options: {}, autoCreateTable: false } };
    expect(await write("m v=1i 1\nm v=2i 2", no)).toMatchObject({
      rowsWritten: 0,
      rowsRefused: 2,
      refusals: ["line 1: Table `m` does not exist, and `auto_create_table` hint is disabled"],
    });
    ingest = ingestor(false);
    expect((await write("m v=1i 1")).refusals).toEqual([
      "line 1: Table `m` does not exist, and auto-create table is disabled by frontend config",
    ]);
    expect(kernel.findSlot(catalog.database("public")!.handle, "m")).toBeUndefined();
    ingest = ingestor();
    expect(await write("m v=1.5 1")).toEqual(all(1));
  });

  test("needs a name that can be one; other tables of the body are stored", async () => {
    const report = await write("0bad v=1 1\ngood v=1 2\n");
    expect(report).toMatchObject({
      rowsWritten: 1,
      rowsRefused: 1,
      refusals: ["line 1: Invalid table name: 0bad"],
    });
    expect(rows("good")).toHaveLength(1);
  });

  test("of a database that does not exist is an error of the whole request", async () => {
    await expect(write("m v=1 1", { db: "nope" })).rejects.toMatchObject({
      code: "database_not_found",
    });
    await expect(write("m v=1 1", { db: "information_schema" })).rejects.toMatchObject({
      code: "unsupported",
    });
  });
});

describe("types and roles", () => {
  test("only the offending row is refused, named by line, table, column and both types", async () => {
    await write("cpu,host=a usage=1.5 1");
    const report = await write(
      'cpu,host=a usage=2.5 2\ncpu,host=a usage="x" 3\ncpu,host=a usage=4 4\n',
    );
    expect(report).toMatchObject({ rowsWritten: 2, rowsRefused: 1 });
    expect(report.refusals[0]).toMatch(/^line 2, column \d+: cpu\.usage is Float64, got String/);
    expect(rows("cpu").map((row) => row.usage)).toEqual([1.5, 2.5, 4]);
  });

  test("an integer goes into a float column, a float not into an integer column", async () => {
    await write("m f=0.5,i=1i 1");
    expect(await write("m f=0i 2")).toEqual(all(1));
    const report = await write("m i=0.28 3");
    expect(report).toMatchObject({ rowsWritten: 0, rowsRefused: 1 });
    expect(report.refusals[0]).toMatch(/m\.i is Int64, got Float64/);
  });

  test("a field that is a tag, and a tag that is a field, is refused and never renamed", async () => {
    await write("m,r=x v=1 1");
    const report = await write('m r="y" 2\nm,v=z r2=1 3');
    expect(report).toMatchObject({ rowsWritten: 0, rowsRefused: 2 });
    expect(report.refusals[0]).toMatch(/line 1, column \d+: m\.r is a tag, got a field/);
    expect(report.refusals[1]).toMatch(
      /line 2, column \d+: m\.v is a field \(Float64\), got a tag/,
    );
    expect(columns("m")).toEqual([
      "r tag string",
      "v field float64",
      "greptime_timestamp time timestamp",
    ]);
  });

  test("narrow columns take what fits, exactly", async () => {
    await catalog.createTable(
      {
        db: "public",
        name: "n",
        columns: [
          { name: "ts", type: T.timestampNs, role: "time" },
          { name: "i8", type: T.int8, role: "field" },
          { name: "u16", type: T.uint16, role: "field" },
          { name: "f32", type: T.float32, role: "field" },
          { name: "js", type: T.json, role: "field" },
          { name: "d", type: T.date, role: "field" },
        ],
        primaryKey: [],
        options: {},
      },
      false,
    );
    const body = [
      'n i8=127i,u16=65535u,f32=0.5,js="{}" 1',
      "n i8=128i 2",
      "n u16=65536u 3",
      "n f32=1e300 4",
      'n js="{" 5',
      'n d="2024-01-01" 6',
      "n i8=-128i 7",
    ].join("\n");
    const report = await write(body);
    expect(report).toMatchObject({ rowsWritten: 2, rowsRefused: 5 });
    expect(report.refusals.slice(0, 4)).toEqual([
      "line 2: n.i8 is Int8, got Int64 128",
      "line 3: n.u16 is UInt16, got UInt64 65536",
      "line 4: n.f32 is Float32, got Float64 1e+300",
      'line 5: n.js is Json, got String "{"',
    ]);
    expect(report.refusals[4]).toMatch(/^line 6, column \d+: n\.d is Date, got String/);
    expect(rows("n")).toEqual([
      { i8: 127, u16: 65535, f32: 0.5, js: "{}", ts: 1n },
      { i8: -128, ts: 7n },
    ]);
  });

  test("tags of other types are not written by lines", async () => {
    await catalog.createTable(
      {
        db: "public",
        name: "t",
        columns: [
          { name: "id", type: T.int32, role: "tag" },
          { name: "ts", type: T.timestampMs, role: "time" },
          { name: "v", type: T.float64, role: "field" },
        ],
        primaryKey: ["id"],
        options: {},
      },
      false,
    );
    expect(await write("t,id=7 v=1 1000000\nt v=2 2000000")).toMatchObject({
      rowsWritten: 1,
      refusals: ["line 1: t.id is a tag of type Int32, got String"],
    });
    expect(rows("t")).toEqual([{ v: 2, ts: 2n }]);
  });

  test("the time index cannot be written by name", async () => {
    await write("m v=1 1");
    const report = await write("m greptime_timestamp=5i 4\nm,greptime_timestamp=5 v=1 5\nm v=6 6");
    expect(report).toMatchObject({ rowsWritten: 1, rowsRefused: 2 });
    expect(report.refusals[0]).toContain("m.greptime_timestamp is the time index, got Int64");
    expect(report.refusals[1]).toContain("m.greptime_timestamp is the time index, got a tag");
    const lines = "fresh greptime_timestamp=5i,v=1 1\nfresh v=2 2";
    expect(await write(lines)).toMatchObject({
      rowsWritten: 1,
      refusals: ["line 1: fresh.greptime_timestamp is the time index, got Int64 5"],
    });
    const tagged = "tagged,greptime_timestamp=5 v=1 1\ntagged v=2 2";
    expect(await write(tagged)).toMatchObject({
      rowsWritten: 1,
      refusals: ["line 1: tagged: a tag of this line has become a field"],
    });
    expect(rows("tagged")).toEqual([{ v: 2, greptime_timestamp: 2n }]);
    expect(columns("fresh")).toEqual(["v field float64", "greptime_timestamp time timestamp"]);
  });
});

describe("times", () => {
  test("another time index is filled and converted, floor before 1970", async () => {
    await catalog.createTable(
      {
        db: "public",
        name: "t",
        columns: [
          { name: "v", type: T.float64, role: "field" },
          { name: "at", type: T.timestampMs, role: "time" },
        ],
        primaryKey: [],
        options: {},
      },
      false,
    );
    await write("t v=1 1700000000123456789\nt v=2 -1");
    expect(rows("t").map((row) => row.at)).toEqual([1_700_000_000_123n, -1n]);
    expect(columns("t")).toEqual(["v field float64", "at time timestamp"]);
  });

  test("every precision becomes nanoseconds; a missing time is now, cut to the precision", async () => {
    clock.setNs(1_700_000_000_123_456_789n);
    await write("p v=1 1700000000", { precision: "s" });
    await write("p v=2", { precision: "ms" });
    await write("p v=3");
    expect(rows("p").map((row) => row.greptime_timestamp)).toEqual([
      1_700_000_000_000_000_000n,
      1_700_000_000_123_000_000n,
      1_700_000_000_123_456_789n,
    ]);
  });

  test("digits beyond 2^53 stay", async () => {
    await write("m v=1 1460549358372198212");
    expect(rows("m")[0]?.greptime_timestamp).toBe(1460549358372198212n);
  });

  test("a time that the precision cannot mean is refused", async () => {
    const report = await write("m v=1 1566086400000000000\nm v=2 1", { precision: "s" });
    expect(report).toMatchObject({ rowsWritten: 1, rowsRefused: 1 });
    expect(report.refusals[0]).toMatch(/^line 1, column \d+: timestamp out of range/);
  });
});

describe("defaults and NOT NULL", () => {
  const table = (options: Record<string, string>) =>
    catalog.createTable(
      {
        db: "public",
        name: "t",
        columns: [
          { name: "ts", type: T.timestampNs, role: "time" },
          { name: "d", type: T.int32, role: "field", default: { kind: "literal", value: 7n } },
          { name: "s", type: T.string, role: "field", default: { kind: "literal", value: "x" } },
          { name: "must", type: T.float64, role: "field", nullable: false },
        ],
        primaryKey: [],
        options,
      },
      false,
    );

  test("a line gets the defaults of what it lacks, and is refused where it may not lack it", async () => {
    await table({});
    const report = await write('t must=1 1\nt must=2,d=9i 2\nt must=3,s="y" 3\nt d=1i 4');
    expect(report).toMatchObject({
      rowsWritten: 3,
      refusals: ["line 4: t.must is not null but input has null"],
    });
    expect(rows("t")).toEqual([
      { must: 1, d: 7, s: "x", ts: 1n },
      { must: 2, d: 9, s: "x", ts: 2n },
      { must: 3, d: 7, s: "y", ts: 3n },
    ]);
  });

  test("with last_non_null what a line lacks keeps its value", async () => {
    await table({ merge_mode: "last_non_null" });
    await write("t must=1 1");
    expect(rows("t")).toEqual([{ must: 1, ts: 1n }]);
  });
});

describe("races", () => {
  test("fifty first writers, each with a tag and a field of its own", async () => {
    const writers = Array.from({ length: 50 }, (_, i) => write(`m,t${i}=v${i} f${i}=${i}i ${i}`));
    expect(await Promise.all(writers)).toEqual(writers.map(() => all(1)));
    const names = catalog
      .table("public", "m")!
      .schema.columns.map((c) => c.name)
      .sort();
    const want = Array.from({ length: 50 }, (_, i) => [`t${i}`, `f${i}`]).flat();
    expect(names).toEqual([...want, "greptime_timestamp"].sort());
    const stored = rows("m");
    for (let i = 0; i < 50; i++)
      expect(stored).toContainEqual({
        [`t${i}`]: `v${i}`,
        [`f${i}`]: BigInt(i),
        greptime_timestamp: BigInt(i),
      });
    expect(stored).toHaveLength(50);
    // One creation, and the rest in one change: not fifty.
    expect(catalog.table("public", "m")!.schema.version).toBeLessThan(60);
  });

  test("two first writers with another type: the first wins, the second is told", async () => {
    const [a, b] = await Promise.all([write("m v=1i 1"), write("m v=1.5 2")]);
    expect(a).toEqual(all(1));
    expect(b).toMatchObject({ rowsWritten: 0, rowsRefused: 1 });
    expect(b.refusals[0]).toContain("m.v is Int64, got Float64");
  });

  test("a column that ALTER makes in another type meanwhile", async () => {
    await write("m v=1 1");
    const racing = write("m v=2,x=1i 2\nm v=3 3");
    const altered = catalog.alterTable("public", "m", [
      {
        kind: "add_column",
        column: { name: "x", type: T.string, role: "field" },
        ifNotExists: true,
      },
    ]);
    const report = await racing;
    await altered;
    // Whoever came first, the other is told or kept out; nothing is lost and nothing is renamed.
    const type = catalog.table("public", "m")?.schema.columns.find((c) => c.name === "x")
      ?.type.kind;
    expect(report.rowsWritten).toBe(type === "int64" ? 2 : 1);
    expect(rows("m").map((row) => row.v)).toContain(3);
  });

  test("a table that is dropped under its rows gets them again", async () => {
    await write("m,h=a v=1 1");
    let go = () => {};
    storage.pause = new Promise((resolve) => {
      go = resolve;
    });
    const racing = write("m,h=b v=2 2");
    const dropped = catalog.dropTable("public", "m", false);
    go();
    await dropped;
    expect(await racing).toEqual(all(1));
    const after = await write("m,h=c v=3 3");
    expect(after).toEqual(all(1));
    expect(rows("m")).toContainEqual({ h: "c", v: 3, greptime_timestamp: 3n });
  });

  test("RENAME under its rows: they are written to the old name, which is a new table", async () => {
    await write("m v=1 1");
    await catalog.alterTable("public", "m", [{ kind: "rename", to: "n" }]);
    await write("n v=2 2\nm w=3i 3");
    expect(rows("n").map((row) => row.v)).toEqual([1, 2]);
    expect(columns("m")).toEqual(["w field int64", "greptime_timestamp time timestamp"]);
  });

  test("MODIFY, DROP and ADD of a field are followed by the next line", async () => {
    await write("m v=1i,x=1 1");
    const types = () =>
      catalog.table("public", "m")?.schema.columns.map((c) => `${c.id} ${c.name} ${c.type.kind}`);
    await catalog.alterTable("public", "m", [{ kind: "modify_type", name: "v", type: T.string }]);
    expect(await write('m v="s" 2')).toEqual(all(1));
    expect(await write("m v=2i 3")).toMatchObject({ rowsRefused: 1 });
    await catalog.alterTable("public", "m", [{ kind: "drop_column", name: "x" }]);
    expect(await write("m x=t 4")).toEqual(all(1));
    expect(types()).toEqual(["0 v string", "2 greptime_timestamp timestamp", "3 x bool"]);
  });
});

describe("failures of the store", () => {
  const full = () => new DbError("storage_unavailable", "no space left", { retryAfterSec: 5 });

  test("nothing stored: the error as it is", async () => {
    await write("m v=1 1");
    storage.faults.set("write", full());
    await expect(write("m v=2 2")).rejects.toMatchObject({
      code: "storage_unavailable",
      message: "no space left",
    });
    expect(await write("m v=2 2")).toEqual(all(1));
  });

  test("some tables stored: the error says which", async () => {
    await write("a v=1 1\nb v=1 1");
    storage.faults.set("write", full());
    await expect(write("a v=2 2\nb v=2 2\nb v=3 3")).rejects.toMatchObject({
      code: "storage_unavailable",
      message: "a: no space left; stored: b (2 rows)",
      options: { retryAfterSec: 5 },
    });
  });

  test("a region that could not follow a schema change follows before the next row", async () => {
    await write("m v=1 1");
    storage.faults.set("setSchema", full());
    await expect(write("m v=2,w=2 2")).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await write("m v=3,w=3 3")).toEqual(all(1));
    expect(rows("m").at(-1)).toEqual({ v: 3, w: 3, greptime_timestamp: 3n });
  });

  test("a table that could not be made leaves no kind behind", async () => {
    storage.faults.set("createRegion", full());
    await expect(write("m v=1i 1")).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(catalog.table("public", "m")).toBeUndefined();
    expect(await write("m v=1.5 1")).toEqual(all(1));
  });
});

describe("the body", () => {
  test("bad lines are refused alone, in order, and at most a hundred are named", async () => {
    const bad = Array.from({ length: 150 }, (_, i) => `m v=1.${i}.2 1`);
    const report = await write(["m v=1 1", ...bad, "m v=2 2"].join("\n"));
    expect(report).toMatchObject({ rowsWritten: 2, rowsRefused: 150 });
    expect(report.refusals).toHaveLength(100);
    expect(report.refusals[0]).toMatch(/^line 2, column \d+: not a number$/);
  });

  test("a tag value that ends in a backslash is refused with its line and column", async () => {
    const report = await write("d,check=C:\\,host=a v=1 1\nd,host=a v=2 2");
    expect(report).toMatchObject({ rowsWritten: 1, rowsRefused: 1 });
    expect(report.refusals[0]).toMatch(/^line 1, column \d+: /);
  });

  test("CRLF ends lines, empty bodies are fine", async () => {
    const report = await write('m v=1 1\r\nm v="a" 2\r\n');
    expect(report).toMatchObject({ rowsWritten: 1, rowsRefused: 1 });
    expect(await write("")).toEqual(all(0));
    expect(await write("# nothing\n\n  \n")).toEqual(all(0));
  });

  test("rows beyond the series limit are told apart from bad ones", async () => {
    const lines = Array.from({ length: 10_050 }, (_, i) => `m,id=${i} v=1 1`).join("\n");
    const report = await write(lines);
    expect(report).toMatchObject({ rowsWritten: 10_000, rowsRefused: 50, rowsOverLimit: 50 });
    expect(report.refusals[0]).toContain("as many series as it may have");
  });

  test("ttl = 'instant' takes rows and keeps none", async () => {
    await write("m v=1 1", { hints: { options: { ttl: "instant" } } });
    expect(await write("m v=2 2")).toEqual(all(1));
    expect(rows("m")).toEqual([]);
  });
});
