/**
 * Kill -9 during DDL and during ADMIN compact_table: after each start every acknowledged change of a schema is there, the one under way is
 * there wholly or not at all, no acknowledged row is lost by an ALTER, and nothing that was dropped, truncated or deleted comes back.
 * RUNS=100 for the long form; SEED=n repeats the same statements and kill times.
 */
import { afterEach, expect, test } from "vitest";
import { prng } from "../harness/prng.ts";
import { TestServer } from "../harness/server.ts";

const runs = Number(process.env.RUNS ?? 5);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const timeout = 60_000 + runs * 30_000;

let server: TestServer;
afterEach(async () => server?.dispose());

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs `work` until a kill, which comes after a random time. Errors after the kill are its own. */
async function killDuring(random: () => number, work: (stopped: () => boolean) => Promise<void>) {
  let stopped = false;
  const done = work(() => stopped).catch((error) => {
    if (!stopped) throw error;
  });
  await Promise.race([wait(50 + random() * 900), done]);
  stopped = true;
  await server.kill9();
  await done;
  await server.restart();
}

/** One table's life as its owner knows it. `doubt`: the state if the statement under way took hold. */
interface Known {
  exists: boolean;
  /** Type of column v; undefined when there is no column v. */
  type: "BIGINT" | "STRING" | "DOUBLE" | undefined;
  /** Rows by time: what was written into v, as a number. Rows written while there is no v have none. */
  rows: Map<number, number | undefined>;
}
const copy = (k: Known): Known => ({ ...k, rows: new Map(k.rows) });

test(`DDL (SEED=${seed})`, { timeout }, async () => {
  const random = prng(seed);
  const pick = (n: number) => Math.floor(random() * n);
  server = await TestServer.start();
  const tables = ["d0", "d1", "d2"];
  const known = new Map<string, Known>();
  let value = 1;
  for (const table of tables) known.set(table, { exists: false, type: undefined, rows: new Map() });
  const trace: string[] = [];
  for (let run = 0; run < runs; run++) {
    const doubts = new Map<string, Known>();
    await killDuring(random, async (stopped) => {
      await Promise.all(
        tables.map(async (table) => {
          while (!stopped()) {
            const now = known.get(table)!;
            const next = copy(now);
            const sql = statement(table, next, pick, () => value++);
            if (sql === undefined) continue;
            doubts.set(table, next);
            trace.push(sql.slice(0, 90));
            const answer = sql.startsWith("LINES ")
              ? await server.write(sql.slice(6))
              : await server.query(sql);
            expect(answer.status, `${sql}: ${answer.text}`).toBeLessThan(300);
            known.set(table, next);
            doubts.delete(table);
          }
        }),
      );
    });
    for (const table of tables) {
      const states = [known.get(table)!, doubts.get(table)].filter((s) => s !== undefined);
      const got = await contents(table);
      const match = states.find((state) => expected(state) === got);
      const mine = trace.filter((sql) => sql.includes(table)).slice(-12);
      expect(
        match === undefined ? got : "known",
        `SEED=${seed} run ${run} ${table} after\n${mine.join("\n")}\n${server.log.slice(-2_000)}\nallowed: ${states.map(expected).join(" or ")}`,
      ).toBe(match === undefined ? expected(states[0]!) : "known");
      known.set(table, match!);
    }
  }
});

/** A random statement that is allowed now; changes `next` to what it leads to. */
function statement(
  table: string,
  next: Known,
  pick: (n: number) => number,
  value: () => number,
): string | undefined {
  if (!next.exists) {
    next.exists = true;
    next.type = "BIGINT";
    next.rows = new Map();
    return `CREATE TABLE ${table} (host STRING, ts TIMESTAMP(3) TIME INDEX, v BIGINT, PRIMARY KEY (host))`;
  }
  const what = pick(12);
  if (what < 6) {
    const times = Array.from({ length: 1 + pick(40) }, () => 1 + pick(500));
    const cells = times.map((time) => {
      const v = next.type === undefined ? undefined : value();
      next.rows.set(time, v);
      return `('a', ${time}${v === undefined ? "" : next.type === "STRING" ? `, '${v}'` : `, ${v}`})`;
    });
    const columns = next.type === undefined ? "host, ts" : "host, ts, v";
    return `INSERT INTO ${table} (${columns}) VALUES ${cells.join(", ")}`;
  }
  if (what < 8) {
    if (next.type === undefined) {
      next.type = "BIGINT";
      for (const time of next.rows.keys()) next.rows.set(time, undefined);
      return `ALTER TABLE ${table} ADD COLUMN v BIGINT`;
    }
    next.type = next.type === "STRING" ? "BIGINT" : "STRING";
    return `ALTER TABLE ${table} MODIFY COLUMN v ${next.type}`;
  }
  if (what < 9 && next.type !== undefined) {
    next.type = undefined;
    return `ALTER TABLE ${table} DROP COLUMN v`;
  }
  if (what < 10) {
    next.rows = new Map();
    return `TRUNCATE TABLE ${table}`;
  }
  if (what < 11) return `ADMIN FLUSH_TABLE('${table}')`;
  next.exists = false;
  next.type = undefined;
  next.rows = new Map();
  return `DROP TABLE ${table}`;
}

