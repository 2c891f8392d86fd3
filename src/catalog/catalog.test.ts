/** The catalog over a real store and the real kernel, with a storage that records: durability, order of steps, faults. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RecordingStorage } from "../../test/harness/recording_storage.ts";
import { ManualClock, silentLogger } from "../base/mod.ts";
import { FaultPlan, faultyStore, type ObjectStore, openLocalStore } from "../disk/mod.ts";
import { type Kernel, loadKernel } from "../kernel/mod.ts";
import { T } from "../types/mod.ts";
import type { AlterStep, NewTable, SchemaWish } from "./api.ts";
import { type Catalog, openCatalog, type SlotKeeper } from "./mod.ts";

let home: string;
let store: ObjectStore;
let plan: FaultPlan;
let kernel: Kernel;
let storage: RecordingStorage;
let catalog: Catalog & SlotKeeper;
const clock = new ManualClock();

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "tidemark-catalog-"));
  await restart();
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** A new process over the same files. */
async function restart(): Promise<void> {
  plan = new FaultPlan();
  store = faultyStore(await openLocalStore(home), plan);
  kernel = await loadKernel({ seriesMax: 1000, columnsMax: 110 });
  storage = new RecordingStorage(kernel);
  catalog = await openCatalog({
    store,
    storage,
    kernel,
    clock,
    log: silentLogger,
    prefix: "metadata/",
    columnsMax: 110,
  });
}

const cpu = (name = "cpu"): NewTable => ({
  db: "public",
  name,
  columns: [
    { name: "host", type: T.string, role: "tag" },
    { name: "ts", type: T.timestampMs, role: "time" },
    {
      name: "usage",
      type: T.float64,
      role: "field",
      default: { kind: "literal", value: 2n ** 63n - 1n },
    },
  ],
  primaryKey: ["host"],
  options: { ttl: "7d" },
});

const wish = (columns: SchemaWish["columns"], table = "m"): SchemaWish => ({
  db: "public",
  table,
  columns,
  createOptions: {},
  autoCreate: true,
});
const time = { name: "ts", type: T.timestampNs, role: "time" } as const;
const tag = (name: string) => ({ name, type: T.string, role: "tag" }) as const;
const field = (name: string, type: SchemaWish["columns"][number]["type"] = T.float64) =>
  ({ name, type, role: "field" }) as const;

/** Everything a reader can see, as plain data. */
const seen = () => ({
  databases: catalog
    .databases()
    .map(({ name, options, createdAtMs }) => ({ name, options, createdAtMs })),
  tables: catalog.databases().flatMap(({ name }) => catalog.tables(name)),
});

describe("databases", () => {
  test("the first start makes public and greptime_private; information_schema is nobody's", async () => {
    expect(catalog.databases().map(({ name }) => name)).toEqual(["public", "greptime_private"]);
    expect(catalog.database("information_schema")).toBeUndefined();
    const readOnly = { code: "unsupported", message: "Schema `information_schema` is read-only" };
    await expect(catalog.dropDatabase("information_schema", true)).rejects.toMatchObject(readOnly);
    await expect(
      catalog.createTable({ ...cpu(), db: "information_schema" }, false),
    ).rejects.toMatchObject(readOnly);
    await expect(catalog.createDatabase("information_schema", {}, false)).rejects.toMatchObject({
      code: "invalid_arguments",
      message: "Schema information_schema already exists",
    });
  });

  test("come, change, go and survive", async () => {
    await catalog.createDatabase("db", { ttl: "90m" }, false);
    await expect(catalog.createDatabase("db", {}, false)).rejects.toMatchObject({
      code: "invalid_arguments",
      message: "Schema db already exists",
    });
    await catalog.createDatabase("db", {}, true);
    await catalog.alterDatabase("db", { "compaction.type": "twcs" });
    const before = seen();
    await restart();
    expect(seen()).toEqual(before);
    expect(catalog.database("db")?.options).toEqual({ ttl: "1h 30m", "compaction.type": "twcs" });
    await catalog.createTable({ ...cpu(), db: "db" }, false);
    await catalog.createTable({ ...cpu("mem"), db: "db" }, false);
    await catalog.dropDatabase("db", false);
    expect(storage.calls).toEqual(["create 1024", "create 1025", "drop 1024", "drop 1025"]);
    await expect(catalog.dropDatabase("db", false)).rejects.toMatchObject({
      code: "database_not_found",
      message: "Failed to find schema, schema info: greptime.db",
    });
    await catalog.dropDatabase("db", true);
    await restart();
    expect(catalog.database("db")).toBeUndefined();
  });

  test("a database that comes back is another one for the kernel", async () => {
    await catalog.createDatabase("db", {}, false);
    const first = catalog.database("db")!.handle;
    await catalog.dropDatabase("db", false);
    await catalog.createDatabase("db", {}, false);
    expect(catalog.database("db")!.handle).not.toBe(first);
  });
});

