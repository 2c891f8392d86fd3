import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Fatal } from "../base/mod.ts";
import type { ObjectStore } from "./api.ts";
import { FaultPlan } from "./fault_plan.ts";
import { faultyStore } from "./faulty_store.ts";
import { openLocalStore } from "./local_store.ts";
import { MemoryDisk } from "./memory_disk.ts";
import { openVersionedLog, type VersionedLog } from "./versioned_log.ts";

type Action = { readonly add: bigint } | { readonly refuse: true };
interface Sum {
  readonly sum: bigint;
  readonly added: readonly bigint[];
}

const PREFIX = "region/manifest/";
const memory = () => new MemoryDisk({ seed: 1 }).openStore();

function open(store: ObjectStore, checkpointEvery = 3): Promise<VersionedLog<Action, Sum>> {
  return openVersionedLog<Action, Sum>(store, PREFIX, {
    empty: { sum: 0n, added: [] },
    checkpointEvery,
    apply(state, action) {
      if ("refuse" in action) throw new Error("refused");
      return { sum: state.sum + action.add, added: [...state.added, action.add] };
    },
  });
}

async function commitMany(log: VersionedLog<Action, Sum>, from: number, to: number) {
  for (let i = from; i <= to; i++) await log.commit([{ add: BigInt(i) }]);
}

const names = async (store: ObjectStore) =>
  (await store.list(PREFIX)).map(({ name }) => name.slice(PREFIX.length).replace(/^0+/, ""));

const upTo = (n: number) => Array.from({ length: n }, (_, i) => BigInt(i + 1));

test("commits are read back, at every version and across checkpoints", async () => {
  const store = await openLocalStore(mkdtempSync(join(tmpdir(), "versions-")));
  for (let version = 0; version < 14; version++) {
    const log = await open(store);
    expect(log.version).toBe(version);
    expect(log.state.added).toEqual(upTo(version));
    await commitMany(log, version + 1, version + 1);
    expect(log.bytes).toBe((await store.list(PREFIX)).reduce((sum, { bytes }) => sum + bytes, 0));
  }
  // Checkpoints at 3, 6, 9, 12; the last two and the deltas since the older one are kept.
  expect(await names(store)).toEqual(
    [
      "10.json",
      "11.json",
      "12.checkpoint",
      "12.json",
      "13.json",
      "14.json",
      "9.checkpoint",
      "_last_checkpoint",
    ].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1)),
  );
});

test("several actions are one version; concurrent commits run one after the other", async () => {
  const store = memory();
  const log = await open(store);
  await log.commit([{ add: 1n }, { add: 2n }]);
  expect(log.version).toBe(1);
  const states = await Promise.all([3n, 4n, 5n].map((add) => log.commit([{ add }])));
  expect(states.map(({ sum }) => sum)).toEqual([6n, 10n, 15n]);
  expect((await open(store)).state).toEqual(log.state);
});

test("the state is replaced, frozen, and not touched by a refused commit", async () => {
  const log = await open(memory());
  const before = log.state;
  await expect(log.commit([{ add: 1n }, { refuse: true }])).rejects.toThrow("refused");
  expect(log.state).toBe(before);
  expect(log.version).toBe(0);
  const after = await log.commit([{ add: 1n }]);
  expect(before.sum).toBe(0n);
  expect(Object.isFrozen(after)).toBe(true);
});

test("a state that is not JSON goes through toJson and fromJson", async () => {
  const store = memory();
  const openMap = () =>
    openVersionedLog<string, ReadonlyMap<string, bigint>>(store, "m/", {
      empty: new Map(),
      checkpointEvery: 2,
      apply: (state, word) => new Map(state).set(word, BigInt(state.size)),
      toJson: (state) => [...state],
      fromJson: (json) => new Map(json as [string, bigint][]),
    });
  const log = await openMap();
  for (const word of ["a", "b", "c"]) await log.commit([word]);
  expect((await openMap()).state).toEqual(
    new Map([
      ["a", 0n],
      ["b", 1n],
      ["c", 2n],
    ]),
  );
});

