/** Memory that one request has used and given back serves every later one, whatever the sizes. */
import { expect, test } from "vitest";
import { loadKernel } from "./mod.ts";

const MIB = 1024 ** 2;
const encode = (text: string) => [new TextEncoder().encode(text)];

test("bodies of many columns, with more and more rows, do not use up the memory for others", async () => {
  const kernel = await loadKernel({
    seriesMax: 1_000_000,
    columnsMax: 4_095,
    memoryBytesMax: 96 * MIB,
  });
  const rowsOf = (text: string) => {
    const body = kernel.parseLines(0, encode(text), "ns", 0n);
    return body.tables.reduce((sum, table) => sum + table.rows, 0);
  };
  const wide = (columns: number, rows: number) =>
    Array.from(
      { length: rows },
      (_, i) => `wide f${i % columns}=${i}i,f${(i * 7 + 1) % columns}b=${i} ${i + 1}`,
    ).join("\n");
  // Each needs blocks of other sizes than the one before; without reclaiming, each size would keep its pages.
  for (let round = 0; round < 3; round++)
    for (const [columns, rows] of [
      [1_000, 100],
      [1_000, 500],
      [1_000, 1_000],
      [600, 2_000],
      [300, 4_000],
      [1_500, 700],
    ] as const) {
      expect(rowsOf(wide(columns, rows)), `round ${round}: ${rows} rows`).toBeGreaterThan(0);
      expect(rowsOf("other v=1i 1"), `round ${round}: after ${rows} rows`).toBe(1);
    }
  const body = kernel.parseLines(0, encode(wide(1_000, 1_000)), "ns", 0n);
  for (const { rows, sids, timesNs, fields } of body.tables)
    for (let i = 0; i < 3; i++) {
      const columns = fields.map((f) => ({ id: f.index + 2, column: f.column }));
      const bytes = kernel.encodeBatch({ rows, sids, times: timesNs, fields: columns });
      expect(kernel.decodeBatch(bytes).rows).toBe(rows);
    }
  expect(rowsOf("other v=1i 1")).toBe(1);
  expect(kernel.memoryBytes().total).toBeLessThanOrEqual(96 * MIB);
});
