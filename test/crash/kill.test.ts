/**
 * Kill -9 at random moments under load: each acknowledged row is there exactly once with its latest acknowledged value, none is invented.
 * RUNS=200 for the long form; KILL_MS=n kills after exactly so long; SEED=n repeats the same kill times and loads (not the operating system's scheduling).
 */
import { afterAll, expect, test } from "vitest";
import { prng } from "../harness/prng.ts";
import { TestServer } from "../harness/server.ts";

const runs = Number(process.env.RUNS ?? 6);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const writers = 4;
const rowsPerBatch = 200;
/** Small memtables, so that kills also hit flushes and compactions. */
const env = {
  TIDEMARK_STANDALONE__REGION_ENGINE__MITO__GLOBAL_WRITE_BUFFER_SIZE: "2MB",
  TIDEMARK_STANDALONE__WAL__FILE_SIZE: "1MB",
};
const t0 = 1_700_000_000_000_000_000n;

let server: TestServer;
afterAll(async () => server?.dispose());

/** What one writer knows: row i was written with version v; `acked` is the newest acknowledged version, `tried` the newest sent. */
class Ledger {
  readonly acked: number[] = [];
  readonly tried: number[] = [];
  next = 0;
}

const line = (writer: number, row: number, version: number) =>
  `crash,writer=w${writer} v=${version}i,text="row ${row} version ${version}" ${t0 + BigInt(row) * 1_000_000n}`;

async function writeUntilKilled(
  writer: number,
  ledger: Ledger,
  random: () => number,
  stopped: () => boolean,
): Promise<void> {
  while (!stopped()) {
    // One batch in four rewrites old rows: those go the late way.
    const rewrite = ledger.next > rowsPerBatch && random() < 0.25;
    const from = rewrite ? Math.floor(random() * (ledger.next - rowsPerBatch)) : ledger.next;
    const rows = Array.from({ length: rowsPerBatch }, (_, i) => from + i);
    if (!rewrite) ledger.next += rowsPerBatch;
    const lines = rows.map((row) => {
      ledger.tried[row] = (ledger.tried[row] ?? 0) + 1;
      return line(writer, row, ledger.tried[row]!);
    });
    try {
      const answer = await server.write(lines.join("\n"));
      if (answer.status !== 204) {
        if (answer.status < 500 && answer.status !== 429)
          throw new Error(`${answer.status} ${answer.text}`);
        continue;
      }
      for (const row of rows) ledger.acked[row] = ledger.tried[row]!;
    } catch (error) {
      if (!stopped()) throw error;
    }
  }
}

test(`${runs} kills under load lose nothing (SEED=${seed})`, {
  timeout: 60_000 + runs * 20_000,
}, async () => {
  const random = prng(seed);
  const ledgers = Array.from({ length: writers }, () => new Ledger());
  server = await TestServer.start({ env });
  for (let run = 0; run < runs; run++) {
    let stopped = false;
    const load = ledgers.map((ledger, writer) =>
      writeUntilKilled(writer, ledger, random, () => stopped),
    );
    await new Promise((resolve) =>
      setTimeout(resolve, Number(process.env.KILL_MS ?? 100 + random() * 1_200)),
    );
    stopped = true;
    await server.kill9();
    await Promise.all(load);
    await server.restart();
    await check(ledgers, run).catch((error: Error) => {
      throw new Error(`${error.message}\nserver log:\n${server.log.slice(-4_000)}`, {
        cause: error,
      });
    });
  }
});

async function check(ledgers: readonly Ledger[], run: number): Promise<void> {
  for (const [writer, ledger] of ledgers.entries()) {
    if (ledger.tried.length === 0) continue;
    const what = `SEED=${seed} run ${run} writer ${writer}`;
    const rows = await server
      .sql(
        `SELECT CAST(greptime_timestamp AS BIGINT), v, text FROM crash WHERE writer = 'w${writer}' ORDER BY greptime_timestamp`,
      )
      .catch((error: Error) => {
        // Killed before the first write was acknowledged: the table need not exist.
        if (ledger.acked.length === 0 && /not found/i.test(error.message)) return [];
        throw error;
      });
    const seen = new Map<number, number>();
    for (const [time, v, text] of rows) {
      const row = Math.round((Number(time) - Number(t0)) / 1_000_000);
      expect(seen.has(row), `${what}: row ${row} twice`).toBe(false);
      seen.set(row, v as number);
      expect(text, `${what}: row ${row} is torn`).toBe(`row ${row} version ${v}`);
      expect(v, `${what}: row ${row} is invented`).toBeLessThanOrEqual(ledger.tried[row] ?? 0);
    }
    for (const [row, version] of ledger.acked.entries()) {
      if (version === undefined) continue;
      expect(seen.get(row) ?? 0, `${what}: acknowledged row ${row}`).toBeGreaterThanOrEqual(
        version,
      );
    }
    // What survived unacknowledged is the state from here on.
    for (const [row, version] of seen) ledger.acked[row] = version;
  }
}