describe("damage", () => {
  /** Seven commits: checkpoints 3 and 6, deltas 4 to 7. */
  async function seven(): Promise<ObjectStore> {
    const store = memory();
    await commitMany(await open(store), 1, 7);
    return store;
  }
  const file = (number: number, kind: string) =>
    `${PREFIX}${String(number).padStart(20, "0")}.${kind}`;

  async function flip(store: ObjectStore, name: string, at: number) {
    const bytes = Buffer.from(await store.get(name));
    bytes[at]! ^= 4;
    await store.put(name, bytes);
  }

  test("every byte of the newest delta: Fatal that names the file, nothing changed", async () => {
    const name = file(7, "json");
    const { bytes } = (await (await seven()).head(name))!;
    for (let at = 0; at < bytes; at++) {
      const store = await seven();
      await flip(store, name, at);
      const before = await store.list("");
      await expect(open(store), `byte ${at}`).rejects.toThrow(Fatal);
      await expect(open(store)).rejects.toThrow(name);
      expect(await store.list("")).toEqual(before);
    }
    const store = await seven();
    await flip(store, name, bytes - 3);
    await expect(open(store)).rejects.toThrow(/crc32c.*[0-9a-f]{8}.*crc32c.*[0-9a-f]{8}/);
  });

  test("every byte of the newest checkpoint and of the pointer: read without it", async () => {
    for (const name of [file(6, "checkpoint"), `${PREFIX}_last_checkpoint`]) {
      const { bytes } = (await (await seven()).head(name))!;
      for (let at = 0; at < bytes; at++) {
        const store = await seven();
        await flip(store, name, at);
        const log = await open(store);
        expect(log.state.added).toEqual(upTo(7));
        await commitMany(log, 8, 14);
        expect((await open(store)).state.added).toEqual(upTo(14));
      }
    }
  });

  test("missing files: what can be rebuilt is, what cannot is a Fatal", async () => {
    const cases: [string[], "same" | RegExp][] = [
      [[`${PREFIX}_last_checkpoint`], "same"],
      [[file(6, "checkpoint")], "same"],
      [[file(3, "checkpoint")], "same"],
      [[file(4, "json")], "same"],
      [[file(6, "checkpoint"), file(5, "json")], /5\.json is missing/],
      [[file(6, "checkpoint"), file(3, "checkpoint")], /1\.json is missing/],
      [
        [3, 6].map((n) => file(n, "checkpoint")).concat([4, 5, 6, 7].map((n) => file(n, "json"))),
        /lead to version 0.*version 6/,
      ],
      [[file(6, "checkpoint"), file(6, "json"), file(7, "json")], /lead to version 5.*version 6/],
    ];
    for (const [gone, want] of cases) {
      const store = await seven();
      for (const name of gone) await store.delete(name);
      if (want === "same") expect((await open(store)).state.added).toEqual(upTo(7));
      else await expect(open(store), gone.join()).rejects.toThrow(want);
    }
  });

  test("a second writer is noticed", async () => {
    const store = await seven();
    const [one, two] = [await open(store), await open(store)];
    await one.commit([{ add: 8n }]);
    await expect(two.commit([{ add: 9n }])).rejects.toThrow(/two processes/);
    expect(two.version).toBe(7);
    expect((await open(store)).state.added).toEqual(upTo(8));
  });
});

describe("faults", () => {
  /** Commits 1 to 12 with the faults armed, heals, commits once more; what was acknowledged is the state, in order. */
  async function survives(
    arm: (plan: FaultPlan) => void,
    checkpointEvery: number,
  ): Promise<number> {
    const inner = memory();
    const plan = new FaultPlan();
    const log = await open(faultyStore(inner, plan), checkpointEvery);
    arm(plan);
    const acked: bigint[] = [];
    let refused = 0;
    for (const add of upTo(12)) {
      const { state, version } = log;
      try {
        await log.commit([{ add }]);
        acked.push(add);
      } catch (error) {
        expect(error).toMatchObject({ code: "storage_unavailable" });
        expect([log.state, log.version]).toEqual([state, version]);
        refused++;
      }
    }
    plan.heal();
    await log.commit([{ add: 13n }]);
    expect(log.state.added).toEqual([...acked, 13n]);
    const read = await open(inner);
    expect(read.state).toEqual(log.state);
    expect(read.version).toBe(log.version);
    return refused;
  }

  for (const step of ["write", "sync", "rename", "folder_sync", "read", "delete"] as const)
    test(`${step}: the n-th, for every n, once and until healed`, async () => {
      let refused = 0;
      for (let nth = 1; nth <= 22; nth++)
        for (const code of ["ENOSPC", "EIO"] as const)
          for (const lasting of [false, true])
            for (const every of [3, 100])
              refused += await survives((plan) => plan.fail({ step, nth, code, lasting }), every);
      // A failed folder sync is put right when it happens once; a failed delete never matters.
      if (step !== "read" && step !== "delete") expect(refused).toBeGreaterThan(0);
    });

  test("a folder sync that fails once is put right: the commit succeeds", async () => {
    expect(
      await survives((plan) => plan.fail({ step: "folder_sync", nth: 2, code: "EIO" }), 100),
    ).toBe(0);
  });

  test("the folder sync fails for good and so does the clean-up: nothing is acknowledged until the file is gone", async () => {
    for (let nth = 1; nth <= 16; nth++)
      for (const second of ["read", "delete"] as const)
        await survives(
          (plan) =>
            plan
              .fail({ step: "folder_sync", nth, code: "EIO", lasting: true })
              .fail({ step: second, nth: 1, code: "EIO", lasting: true }),
          3,
        );
  });
});

test("power loss at random steps: every acknowledged commit is there, in order, once", async () => {
  const seedFrom = Number(process.env.SEED ?? 1);
  for (let seed = seedFrom; seed < seedFrom + (process.env.SEED ? 1 : 200); seed++)
    try {
      const disk = new MemoryDisk({ seed });
      let next = 1n;
      let known: readonly bigint[] = [];
      for (let life = 0; life < 6; life++) {
        const log = await open(disk.openStore());
        const { added } = log.state;
        expect(added.slice(0, known.length)).toEqual(known);
        expect(added.length - known.length).toBeLessThanOrEqual(1);
        const acked = [...added];
        disk.powerLossAtStep(1 + ((seed * 7 + life * 13) % 40));
        const { deaths } = disk;
        while (disk.deaths === deaths) {
          const add = next++;
          await log.commit([{ add }]).then(
            () => disk.deaths === deaths && acked.push(add),
            () => undefined,
          );
        }
        known = acked;
      }
    } catch (cause) {
      throw new Error(`SEED=${seed} npx vitest run src/disk/versioned_log.test.ts`, { cause });
    }
});
