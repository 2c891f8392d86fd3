/**
 * A small database for the tests of this folder: tables with known rows in an in-memory DuckDB, columns named
 * c<id> as storage names them, and a way to plan and run one statement. Real engine, no mocks.
 */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import {
  type ColumnRole,
  type ColumnType,
  duckTypeName,
  T,
  type TableSchema,
  timeColumn,
} from "../../types/mod.ts";
import {
  type PlanEnv,
  type PlannedTable,
  parseStatements,
  planSelect,
  type ResolvedTable,
  type SelectPlan,
} from "../mod.ts";

import { ticksOf } from "../plan/ticks.ts";

interface TableSpec {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: ColumnType, role: ColumnRole])[];
  /** Rows as DuckDB literals. */
  readonly rows: readonly string[];
}

const ts = (text: string, type = "TIMESTAMP_MS") => `${type} '${text}'`;

const SPECS: readonly TableSpec[] = [
  {
    name: "t",
    columns: [
      ["host", T.string, "tag"],
      ["region", T.string, "tag"],
      ["ts", T.timestampMs, "time"],
      ["v", T.float64, "field"],
      ["n", T.int64, "field"],
      ["i", T.int32, "field"],
      ["s", T.string, "field"],
      ["b", T.bool, "field"],
    ],
    rows: [
      `('b', 'eu', ${ts("2024-01-01 00:00:00")}, 1.5, 10, 1, 'x', true)`,
      `('b', 'eu', ${ts("2024-01-01 00:01:00")}, 2.5, 20, 2, 'y', false)`,
      `('a', 'us', ${ts("2024-01-01 00:00:30")}, -3.0, -7, 3, NULL, NULL)`,
      `('a', 'us', ${ts("2024-01-01 01:00:00.250")}, NULL, 7, NULL, 'z', true)`,
      `(NULL, 'eu', ${ts("2023-12-31 23:59:59.999")}, 0.0, 0, -1, '', false)`,
    ],
  },
  {
    name: "cpu",
    columns: [
      ["hostname", T.string, "tag"],
      ["greptime_timestamp", T.timestampNs, "time"],
      ["usage_user", T.int64, "field"],
      ["usage_system", T.int64, "field"],
    ],
    rows: [
      `('host_0', ${ts("2023-06-11 00:00:00", "TIMESTAMP_NS")}, 32, 50)`,
      `('host_0', ${ts("2023-06-11 00:00:10", "TIMESTAMP_NS")}, 95, NULL)`,
      `('host_0', ${ts("2023-06-11 01:00:10.123456789", "TIMESTAMP_NS")}, 91, 52)`,
      `('host_1', ${ts("2023-06-11 00:00:00", "TIMESTAMP_NS")}, 6, 21)`,
      `('host_1', ${ts("1969-12-31 23:59:59.5", "TIMESTAMP_NS")}, 7, 22)`,
    ],
  },
  {
    name: "u",
    columns: [
      ["host", T.string, "tag"],
      ["ts", T.timestampS, "time"],
      ["Name", T.string, "field"],
      ["name", T.string, "field"],
      ["f", T.float32, "field"],
      ["d", { kind: "decimal", precision: 10, scale: 2 }, "field"],
      ["day", T.date, "field"],
      ["u8", T.uint8, "field"],
      ["u64", T.uint64, "field"],
      ["bin", T.binary, "field"],
      ["us", T.timestampUs, "field"],
    ],
    rows: [
      `('a', ${ts("2024-01-01 00:00:00", "TIMESTAMP_S")}, 'Upper', 'lower', 1.1, 1.50, DATE '2024-02-29', 200, 18446744073709551615, '\\x41'::BLOB, ${ts("2024-05-06 07:08:09.123456", "TIMESTAMP")})`,
      `('c', ${ts("2024-01-02 00:00:00", "TIMESTAMP_S")}, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
    ],
  },
];

function schemaOf(spec: TableSpec): TableSchema {
  // Ids with gaps: a dropped column must not matter.
  const columns = spec.columns.map(([name, type, role], i) => ({
    id: i * 2,
    name,
    type,
    role,
    nullable: role !== "time",
  }));
  return {
    tableId: 1024,
    version: 1,
    columns,
    primaryKey: columns.filter((c) => c.role === "tag").map((c) => c.id),
    timeIndex: columns.find((c) => c.role === "time")!.id,
    nextColumnId: columns.length * 2,
    options: {},
  };
}

const TABLES = new Map<string, ResolvedTable>(
  SPECS.map((spec) => [
    spec.name,
    { kind: "table", db: "public", name: spec.name, schema: schemaOf(spec) },
  ]),
);
TABLES.set("numbers", {
  kind: "virtual",
  db: "public",
  name: "numbers",
  columns: [{ name: "number", type: T.uint32 }],
});

/** now() of the tests: 2024-06-01T12:00:00.123456789Z. */
export const NOW_NS = 1_717_243_200_123_456_789n;

export function testEnv(overrides: Partial<PlanEnv> = {}): PlanEnv {
  return {
    db: "public",
    timezone: "UTC",
    nowNs: NOW_NS,
    version: "0.1.0",
    user: "greptime",
    connectionId: 7,
    resolveTable: (db, name) => (db === "public" ? TABLES.get(name) : undefined),
    ...overrides,
  };
}

/** What storage would give: the columns, times and tags of the request, and nothing else. */
function scanOf({ table, columns, timeMin, timeMax, tagIn }: PlannedTable): string {
  const conditions = tagIn.map(({ id, values }) => {
    const list = values.map((value) =>
      value === null ? `c${id} IS NULL` : `c${id} = '${value.replaceAll("'", "''")}'`,
    );
    return `(${list.length === 0 ? "FALSE" : list.join(" OR ")})`;
  });
  if (table.kind === "table") {
    const { id, type } = timeColumn(table.schema);
    const ticks = ticksOf(`c${id}`, type.unit);
    if (timeMin !== undefined) conditions.push(`${ticks} >= ${timeMin}::HUGEINT`);
    if (timeMax !== undefined) conditions.push(`${ticks} <= ${timeMax}::HUGEINT`);
  }
  const list = columns.length === 0 ? "*" : columns.map((id) => `c${id}`).join(", ");
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  return `(SELECT ${list} FROM ${table.name}${where})`;
}

