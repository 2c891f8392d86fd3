/** Memory: no leak over many calls, and a limit at which everything is refused cleanly and works again afterwards. */
import { describe, expect, test } from "vitest";
import { DbError } from "../base/mod.ts";
import { WasmKernel } from "./kernel.ts";
import { loadRaw } from "./load.ts";
import type { Kernel } from "./mod.ts";
import { Random, SEED } from "./testing/prng.ts";
import { newKernel, parse, texts, utf8 } from "./testing/shorthand.ts";

const MiB = 1 << 20;

/** Exercises every function once on its own table, then closes it. */
function roundOfEverything(kernel: Kernel, rows: number): void {
  const lines = Array.from(
    { length: rows },
    (_, i) =>
      `m,host=h${i % 50} f=${i},s="${"text ".repeat(i % 9)}",b=t,i=${i}i${i % 7 === 0 ? `,sparse=${i}u` : ""} ${i}`,
  );
  lines.splice(rows / 2, 0, "bad", 'm,host=new f="conflict"', "m,host=x only=1,f=x");
  const table = kernel.parseLines(9, [utf8(lines.join("\n"))], "ns", 0n).tables[0]!;
  const { slot } = table;
  const batch = {
    rows: table.rows,
    sids: table.sids,
    times: table.timesNs,
    fields: table.fields.map((f) => ({ id: f.index, column: f.column })),
  };
  kernel.decodeBatch(kernel.encodeBatch(batch));
  kernel.splitLate(slot, table.sids, table.timesNs, table.rows);
  kernel.seriesOf(slot, [{ index: 0, column: texts(["h1", "other", null]) }], 3);
  const count = kernel.seriesCount(slot);
  const copy = kernel.slot(9, "copy");
  kernel.bindTag(copy, "host");
  kernel.decodeSeries(copy, kernel.encodeSeries(slot, 0, count, Uint32Array.of(1)), () => 0);
  kernel.seriesColumns(slot, 0, count);
  kernel.renameSlot(copy, "another name");
  kernel.closeSlot(copy);
  kernel.closeSlot(slot);
}

test("nothing is lost over many calls", async () => {
  const kernel = await newKernel();
  for (let i = 0; i < 20; i++) roundOfEverything(kernel, 500);
  const before = kernel.memoryBytes();
  for (let i = 0; i < 500; i++) roundOfEverything(kernel, 100 + (i % 5) * 100);
  const after = kernel.memoryBytes();
  // The numbers of closed slots stay taken: four bytes each.
  expect(after.dictionaries - before.dictionaries).toBeLessThan(500 * 2 * 4 * 2 + 4096);
  expect(after.total).toBe(before.total);
});

test("refused lines cost no memory", async () => {
  const kernel = await newKernel();
  parse(kernel, "m v=1");
  const before = kernel.memoryBytes().dictionaries;
  for (let round = 0; round < 20; round++)
    parse(
      kernel,
      Array.from({ length: 2000 }, (_, i) => `t${round}_${i},tag${i}=v${i} f${i}=1,g=x`).join("\n"),
    );
  expect(kernel.memoryBytes().dictionaries - before).toBeLessThan(64 * 1024);
});

test("a large body and what it needs are given back to later calls", async () => {
  const kernel = await newKernel();
  const body = utf8("m v=1.5\n".repeat(2_000_000));
  const [table] = parse(kernel, body).tables;
  expect(table!.rows).toBe(2_000_000);
  const { total, dictionaries } = kernel.memoryBytes();
  expect(dictionaries).toBeLessThan(MiB);
  for (let i = 0; i < 3; i++) parse(kernel, body);
  expect(kernel.memoryBytes().total).toBe(total);
});

test("addresses above 2 GiB are addresses like any other", async () => {
  const limits = { seriesMax: 1000, columnsMax: 100 };
  const raw = await loadRaw(limits);
  // Never touched, so it costs no memory of the machine.
  expect(raw.take(0x9000_0000) >>> 0).toBeGreaterThan(0);
  const kernel = new WasmKernel(raw, limits);
  roundOfEverything(kernel, 20_000);
  expect(kernel.memoryBytes().total).toBeGreaterThan(0x9000_0000);
  const parsed = parse(kernel, `m,t=\u00fc a=1.5,s="${"long ".repeat(40_000)}"\nm a=x\nm,a=1 b=1`);
  expect(parsed.tables[0]!.fields.map((f) => f.name)).toEqual(["a", "s"]);
  expect(parsed.errors.map((e) => [e.code, e.table, e.name])).toEqual([
    ["bad_field", "m", "a"],
    ["tag_is_field", "m", "a"],
  ]);
  expect(kernel.slotInfo(parsed.tables[0]!.slot).tags).toEqual(["t"]);
  expect(kernel.seriesTags(parsed.tables[0]!.slot, 0, 1)[0]!.tags[0]!.value).toBe("\u00fc");
});

