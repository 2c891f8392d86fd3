import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { Bug } from "../base/mod.ts";
import type { LogFolder } from "./api.ts";
import { FaultPlan } from "./fault_plan.ts";
import { faultyLogFolder } from "./faulty_log.ts";
import { openLogFolder } from "./local_log.ts";
import { MemoryDisk } from "./memory_disk.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const scratch = () => openLogFolder(join(mkdtempSync(join(tmpdir(), "log-")), "new", "folder"));

const kinds: Record<string, () => Promise<LogFolder>> = {
  local: scratch,
  memory: async () => new MemoryDisk({ seed: 1 }).openLogFolder(),
  "faulty without faults": async () => faultyLogFolder(await scratch(), new FaultPlan()),
};

for (const [kind, open] of Object.entries(kinds))
  describe(`${kind} log folder`, () => {
    let folder: LogFolder;
    beforeEach(async () => {
      folder = await open();
    });
    const content = async (name: string) =>
      new TextDecoder().decode(await folder.read(name, 0, 1_000_000));

    test("append, read, reopen, truncate", async () => {
      const file = await folder.open("1.wal");
      await file.append([bytes("ab"), new Uint8Array(0), bytes("cd")]);
      await file.sync();
      expect(file.size).toBe(4);
      await file.close();
      const again = await folder.open("1.wal");
      expect(again.size).toBe(4);
      await again.append([bytes("ef")]);
      expect(await content("1.wal")).toBe("abcdef");
      await again.truncate(3);
      await again.append([bytes("X")]);
      expect(again.size).toBe(4);
      expect(await content("1.wal")).toBe("abcX");
      expect(new TextDecoder().decode(await folder.read("1.wal", 2, 10))).toBe("cX");
      expect(await folder.read("1.wal", 10, 10)).toHaveLength(0);
      await again.close();
    });

    test("thousands of parts in one append", async () => {
      const file = await folder.open("many");
      const parts = Array.from({ length: 5000 }, (_, i) => bytes(`${i};`));
      await file.append(parts);
      expect(await content("many")).toBe(parts.map((_, i) => `${i};`).join(""));
      await file.close();
    });

    test("list, rename, delete", async () => {
      for (const name of ["b", "a"]) await (await folder.open(name)).close();
      expect(await folder.list()).toEqual([
        { name: "a", bytes: 0 },
        { name: "b", bytes: 0 },
      ]);
      await folder.rename("a", "c");
      await folder.delete("b");
      await folder.delete("b");
      expect((await folder.list()).map(({ name }) => name)).toEqual(["c"]);
      await expect(folder.read("a", 0, 1)).rejects.toMatchObject({ code: "ENOENT" });
      await expect(folder.open("../x")).rejects.toThrow(Bug);
    });
  });

describe("failed appends", () => {
  test("landed bytes are taken back", async () => {
    const plan = new FaultPlan().fail({ step: "write", nth: 2, code: "ENOSPC", landed: 0.5 });
    const inner = await scratch();
    const file = await faultyLogFolder(inner, plan).open("f");
    await file.append([bytes("good")]);
    await expect(file.append([bytes("12345678")])).rejects.toMatchObject({ code: "ENOSPC" });
    expect(file.size).toBe(4);
    expect((await inner.list())[0]!.bytes).toBe(4);
    await file.close();
  });

  test("when they cannot be, they stay, and the next append cuts them first", async () => {
    const plan = new FaultPlan()
      .fail({ step: "write", nth: 1, code: "ENOSPC", landed: 0.5 })
      .fail({ step: "truncate", nth: 1, code: "EIO" });
    const inner = await scratch();
    const file = await faultyLogFolder(inner, plan).open("f");
    await expect(file.append([bytes("12345678")])).rejects.toMatchObject({ code: "ENOSPC" });
    expect((await inner.list())[0]!.bytes).toBe(4);
    expect(file.size).toBe(0);
    await file.append([bytes("good")]);
    expect(Buffer.from(await inner.read("f", 0, 100)).toString()).toBe("good");
    await file.close();
  });

  test("a failure of the real system keeps the size and passes the error on", async () => {
    // A closed handle is the failure that needs neither privileges nor a full disk.
    const file = await (await scratch()).open("f");
    await file.append([bytes("good")]);
    await file.close();
    await expect(file.append([bytes("more")])).rejects.toMatchObject({ code: "EBADF" });
    expect(file.size).toBe(4);
  });
});