export interface Ran {
  readonly plan: SelectPlan;
  readonly sql: string;
  /** DuckDB's types of the result. */
  readonly types: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

export class TestDatabase {
  #instance: DuckDBInstance | undefined;
  #connection: DuckDBConnection | undefined;

  async open(): Promise<void> {
    this.#instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    this.#connection = await this.#instance.connect();
    for (const spec of SPECS) {
      const columns = spec.columns.map(([, type], i) => `c${i * 2} ${duckTypeName(type)}`);
      await this.#connection.run(`CREATE TABLE ${spec.name} (${columns.join(", ")})`);
      await this.#connection.run(`INSERT INTO ${spec.name} VALUES ${spec.rows.join(", ")}`);
    }
    await this.#connection.run(
      "CREATE TABLE numbers AS SELECT CAST(range AS UINTEGER) AS c0 FROM range(100)",
    );
  }

  close(): void {
    this.#connection?.closeSync();
    this.#instance?.closeSync();
  }

  plan(sql: string, env = testEnv()): SelectPlan {
    const [parsed] = parseStatements(sql, "greptime");
    if (parsed?.statement.kind !== "query") throw new Error(`no query: ${sql}`);
    return planSelect(parsed.statement.query, env);
  }

  async run(sql: string, env = testEnv()): Promise<Ran> {
    return this.runPlan(this.plan(sql, env));
  }

  /** Runs a plan over scans that hold only what the plan asked for, or (`whole`) over the whole tables. */
  async runPlan(plan: SelectPlan, whole = false): Promise<Ran> {
    const sql = plan.sql(plan.tables.map((table) => (whole ? table.table.name : scanOf(table))));
    const reader = await this.#connection!.runAndReadAll(sql);
    return {
      plan,
      sql,
      types: reader.columnTypes().map(String),
      rows: reader.getRows(),
    };
  }
}
