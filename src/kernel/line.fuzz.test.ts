/**
 * The kernels against the reference parser: random bodies, damaged ones, every truncation, every split into chunks. SEED=n repeats
 * a run, FUZZ_BODIES=n makes it longer.
 */
import { describe, expect, test } from "vitest";
import { type Kernel, loadKernel, type Precision } from "./mod.ts";
import {
  shownKernel,
  shownReference,
  shownReferenceTables,
  shownTables,
} from "./testing/compare.ts";
import { damage, randomBody } from "./testing/line_generator.ts";
import { LineReference } from "./testing/line_reference.ts";
import { Random, SEED } from "./testing/prng.ts";

const BODIES = Number(process.env.FUZZ_BODIES ?? 2500);
const NOW = 1_700_000_123_456_789_012n;
const UNITS: readonly (readonly [Precision, bigint])[] = [
  ["ns", 1n],
  ["us", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
];
const LIMITS = { seriesMax: 60, columnsMax: 14 };

/** One kernel and its reference, compared after every body. */
class Pair {
  readonly reference = new LineReference(LIMITS);
  constructor(
    readonly kernel: Kernel,
    readonly db: number,
  ) {}

  check(chunks: readonly Uint8Array[], unit = UNITS[0]!): void {
    const body = Buffer.concat(chunks);
    const [precision, ns] = unit;
    const wanted = this.reference.parse(body, ns, NOW);
    const parsed = this.kernel.parseLines(this.db, chunks, precision, NOW);
    const what = `SEED=${SEED}, body ${JSON.stringify(body.toString("latin1"))}`;
    expect(shownKernel(this.kernel, parsed), what).toEqual(shownReference(wanted));
    expect(shownTables(this.kernel, this.db, this.reference.tables), what).toEqual(
      shownReferenceTables(this.reference.tables),
    );
  }
}

describe.each([
  ["valid", 0, 0],
  ["with mistakes", 0.08, 0],
  ["damaged", 0.02, 0.7],
])("%s bodies", (_name, badness, damaged) => {
  test(`give the reference's answer (SEED=${SEED})`, async () => {
    const random = new Random(SEED);
    let pair: Pair | undefined;
    for (let i = 0; i < BODIES; i++) {
      // A few bodies meet the dictionary that earlier ones filled, up to its limits.
      if (pair === undefined || random.chance(0.04)) pair = new Pair(await loadKernel(LIMITS), 3);
      let body = randomBody(random, { badness, lines: 8 });
      if (random.chance(damaged)) body = damage(random, body);
      pair.check([body], random.pick(UNITS));
    }
  });
});

test(`random bytes never trap (SEED=${SEED})`, async () => {
  const random = new Random(SEED ^ 1);
  const pair = new Pair(await loadKernel(LIMITS), 0);
  for (let i = 0; i < BODIES / 4; i++) {
    const body = new Uint8Array(random.below(300));
    const narrow = random.chance(0.7);
    for (let j = 0; j < body.length; j++)
      body[j] = narrow ? 'a,= "\\\n\r#1.ie-+t'.charCodeAt(random.below(17)) : random.below(256);
    pair.check([body]);
  }
});

test(`every truncation and every split gives the same as the whole (SEED=${SEED})`, async () => {
  const random = new Random(SEED ^ 2);
  const kernel = await loadKernel({ seriesMax: 100_000, columnsMax: 14 });
  let db = 0;
  for (let i = 0; i < BODIES / 200; i++) {
    const body = damage(random, randomBody(random, { badness: 0.05, lines: 3 }));
    for (let cut = 0; cut <= body.length; cut++) {
      new Pair(kernel, db++).check([body.subarray(0, cut)]);
      new Pair(kernel, db++).check([body.subarray(0, cut), body.subarray(cut)]);
    }
  }
});
