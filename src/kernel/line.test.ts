/** Line protocol, rule by rule. Rows are shown as text: table, tags, fields with kinds, time. */
import { describe, expect, test } from "vitest";
import type { ParsedBody, Precision } from "./mod.ts";
import { shownKernel } from "./testing/compare.ts";
import { NOW, newKernel, parse, utf8 } from "./testing/shorthand.ts";

interface Shown {
  readonly rows: { line: number; text: string }[];
  readonly errors: { line: number; column: number; code: string; table?: string }[];
  readonly errorCount: number;
  readonly lines: number;
}

async function shown(text: string | Uint8Array, precision?: Precision): Promise<Shown> {
  const kernel = await newKernel();
  return shownKernel(kernel, parse(kernel, text, precision)) as Shown;
}

/** The rows of a body that must have no errors. */
async function rowsOf(text: string | Uint8Array, precision?: Precision): Promise<string[]> {
  const { rows, errors } = await shown(text, precision);
  expect(errors).toEqual([]);
  return rows.map((row) => row.text);
}

/** The only error of a one-line body, as "code@column". */
async function errorOf(text: string | Uint8Array, precision?: Precision): Promise<string> {
  const { rows, errors } = await shown(text, precision);
  expect(rows).toEqual([]);
  expect(errors).toHaveLength(1);
  return `${errors[0]!.code}@${errors[0]!.column}`;
}

describe("the examples of the specification", () => {
  test("fields that a line leaves out are NULL", async () => {
    const kernel = await newKernel();
    const parsed = parse(
      kernel,
      "monitor1,host=host1 cpu=66.6,memory=1024 1663840496100023100\nmonitor1,host=host2 memory=1027 1663840496400340001",
    );
    const [table] = parsed.tables;
    expect(table!.fields.map((f) => [f.name, f.kind])).toEqual([
      ["cpu", "float64"],
      ["memory", "float64"],
    ]);
    expect(table!.fields[0]!.column.validity).toEqual(Uint8Array.of(1));
    expect(table!.fields[1]!.column.validity).toBeUndefined();
    expect([...table!.timesNs]).toEqual([1663840496100023100n, 1663840496400340001n]);
  });

  test("every kind of field", async () => {
    expect(await rowsOf('m,t=x i=1i,u=1u,f=1,g=1.5,b=t,s="x" 7')).toEqual([
      'm [["t","x"]] b=bool true f=float64 1 g=float64 1.5 i=int64 1 s=string "x" u=uint64 1 7',
    ]);
  });

  test.each([
    ["ns", 5n],
    ["us", 5_000n],
    ["ms", 5_000_000n],
    ["s", 5_000_000_000n],
    ["m", 300_000_000_000n],
    ["h", 18_000_000_000_000n],
  ] as const)("precision %s", async (precision, ns) => {
    expect(await rowsOf("m v=1 5", precision)).toEqual([`m [] v=float64 1 ${ns}`]);
    expect(await rowsOf("m v=1 -5", precision)).toEqual([`m [] v=float64 1 ${-ns}`]);
  });

  test.each([
    ["ns", NOW],
    ["us", 1_700_000_123_456_789_000n],
    ["ms", 1_700_000_123_456_000_000n],
    ["s", 1_700_000_123_000_000_000n],
    ["m", 1_700_000_100_000_000_000n],
    ["h", 1_699_999_200_000_000_000n],
  ] as const)("a missing time is the clock cut to %s", async (precision, ns) => {
    expect(await rowsOf("m v=1", precision)).toEqual([`m [] v=float64 1 ${ns}`]);
  });
});