describe("tables", () => {
  test("are there after a restart, to the last digit of a default", async () => {
    await catalog.createTable(cpu(), false);
    await catalog.alterTable("public", "cpu", [
      { kind: "add_column", column: field("x", T.int64), ifNotExists: false },
    ]);
    const before = seen();
    await restart();
    expect(seen()).toEqual(before);
    const [table] = catalog.tables("public");
    expect(table?.schema.columns[2]?.default).toEqual({ kind: "literal", value: 2n ** 63n - 1n });
    expect(catalog.tableById(1024)).toBe(table);
    expect(catalog.table("public", "cpu")).toBe(table);
    expect(Object.isFrozen(table) && Object.isFrozen(table?.schema.columns[0])).toBe(true);
  });

  test("get ids that are never given out again", async () => {
    await catalog.createTable(cpu("a"), false);
    await catalog.dropTable("public", "a", false);
    await restart();
    expect((await catalog.createTable(cpu("a"), false)).id).toBe(1025);
  });

  test("the kernel knows their columns at once, and after a restart", async () => {
    await catalog.createTable(cpu(), false);
    for (let life = 0; life < 2; life++) {
      const slot = kernel.findSlot(catalog.database("public")!.handle, "cpu")!;
      expect(kernel.slotInfo(slot).tags).toEqual(["host"]);
      expect(kernel.slotInfo(slot).fields).toContainEqual({ name: "usage", kind: "float64" });
      await restart();
    }
  });

  test("errors name the table", async () => {
    await catalog.createTable(cpu(), false);
    const faults: [Promise<unknown>, string, string][] = [
      [
        catalog.createTable(cpu(), false),
        "table_already_exists",
        "Table already exists: `greptime.public.cpu`",
      ],
      [
        catalog.createTable({ ...cpu("x"), db: "no" }, false),
        "database_not_found",
        "Failed to find schema, schema info: greptime.no",
      ],
      [catalog.createTable(cpu("a b"), false), "invalid_arguments", "Invalid table name: a b"],
      [
        catalog.createTable({ ...cpu("x"), engine: "metric" }, false),
        "unsupported",
        "table engine metric is not supported",
      ],
      [
        catalog.dropTable("public", "x", false),
        "table_not_found",
        "Table not found: greptime.public.x",
      ],
      [
        catalog.truncateTable("public", "x"),
        "table_not_found",
        "Table not found: greptime.public.x",
      ],
      [
        catalog.alterTable("public", "x", []),
        "table_not_found",
        "Table not found: greptime.public.x",
      ],
      [
        catalog.alterTable("public", "cpu", [
          { kind: "rename", to: "cpu2" },
          { kind: "rename", to: "a b" },
        ]),
        "invalid_arguments",
        "Invalid table name: a b",
      ],
    ];
    for (const [promise, code, message] of faults)
      await expect(promise).rejects.toMatchObject({ code, message });
    expect(await catalog.createTable(cpu(), true)).toBe(catalog.table("public", "cpu"));
    await catalog.dropTable("public", "x", true);
  });

  test("RENAME keeps id and rows, and refuses a taken name", async () => {
    const table = await catalog.createTable(cpu(), false);
    await catalog.createTable(cpu("mem"), false);
    await expect(
      catalog.alterTable("public", "cpu", [{ kind: "rename", to: "mem" }]),
    ).rejects.toMatchObject({
      code: "table_already_exists",
      message: "Table already exists, table: greptime.public.mem",
    });
    await catalog.alterTable("public", "cpu", [{ kind: "rename", to: "load" }]);
    expect(catalog.table("public", "cpu")).toBeUndefined();
    expect(catalog.table("public", "load")).toMatchObject({ id: table.id, schema: table.schema });
    await restart();
    expect(catalog.table("public", "load")?.id).toBe(table.id);
  });

  test("ttl: the table's, else the database's, else for ever", async () => {
    const second = 1_000_000_000n;
    await catalog.createDatabase("db", { ttl: "1h" }, false);
    const own = await catalog.createTable({ ...cpu("own"), db: "db" }, false);
    const none = await catalog.createTable({ ...cpu("none"), db: "db", options: {} }, false);
    const ever = await catalog.createTable(
      { ...cpu("ever"), db: "db", options: { ttl: "forever" } },
      false,
    );
    const instant = await catalog.createTable(
      { ...cpu("now"), options: { ttl: "instant" } },
      false,
    );
    expect(catalog.ttlNs(own)).toBe(604_800n * second);
    expect(catalog.ttlNs(none)).toBe(3_600n * second);
    expect(catalog.ttlNs(ever)).toBeUndefined();
    expect(catalog.ttlNs(instant)).toBe(0n);
    await catalog.alterDatabase("db", { ttl: undefined });
    expect(catalog.ttlNs(none)).toBeUndefined();
  });
});

