import { tableFromIPC } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { type ColumnType, type Output, type ResultColumn, T } from "../../../types/mod.ts";
import { displayWidth } from "./display_width.ts";
import { epochUnit, formatByName } from "./mod.ts";

type Named = readonly [string, ColumnType, ResultColumn];

function records(rows: number, columns: readonly Named[], copies = 1): Output {
  async function* chunks() {
    for (let i = 0; i < copies; i++) yield { rows, columns: columns.map(([, , column]) => column) };
  }
  return {
    kind: "records",
    fields: columns.map(([name, type]) => ({ name, type })),
    chunks: chunks(),
  };
}

async function* stream(...outputs: Output[]) {
  yield* outputs;
}

async function bytes(format: string, outputs: Output[], epoch?: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const options = {
    elapsedMs: () => 3.4,
    epoch: epoch === undefined ? undefined : epochUnit(epoch),
  };
  for await (const piece of formatByName(format).encode(stream(...outputs), options))
    pieces.push(Buffer.from(piece as string));
  return Buffer.concat(pieces);
}
const text = async (format: string, outputs: Output[], epoch?: string) =>
  (await bytes(format, outputs, epoch)).toString();

const affected = (rows: number): Output => ({ kind: "affected", rows });

const NANOS = 1_460_549_358_372_198_212n;
/** One column of every kind: two rows, the second NULL. */
const everything: Named[] = [
  ["i8", T.int8, { values: new Int8Array([-128, 0]), validity: new Uint8Array([1]) }],
  [
    "i64",
    T.int64,
    { values: new BigInt64Array([-(2n ** 63n), 0n]), validity: new Uint8Array([1]) },
  ],
  [
    "u64",
    T.uint64,
    { values: new BigUint64Array([2n ** 64n - 1n, 0n]), validity: new Uint8Array([1]) },
  ],
  ["f32", T.float32, { values: new Float32Array([0.1, 0]), validity: new Uint8Array([1]) }],
  ["f64", T.float64, { values: new Float64Array([5, 0]), validity: new Uint8Array([1]) }],
  ["b", T.bool, [true, null]],
  ["s", T.string, ['a"b,c', null]],
  ["ts", T.timestampNs, { values: new BigInt64Array([NANOS, 0n]), validity: new Uint8Array([1]) }],
  ["d", T.date, { values: new Int32Array([19_723, 0]), validity: new Uint8Array([1]) }],
  ["dec", { kind: "decimal", precision: 10, scale: 2 }, ["-1.50", null]],
  ["bin", T.binary, [new Uint8Array([0, 255]), null]],
  ["j", T.json, ['{"a":12345678901234567890}', null]],
  ["iv", T.interval, [{ months: 13, days: 2, nanos: 3_784_500_000_000n }, null]],
  ["l", { kind: "list", item: T.int64 }, [[1n, null, 2n], null]],
  [
    "st",
    {
      kind: "struct",
      fields: [
        ["x", T.float64],
        ["y z", T.string],
      ],
    },
    [{ x: 1, "y z": "q" }, null],
  ],
  [
    "du",
    { kind: "duration", unit: "ms" },
    { values: new BigInt64Array([250n, 0n]), validity: new Uint8Array([1]) },
  ],
  ["ti", { kind: "time", unit: "ns" }, [3_723_000_000_000n, null]],
];

describe("greptimedb_v1", () => {
  test("every kind of value, every digit", async () => {
    const body = await text("greptimedb_v1", [records(2, everything)]);
    expect(body).toBe(
      '{"output":[{"records":{"schema":{"column_schemas":[' +
        '{"name":"i8","data_type":"Int8"},{"name":"i64","data_type":"Int64"},{"name":"u64","data_type":"UInt64"},' +
        '{"name":"f32","data_type":"Float32"},{"name":"f64","data_type":"Float64"},{"name":"b","data_type":"Boolean"},' +
        '{"name":"s","data_type":"String"},{"name":"ts","data_type":"TimestampNanosecond"},{"name":"d","data_type":"Date"},' +
        '{"name":"dec","data_type":"Decimal(10, 2)"},{"name":"bin","data_type":"Binary"},{"name":"j","data_type":"Json"},' +
        '{"name":"iv","data_type":"IntervalMonthDayNano"},{"name":"l","data_type":"List<Int64>"},' +
        '{"name":"st","data_type":"Struct<x: Float64, y z: String>"},{"name":"du","data_type":"DurationMillisecond"},' +
        '{"name":"ti","data_type":"TimeNanosecond"}]},"rows":[' +
        '[-128,-9223372036854775808,18446744073709551615,0.10000000149011612,5.0,true,"a\\"b,c",1460549358372198212,19723,' +
        '"-1.50",[0,255],{"a":12345678901234567890},1029966112722329880647990457600,[1,null,2],{"x":1.0,"y z":"q"},250,3723000000000],' +
        "[null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null]" +
        '],"total_rows":2}}],"execution_time_ms":3}',
    );
    JSON.parse(body);
  });

  test("floats: NaN and infinities are null, whole ones keep a fraction", async () => {
    const values = new Float64Array([Number.NaN, 1 / 0, -1 / 0, -0, 1e16, 1.5e-7, 1e15]);
    const body = await text("", [records(7, [["f", T.float64, { values }]])]);
    expect(body).toContain("[[null],[null],[null],[-0.0],[1e16],[1.5e-7],[1000000000000000.0]]");
  });

  test("several statements, chunks, no rows", async () => {
    const one: Named[] = [["a", T.int32, { values: new Int32Array([1]) }]];
    const body = await text("unknown_name", [affected(2), records(1, one, 2), records(0, one, 0)]);
    expect(JSON.parse(body)).toEqual({
      output: [
        { affectedrows: 2 },
        {
          records: {
            schema: { column_schemas: [{ name: "a", data_type: "Int32" }] },
            rows: [[1], [1]],
            total_rows: 2,
          },
        },
        {
          records: {
            schema: { column_schemas: [{ name: "a", data_type: "Int32" }] },
            rows: [],
            total_rows: 0,
          },
        },
      ],
      execution_time_ms: 3,
    });
    expect(await text("", [])).toBe('{"output":[],"execution_time_ms":3}');
  });
});

