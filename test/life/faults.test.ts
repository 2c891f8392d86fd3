/**
 * A disk that refuses the n-th step, for every n: what was acknowledged is there exactly once, what was refused is not there, reads go
 * on, refusals are storage_unavailable, and after healing and after a restart everything works and nothing is left behind.
 * LONG=1 takes every n with every error, once and lasting; the short form takes some n, other ones at every run. SEED=n repeats it.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { DbError } from "../../src/base/mod.ts";
import { type Fault, FaultPlan, faultyLogFolder, faultyStore } from "../../src/disk/mod.ts";
import { TestEngine, type TestRow, testSchema } from "../../src/storage/testing.ts";
import { T } from "../../src/types/mod.ts";
import { prng } from "../harness/prng.ts";

const long = process.env.LONG !== undefined;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Steps of each kind that the short form fails. */
const shortSteps = 3;
const hour = 3_600_000_000_000n;

let db: TestEngine | undefined;
afterEach(async () => {
  await db?.stop();
  db = undefined;
});

/** What a table must hold: the newest acknowledged version of each row, as `TestEngine.read` prints it. */
class Model {
  readonly #rows = new Map<string, string>();
  put(rows: readonly TestRow[]): void {
    for (const row of rows) this.#rows.set(keyOf(row), `${keyOf(row)} n=${row.fields.n}`);
  }
  delete(rows: readonly TestRow[]): void {
    for (const row of rows) this.#rows.delete(keyOf(row));
  }
  clear(): void {
    this.#rows.clear();
  }
  get rows(): string[] {
    return [...this.#rows.values()].sort();
  }
}
const keyOf = (row: TestRow) => `host=${row.tags.host} @${row.time}`;

/** Eight rows of two hosts from `first` on, over two compaction windows. */
function rowsFrom(first: number, value: number): TestRow[] {
  return Array.from({ length: 8 }, (_, i) => ({
    tags: { host: `h${i % 2}` },
    time: BigInt(first + (i >> 1)) * (hour / 2n),
    fields: { n: BigInt(value + i) },
  }));
}

type Act = (db: TestEngine, model: Model) => Promise<void>;
const put =
  (rows: TestRow[]): Act =>
  async (db, model) => {
    await db.put("t", rows);
    model.put(rows);
  };
const remove =
  (rows: TestRow[]): Act =>
  async (db, model) => {
    await db.delete("t", rows);
    model.delete(rows);
  };
const flush: Act = (db) => db.flush("t");
const compact: Act = (db) => db.region("t").compact();

const newHost: TestRow = { tags: { host: "new" }, time: 7n * hour, fields: { n: 77n } };

const script: readonly [string, Act][] = [
  ["in order", put(rowsFrom(0, 100))],
  ["late", put(rowsFrom(1, 200).slice(2, 5))],
  ["delete", remove(rowsFrom(0, 0).slice(0, 2))],
  ["flush", flush],
  ["in order again", put(rowsFrom(4, 300))],
  ["a new series", put([newHost])],
  ["late again", put(rowsFrom(3, 400).slice(0, 3))],
  ["flush again", flush],
  ["compact", compact],
  ["delete again", remove([newHost])],
  ["last rows", put(rowsFrom(9, 500))],
  ["flush after the compaction", flush],
  ["compact again", compact],
  [
    "truncate",
    async (db, model) => {
      await db.region("t").truncate();
      model.clear();
    },
  ],
  ["after the truncate", put(rowsFrom(2, 600))],
];

async function start(plan: FaultPlan, where: "log" | "store"): Promise<TestEngine> {
  const test = await TestEngine.start({
    ...(where === "log"
      ? { wrapLog: (folder) => faultyLogFolder(folder, plan) }
      : { wrapStore: (store) => faultyStore(store, plan) }),
  });
  await test.table(
    "t",
    testSchema(1024, ["host"], { n: T.int64 }, { "compaction.twcs.time_window": "1h" }),
  );
  return test;
}

/** Runs the script, with a read after each refusal and at the end. Returns how many acts were refused. */
async function run(db: TestEngine, model: Model, what: string): Promise<number> {
  let refused = 0;
  for (const [name, act] of script) {
    try {
      await act(db, model);
    } catch (error) {
      expect(error, `${what}: ${name}`).toBeInstanceOf(DbError);
      expect(error, `${what}: ${name}`).toMatchObject({
        code: "storage_unavailable",
        answer: { http: 503, retry: true },
      });
      refused++;
      expect(await db.read("t"), `${what}: read after ${name}`).toEqual(model.rows);
    }
  }
  expect(await db.read("t"), `${what}: read at the end`).toEqual(model.rows);
  return refused;
}

/** Every file of the data home, but for the log's segments, must be named by the manifest or be part of it. */
async function expectNoOrphans(db: TestEngine, what: string): Promise<void> {
  const region = db.region("t");
  const named = new Set(region.files().map((f) => f.path));
  const entries = await readdir(db.home, { recursive: true, withFileTypes: true });
  const unknown = entries
    .filter((e) => e.isFile())
    .map((e) => join(e.parentPath, e.name).slice(db.home.length + 1))
    .filter((name) => !named.has(name))
    .filter((name) => !/\/manifest\/(\d{20}\.(json|checkpoint)|_last_checkpoint)$/.test(name))
    .filter((name) => !/\/series\/\d{10}-\d{10}\.series$/.test(name))
    .filter((name) => !/^wal\/\d{20}\.wal$/.test(name));
  expect(unknown, `${what}: files left behind`).toEqual([]);
}

async function survives(where: "log" | "store", fault: Fault): Promise<number> {
  const what = `${where} ${JSON.stringify(fault)}`;
  const plan = new FaultPlan();
  db = await start(plan, where);
  const model = new Model();
  plan.fail(fault);
  const refused = await run(db, model, what);
  plan.heal();
  expect(await run(db, model, `${what}, healed`)).toBe(0);
  await put(rowsFrom(30, 900))(db, model);
  await db.kill();
  expect(await db.read("t"), `${what}, started again`).toEqual(model.rows);
  await expectNoOrphans(db, what);
  await db.compact("t");
  expect(await db.read("t"), `${what}, compacted`).toEqual(model.rows);
  await db.stop();
  db = undefined;
  return refused;
}

/** The same, but the process dies while the disk still refuses, and starts again on a disk that works. */
async function survivesKill(where: "log" | "store", fault: Fault): Promise<void> {
  const what = `${where} ${JSON.stringify(fault)}, killed`;
  const plan = new FaultPlan();
  db = await start(plan, where);
  const model = new Model();
  plan.fail(fault);
  await run(db, model, what);
  plan.heal();
  await db.kill();
  expect(await db.read("t"), what).toEqual(model.rows);
  await expectNoOrphans(db, what);
  expect(await run(db, model, `${what}, started again`)).toBe(0);
  await db.stop();
  db = undefined;
}

/** Steps that the script takes, by kind. */
async function counted(where: "log" | "store"): Promise<FaultPlan> {
  const plan = new FaultPlan();
  db = await start(plan, where);
  await run(db, new Model(), "no fault");
  await db.stop();
  db = undefined;
  return plan;
}

const steps = {
  log: ["open", "write", "sync", "folder_sync"],
  store: ["open", "write", "sync", "rename", "folder_sync", "delete"],
} as const;

for (const where of ["log", "store"] as const)
  describe(`${where}: the n-th step fails, for every n`, () => {
    for (const step of steps[where])
      test(`${step} (SEED=${seed})`, { timeout: 2_400_000 }, async () => {
        const count = (await counted(where)).count(step);
        expect(count).toBeGreaterThan(0);
        const codes = ["ENOSPC", "EIO"] as const;
        let refused = 0;
        for (const nth of chosen(count, prng(seed + step.length))) {
          const landed = step === "write" && where === "log" ? [0, 0.5, 1][nth % 3]! : 0;
          for (const code of long ? codes : [codes[nth % 2]!])
            for (const lasting of long ? [false, true] : [nth % 4 < 2]) {
              refused += await survives(where, { step, nth, code, lasting, landed });
              if (lasting) await survivesKill(where, { step, nth, code, lasting, landed });
            }
        }
        // An obsolete file that cannot be deleted is nobody's trouble but the next start's.
        if (step !== "delete") expect(refused).toBeGreaterThan(0);
      });
  });

/** Which of the steps 1 to `count` fail; the long form adds one that never comes. */
function chosen(count: number, random: () => number): number[] {
  if (long) return Array.from({ length: count + 1 }, (_, i) => i + 1);
  const picks = Array.from({ length: shortSteps }, () => 1 + Math.floor(random() * count));
  return [...new Set(picks)];
}

/** A manifest commit that failed after its file was visible, and whose file could not be removed again. */
describe("a commit in doubt", () => {
  for (const nth of [1, 2, 3, 4, 5, 6])
    test(`the ${nth}. sync of a folder`, async () => {
      const plan = new FaultPlan();
      db = await start(plan, "store");
      const model = new Model();
      plan.fail({ step: "folder_sync", nth, code: "EIO", lasting: true });
      // The first delete is that of the commit's file; those of the files it names would work.
      plan.fail({ step: "delete", nth: 1, code: "EIO" });
      for (const [, act] of script.slice(0, 9)) await act(db, model).catch(() => undefined);
      expect(await db.read("t")).toEqual(model.rows);
      plan.heal();
      await db.kill();
      expect(await db.read("t"), "started again").toEqual(model.rows);
      await expectNoOrphans(db, "in doubt");
      await db.compact("t");
      expect(await db.read("t"), "compacted").toEqual(model.rows);
    });
});

describe("memory fills up while the disk refuses flushes", () => {
  test("writes are refused as storage_unavailable and taken again without a restart", async () => {
    const plan = new FaultPlan();
    db = await TestEngine.start({
      wrapStore: (store) => faultyStore(store, plan),
      limits: { regionFlushBytes: 20_000, writeBufferBytes: 60_000, stallMs: 500, tickMs: 50 },
    });
    await db.table("t", testSchema(1024, ["host"], { n: T.int64 }));
    plan.fail({ step: "sync", nth: 1, code: "ENOSPC", lasting: true });
    const model = new Model();
    const refusals: unknown[] = [];
    const write = async (step: number) => {
      const rows = Array.from({ length: 200 }, (_, i) => ({
        tags: { host: "h" },
        time: BigInt(step * 200 + i),
        fields: { n: BigInt(i) },
      }));
      await put(rows)(db!, model).catch((error) => refusals.push(error));
    };
    for (let step = 0; step < 30; step++) await write(step);
    expect(refusals.length).toBeGreaterThan(10);
    for (const error of refusals) expect(error).toMatchObject({ code: "storage_unavailable" });
    expect(await db.read("t")).toEqual(model.rows);
    // A start on the full disk must not be refused either: the rows fitted into memory before.
    await db.kill();
    expect(await db.read("t")).toEqual(model.rows);
    plan.heal();
    const before = refusals.length;
    for (let tries = 0; tries < 100 && refusals.length > before - 1; tries++) {
      const known = refusals.length;
      await write(100 + tries);
      if (refusals.length === known) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await db.flush("t");
    expect(db.region("t").stats().memtableRows).toBe(0);
    expect(await db.read("t")).toEqual(model.rows);
  });
});
