/** What line protocol wrote is the same after a flush, after a compaction and after kill -9: the entries of pain.md sections 1 and 2. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestServer } from "../harness/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
}, 120_000);
afterAll(() => server.dispose());

/** The query's rows, with every digit, at four stages of the table's life; all must be equal to `want`. */
async function atEveryStage(table: string, query: string, want: string): Promise<void> {
  const stages: [string, () => Promise<unknown>][] = [
    ["in memory", async () => undefined],
    ["flushed", () => server.sql(`ADMIN FLUSH_TABLE('${table}')`)],
    ["compacted", () => server.sql(`ADMIN COMPACT_TABLE('${table}')`)],
    [
      "killed",
      async () => {
        await server.kill9();
        await server.restart();
      },
    ],
  ];
  for (const [stage, reach] of stages) {
    await reach();
    const { text } = await server.query(query);
    expect(/"rows":(\[.*\]),"total_rows"/.exec(text)?.[1] ?? text, stage).toBe(want);
  }
}

const error = (text: string) => (JSON.parse(text) as { error: string }).error;

test("escapes, a backslash at the end of a tag, CRLF (1, 3)", async () => {
  const body = [
    "d,check=C:\\,host=a v=1 1",
    "d,check=C:\\\\,host=b v=2 2\r",
    "d,host=c\\ d v=3 3",
  ].join("\n");
  const answer = await server.write(body);
  expect(answer.status).toBe(400);
  expect(error(answer.text)).toMatch(
    /^partial write: line 1, column \d+: .*rows written=2 refused=1$/,
  );
  await atEveryStage(
    "d",
    "SELECT check, host, v FROM d ORDER BY v",
    '[["C:\\\\","b",2.0],[null,"c d",3.0]]',
  );
});

test("precision: out of range is an answer, nanoseconds keep their digits (5, 6, 10)", async () => {
  const answer = await server.write("p v=1 1566086400000000000", { precision: "s" });
  expect(answer.status).toBe(400);
  expect(error(answer.text)).toContain("timestamp out of range");
  expect((await server.write("p v=1 1460549358372198212\np v=2 -1")).status).toBe(204);
  await atEveryStage(
    "p",
    "SELECT greptime_timestamp, v FROM p",
    "[[-1,2.0],[1460549358372198212,1.0]]",
  );
});

test("a wrong type refuses its row and names everything; the rest stays (12, 13)", async () => {
  const answer = await server.write('t,h=a v=1.5 1\nt,h=a v="x" 2\nt,h=a v=3i 3');
  expect(answer.status).toBe(400);
  expect(error(answer.text)).toMatch(/line 2, column \d+: t\.v is Float64, got String/);
  await atEveryStage("t", "SELECT v FROM t", "[[1.5],[3.0]]");
});

test("a field that is a tag is refused, never renamed (14)", async () => {
  await server.write("r,r=x v=1 1");
  const answer = await server.write('r r="y" 2');
  expect(answer.status).toBe(400);
  expect(error(answer.text)).toContain("r.r is a tag, got a field");
  await atEveryStage("r", "SELECT * FROM r", '[["x",1.0,1]]');
});

test("fifty first writers (16)", async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => server.write(`f,t${i}=x f${i}=1 ${i}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
  const sum = Array.from({ length: 50 }, (_, i) => `count(t${i}) + count(f${i})`).join(" + ");
  await atEveryStage("f", `SELECT count(*), ${sum} FROM f`, "[[50,100]]");
});

test("DDL twice (17), and rows written after an ALTER (18)", async () => {
  await server.write("a,h=x v=1i 1");
  for (let i = 0; i < 2; i++) await server.sql("ALTER TABLE a ADD COLUMN IF NOT EXISTS w DOUBLE");
  const both = await server.query("ALTER TABLE a ADD COLUMN n STRING, ADD COLUMN w STRING");
  expect(both.status).toBe(400);
  await server.write("a,h=x v=2i,w=2 2");
  await server.sql("ALTER TABLE a MODIFY COLUMN v STRING");
  await server.write('a,h=x v="three",w=3 3');
  await atEveryStage(
    "a",
    "SELECT * FROM a",
    '[["x","1",1,null],["x","2",2,2.0],["x","three",3,3.0]]',
  );
});

test("tags that come later belong to their rows only", async () => {
  await server.write("l,a=1 v=1 1");
  await Promise.all([
    server.write("l,a=1 v=2 2"),
    server.write("l,a=1,b=2 v=3 3"),
    server.write("l,c=3 v=4 4"),
  ]);
  await atEveryStage(
    "l",
    "SELECT a, b, c, v FROM l ORDER BY v",
    '[["1",null,null,1.0],["1",null,null,2.0],["1","2",null,3.0],[null,null,"3",4.0]]',
  );
});
