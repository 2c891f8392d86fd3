/** Series: sids of tag columns, bytes, columns, growth, and late rows. */
import { describe, expect, test } from "vitest";
import { DbError } from "../base/mod.ts";
import type { Kernel } from "./mod.ts";
import { Random, SEED } from "./testing/prng.ts";
import { newKernel, parse, texts, textsOf } from "./testing/shorthand.ts";

/** A slot with two tags and series from lines, tag columns and both. */
async function filled(): Promise<{ kernel: Kernel; slot: number }> {
  const kernel = await newKernel();
  parse(kernel, "m,host=a,dc=x v=1\nm,host=b v=1\nm v=1\nm,dc=y,host=a v=1");
  return { kernel, slot: 0 };
}

const tagsOf = (kernel: Kernel, slot: number) =>
  kernel
    .seriesTags(slot, 0, kernel.seriesCount(slot))
    .map((s) => s.tags.map((t) => `${t.index}=${t.value}`).join());

describe("tag columns", () => {
  test("lead to the same series as lines; NULL and empty are absent", async () => {
    const { kernel, slot } = await filled();
    const sids = kernel.seriesOf(
      slot,
      [
        { index: 1, column: texts(["x", null, "", "y", "z", "x"]) },
        { index: 0, column: texts(["a", "b", null, "a", "", "a"]) },
      ],
      6,
    );
    expect([...sids]).toEqual([0, 1, 2, 3, 4, 0]);
    expect(tagsOf(kernel, slot)).toEqual(["0=a,1=x", "0=b", "", "0=a,1=y", "1=z"]);
    expect([...parse(kernel, "m,dc=z v=1").tables[0]!.sids]).toEqual([4]);
  });

  test("no tags is one series, no rows is nothing", async () => {
    const kernel = await newKernel();
    const slot = kernel.slot(0, "m");
    expect([...kernel.seriesOf(slot, [], 3)]).toEqual([0, 0, 0]);
    expect(kernel.seriesOf(slot, [], 0)).toHaveLength(0);
  });

  test("the limit of series throws", async () => {
    const kernel = await newKernel({ seriesMax: 2 });
    const slot = kernel.slot(0, "m");
    const index = kernel.bindTag(slot, "t");
    const column = texts(["a", "b", "a", "c"]);
    expect(() => kernel.seriesOf(slot, [{ index, column }], 4)).toThrow(DbError);
    expect([...kernel.seriesOf(slot, [{ index, column }], 3)]).toEqual([0, 1, 0]);
  });
});

describe("bytes", () => {
  /** Encodes a slot and decodes it into a fresh table whose tags are bound in another order. */
  async function moved(kernel: Kernel, slot: number, names: readonly string[]) {
    const ids = Uint32Array.from(kernel.slotInfo(slot).tags, (_, i) => 100 + i);
    const bytes = kernel.encodeSeries(slot, 0, kernel.seriesCount(slot), ids);
    const other = await newKernel();
    const to = other.slot(5, "copy");
    for (const name of names) other.bindTag(to, name);
    const index = (id: number) => names.indexOf(kernel.slotInfo(slot).tags[id - 100]!);
    return { bytes, other, to, index };
  }

  test("round trip, also into another order of tags", async () => {
    const { kernel, slot } = await filled();
    const { bytes, other, to, index } = await moved(kernel, slot, ["dc", "host"]);
    expect(other.decodeSeries(to, bytes, index)).toBe(4);
    expect(tagsOf(other, to)).toEqual(["0=x,1=a", "1=b", "", "0=y,1=a"]);
    // Again: equal sids are fine and add nothing.
    expect(other.decodeSeries(to, bytes, index)).toBe(0);
    expect(other.seriesCount(to)).toBe(4);
  });

  test("golden bytes of version 1", async () => {
    const { kernel, slot } = await filled();
    const bytes = kernel.encodeSeries(slot, 0, 4, Uint32Array.of(7, 300));
    const golden =
      "01000402" +
      "07ac02" +
      "0200016101" +
      "0178" +
      "0100" +
      "0162" +
      "00" +
      "0200" +
      "0161" +
      "01" +
      "0179";
    expect(Buffer.from(bytes).toString("hex")).toBe(golden);
  });

  test("ranges continue, gaps and differences are refused", async () => {
    const { kernel, slot } = await filled();
    const ids = Uint32Array.of(1, 2);
    const parts = [kernel.encodeSeries(slot, 0, 1, ids), kernel.encodeSeries(slot, 1, 4, ids)];
    const other = await newKernel();
    const to = other.slot(0, "m");
    other.bindTag(to, "host");
    other.bindTag(to, "dc");
    const index = (id: number) => id - 1;
    expect(() => other.decodeSeries(to, parts[1]!, index)).toThrow(/do not follow/);
    expect(other.decodeSeries(to, parts[0]!, index)).toBe(1);
    expect(other.decodeSeries(to, parts[1]!, index)).toBe(3);
    const third = await newKernel();
    parse(third, "m,host=q v=1");
    expect(() => third.decodeSeries(0, parts[0]!, (id) => (id === 1 ? 0 : undefined))).toThrow(
      /differ/,
    );
  });

  test("a column that is gone is left out and never merges two sids", async () => {
    const { kernel, slot } = await filled();
    const { bytes, other, to } = await moved(kernel, slot, ["host"]);
    expect(other.decodeSeries(to, bytes, (id) => (id === 100 ? 0 : undefined))).toBe(4);
    expect(tagsOf(other, to)).toEqual(["0=a", "0=b", "", "0=a"]);
    expect([...other.seriesOf(to, [{ index: 0, column: texts(["a"]) }], 1)]).toEqual([0]);
  });

  test(`damage is an error, never a crash (SEED=${SEED})`, async () => {
    const random = new Random(SEED);
    const kernel = await newKernel();
    parse(
      kernel,
      Array.from({ length: 40 }, (_, i) => `m,a=${i % 7},b=${"x".repeat(i + 1)} v=1`).join("\n"),
    );
    const bytes = kernel.encodeSeries(0, 0, 40, Uint32Array.of(1, 2));
    const attempt = async (damaged: Uint8Array) => {
      const other = kernel.slot(1, `t${random.u32()}`);
      kernel.bindTag(other, "a");
      kernel.bindTag(other, "b");
      try {
        kernel.decodeSeries(other, damaged, (id) => (id < 3 ? id - 1 : undefined));
        for (const { tags } of kernel.seriesTags(other, 0, kernel.seriesCount(other)))
          for (const tag of tags) expect(tag.value.length).toBeGreaterThan(0);
      } catch (error) {
        expect(String(error)).toMatch(/damaged series bytes/);
      }
      kernel.closeSlot(other);
    };
    for (let cut = 0; cut < bytes.length; cut++) await attempt(bytes.subarray(0, cut));
    for (let i = 0; i < 3000; i++) {
      const damaged = bytes.slice();
      for (let n = 1 + random.below(3); n > 0; n--)
        damaged[random.below(bytes.length)] = random.below(256);
      await attempt(damaged);
    }
    await attempt(Uint8Array.from([...bytes, 0]));
  });
});

