/**
 * The power fails at a random step of the disk, again and again: after each start every acknowledged row is there exactly once, the one
 * change that was under way is there wholly or not at all, and nothing else is. RUNS=n for more disks; SEED=n repeats one.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { MemoryDisk } from "../../src/disk/mod.ts";
import { TestEngine, type TestRow, testSchema } from "../../src/storage/testing.ts";
import { T } from "../../src/types/mod.ts";
import { prng } from "../harness/prng.ts";

const seedFrom = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const runs = process.env.SEED !== undefined ? 1 : Number(process.env.RUNS ?? 8);
const livesMax = 5;
const actsMax = 25;

let db: TestEngine | undefined;
let scratch: string | undefined;
afterEach(async () => {
  await db?.stop().catch(() => undefined);
  if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
});

const keyOf = (row: TestRow) => `host=${row.tags.host} @${row.time}`;

test(`${runs} disks lose their power (SEED=${seedFrom})`, {
  timeout: 120_000 + runs * 20_000,
}, async () => {
  let losses = 0;
  for (let run = 0; run < runs; run++) losses += await oneDisk(seedFrom + run);
  expect(losses).toBeGreaterThan(runs);
});

/** Returns how often the power failed. */
async function oneDisk(seed: number): Promise<number> {
  const random = prng(seed);
  const pick = (n: number) => Math.floor(random() * n);
  scratch = await mkdtemp(join(tmpdir(), "tidemark-power-"));
  const disk = new MemoryDisk({ seed, scratchDir: scratch });
  db = await TestEngine.start({
    wrapStore: () => disk.openStore(),
    wrapLog: () => disk.openLogFolder(),
  });
  await db.table(
    "t",
    testSchema(1024, ["host"], { n: T.int64 }, { "compaction.twcs.time_window": "1h" }),
  );
  let rows = new Map<string, string>();
  const trace: string[] = [];
  let value = 0;
  for (let life = 0; life < livesMax; life++) {
    const deaths = disk.deaths;
    let doubtful = rows;
    disk.powerLossAtStep(1 + pick(120));
    for (let act = 0; act < actsMax && disk.deaths === deaths; act++) {
      doubtful = new Map(rows);
      const batch = Array.from({ length: 1 + pick(6) }, () => ({
        tags: { host: `h${pick(5)}` },
        time: BigInt(pick(4)) * 3_600_000_000_000n + BigInt(pick(6)),
        fields: { n: BigInt(value++) },
      }));
      const what = pick(10);
      try {
        if (what < 5) {
          trace.push(`put${batch.length}`);
          for (const row of batch) doubtful.set(keyOf(row), `${keyOf(row)} n=${row.fields.n}`);
          await db.put("t", batch);
        } else if (what < 6) {
          trace.push(`delete${batch.length}`);
          for (const row of batch) doubtful.delete(keyOf(row));
          await db.delete("t", batch);
        } else if (what < 8) {
          trace.push("flush");
          await db.flush("t");
        } else if (what < 9) {
          trace.push("compact");
          await db.region("t").compact();
        } else if (pick(4) === 0) {
          trace.push("truncate");
          doubtful.clear();
          await db.region("t").truncate();
        }
        rows = doubtful;
      } catch {
        expect(disk.deaths, `SEED=${seed}: refused with the power on: ${trace.join(" ")}`).toBe(
          deaths + 1,
        );
      }
    }
    if (disk.deaths === deaths) disk.powerLoss();
    trace.push("| power loss |");
    await db.kill();
    const got = await db.read("t");
    const allowed = [rows, doubtful].map((state) => [...state.values()].sort());
    const match = allowed.findIndex((state) => JSON.stringify(state) === JSON.stringify(got));
    expect(match < 0 ? got : "allowed", `SEED=${seed}: ${trace.join(" ")}`).toEqual(
      match < 0 ? allowed[0] : "allowed",
    );
    rows = match === 1 ? doubtful : rows;
  }
  const { deaths } = disk;
  await db.compact("t");
  expect(await db.read("t"), `SEED=${seed} at the end`).toEqual([...rows.values()].sort());
  await db.stop();
  db = undefined;
  await rm(scratch, { recursive: true, force: true });
  return deaths;
}