describe("influxdb_v1", () => {
  const ts: Named[] = [
    ["host", T.string, ["a", "b"]],
    ["ts", T.timestampMs, { values: new BigInt64Array([1_700_000_000_123n, -1n]) }],
  ];
  const values = async (epoch?: string) =>
    (await text("influxdb_v1", [records(2, ts)], epoch)).match(/"values":(.*?)\}\]/)?.[1];
  test("shape", async () => {
    expect(await text("influxdb_v1", [records(2, ts), affected(1)])).toBe(
      '{"results":[{"statement_id":0,"series":[{"name":"","columns":["host","ts"],"values":[["a",1700000000123],["b",-1]]}]},{"statement_id":1,"series":[]}],"execution_time_ms":3}',
    );
  });
  test("epoch scales exactly", async () => {
    expect(await values("ns")).toBe('[["a",1700000000123000000],["b",-1000000]]');
    expect(await values("u")).toBe('[["a",1700000000123000],["b",-1000]]');
    expect(await values("µ")).toBe(await values("u"));
    expect(await values("ms")).toBe('[["a",1700000000123],["b",-1]]');
    expect(await values("s")).toBe('[["a",1700000000],["b",-1]]');
    expect(epochUnit("h")).toBeUndefined();
  });
});

describe("csv", () => {
  const columns: Named[] = [
    ["na,me", T.string, ['say "hi"', "", null, "two\nlines"]],
    ["f", T.float64, { values: new Float64Array([1, Number.NaN, 0.1, -1 / 0]) }],
    [
      "t",
      T.timestampNs,
      { values: new BigInt64Array([NANOS, 0n, 1n, 2n]), validity: new Uint8Array([0b1101]) },
    ],
    ["b", T.binary, [new Uint8Array([1, 2]), null, null, null]],
  ];
  const rows =
    '"say ""hi""",1.0,1460549358372198212,"[1,2]"\r\n"",NaN,,\r\n,0.1,1,\r\n"two\nlines",-inf,2,\r\n';
  test("rows only, with names, with names and types", async () => {
    expect(await text("csv", [records(4, columns)])).toBe(rows);
    expect(await text("CSVWITHNAMES", [records(4, columns)])).toBe(`"na,me",f,t,b\r\n${rows}`);
    expect(await text("csvwithnamesandtypes", [records(4, columns)])).toBe(
      `"na,me",f,t,b\r\nString,Float64,TimestampNanosecond,Binary\r\n${rows}`,
    );
    expect(await text("csv", [affected(3)])).toBe("3\r\n");
  });
});