function expected(state: Known): string {
  if (!state.exists) return "no table";
  const rows = [...state.rows].sort(([a], [b]) => a - b);
  const cell = (v: number | undefined) =>
    v === undefined ? null : state.type === "STRING" ? String(v) : v;
  return JSON.stringify([
    state.type ?? "no column",
    rows.map(([time, v]) => (state.type === undefined ? [time] : [time, cell(v)])),
  ]);
}

/** The table as it is, in the words of `expected`. */
async function contents(table: string): Promise<string> {
  const columns = await server.sql(
    `SELECT column_name, greptime_data_type FROM information_schema.columns WHERE table_name = '${table}' AND table_schema = 'public'`,
  );
  if (columns.length === 0) return "no table";
  const type = columns.find(([name]) => name === "v")?.[1];
  const sql = { Int64: "BIGINT", String: "STRING" }[type as string] ?? "no column";
  const rows = await server.sql(
    `SELECT CAST(ts AS BIGINT)${type === undefined ? "" : ", v"} FROM ${table} ORDER BY ts`,
  );
  return JSON.stringify([sql, rows]);
}

test(`ADMIN compact_table with late rows, deletes and a TTL (SEED=${seed})`, {
  timeout,
}, async () => {
  const random = prng(seed + 1);
  const pick = (n: number) => Math.floor(random() * n);
  server = await TestServer.start();
  const hour = 3_600_000;
  const now = Date.now();
  // Two hours old rows are past the TTL of an hour; all others are young enough for the whole test.
  await server.sql(
    "CREATE TABLE c (host STRING, ts TIMESTAMP(3) TIME INDEX, v BIGINT, PRIMARY KEY (host)) WITH (ttl = '1h', 'compaction.twcs.time_window' = '30m')",
  );
  let rows = new Map<string, number>();
  let value = 1;
  for (let run = 0; run < runs; run++) {
    let doubtful = rows;
    await killDuring(random, async (stopped) => {
      while (!stopped()) {
        doubtful = new Map(rows);
        const cells = Array.from({ length: 300 }, () => {
          const host = `h${pick(4)}`;
          // Up to half an hour ahead, so that several windows are open.
          const time = now + pick(1800) * 1000;
          const v = value++;
          doubtful.set(`${host} ${time}`, v);
          return `('${host}', ${time}, ${v}), ('${host}', ${now - 2 * hour - pick(1800) * 1000}, -1)`;
        });
        await server.sql(`INSERT INTO c VALUES ${cells.join(", ")}`);
        rows = doubtful;
        doubtful = new Map(rows);
        const from = now + pick(1800) * 1000;
        for (const key of rows.keys()) {
          const [host, time] = key.split(" ");
          if (host === "h1" && Number(time) >= from && Number(time) < from + 60_000)
            doubtful.delete(key);
        }
        await server.sql(
          `DELETE FROM c WHERE host = 'h1' AND ts >= ${from} AND ts < ${from + 60_000}`,
        );
        rows = doubtful;
        await server.sql("ADMIN FLUSH_TABLE('c')");
        if (pick(2) === 0) await server.sql("ADMIN COMPACT_TABLE('c')");
      }
    });
    const got = JSON.stringify(
      await server.sql("SELECT host, CAST(ts AS BIGINT), v FROM c ORDER BY host, ts"),
    );
    const sorted = (state: Map<string, number>) =>
      JSON.stringify(
        [...state]
          .map(([key, v]) => [key.split(" ")[0], Number(key.split(" ")[1]), v] as const)
          .sort((a, b) => (a[0]! < b[0]! ? -1 : a[0]! > b[0]! ? 1 : a[1] - b[1])),
      );
    // Nothing but one of the two: what stood, or what stood with the change under way.
    const match = [rows, doubtful].find((state) => sorted(state) === got);
    if (match === undefined) expect(got, `SEED=${seed} run ${run}`).toBe(sorted(rows));
    rows = match!;
  }
});