describe("lines", () => {
  test.each(["", "\n", "\n\n \n\t\n", "# only\n#comments", "\r\n\r\n", "  # blank first\r\n"])(
    "%j has none",
    async (text) => {
      expect(await shown(text)).toEqual({ rows: [], errors: [], errorCount: 0, lines: 0 });
    },
  );

  test("one carriage return before the newline is dropped", async () => {
    const rows = await rowsOf('m v=1 1\r\nm s="a" 2\r\nm v=2\r\nm v=3 3 \r\n m v=4 4\r');
    expect(rows).toEqual([
      "m [] v=float64 1 1",
      'm [] s=string "a" 2',
      `m [] v=float64 2 ${NOW}`,
      "m [] v=float64 3 3",
      "m [] v=float64 4 4",
    ]);
    expect(await errorOf("m v=1 1\r\r\n")).toBe("bad_timestamp@7");
    expect(await errorOf("m v=1\r\r\n")).toBe("bad_number@5");
  });

  test("a bad line is refused alone and named", async () => {
    const { rows, errors, errorCount, lines } = await shown(
      'cpu v=1 1\n# note\ncpu v="x" 2\n\ncpu v=3 3\nbad line here',
    );
    expect(rows.map((row) => row.line)).toEqual([1, 5]);
    expect(errors).toEqual([
      { line: 3, column: 7, code: "type_conflict", table: "cpu" },
      { line: 6, column: 5, code: "bad_field", table: "bad" },
    ]);
    expect({ errorCount, lines }).toEqual({ errorCount: 2, lines: 4 });
  });

  test("newlines inside strings count, before and after", async () => {
    const { rows, errors } = await shown('m s="a\nb",t="\n" 1\nm v=2 2\nm s="\n\n",v=x\nm v=3 3');
    expect(rows.map((row) => row.line)).toEqual([1, 4, 8]);
    expect(errors).toMatchObject([{ line: 7, column: 5, code: "bad_field" }]);
  });

  test("an open string takes only its own line along", async () => {
    const { rows, errors } = await shown('m v=1 1\nm s="open\nm v=2 2\nm v=3 3');
    expect(rows.map((row) => row.line)).toEqual([1, 3, 4]);
    expect(errors).toMatchObject([{ line: 2, column: 5, code: "unterminated_string" }]);
  });

  test("a mistake before a string with a newline does not end the line there", async () => {
    const { rows, errors } = await shown('m v=x,s="a\nm v=1 1\n" 1\nm v=2 2');
    expect(rows.map((row) => row.line)).toEqual([4]);
    expect(errors).toHaveLength(1);
  });

  test("only the first hundred errors are kept, all are counted", async () => {
    const { errors, errorCount, lines } = await shown("m v=\n".repeat(250));
    expect([errors.length, errorCount, lines]).toEqual([100, 250, 250]);
    expect(errors[99]!.line).toBe(100);
  });
});