describe("table", () => {
  test("every kind of value", async () => {
    const body = await text("table", [records(2, everything.slice(0, 9))]);
    expect(body).toBe(
      [
        "+------+----------------------+----------------------+-----+-----+------+-------+-------------------------------+------------+",
        "| i8   | i64                  | u64                  | f32 | f64 | b    | s     | ts                            | d          |",
        "+------+----------------------+----------------------+-----+-----+------+-------+-------------------------------+------------+",
        '| -128 | -9223372036854775808 | 18446744073709551615 | 0.1 | 5.0 | true | a"b,c | 2016-04-13T12:09:18.372198212 | 2024-01-01 |',
        "|      |                      |                      |     |     |      |       |                               |            |",
        "+------+----------------------+----------------------+-----+-----+------+-------+-------------------------------+------------+",
        "",
      ].join("\n"),
    );
    expect(await text("table", [records(2, everything.slice(9))])).toBe(
      [
        "+-------+------+----------------------------+------------------------------------------------+----------+------------------+---------+----------+",
        "| dec   | bin  | j                          | iv                                             | l        | st               | du      | ti       |",
        "+-------+------+----------------------------+------------------------------------------------+----------+------------------+---------+----------+",
        '| -1.50 | 00ff | {"a":12345678901234567890} | 13 mons 2 days 1 hours 3 mins 4.500000000 secs | [1, , 2] | {x: 1.0, y z: q} | PT0.25S | 01:02:03 |',
        "|       |      |                            |                                                |          |                  |         |          |",
        "+-------+------+----------------------------+------------------------------------------------+----------+------------------+---------+----------+",
        "",
      ].join("\n"),
    );
  });

  test("wide characters, several lines, nothing", async () => {
    const columns: Named[] = [
      ["名", T.string, ["中文", "a\nbc", "🎉"]],
      ["n", T.int32, { values: new Int32Array([1, 2, 3]) }],
    ];
    expect(await text("table", [records(3, columns)])).toBe(
      "+------+---+\n| 名   | n |\n+------+---+\n| 中文 | 1 |\n| a    | 2 |\n| bc   |   |\n| 🎉   | 3 |\n+------+---+\n",
    );
    expect(await text("table", [records(0, columns, 0)])).toBe("++\n++\n");
    expect(await text("table", [affected(7)])).toBe("Affected Rows: 7\n");
    expect(["é", "e\u0301", "ｆ", "한"].map(displayWidth)).toEqual([1, 1, 2, 2]);
  });

  test("a table too large to hold is refused", async () => {
    const long = "x".repeat(1 << 20);
    const columns: Named[] = [["s", T.string, Array.from({ length: 65 }, () => long)]];
    await expect(text("table", [records(65, columns)])).rejects.toThrow("format=table");
  });
});

test("json", async () => {
  const columns: Named[] = [
    ["a", T.int64, { values: new BigInt64Array([NANOS, 2n]) }],
    ['b"', T.string, ["x", null]],
  ];
  expect(await text("json", [records(2, columns)])).toBe(
    '{"data":[{"a":1460549358372198212,"b\\"":"x"},{"a":2,"b\\"":null}],"execution_time_ms":3}',
  );
  expect(await text("json", [affected(4)])).toBe(
    '{"data":[],"affected_rows":4,"execution_time_ms":3}',
  );
});

test("null", async () => {
  const columns: Named[] = [["a", T.int32, { values: new Int32Array([1, 2]) }]];
  expect(await text("null", [records(2, columns, 3)])).toBe(
    "6 rows in set.\nElapsed: 0.003 sec.\n",
  );
});

describe("arrow", () => {
  test("every kind of value comes back", async () => {
    const table = tableFromIPC(await bytes("arrow", [records(2, everything, 2)]));
    expect(table.numRows).toBe(4);
    expect(table.schema.fields.map((field) => String(field.type))).toEqual([
      "Int8",
      "Int64",
      "Uint64",
      "Float32",
      "Float64",
      "Bool",
      "Utf8",
      "Timestamp<NANOSECOND>",
      "Date32<DAY>",
      "Decimal[10e+2]",
      "Binary",
      "Utf8",
      "Interval<MONTH_DAY_NANO>",
      "List<Int64>",
      "Struct<{x:Float64, y z:Utf8}>",
      "Duration<MILLISECOND>",
      "Time64<NANOSECOND>",
    ]);
    const column = (name: string) => table.getChild(name)!;
    for (const [name] of everything) expect(column(name).get(3), name).toBeNull();
    // Read from the buffers: the library's own getter turns nanoseconds into milliseconds.
    expect(column("ts").data[0]!.values[0]).toBe(NANOS);
    expect(column("i64").get(2)).toBe(-(2n ** 63n));
    expect(column("u64").get(0)).toBe(2n ** 64n - 1n);
    expect(column("s").get(0)).toBe('a"b,c');
    expect(column("b").get(0)).toBe(true);
    expect([...column("bin").get(0)]).toEqual([0, 255]);
    expect([
      ...new Int32Array(
        column("dec").data[0]!.values.buffer,
        column("dec").data[0]!.values.byteOffset,
        4,
      ),
    ]).toEqual([-150, -1, -1, -1]);
    expect([...column("l").get(0)]).toEqual([1n, null, 2n]);
    expect(column("st").get(0).toJSON()).toEqual({ x: 1, "y z": "q" });
    expect([...column("iv").data[0]!.values.slice(0, 2)]).toEqual([13, 2]);
  });

  test("no rows is a schema and an end", async () => {
    const table = tableFromIPC(await bytes("arrow", [records(0, everything, 0)]));
    expect([table.numRows, table.numCols]).toEqual([0, everything.length]);
  });
});
