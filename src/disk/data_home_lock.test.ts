import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { afterEach, expect, test } from "vitest";
import { lockDataHome } from "./data_home_lock.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

const newHome = () => mkdtempSync(join(tmpdir(), "lock-"));
const entries = (home: string) => readdirSync(join(home, ".lock"));

/** The lock's modules as JavaScript, so that a plain Node child can hold it. */
function compiledLock(): string {
  const out = mkdtempSync(join(tmpdir(), "lock-js-"));
  const root = join(import.meta.dirname, "..");
  const compile = (file: string) => {
    const target = join(out, file.replace(/\.ts$/, ".js"));
    mkdirSync(join(target, ".."), { recursive: true });
    const { outputText } = ts.transpileModule(readFileSync(join(root, file), "utf8"), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2022,
        rewriteRelativeImportExtensions: true,
      },
    });
    writeFileSync(target, outputText);
  };
  for (const file of ["disk/data_home_lock.ts", "disk/file_io.ts", "base/errors.ts"]) compile(file);
  writeFileSync(join(out, "base/mod.js"), 'export * from "./errors.js";\n');
  writeFileSync(join(out, "package.json"), '{"type":"module"}\n');
  return join(out, "disk/data_home_lock.js");
}

/** A process that holds the lock until it is killed, and says so. */
async function holder(home: string): Promise<{ child: ChildProcess; said: string }> {
  const url = pathToFileURL(compiledLock()).href;
  const code = `
    const { lockDataHome } = await import(${JSON.stringify(url)});
    try { await lockDataHome(${JSON.stringify(home)}); console.log("held"); setInterval(() => {}, 1000); }
    catch (error) { console.log(error.name + ": " + error.message); }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [said] = (await once(child.stdout!, "data")) as [Buffer];
  return { child, said: said.toString().trim() };
}

test("the second one is refused by name; after the release the home is free", async () => {
  const home = newHome();
  const lock = await lockDataHome(home);
  await expect(lockDataHome(home)).rejects.toThrow(
    `data home ${home} is in use by process ${process.pid}`,
  );
  expect(entries(home)).toHaveLength(1);
  await lock.release();
  await lock.release();
  expect(entries(home)).toEqual([]);
  await (await lockDataHome(home)).release();
});

test("held by another process: refused; killed with -9: taken over at once", async () => {
  const home = newHome();
  const { child, said } = await holder(home);
  expect(said).toBe("held");
  await expect(lockDataHome(home)).rejects.toThrow(`in use by process ${child.pid}`);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(entries(home)).toHaveLength(1);
  const lock = await lockDataHome(home);
  expect(entries(home)).toHaveLength(1);
  const second = await holder(home);
  expect(second.said).toBe(`Fatal: data home ${home} is in use by process ${process.pid}`);
  await lock.release();
});

test("a path too long for a socket is locked as well", async () => {
  const home = join(newHome(), "d".repeat(100), "e".repeat(100));
  mkdirSync(home, { recursive: true });
  const lock = await lockDataHome(home);
  await expect(lockDataHome(home)).rejects.toThrow("in use by process");
  await lock.release();
  expect(entries(home)).toEqual([]);
});

test("many at once: never two holders", async () => {
  const home = newHome();
  for (let round = 0; round < 20; round++) {
    const results = await Promise.allSettled(Array.from({ length: 4 }, () => lockDataHome(home)));
    const held = results.filter((result) => result.status === "fulfilled");
    expect(held.length).toBeLessThanOrEqual(1);
    for (const { value } of held) await value.release();
  }
  await (await lockDataHome(home)).release();
});

test("plain entries, as on file systems without sockets: judged by pid and start time", async () => {
  const home = newHome();
  const own = await lockDataHome(home);
  const [pid, start, where] = entries(home)[0]!.split(".") as [string, string, string];
  await own.release();
  const plain = (name: string) => writeFileSync(join(home, ".lock", name), "");
  const stale = {
    "same pid, other start": `${pid}.1.${where}.00`,
    "no such process": `4194399.5.${where}.00`,
    "an earlier boot": `${pid}.${start}.deadbeef-1.00`,
  };
  for (const [name, entry] of Object.entries(stale)) {
    plain(entry);
    await (await lockDataHome(home)).release();
    expect(entries(home), name).toEqual([]);
  }
  plain(`${pid}.${start}.${where}.00`);
  await expect(lockDataHome(home)).rejects.toThrow("in use by process");
});

test("a home that cannot be made is a Fatal that names it", async () => {
  const file = join(newHome(), "file");
  writeFileSync(file, "");
  await expect(lockDataHome(join(file, "home"))).rejects.toThrow(/cannot lock data home .*file/);
});
