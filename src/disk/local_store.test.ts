import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { Bug, DbError } from "../base/mod.ts";
import type { ObjectStore } from "./api.ts";
import { FaultPlan, type FaultStep } from "./fault_plan.ts";
import { faultyStore } from "./faulty_store.ts";
import { openLocalStore } from "./local_store.ts";
import { MemoryDisk } from "./memory_disk.ts";

const scratch = () => mkdtempSync(join(tmpdir(), "store-"));
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (content: Uint8Array) => new TextDecoder().decode(content);

const kinds: Record<string, () => Promise<ObjectStore>> = {
  local: () => openLocalStore(scratch()),
  memory: async () => new MemoryDisk({ seed: 1, scratchDir: scratch() }).openStore(),
  "faulty without faults": async () =>
    faultyStore(await openLocalStore(scratch()), new FaultPlan()),
};

for (const [kind, open] of Object.entries(kinds))
  describe(`${kind} store`, () => {
    let store: ObjectStore;
    beforeEach(async () => {
      store = await open();
    });

    test("put, get, replace, head, ranges", async () => {
      await store.put("a/b/one.json", bytes("hello"));
      expect(text(await store.get("a/b/one.json"))).toBe("hello");
      await store.put("a/b/one.json", bytes("hello again"));
      expect(await store.head("a/b/one.json")).toEqual({ name: "a/b/one.json", bytes: 11 });
      expect(text(await store.getRange("a/b/one.json", 6, 3))).toBe("aga");
      expect(text(await store.getRange("a/b/one.json", 6, 100))).toBe("again");
      expect(await store.getRange("a/b/one.json", 100, 5)).toHaveLength(0);
      await store.put("empty", new Uint8Array(0));
      expect(await store.get("empty")).toHaveLength(0);
    });

    test("what is absent: ENOENT from get, undefined from head, nothing from delete", async () => {
      await expect(store.get("no/such")).rejects.toMatchObject({ code: "ENOENT" });
      await expect(store.getRange("nothing", 0, 1)).rejects.toMatchObject({ code: "ENOENT" });
      expect(await store.head("no/such")).toBeUndefined();
      await store.delete("no/such");
      await store.deletePrefix("no/");
      expect(await store.list("no/")).toEqual([]);
    });

    test("putNew refuses an object that exists, and leaves it as it is", async () => {
      await store.putNew("x/new", bytes("1"));
      const refusal = await store.putNew("x/new", bytes("2")).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(DbError);
      expect(refusal).toMatchObject({ code: "internal", cause: { code: "EEXIST" } });
      expect(text(await store.get("x/new"))).toBe("1");
      const race = await Promise.allSettled(
        Array.from({ length: 5 }, (_, i) => store.putNew("x/race", bytes(`${i}`))),
      );
      expect(race.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });

    test("list: recursive, sorted, by folder or start of name", async () => {
      for (const name of ["b/2", "b/10", "b/c/d", "a", "bb", "ü/日本"])
        await store.put(name, bytes(name));
      const names = async (prefix: string) => (await store.list(prefix)).map(({ name }) => name);
      expect(await names("")).toEqual(["a", "b/10", "b/2", "b/c/d", "bb", "ü/日本"]);
      expect(await names("b/")).toEqual(["b/10", "b/2", "b/c/d"]);
      expect(await names("b")).toEqual(["b/10", "b/2", "b/c/d", "bb"]);
      expect(await names("b/1")).toEqual(["b/10"]);
      expect((await store.list("a"))[0]).toEqual({ name: "a", bytes: 1 });
    });

    test("deletePrefix removes a folder and nothing beside it; it can be filled again", async () => {
      for (const name of ["r/1/x", "r/1/y/z", "r/10/x"]) await store.put(name, bytes(name));
      await store.deletePrefix("r/1/");
      expect((await store.list("")).map(({ name }) => name)).toEqual(["r/10/x"]);
      await store.put("r/1/y/z", bytes("again"));
      expect(text(await store.get("r/1/y/z"))).toBe("again");
      await store.deletePrefix("");
      expect(await store.list("")).toEqual([]);
    });

    test("stage: nothing is seen before commit, nothing after abort", async () => {
      const one = await store.stage("sst/1.parquet");
      const two = await store.stage("sst/2.parquet");
      writeFileSync(one.path, "rows");
      writeFileSync(two.path, "rows");
      expect(await store.list("")).toEqual([]);
      expect(await one.commit()).toBe(4);
      await two.abort();
      await two.abort();
      expect(await store.list("")).toEqual([{ name: "sst/1.parquet", bytes: 4 }]);
      expect(existsSync(two.path)).toBe(false);
      expect(readFileSync(store.localPath("sst/1.parquet"), "utf8")).toBe("rows");
    });

    test("commit of a file that the engine never wrote fails and installs nothing", async () => {
      const staged = await store.stage("sst/1.parquet");
      await expect(staged.commit()).rejects.toMatchObject({ code: "ENOENT" });
      await staged.abort();
      expect(await store.list("")).toEqual([]);
    });

    test("names that could leave the store, or hide in it, are Bugs", async () => {
      const bad = ["", "/a", "a/", "a//b", "..", "a/../b", ".tmp/x", "a/.hidden", "a\\b", "a\0b"];
      for (const name of bad) {
        await expect(store.put(name, bytes("")), JSON.stringify(name)).rejects.toThrow(Bug);
        expect(() => store.localPath(name)).toThrow(Bug);
      }
      await expect(store.list("../")).rejects.toThrow(Bug);
      await expect(store.deletePrefix("a")).rejects.toThrow(Bug);
    });
  });

test("sweep removes what a crash left, and only that", async () => {
  const root = scratch();
  const before = await openLocalStore(root);
  await before.put("kept", bytes("kept"));
  const staged = await before.stage("sst/1");
  writeFileSync(staged.path, "half");
  mkdirSync(join(root, ".tmp", "folder"));
  writeFileSync(join(root, ".tmp", "folder", "deep"), "x");
  const after = await openLocalStore(root);
  expect(await after.sweep()).toBe(2);
  expect(readdirSync(join(root, ".tmp"))).toEqual([]);
  expect((await after.list("")).map(({ name }) => name)).toEqual(["kept"]);
});

test("a put that cannot be installed leaves no temporary", async () => {
  const root = scratch();
  const store = await openLocalStore(root);
  await store.put("folder/x", bytes("x"));
  await expect(store.put("folder", bytes("y"))).rejects.toThrow();
  await expect(store.putNew("folder/x/y", bytes("y"))).rejects.toThrow();
  const staged = await store.stage("folder");
  writeFileSync(staged.path, "z");
  await expect(staged.commit()).rejects.toThrow();
  expect(readdirSync(join(root, ".tmp"))).toEqual([]);
});

describe("faults", () => {
  for (const step of ["write", "sync", "rename", "folder_sync"] as const)
    test(`${step} fails: put, putNew and commit are whole or absent, and work after healing`, async () => {
      const root = scratch();
      const plan = new FaultPlan();
      const store = faultyStore(await openLocalStore(root), plan);
      const armed = (nth: FaultStep) => plan.fail({ step: nth, nth: 1, code: "ENOSPC" });
      const landed = step === "folder_sync";
      armed(step);
      await expect(store.put("a", bytes("1"))).rejects.toMatchObject({ code: "ENOSPC" });
      armed(step);
      await expect(store.putNew("b", bytes("2"))).rejects.toMatchObject({ code: "ENOSPC" });
      const staged = await store.stage("c");
      writeFileSync(staged.path, "3");
      armed(step);
      await expect(staged.commit()).rejects.toMatchObject({ code: "ENOSPC" });
      expect((await store.list("")).map(({ name }) => name)).toEqual(landed ? ["a", "b", "c"] : []);
      expect(readdirSync(join(root, ".tmp"))).toEqual([]);
      plan.heal();
      await store.put("a", bytes("new"));
      expect(text(await store.get("a"))).toBe("new");
    });

  test("reads and deletes fail by plan, lasting until healed", async () => {
    const plan = new FaultPlan();
    const store = faultyStore(await openLocalStore(scratch()), plan);
    await store.put("a", bytes("1"));
    plan.fail({ step: "read", nth: 2, code: "EIO", lasting: true });
    await store.get("a");
    await expect(store.get("a")).rejects.toMatchObject({ code: "EIO" });
    await expect(store.list("")).rejects.toMatchObject({ code: "EIO" });
    plan.fail({ step: "delete", nth: 1, code: "EIO" });
    await expect(store.delete("a")).rejects.toMatchObject({ code: "EIO" });
    plan.heal();
    expect(text(await store.get("a"))).toBe("1");
    expect(plan.count("read")).toBe(4);
  });
});
