import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLogger } from "../../base/mod.ts";
import { Duck } from "../../duck/mod.ts";
import { T } from "../../types/mod.ts";
import { type Cell, columnsOf, relationText } from "./virtual_table.ts";

let duck: Duck;
beforeAll(async () => {
  duck = await Duck.open({
    memoryBytesMax: 256 * 2 ** 20,
    threads: 1,
    tempDir: "",
    log: silentLogger,
  });
});
afterAll(() => duck.close());

test("a list of names takes the type of the next one that has it", () => {
  expect(columnsOf("a b:Str c:I?")).toEqual([
    { name: "a", type: T.string, nullable: false },
    { name: "b", type: T.string, nullable: false },
    { name: "c", type: T.int64, nullable: true },
  ]);
});

const columns = columnsOf(
  "s:Str? i:I? u:U? small:U8? ok:Bool? sec:TsS? ms:TsMs? us:TsUs? ns:TsNs? bytes:Bin? took:DurMs?",
);
const rows: Cell[][] = [
  [`it's "quoted" \\ é`, -5, 2n ** 64n - 1n, 255, true, 1n, 2n, 3n, 4n, Uint8Array.of(0, 255), 9n],
  ["", 0, 0, 0, false, 0n, -1n, 0n, 1_460_549_358_372_198_212n, new Uint8Array(), 0n],
  columns.map(() => null),
];

test("every type survives the way through the engine", async () => {
  const names = columns.map((_, i) => `c${i}`);
  const got = await duck.rows(
    `SELECT * FROM ${relationText(columns, names, rows)}`,
    columns.map(({ name, type }) => ({ name, type })),
  );
  const want = rows.map((row) =>
    row.map((cell, i) => {
      const kind = columns[i]!.type.kind;
      const wide = kind === "int64" || kind === "uint64";
      return wide && typeof cell === "number" ? BigInt(cell) : cell;
    }),
  );
  expect(got).toEqual(want);
});

test("no rows is a relation too, with the same types", async () => {
  const names = columns.map((_, i) => `c${i}`);
  const got = await duck.rows(
    `SELECT typeof(c8), count(*) OVER () FROM ${relationText(columns, names, [])} UNION ALL SELECT 'end', 0`,
    [
      { name: "t", type: T.string },
      { name: "n", type: T.int64 },
    ],
  );
  expect(got).toEqual([["end", 0n]]);
});