describe("at the limit", () => {
  test("rows are refused as `memory`, the rest is taken, and room that is freed is used again", async () => {
    const kernel = await newKernel({ memoryBytesMax: 8 * MiB });
    let errors = 0;
    let series = 0;
    for (let round = 0; round < 30; round++) {
      const lines = Array.from(
        { length: 5000 },
        (_, i) => `m,host=host_number_${round * 5000 + i} v=1,w=2`,
      );
      const parsed = parse(kernel, lines.join("\n"));
      errors += parsed.errorCount;
      series += parsed.tables[0]?.rows ?? 0;
      for (const error of parsed.errors) expect(error.code).toBe("memory");
      expect(kernel.seriesCount(0)).toBe(series);
    }
    expect(errors).toBeGreaterThan(0);
    expect(series).toBeGreaterThan(10_000);
    expect(errors + series).toBe(150_000);
    expect(kernel.memoryBytes().total).toBeLessThanOrEqual(8 * MiB);
    // Known series go on.
    expect(parse(kernel, "m,host=host_number_7 v=1").errorCount).toBe(0);
    kernel.closeSlot(0);
    expect(parse(kernel, "n,host=a v=1,w=2").errorCount).toBe(0);
  });

  test("sparse columns run into the budget of their call, not into the memory", async () => {
    const kernel = await newKernel({ memoryBytesMax: 32 * MiB });
    const rows = 20_000;
    const lines = Array.from({ length: rows }, (_, i) => `m f${i % 400}=1`);
    const parsed = parse(kernel, lines.join("\n"));
    expect(parsed.errorCount).toBeGreaterThan(0);
    expect(parsed.errorCount + parsed.tables[0]!.rows).toBe(rows);
    for (const error of parsed.errors) expect(error.code).toBe("memory");
    expect(parse(kernel, "m f1=1").errorCount).toBe(0);
  });

  test("columns used once do not make the host allocate all their rows", async () => {
    const kernel = await newKernel({ memoryBytesMax: 64 * MiB });
    const wide = Array.from({ length: 900 }, (_, i) => `f${i}=1`).join(",");
    const parsed = parse(kernel, `m ${wide}\n${"m f0=1\n".repeat(100_000)}`);
    // 900 columns of 8 bytes: half of the memory holds some 4,600 rows.
    expect(parsed.tables[0]!.rows).toBeLessThan(5000);
    expect(parsed.errorCount).toBe(100_001 - parsed.tables[0]!.rows);
    expect(parsed.errors[0]!.code).toBe("memory");
    expect(parse(kernel, "m f0=1\n".repeat(100_000)).errorCount).toBe(0);
  });

  test("a body has at most 65,536 tables", async () => {
    const kernel = await newKernel();
    const body = Array.from({ length: 65_540 }, (_, i) => `t${i} v=1`).join("\n");
    const parsed = parse(kernel, `${body}\nt7 v=2`);
    expect(parsed.tables).toHaveLength(65_536);
    expect(parsed.errors.map((e) => [e.line, e.code])).toEqual(
      [65_537, 65_538, 65_539, 65_540].map((line) => [line, "memory"]),
    );
    expect(kernel.findSlot(0, "t65536")).toBeUndefined();
    expect(parse(kernel, "t65536 v=1").errorCount).toBe(0);
  });

  test(`every call either works or says so (SEED=${SEED})`, async () => {
    const random = new Random(SEED);
    const known = /out of memory|are too few/;
    for (let i = 0; i < 60; i++) {
      const memoryBytesMax = 200_000 + random.below(2_000_000);
      try {
        const kernel = await newKernel({ memoryBytesMax });
        for (let n = 0; n < 8; n++)
          try {
            roundOfEverything(kernel, 100 + random.below(4000));
          } catch (error) {
            if (error instanceof DbError) expect(error.code).toBe("resources_exhausted");
            else if (!(error instanceof TypeError)) throw error; // no table: all lines were refused
          }
        for (const name of ["m", "copy", "another name"]) {
          const slot = kernel.findSlot(9, name);
          if (slot !== undefined) kernel.closeSlot(slot);
        }
        // All is free again: a small request must work.
        expect(parse(kernel, "fresh,t=1 v=1").errorCount).toBe(0);
      } catch (error) {
        expect(String(error)).toMatch(known);
      }
    }
  });
});