describe("names and tags", () => {
  test.each([
    ["a\\ b,c\\ d=e\\ f g\\ h=1 1", 'a b [["c d","e f"]] g h=float64 1 1'],
    ["a\\,b,c\\,d=e\\,f g\\,h=1 1", 'a,b [["c,d","e,f"]] g,h=float64 1 1'],
    ["a\\\\b,c\\\\d=e\\\\ g\\\\h=1 1", 'a\\b [["c\\\\d","e\\\\"]] g\\h=float64 1 1'],
    ["a\\=b=,c\\=d=e\\=f g\\=h=1 1", 'a\\=b= [["c=d","e=f"]] g=h=float64 1 1'],
    ["a\\nb,c\\nd=e\\nf g\\nh=1 1", 'a\\nb [["c\\\\nd","e\\\\nf"]] g\\nh=float64 1 1'],
    ['m,t="q" "f"=1 1', 'm [["t","\\"q\\""]] "f"=float64 1 1'],
    ["m,b=2,a=1 v=1 1", 'm [["a","1"],["b","2"]] v=float64 1 1'],
    ["m,a=1,a=2,a=3 v=1 1", 'm [["a","3"]] v=float64 1 1'],
    ["m   v=1   1  ", "m [] v=float64 1 1"],
    ["m\tx,a\t=b\t v\t=1 1", 'm\tx [["a\\t","b\\t"]] v\t=float64 1 1'],
    ["日本,ü=é ñ=1 1", '日本 [["ü","é"]] ñ=float64 1 1'],
    ["m,#=# v#=1 1", 'm [["#","#"]] v#=float64 1 1'],
  ])("%s", async (line, row) => {
    expect(await rowsOf(line)).toEqual([row]);
  });

  test.each([
    [",a=b v=1", "no_measurement@1"],
    ["m", "no_fields@2"],
    ["m ", "no_fields@3"],
    ["m,a=b", "no_fields@6"],
    ["m, v=1", "bad_tag@3"],
    ["monitor,   host=host1 cpu=1.2 1", "bad_tag@9"],
    ["m,a v=1", "bad_tag@3"],
    ["m,=b v=1", "bad_tag@3"],
    ["m,a=b,, v=1", "bad_tag@7"],
    ["m,a=b=c v=1", "bad_tag@3"],
    ["m,a=,b=c v=1", "empty_tag_value@5"],
    ["m,a= v=1", "empty_tag_value@5"],
    ["d,check=C:\\,host=a v=1 1", "bad_tag@3"],
    ["m\\", "trailing_backslash@2"],
    ["m,a=b\\", "trailing_backslash@6"],
    ["m,a\\\r\n", "trailing_backslash@4"],
    ["m f\\", "trailing_backslash@4"],
    ["m,a=b a=1", "field_is_tag@7"],
    ["m v=1,v=2 1", "duplicate_field@7"],
    ["m =1", "bad_field@3"],
    ["m v", "bad_field@3"],
    ["m v 1", "bad_field@3"],
    ["m a,b=1", "bad_field@3"],
    ["m v=1, 1", "bad_field@7"],
    ["m v=1,", "bad_field@7"],
    ["m v=1,,w=2", "bad_field@7"],
  ])("%j is %s", async (line, error) => {
    expect(await errorOf(line)).toBe(error);
  });

  test("a name is a tag or a field, whichever came first", async () => {
    const kernel = await newKernel();
    parse(kernel, "m,r=x v=1 1");
    expect(parse(kernel, 'm r="y"').errors).toEqual([
      { line: 1, column: 3, code: "field_is_tag", slot: 0, table: "m", name: "r", expected: "tag" },
    ]);
    expect(parse(kernel, "m,v=1 w=1").errors).toEqual([
      {
        line: 1,
        column: 3,
        code: "tag_is_field",
        slot: 0,
        table: "m",
        name: "v",
        expected: "float64",
        found: "tag",
      },
    ]);
  });

  test("keys and names end at 65,535 bytes", async () => {
    const long = "x".repeat(65535);
    expect(await rowsOf(`${long} v=1 1`)).toHaveLength(1);
    expect(await rowsOf(`m ${long}=1 1`)).toHaveLength(1);
    expect(await errorOf(`${long}x v=1 1`)).toBe("name_too_long@1");
    expect(await errorOf(`m,t=${long} v=1 1`)).toBe("name_too_long@1");
    expect(await errorOf(`m ${long}x=1 1`)).toBe("name_too_long@3");
  });

  test.each([
    [[0xff, 0x20, 0x76, 0x3d, 0x31], "bad_utf8@1"],
    [[...utf8("m,a="), 0xc3, ...utf8(" v=1")], "bad_utf8@5"],
    [[...utf8("m,"), 0xed, 0xa0, 0x80, ...utf8("=1 v=1")], "bad_utf8@3"],
    [[...utf8("m "), 0xc0, 0xaf, ...utf8("=1")], "bad_utf8@3"],
    [[...utf8('m v="a'), 0xf4, 0x90, 0x80, 0x80, ...utf8('"')], "bad_utf8@5"],
    [[...utf8('m v="a'), 0xe2, 0x82, ...utf8('"')], "bad_utf8@5"],
  ])("%j is %s", async (bytes, error) => {
    expect(await errorOf(Uint8Array.from(bytes))).toBe(error);
  });
});

