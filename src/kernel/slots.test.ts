/** Slots: binding, renaming, closing, limits, and the aliases that must follow them. */
import { describe, expect, test } from "vitest";
import { Bug } from "../base/mod.ts";
import type { Kernel } from "./mod.ts";
import { newKernel, parse } from "./testing/shorthand.ts";

const slotOf = (kernel: Kernel, table: string) => kernel.findSlot(0, table)!;

describe("columns", () => {
  test("binding is idempotent and keeps the order of declaration", async () => {
    const kernel = await newKernel();
    const slot = kernel.slot(0, "m");
    expect(kernel.slot(0, "m")).toBe(slot);
    expect([
      kernel.bindTag(slot, "b"),
      kernel.bindTag(slot, "a"),
      kernel.bindTag(slot, "b"),
    ]).toEqual([0, 1, 0]);
    expect(kernel.bindField(slot, "f", "int64")).toBe(0);
    expect(kernel.bindField(slot, "g", "opaque")).toBe(1);
    parse(kernel, "m,a=1,b=2,c=3 f=1i,h=t");
    expect(kernel.slotInfo(slot)).toEqual({
      table: "m",
      tags: ["b", "a", "c"],
      fields: [
        { name: "f", kind: "int64" },
        { name: "g", kind: "opaque" },
        { name: "h", kind: "bool" },
      ],
      series: 1,
    });
  });

  test("a rebound kind counts from the next call on", async () => {
    const kernel = await newKernel();
    parse(kernel, "m v=1i");
    const slot = slotOf(kernel, "m");
    expect(parse(kernel, "m v=1.5").errorCount).toBe(1);
    kernel.bindField(slot, "v", "float64");
    const parsed = parse(kernel, "m v=1.5\nm v=2i");
    expect(parsed.errorCount).toBe(0);
    expect(parsed.tables[0]!.fields[0]!.kind).toBe("float64");
  });

  test("an opaque field cannot be written by a line", async () => {
    const kernel = await newKernel();
    kernel.bindField(kernel.slot(0, "m"), "v", "opaque");
    expect(parse(kernel, 'm v=1\nm v="x"\nm w=1,v=t').errors).toEqual([
      {
        line: 1,
        column: 5,
        code: "type_conflict",
        slot: 0,
        table: "m",
        name: "v",
        found: "float64",
      },
      {
        line: 2,
        column: 5,
        code: "type_conflict",
        slot: 0,
        table: "m",
        name: "v",
        found: "string",
      },
      { line: 3, column: 9, code: "type_conflict", slot: 0, table: "m", name: "v", found: "bool" },
    ]);
  });

  test("an unbound name may come back as anything, with another index", async () => {
    const kernel = await newKernel();
    parse(kernel, "m,t=1 v=1i,w=1");
    const slot = slotOf(kernel, "m");
    kernel.unbind(slot, "v");
    const parsed = parse(kernel, 'm,t=1 v="x",w=2');
    expect(parsed.errorCount).toBe(0);
    expect(parsed.tables[0]!.fields.map((f) => [f.index, f.name, f.kind])).toEqual([
      [1, "w", "float64"],
      [2, "v", "string"],
    ]);
    kernel.unbind(slot, "w");
    expect(parse(kernel, "m,w=1 v=1").errors[0]!.code).toBe("type_conflict");
    expect(parse(kernel, 'm,w=1 v="now a tag"').errorCount).toBe(0);
    expect(kernel.slotInfo(slot).tags).toEqual(["t", "w"]);
    kernel.unbind(slot, "never there");
  });

  test("an unbound tag is another tag when it comes back, and its raw keys are forgotten", async () => {
    const kernel = await newKernel();
    parse(kernel, "m,t=1 v=1");
    const slot = slotOf(kernel, "m");
    kernel.unbind(slot, "t");
    expect([...parse(kernel, "m,t=1 v=1").tables[0]!.sids]).toEqual([1]);
    expect(kernel.slotInfo(slot).tags).toEqual(["", "t"]);
  });

  test("binding in the other role takes the name over", async () => {
    const kernel = await newKernel();
    parse(kernel, "m,a=1 b=1");
    const slot = slotOf(kernel, "m");
    kernel.bindTag(slot, "b");
    kernel.bindField(slot, "a", "string");
    expect(parse(kernel, 'm,b=1 a="x"').errorCount).toBe(0);
    expect(parse(kernel, "m,a=1 b=1").errorCount).toBe(1);
    expect(kernel.slotInfo(slot)).toMatchObject({
      tags: ["", "b"],
      fields: [{ name: "" }, { name: "a" }],
    });
  });

  test("the limit of columns refuses new names only", async () => {
    const kernel = await newKernel({ columnsMax: 3 });
    expect(parse(kernel, "m,a=1 b=1,c=1").errorCount).toBe(0);
    expect(parse(kernel, "m,a=1 b=1,d=1\nm,a=1,e=1 b=1\nn x=1,y=1,z=1,w=1").errors).toMatchObject([
      { line: 1, column: 11, code: "too_many_columns", name: "d" },
      { line: 2, column: 7, code: "too_many_columns", name: "e" },
      { line: 3, column: 15, code: "too_many_columns", name: "w" },
    ]);
    kernel.unbind(slotOf(kernel, "m"), "c");
    expect(parse(kernel, "m,a=1 b=1,d=1").errorCount).toBe(0);
  });

  test("guessing the next field survives any order and omission", async () => {
    const kernel = await newKernel();
    const names = [
      "a",
      "b",
      "c",
      "a_name_longer_than_sixteen",
      "a_name_longer_than_sixteen_2",
      "d",
    ];
    for (let round = 0; round < 200; round++) {
      const some = names.filter((_, i) => (round * 7 + i * 3) % 5 !== 0);
      if (round % 3 === 0) some.reverse();
      const parsed = parse(kernel, `m ${some.map((name, i) => `${name}=${i}`).join(",")} ${round}`);
      expect(parsed.errorCount).toBe(0);
      const got = parsed.tables[0]!.fields.map((f) => f.name);
      expect(got.sort()).toEqual([...some].sort());
    }
  });
});

