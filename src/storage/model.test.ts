/** Random histories of puts, deletes, flushes, compactions and crashes against a model that keeps every version in a list. */
import { afterEach, expect, test } from "vitest";
import { prng } from "../../test/harness/prng.ts";
import { T } from "../types/mod.ts";
import { TestEngine, type TestRow, testSchema } from "./testing.ts";

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const runs = Number(process.env.RUNS ?? 4);
const steps = Number(process.env.STEPS ?? 40);

type Version = { readonly fields: TestRow["fields"] } | "delete";

class Model {
  readonly #versions = new Map<string, Version[]>();
  constructor(readonly mode: string) {}

  put(row: TestRow): void {
    this.#of(row).push({ fields: row.fields });
  }
  delete(row: Pick<TestRow, "tags" | "time">): void {
    this.#of(row).push("delete");
  }
  #of(row: Pick<TestRow, "tags" | "time">): Version[] {
    const key = `host=${row.tags.host ?? "-"} dc=${row.tags.dc ?? "-"} @${row.time}`;
    const list = this.#versions.get(key) ?? [];
    this.#versions.set(key, list);
    return list;
  }
  rows(): string[] {
    const out: string[] = [];
    const text = (key: string, f: TestRow["fields"]) =>
      `${key} x=${f.x ?? "-"} n=${f.n ?? "-"} s=${f.s ?? "-"}`;
    for (const [key, versions] of this.#versions) {
      if (this.mode === "append") {
        for (const v of versions) if (v !== "delete") out.push(text(key, v.fields));
        continue;
      }
      const alive = versions.slice(versions.lastIndexOf("delete") + 1) as {
        fields: TestRow["fields"];
      }[];
      if (alive.length === 0) continue;
      const fields =
        this.mode === "last_row"
          ? alive.at(-1)!.fields
          : Object.assign(
              {},
              ...alive.map((v) =>
                Object.fromEntries(Object.entries(v.fields).filter(([, value]) => value !== null)),
              ),
            );
      out.push(text(key, fields));
    }
    return out.sort();
  }
}

let db: TestEngine;
afterEach(async () => db.stop());

const options = {
  last_row: {},
  last_non_null: { merge_mode: "last_non_null" },
  append: { append_mode: "true" },
};

for (const mode of ["last_row", "last_non_null", "append"] as const)
  test(`${mode}: random histories match the model (SEED=${seed})`, {
    timeout: 300_000,
  }, async () => {
    for (let run = 0; run < runs; run++) {
      const random = prng(seed + run * 1000 + mode.length);
      const pick = (n: number) => Math.floor(random() * n);
      db = await TestEngine.start({
        limits: { compactionTriggerFiles: 3, compactionSliceRows: 16 },
      });
      await db.table(
        "t",
        testSchema(
          1024,
          ["host", "dc"],
          { x: T.float64, n: T.int64, s: T.string },
          { ...options[mode], "compaction.twcs.time_window": "1h" },
        ),
      );
      const model = new Model(mode);
      const hour = 3_600_000_000_000n;
      const randomKey = () => ({
        tags: { host: `h${pick(4)}`, dc: pick(3) === 0 ? undefined : `d${pick(2)}` },
        time: BigInt(pick(6)) * hour + BigInt(pick(5)),
      });
      const randomRow = (): TestRow => ({
        ...randomKey(),
        fields: {
          ...(pick(3) > 0 ? { x: pick(100) / 4 } : {}),
          ...(pick(3) > 0 ? { n: BigInt(pick(1000)) } : {}),
          ...(pick(3) > 0
            ? { s: "long enough to leave the row ".slice(0, pick(29) + 1).trim() }
            : {}),
        },
      });
      const trace: string[] = [];
      const check = async () => {
        const got = await db.read("t");
        expect(got, `SEED=${seed + run * 1000} mode ${mode} after ${trace.join(" ")}`).toEqual(
          model.rows(),
        );
      };
      for (let step = 0; step < steps; step++) {
        const what = pick(20);
        if (what < 11) {
          const rows = Array.from({ length: 1 + pick(12) }, randomRow);
          trace.push(`put${rows.length}`);
          await db.put("t", rows);
          for (const row of rows) model.put(row);
        } else if (what < 14 && mode !== "append") {
          const rows = Array.from({ length: 1 + pick(4) }, randomKey);
          trace.push(`delete${rows.length}`);
          await db.delete("t", rows);
          for (const row of rows) model.delete(row);
        } else if (what < 17) {
          trace.push("flush");
          await db.flush("t");
        } else if (what === 17) {
          trace.push("compact");
          await db.compact("t");
        } else if (what === 18) {
          trace.push("kill");
          await db.kill();
        } else await check();
      }
      await check();
      await db.compact("t");
      trace.push("compact");
      await check();
      if (run < runs - 1) await db.stop();
    }
  });