describe("values", () => {
  test.each([
    ["0", 0],
    ["-0", -0],
    ["1e5", 1e5],
    ["1.5e-3", 1.5e-3],
    ["-1.25E+2", -125],
    ["007.50", 7.5],
    ["1e-400", 0],
    ["9007199254740993", 9007199254740992],
    [`1${"0".repeat(308)}`, 1e308],
  ])("float %s", async (text, value) => {
    const shown = Object.is(value, -0) ? "-0" : String(value);
    expect(await rowsOf(`m v=${text} 1`)).toEqual([`m [] v=float64 ${shown} 1`]);
  });

  test.each(["9223372036854775807i", "-9223372036854775808i", "0i", "-1i"])("%s", async (text) => {
    expect(await rowsOf(`m v=${text} 1`)).toEqual([`m [] v=int64 ${text.slice(0, -1)} 1`]);
  });

  test.each(["18446744073709551615u", "0u"])("%s", async (text) => {
    expect(await rowsOf(`m v=${text} 1`)).toEqual([`m [] v=uint64 ${text.slice(0, -1)} 1`]);
  });

  test.each([
    ...["9223372036854775808i", "-9223372036854775809i", "99999999999999999999i", "1.5i", "1ii"],
    ...["18446744073709551616u", "-1u", "-0u", "+1", ".5", "1.", "-", "1e", "1e+", "1.e5", "0x1"],
    ...["nan", "NaN", "inf", "-inf", "Infinity", "1e400", "-1e400", "1_000"],
  ])("%s is no number", async (text) => {
    expect(await errorOf(`m v=${text} 1`)).toBe("bad_number@5");
  });

  test.each(["t", "T", "true", "True", "TRUE"])("%s", async (text) => {
    expect(await rowsOf(`m v=${text} 1`)).toEqual(["m [] v=bool true 1"]);
  });

  test.each(["f", "F", "false", "False", "FALSE"])("%s", async (text) => {
    expect(await rowsOf(`m v=${text} 1`)).toEqual(["m [] v=bool false 1"]);
  });

  test.each(["tr", "tRUE", "FALSe", "trues", "falsey", "ff"])("%s is no boolean", async (text) => {
    expect(await errorOf(`m v=${text} 1`)).toBe("bad_bool@5");
  });

  test.each([
    ['""', ""],
    ['"a b,c=d"', "a b,c=d"],
    ['"\\"q\\""', '"q"'],
    ['"\\\\"', "\\"],
    ['"a\\nb\\,c"', "a\\nb\\,c"],
    ['"two\nlines"', "two\nlines"],
    ['"# no comment"', "# no comment"],
    [`"${"long ".repeat(1000)}"`, "long ".repeat(1000)],
    ['"日本 ünï"', "日本 ünï"],
  ])("string %s", async (text, value) => {
    expect(await rowsOf(`m v=${text} 1`)).toEqual([`m [] v=string ${JSON.stringify(value)} 1`]);
  });

  test.each([
    ['"a"b', "bad_field@5"],
    ["", "bad_field@5"],
    ["x", "bad_field@5"],
    ["'x'", "bad_field@5"],
    ['"open', "unterminated_string@5"],
    ['"open\\"', "unterminated_string@5"],
  ])("%j is %s", async (text, error) => {
    expect(await errorOf(`m v=${text}`)).toBe(error);
  });

  test("an integer literal is welcome in a float field, nothing else changes kind", async () => {
    const kernel = await newKernel();
    const text =
      'm f=1.5\nm f=2i\nm f=18446744073709551615u\nm f="x"\nm f=t\nm i=1i\nm i=1\nm i=1u\nm i=2i';
    const parsed = parse(kernel, text);
    expect(parsed.errors.map((e) => [e.line, e.name, e.expected, e.found])).toEqual([
      [4, "f", "float64", "string"],
      [5, "f", "float64", "bool"],
      [7, "i", "int64", "float64"],
      [8, "i", "int64", "uint64"],
    ]);
    const { rows } = shownKernel(kernel, parsed) as Shown;
    expect(rows.map((row) => row.text.split(" ").slice(2, 4).join(" "))).toEqual([
      "f=float64 1.5",
      "f=float64 2",
      "f=float64 18446744073709552000",
      "i=int64 1",
      "i=int64 2",
    ]);
  });
});