test("series as columns", async () => {
  const { kernel, slot } = await filled();
  const columns = kernel.seriesColumns(slot, 0, 4);
  expect(columns.map((column) => textsOf(column, 4))).toEqual([
    ["a", "b", null, "a"],
    ["x", null, null, "y"],
  ]);
  expect(kernel.seriesColumns(slot, 3, 4).map((column) => textsOf(column, 1))).toEqual([
    ["a"],
    ["y"],
  ]);
  expect(kernel.seriesColumns(slot, 3, 4)[0]!.validity).toBeUndefined();
  expect(kernel.seriesColumns(slot, 2, 2).map((column) => textsOf(column, 0))).toEqual([[], []]);
});

test("300,000 series: every one is found again, by line and by column", async () => {
  const kernel = await newKernel();
  const total = 300_000;
  const key = (i: number) => `cpu,host=host_${i % 5000},core=${Math.floor(i / 5000)}`;
  const batch = 10_000;
  for (const round of [0, 1])
    for (let from = 0; from < total; from += batch) {
      const lines = Array.from(
        { length: batch },
        (_, i) => `${key(from + i)} v=${round} ${from + i}`,
      );
      const [table] = parse(kernel, lines.join("\n")).tables;
      if (table!.sids.some((sid, i) => sid !== from + i))
        throw new Error(`a wrong sid behind ${from}`);
    }
  expect(kernel.seriesCount(0)).toBe(total);
  const rows = [0, 1, 4999, 5000, 123_456, 299_999];
  const columns = [
    { index: 0, column: texts(rows.map((i) => `host_${i % 5000}`)) },
    { index: 1, column: texts(rows.map((i) => String(Math.floor(i / 5000)))) },
  ];
  expect([...kernel.seriesOf(0, columns, rows.length)]).toEqual(rows);
  const other = kernel.slot(0, "copy");
  kernel.bindTag(other, "host");
  kernel.bindTag(other, "core");
  expect(
    kernel.decodeSeries(other, kernel.encodeSeries(0, 0, total, Uint32Array.of(0, 1)), (id) => id),
  ).toBe(total);
  expect(kernel.seriesTags(other, 123_456, 123_457)).toEqual(
    kernel.seriesTags(0, 123_456, 123_457),
  );
  const [hosts, cores] = kernel.seriesColumns(0, 0, total);
  expect(textsOf(hosts!, total)[123_456]).toBe("host_3456");
  expect(textsOf(cores!, total)[123_456]).toBe("24");
  kernel.closeSlot(0);
  kernel.closeSlot(other);
  expect(kernel.memoryBytes().dictionaries).toBeLessThan(10_000_000);
});

describe("late rows", () => {
  const split = (kernel: Kernel, sids: number[], times: bigint[]) => [
    ...kernel.splitLate(0, Uint32Array.from(sids), BigInt64Array.from(times), sids.length),
  ];

  test("a row is late unless it is newer than all before it of its series", async () => {
    const { kernel } = await filled();
    expect(split(kernel, [0, 1, 0, 0, 1, 2], [10n, 5n, 10n, 11n, 4n, -5n])).toEqual([2, 4]);
    expect(split(kernel, [0, 1, 2, 3], [11n, 6n, -4n, 0n])).toEqual([0]);
    expect([...kernel.lastTimes(0)]).toEqual([11n, 6n, -4n, 0n]);
  });

  test("raising and clearing the last times", async () => {
    const { kernel } = await filled();
    const never = -(2n ** 63n);
    split(kernel, [0, 3], [100n, 7n]);
    kernel.raiseLastTimes(0, 2, 50n);
    expect([...kernel.lastTimes(0)]).toEqual([100n, 50n, never, 7n]);
    expect(split(kernel, [1, 2], [50n, 50n])).toEqual([0]);
    kernel.clearLastTimes(0);
    expect([...kernel.lastTimes(0)]).toEqual([never, never, never, never]);
    expect(split(kernel, [0], [never + 1n])).toEqual([]);
  });

  test("more rows than sids are given is a bug of the caller", async () => {
    const { kernel } = await filled();
    expect(() => split(kernel, [0, 4], [1n, 1n])).toThrow(/sid/);
  });
});