describe("merge", () => {
  test("creates, extends, and finds nothing to do", async () => {
    const first = await catalog.merge(wish([tag("a"), field("v"), time]));
    expect(first.table.schema.columns.map((c) => c.name)).toEqual(["a", "v", "ts"]);
    const second = await catalog.merge(wish([field("w"), tag("b"), time]));
    expect(second.table.schema.columns.map((c) => c.name)).toEqual(["a", "v", "ts", "w", "b"]);
    expect(second.table.schema.primaryKey).toEqual([0, 4]);
    const third = await catalog.merge(wish([tag("a"), field("w")]));
    expect(third.table).toBe(second.table);
  });

  test("reports what disagrees and adds the rest", async () => {
    await catalog.merge(wish([tag("a"), field("v"), time]));
    const { table, conflicts } = await catalog.merge(
      wish([field("a"), field("v", T.string), tag("ts"), field("new")]),
    );
    expect(
      conflicts.map(({ name, existing, wished }) => [name, existing.role, wished.role]),
    ).toEqual([
      ["a", "tag", "field"],
      ["v", "field", "field"],
      ["ts", "time", "tag"],
    ]);
    expect(table.schema.columns.at(-1)?.name).toBe("new");
  });

  test("fifty at once lose nothing and are few changes", async () => {
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        catalog.merge(wish([tag(`t${i}`), field(`f${i}`), time])),
      ),
    );
    for (const { conflicts } of results) expect(conflicts).toEqual([]);
    const schema = catalog.table("public", "m")!.schema;
    expect(schema.columns).toHaveLength(101);
    expect(schema.primaryKey).toHaveLength(50);
    expect(new Set(schema.columns.map((c) => c.id)).size).toBe(101);
    expect(storage.calls).toEqual(["create 1024"]);
    await restart();
    expect(catalog.table("public", "m")?.schema).toEqual(schema);
  });

  test("one wish too many is refused alone", async () => {
    const wide = Array.from({ length: 120 }, (_, i) => field(`f${i}`));
    const [good, bad, alsoGood] = await Promise.allSettled([
      catalog.merge(wish([field("a"), time])),
      catalog.merge(wish([...wide, time])),
      catalog.merge(wish([field("b"), time])),
    ]);
    expect(good.status).toBe("fulfilled");
    expect(bad).toMatchObject({ status: "rejected", reason: { code: "invalid_arguments" } });
    expect(alsoGood.status).toBe("fulfilled");
    expect(catalog.table("public", "m")?.schema.columns.map((c) => c.name)).toEqual([
      "a",
      "ts",
      "b",
    ]);
  });

  test("does not create where it may not", async () => {
    await expect(
      catalog.merge({ ...wish([field("a"), time]), autoCreate: false }),
    ).rejects.toMatchObject({
      code: "table_not_found",
    });
  });
});

describe("steps twice", () => {
  const steps: [string, () => Promise<unknown>][] = [
    ["create database", () => catalog.createDatabase("db", {}, true)],
    ["create table", () => catalog.createTable(cpu(), true)],
    ["add column", () => alter({ kind: "add_column", column: field("x"), ifNotExists: true })],
    ["modify type", () => alter({ kind: "modify_type", name: "usage", type: T.float32 })],
    ["set default", () => alter({ kind: "set_default", name: "usage", value: undefined })],
    ["set options", () => alter({ kind: "set_options", options: { ttl: "1d" } })],
    ["set comment", () => alter({ kind: "set_comment", name: "usage", comment: "c" })],
    [
      "set index",
      () => alter({ kind: "set_index", name: "usage", index: "inverted", options: {} }),
    ],
    ["truncate", () => catalog.truncateTable("public", "cpu")],
    ["merge", () => catalog.merge(wish([field("usage"), field("y"), tag("z")], "cpu"))],
    ["drop table", () => catalog.dropTable("public", "cpu", true)],
    ["drop database", () => catalog.dropDatabase("db", true)],
  ];
  const alter = (step: AlterStep) => catalog.alterTable("public", "cpu", [step]);

  test("each step may be repeated, with a restart between", async () => {
    const shape = () => seen().tables.map((t) => [t.name, t.schema.columns, t.schema.options]);
    for (const [name, step] of steps) {
      await step();
      const once = shape();
      await restart();
      if (name !== "modify type" || catalog.table("public", "cpu") !== undefined) await step();
      expect(shape(), name).toEqual(once);
      await restart();
      expect(shape(), name).toEqual(once);
    }
  });

  test("ADD of two columns of which one exists changes nothing, twice", async () => {
    await catalog.createTable(cpu(), false);
    await alter({ kind: "add_column", column: field("a"), ifNotExists: false });
    const before = catalog.table("public", "cpu");
    for (let i = 0; i < 2; i++)
      await expect(
        catalog.alterTable("public", "cpu", [
          { kind: "add_column", column: field("b"), ifNotExists: false },
          { kind: "add_column", column: field("a"), ifNotExists: false },
        ]),
      ).rejects.toMatchObject({ code: "column_exists" });
    expect(catalog.table("public", "cpu")).toBe(before);
    await alter({ kind: "add_column", column: field("b"), ifNotExists: false });
    const slot = kernel.findSlot(catalog.database("public")!.handle, "cpu")!;
    expect(kernel.slotInfo(slot).fields.map((f) => f.name)).toEqual(
      expect.arrayContaining(["a", "b"]),
    );
  });
});