describe("times", () => {
  test.each([
    "9223372036854775807",
    "-9223372036854775808",
    "0",
    "-0",
    "0000000000000000000000001",
  ])("%s", async (text) => {
    expect(await rowsOf(`m v=1 ${text}`)).toEqual([`m [] v=float64 1 ${BigInt(text)}`]);
  });

  test.each([
    ["9223372036854775808", "ns", "timestamp_out_of_range@7"],
    ["-9223372036854775809", "ns", "timestamp_out_of_range@7"],
    ["99999999999999999999999999", "ns", "timestamp_out_of_range@7"],
    ["1566086400000000000", "s", "timestamp_out_of_range@7"],
    ["-9223372036854775808", "us", "timestamp_out_of_range@7"],
    ["9223372036854776", "us", "timestamp_out_of_range@7"],
    ["2562048", "h", "timestamp_out_of_range@7"],
    ["+1", "ns", "bad_timestamp@7"],
    ["1.5", "ns", "bad_timestamp@7"],
    ["1i", "ns", "bad_timestamp@7"],
    ["-", "ns", "bad_timestamp@7"],
    ["x", "ns", "bad_timestamp@7"],
    ["1 2", "ns", "bad_timestamp@9"],
  ] as const)("%s in %s is %s", async (text, precision, error) => {
    expect(await errorOf(`m v=1 ${text}`, precision)).toBe(error);
  });

  test("the largest times of a coarse precision", async () => {
    expect(await rowsOf("m v=1 9223372036854775", "us")).toHaveLength(1);
    expect(await rowsOf("m v=1 2562047", "h")).toHaveLength(1);
  });
});

describe("a refused line leaves nothing behind", () => {
  const nothing = (parsed: ParsedBody) => expect(parsed.tables).toEqual([]);

  test("no table, tag, field, kind or series", async () => {
    const kernel = await newKernel();
    nothing(parse(kernel, "m,t=1 a=1i,b=x\nm,t=1 a=1i 1x"));
    expect(kernel.findSlot(0, "m")).toBeUndefined();
    parse(kernel, "m v=1 1");
    const slot = kernel.findSlot(0, "m")!;
    nothing(parse(kernel, "m,t=1,u=2 a=1i,b=x\nm,x=1 a=2i,c=true,a=3i"));
    expect(kernel.slotInfo(slot)).toEqual({
      table: "m",
      tags: [],
      fields: [{ name: "v", kind: "float64" }],
      series: 1,
    });
    // The kind of a refused line does not bind: the next one may choose another.
    expect(parse(kernel, 'm,t=1 a="text"').errorCount).toBe(0);
  });

  test("no values, in fixed and variable width and under NULLs", async () => {
    const kernel = await newKernel();
    const text = [
      'm f=1,s="one",b=t,i=1i 1',
      'm f=2,s="two",b=f,i=2i x',
      'm s="three" 3',
      'm f=4,s="four",b=f,i=4i x',
      'm f=5,s="five",b=t,i=5i 5',
      'm f=6,new=1,s="six" x',
    ].join("\n");
    const parsed = parse(kernel, text);
    expect((shownKernel(kernel, parsed) as Shown).rows.map((row) => row.text)).toEqual([
      'm [] b=bool true f=float64 1 i=int64 1 s=string "one" 1',
      'm [] s=string "three" 3',
      'm [] b=bool true f=float64 5 i=int64 5 s=string "five" 5',
    ]);
    expect(parsed.tables[0]!.fields.map((f) => f.name)).toEqual(["f", "s", "b", "i"]);
    expect(parsed.errorCount).toBe(3);
  });
});
