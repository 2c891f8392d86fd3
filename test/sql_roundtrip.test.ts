/**
 * What goes in by INSERT comes out by SELECT: random values of every type, by the path of literals and by the engine's, in
 * memory, flushed and compacted. `SEED=n npx vitest run test/sql_roundtrip.test.ts` repeats a run.
 */
import { expect, test } from "vitest";
import { prng } from "./harness/prng.ts";
import { SqlStack } from "./harness/sql_stack.ts";

/** A literal, and the value that SELECT gives for it. */
type Pair = readonly [literal: string, value: unknown];
type Random = () => number;

const pick = <T>(random: Random, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)]!;
const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** An integer of `bits` bits, often at the ends of the range. */
function integer(random: Random, bits: number, signed: boolean): bigint {
  const size = 1n << BigInt(bits);
  const low = signed ? -(size / 2n) : 0n;
  const high = low + size - 1n;
  const word = () => BigInt(Math.floor(random() * 2 ** 32));
  return pick(random, [low, high, 0n, 1n, low + (((word() << 32n) | word()) % size)]);
}

function float(random: Random): number {
  return pick(random, [
    0,
    0.1,
    -2.5,
    1e300,
    5e-324,
    random() * 100,
    (random() - 0.5) * 10 ** Math.floor(random() * 40 - 20),
  ]);
}

const words = ["", "a", "it's", 'say "hi"', "日本語", "😀", "a\\b", "line\nbreak", "\ttab", "%_"];

function text(random: Random): string {
  return random() < 0.9 ? pick(random, words) : "long ".repeat(Math.ceil(random() * 50));
}

const small = (bits: number, signed: boolean) => (random: Random) => {
  const value = integer(random, bits, signed);
  return [String(value), Number(value)] as const;
};
const big = (signed: boolean) => (random: Random) => {
  const value = integer(random, 64, signed);
  return [String(value), value] as const;
};
/** Ticks of a unit: any instant from the year 1 to 9999 that the unit reaches. */
const ticks = (perSecond: bigint) => (random: Random) => {
  const span = perSecond === 1_000_000_000n ? 9_000_000_000 : 60_000_000_000;
  const seconds = BigInt(Math.floor((random() - 0.5) * 2 * span));
  const value = seconds * perSecond + BigInt(Math.floor(random() * Number(perSecond)));
  return [String(value), value] as const;
};

function decimal(random: Random): Pair {
  const scaled = integer(random, 126, true);
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(11, "0");
  const value = `${scaled < 0n ? "-" : ""}${digits.slice(0, -10)}.${digits.slice(-10)}`;
  // Quoted: bare, the engine's path would read it as a 64-bit float, as the dialect has it.
  return [quote(value), value];
}

function bytes(random: Random): Pair {
  const value = Uint8Array.from({ length: Math.floor(random() * 20) }, () => random() * 256);
  return [`X'${Buffer.from(value).toString("hex")}'`, value];
}

function day(random: Random): Pair {
  const days = Math.floor((random() - 0.5) * 1_000_000);
  return [quote(new Date(days * 86_400_000).toISOString().slice(0, 10)), days];
}

const kinds: readonly { readonly sql: string; readonly make: (random: Random) => Pair }[] = [
  { sql: "TINYINT", make: small(8, true) },
  { sql: "SMALLINT", make: small(16, true) },
  { sql: "INT", make: small(32, true) },
  { sql: "BIGINT", make: big(true) },
  { sql: "TINYINT UNSIGNED", make: small(8, false) },
  { sql: "SMALLINT UNSIGNED", make: small(16, false) },
  { sql: "INT UNSIGNED", make: small(32, false) },
  { sql: "BIGINT UNSIGNED", make: big(false) },
  {
    sql: "FLOAT",
    make: (random) => {
      const value = Math.fround(random() * 1_000);
      return [String(value), value];
    },
  },
  {
    sql: "DOUBLE",
    make: (random) => {
      const value = float(random);
      return [String(value), value];
    },
  },
  {
    sql: "BOOLEAN",
    make: (random) => {
      const value = random() < 0.5;
      return [String(value), value];
    },
  },
  {
    sql: "STRING",
    make: (random) => {
      const value = text(random);
      return [quote(value), value];
    },
  },
  { sql: "VARBINARY", make: bytes },
  { sql: "DATE", make: day },
  { sql: "TIMESTAMP(0)", make: ticks(1n) },
  { sql: "TIMESTAMP(3)", make: ticks(1_000n) },
  { sql: "TIMESTAMP(6)", make: ticks(1_000_000n) },
  { sql: "TIMESTAMP(9)", make: ticks(1_000_000_000n) },
  { sql: "DECIMAL(38, 10)", make: decimal },
];

function value(random: Random, make: (random: Random) => Pair, nullable: boolean): Pair {
  if (nullable && random() < 0.15) return ["NULL", null];
  return make(random);
}

test("values of every type, as tags and as fields", async () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
  const random = prng(seed);
  const stack = await SqlStack.start();
  try {
    const tag = pick(random, ["STRING", "BIGINT", "BOOLEAN"]);
    const columns = kinds.map((kind, i) => `f${i} ${kind.sql}`);
    await stack.run(
      `CREATE TABLE t (host ${tag}, ${columns.join(", ")}, n BIGINT, ts TIMESTAMP(9) TIME INDEX, PRIMARY KEY (host))`,
    );
    const tagMake = kinds.find((kind) => kind.sql === tag)!.make;
    const want: unknown[][] = [];
    for (let statement = 0; statement < 4; statement++) {
      const tuples: string[] = [];
      for (let row = 0; row < 150; row++) {
        const n = BigInt(want.length);
        const pairs = [
          value(random, tagMake, true),
          ...kinds.map((kind) => value(random, kind.make, true)),
          // The last statement goes through the engine.
          [statement === 3 ? `${n} + 0` : String(n), n] as const,
          [String(n * 7n), n * 7n] as const,
        ];
        tuples.push(`(${pairs.map(([literal]) => literal).join(", ")})`);
        want.push(pairs.map(([, each]) => each));
      }
      await stack.run(`INSERT INTO t VALUES ${tuples.join(", ")}`);
      if (statement === 1) await stack.run("ADMIN flush_table('t')");
    }
    const same = async () => {
      const got = await stack.rows("SELECT * FROM t ORDER BY n");
      expect(got.length).toBe(want.length);
      // Cell by cell: a message that names the type is worth more than a diff of 600 rows.
      for (const [row, cells] of got.entries())
        for (const [i, cell] of cells.entries())
          expect(cell, `row ${row}, column ${i} ${kinds[i - 1]?.sql ?? ""}`).toEqual(want[row]![i]);
    };
    await same();
    await stack.run("ADMIN flush_table('t')");
    await same();
    await stack.run("ADMIN compact_table('t')");
    await same();
    // Every value finds its row again.
    for (let i = 0; i < 40; i++) {
      const row = pick(random, want);
      const n = row.at(-2);
      expect(await stack.rows(`SELECT * FROM t WHERE n = ${n}`)).toEqual([row]);
    }
  } catch (cause) {
    throw new Error(`SEED=${seed} npx vitest run test/sql_roundtrip.test.ts`, { cause });
  } finally {
    await stack.stop();
  }
});
