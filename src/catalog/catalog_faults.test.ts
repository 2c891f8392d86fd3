/** Every change of the catalog against every failure of the disk: as before or as wished, never in between, and again after a restart. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RecordingStorage } from "../../test/harness/recording_storage.ts";
import { DbError, ManualClock, silentLogger } from "../base/mod.ts";
import { FaultPlan, faultyStore, openLocalStore } from "../disk/mod.ts";
import { loadKernel } from "../kernel/mod.ts";
import { T } from "../types/mod.ts";
import { type Catalog, openCatalog, type SlotKeeper } from "./mod.ts";

let home: string;
let plan: FaultPlan;
let storage: RecordingStorage;
let catalog: Catalog & SlotKeeper;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "tidemark-catalog-faults-"));
  await restart();
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function restart(): Promise<void> {
  plan = new FaultPlan();
  const kernel = await loadKernel({ seriesMax: 1000, columnsMax: 100 });
  storage = new RecordingStorage(kernel);
  catalog = await openCatalog({
    store: faultyStore(await openLocalStore(home), plan),
    storage,
    kernel,
    clock: new ManualClock(),
    log: silentLogger,
    prefix: "metadata/",
    columnsMax: 100,
  });
}

const time = { name: "ts", type: T.timestampMs, role: "time" } as const;
const field = (name: string) => ({ name, type: T.float64, role: "field" }) as const;
const table = (name: string) => ({
  db: "public",
  name,
  columns: [time, field("v")],
  primaryKey: [],
  options: {},
});

const changes: Record<string, () => Promise<unknown>> = {
  "create database": () => catalog.createDatabase("new", {}, false),
  "alter database": () => catalog.alterDatabase("db", { ttl: "1d" }),
  "drop database": () => catalog.dropDatabase("db", false),
  "create table": () => catalog.createTable(table("new"), false),
  "add column": () =>
    catalog.alterTable("public", "t", [
      { kind: "add_column", column: field("w"), ifNotExists: false },
    ]),
  rename: () => catalog.alterTable("public", "t", [{ kind: "rename", to: "u" }]),
  "drop table": () => catalog.dropTable("public", "t", false),
  "merge into a table": () => merge("t"),
  "merge into a new table": () => merge("fresh"),
};

const merge = (name: string) =>
  catalog.merge({
    db: "public",
    table: name,
    columns: [field("x"), time],
    createOptions: {},
    autoCreate: true,
  });

const seen = () => ({
  databases: catalog.databases().map(({ name, options }) => [name, options]),
  tables: catalog
    .databases()
    .flatMap(({ name }) => catalog.tables(name))
    .map(({ db, name, schema }) => [db, name, schema.columns.map((c) => c.name), schema.version]),
});

/** What a commit asks of the disk. */
const STEPS = ["write", "sync", "rename", "folder_sync"] as const;

for (const [name, change] of Object.entries(changes))
  for (const step of STEPS)
    for (const lasting of [false, true])
      test(`${name}, ${step} fails ${lasting ? "until it is healed" : "once"}`, async () => {
        await catalog.createDatabase("db", {}, false);
        await catalog.createTable(table("t"), false);
        await catalog.createTable({ ...table("t"), db: "db" }, false);
        const before = seen();
        plan.fail({ step, nth: 1, code: lasting ? "ENOSPC" : "EIO", lasting });
        const error = await change().then(
          () => undefined,
          (error: unknown) => error,
        );
        if (error === undefined) expect(seen()).not.toEqual(before);
        else {
          expect(error).toBeInstanceOf(DbError);
          expect(error).toMatchObject({ code: "storage_unavailable" });
          expect(seen()).toEqual(before);
        }
        const after = seen();
        // Every table that is shown has its region; nothing else has one.
        const tables = catalog.databases().flatMap((db) => catalog.tables(db.name));
        expect([...storage.regions()].map((region) => region.id).sort()).toEqual(
          tables.flatMap((shown) => shown.regionIds).sort(),
        );
        plan.heal();
        if (error !== undefined) {
          // The disk works again: so does the change.
          await change();
          expect(seen()).not.toEqual(before);
        } else expect(seen()).toEqual(after);
        const last = seen();
        await restart();
        expect(seen()).toEqual(last);
      });

test("what a failed change left on disk is not there after a restart", async () => {
  await catalog.createTable(table("t"), false);
  const before = seen();
  plan.fail({ step: "folder_sync", nth: 1, code: "EIO", lasting: true });
  await expect(catalog.createTable(table("new"), false)).rejects.toThrow();
  await restart();
  expect(seen()).toEqual(before);
});

test("a region that cannot be made is no table", async () => {
  storage.faults.set("createRegion", new DbError("storage_unavailable", "full"));
  await expect(catalog.createTable(table("new"), false)).rejects.toThrow("full");
  expect(catalog.table("public", "new")).toBeUndefined();
  expect(await catalog.createTable(table("new"), false)).toMatchObject({ id: 1025 });
});

test("a region that cannot follow an ALTER follows later; the change is durable", async () => {
  await catalog.createTable(table("t"), false);
  storage.faults.set("setSchema", new DbError("storage_unavailable", "full"));
  await expect(changes["add column"]!()).rejects.toThrow("full");
  const shown = catalog.table("public", "t")!;
  expect(shown.schema.columns.map((c) => c.name)).toEqual(["ts", "v", "w"]);
  const region = storage.region(shown.regionIds[0]!)!;
  expect(region.schema.version).toBe(0);
  await catalog.merge({
    db: "public",
    table: "t",
    columns: [],
    createOptions: {},
    autoCreate: false,
  });
  expect(region.schema).toBe(shown.schema);
  await restart();
  expect(catalog.table("public", "t")?.schema.columns.map((c) => c.name)).toEqual(["ts", "v", "w"]);
});