describe("tables", () => {
  test("databases are apart", async () => {
    const kernel = await newKernel();
    const body = [new TextEncoder().encode("m,t=1 v=1")];
    const a = kernel.parseLines(1, body, "ns", 0n).tables[0]!;
    const b = kernel.parseLines(2, body, "ns", 0n).tables[0]!;
    expect(a.slot).not.toBe(b.slot);
    expect(kernel.parseLines(1, body, "ns", 0n).tables[0]!.slot).toBe(a.slot);
    expect(kernel.findSlot(3, "m")).toBeUndefined();
  });

  test("a renamed table keeps its series; its old name is free", async () => {
    const kernel = await newKernel();
    parse(kernel, "old,t=1 v=1\nold,t=2 v=1");
    const slot = slotOf(kernel, "old");
    kernel.renameSlot(slot, "new");
    const parsed = parse(kernel, "new,t=2 v=2\nold,t=2 v=3");
    expect(parsed.tables.map((t) => [t.table, t.slot, [...t.sids]])).toEqual([
      ["new", slot, [1]],
      ["old", slot + 1, [0]],
    ]);
    kernel.renameSlot(slot, "new");
    expect(slotOf(kernel, "new")).toBe(slot);
  });

  test("renaming onto a name hides the other table", async () => {
    const kernel = await newKernel();
    parse(kernel, "a v=1\nb v=1");
    const [a, b] = [slotOf(kernel, "a"), slotOf(kernel, "b")];
    kernel.renameSlot(a, "b");
    expect(parse(kernel, "b v=2").tables[0]!.slot).toBe(a);
    kernel.closeSlot(b);
    expect(slotOf(kernel, "b")).toBe(a);
  });

  test("a closed table is new when it comes back", async () => {
    const kernel = await newKernel();
    parse(kernel, "m,t=1 v=1i\nn v=1");
    const slot = slotOf(kernel, "m");
    kernel.closeSlot(slot);
    expect(kernel.findSlot(0, "m")).toBeUndefined();
    expect(() => kernel.slotInfo(slot)).toThrow(Bug);
    expect(() => kernel.closeSlot(slot)).toThrow(Bug);
    const again = parse(kernel, 'm,t=1 v="other kind"');
    expect(again.errorCount).toBe(0);
    expect(again.tables[0]!.slot).toBeGreaterThan(slot);
    expect(parse(kernel, "n v=2").tables[0]!.slot).toBe(1);
  });

  test("unknown numbers are bugs, not crashes", async () => {
    const kernel = await newKernel();
    for (const slot of [0, 7, 0xffff_fffe]) {
      expect(() => kernel.bindTag(slot, "x")).toThrow(Bug);
      expect(() => kernel.seriesTags(slot, 0, 0)).toThrow(Bug);
      expect(() => kernel.lastTimes(slot)).toThrow(Bug);
    }
    const slot = kernel.slot(0, "m");
    expect(() => kernel.seriesTags(slot, 0, 1)).toThrow(Bug);
    expect(() => kernel.splitLate(slot, Uint32Array.of(0), BigInt64Array.of(1n), 1)).toThrow(Bug);
  });
});

