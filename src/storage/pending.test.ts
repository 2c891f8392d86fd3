import fc from "fast-check";
import { expect, test } from "vitest";
import { type Column, isNull, isVar, pickRows, T, textColumn } from "../types/mod.ts";
import { PendingColumns } from "./pending.ts";

const numbers = (values: readonly (number | null)[]): Column => {
  const validity = new Uint8Array(((values.length + 63) >> 6) * 8);
  values.forEach((v, i) => {
    if (v !== null) validity[i >> 3]! |= 1 << (i & 7);
  });
  return {
    type: T.float64,
    values: Float64Array.from(values, (v) => v ?? 0),
    validity: values.includes(null) ? validity : undefined,
  };
};
const texts = (values: readonly (string | null)[]) =>
  textColumn(values.length, (i) => values[i] ?? undefined);

function read(column: Column, rows: number): unknown[] {
  return Array.from({ length: rows }, (_, i) => {
    if (isNull(column, i)) return null;
    return isVar(column)
      ? new TextDecoder().decode(column.bytes.subarray(column.offsets[i]!, column.offsets[i + 1]!))
      : column.values[i];
  });
}

const part = fc.array(fc.tuple(fc.option(fc.double({ noNaN: true })), fc.option(fc.string())), {
  maxLength: 200,
});
/** A part, and whether each of its columns is absent. */
const parts = fc.array(fc.tuple(part, fc.boolean(), fc.boolean()), { maxLength: 8 });

test("what was appended in parts reads back as one, NULLs and absent columns included", () => {
  fc.assert(
    fc.property(parts, (input) => {
      const pending = new PendingColumns([T.float64, T.string]);
      for (let round = 0; round < 2; round++) {
        const x: unknown[] = [];
        const s: unknown[] = [];
        for (const [rows, noX, noS] of input) {
          pending.append(
            [
              noX ? undefined : numbers(rows.map((r) => r[0])),
              noS ? undefined : texts(rows.map((r) => r[1])),
            ],
            rows.length,
          );
          x.push(...rows.map((r) => (noX ? null : r[0])));
          s.push(...rows.map((r) => (noS ? null : r[1])));
        }
        const { columns, rows } = pending.view();
        expect(rows).toBe(x.length);
        expect(read(columns[0]!, rows)).toEqual(x);
        expect(read(columns[1]!, rows)).toEqual(s);
        pending.clear();
      }
    }),
  );
});

test("picked rows keep values and NULLs", () => {
  fc.assert(
    fc.property(part, fc.func(fc.boolean()), (rows, keep) => {
      const picked = Uint32Array.from(rows.map((_, i) => i).filter((i) => keep(i)));
      const want = [...picked].map((i) => rows[i]!);
      expect(read(pickRows(numbers(rows.map((r) => r[0])), picked), picked.length)).toEqual(
        want.map((r) => r[0]),
      );
      expect(read(pickRows(texts(rows.map((r) => r[1])), picked), picked.length)).toEqual(
        want.map((r) => r[1]),
      );
    }),
  );
});