describe("spellings of a series", () => {
  test("tag order, escapes and repeats lead to one series", async () => {
    const kernel = await newKernel();
    const lines = [
      "m,a=1,b=x\\ y v=1",
      "m,b=x\\ y,a=1 v=1",
      "m,a=2,b=x\\ y,a=1 v=1",
      "m,b=z,a=1,b=x\\ y v=1",
    ];
    for (let round = 0; round < 3; round++)
      for (const line of lines) expect([...parse(kernel, line).tables[0]!.sids]).toEqual([0]);
    expect(kernel.seriesCount(0)).toBe(1);
  });

  test("keys that differ only in what padding could hide are apart", async () => {
    const kernel = await newKernel();
    const lines = ["m,a=1", "m,a=1\0", "m,a=1\0\0", "m\0,a=1", "m,a=10", "m,a\0=1"].map(
      (key) => `${key} v=1`,
    );
    const parsed = parse(kernel, lines.join("\n"));
    expect(parsed.tables.map((t) => t.rows)).toEqual([5, 1]);
    expect(kernel.seriesCount(slotOf(kernel, "m"))).toBe(5);
  });

  test("keys of every length around the blocks of the hash, and past what is remembered", async () => {
    const kernel = await newKernel();
    const keys = [...Array(70).keys(), 2030, 2040, 2047, 2048, 2049, 2064, 4100, 30_000].map(
      (n) => `m,t=${"k".repeat(n + 1)} v=1`,
    );
    for (let round = 0; round < 2; round++) {
      const parsed = parse(kernel, keys.join("\n"));
      expect(parsed.errorCount).toBe(0);
      expect([...parsed.tables[0]!.sids]).toEqual([...keys.keys()]);
    }
  });

  test("hostile permutations cannot fill the memory", async () => {
    const kernel = await newKernel();
    const tags = Array.from({ length: 12 }, (_, i) => `tag_number_${i}=value_${i}`);
    const line = (n: number) => {
      // The n-th permutation.
      const rest = [...tags];
      const order: string[] = [];
      for (let k = rest.length, m = n; k > 0; m = Math.floor(m / k), k--)
        order.push(...rest.splice(m % k, 1));
      return `m,${order.join(",")} v=1`;
    };
    for (let round = 0; round < 40; round++)
      parse(kernel, Array.from({ length: 5000 }, (_, i) => line(round * 5000 + i)).join("\n"));
    expect(kernel.seriesCount(0)).toBe(1);
    // 200,000 spellings of 310 bytes would be 62 MB.
    expect(kernel.memoryBytes().dictionaries).toBeLessThan(30_000_000);
  });
});

describe("limit of series", () => {
  test("refuses new series, takes rows of known ones, over all tables", async () => {
    const kernel = await newKernel({ seriesMax: 3 });
    const parsed = parse(
      kernel,
      "a,t=1 v=1\na,t=2 v=1\nb v=1\nb,t=1 v=1\na,t=3 v=1\nc v=1\na,t=1 v=2\nb v=2",
    );
    expect(parsed.errors).toMatchObject([
      { line: 4, column: 1, code: "series_limit", table: "b" },
      { line: 5, column: 1, code: "series_limit", table: "a" },
      { line: 6, column: 1, code: "series_limit", table: "c" },
    ]);
    expect(parsed.tables.map((t) => t.rows)).toEqual([3, 2]);
    kernel.closeSlot(slotOf(kernel, "a"));
    expect(parse(kernel, "c v=1\nb,t=1 v=1").errorCount).toBe(0);
  });
});
