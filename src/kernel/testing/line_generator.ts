/** Random line protocol bodies for the comparison with the reference: mostly valid, full of edges, then damaged. */
import type { Random } from "./prng.ts";

const NAMES = [
  "a",
  "b",
  "c",
  "cpu",
  "ü",
  "a\\ b",
  "a\\,b",
  "a\\\\",
  "a\\b",
  "日本",
  "long_name_of_a_field_17",
];
const KEY_NAMES = [...NAMES, "a\\=b", "x\\=\\=", "t\\"];
const TAG_VALUES = [
  "a",
  "b",
  "host-17",
  "é",
  "x\\ y",
  "x\\,y",
  "x\\=y",
  "C:\\\\",
  '"q"',
  "\\n",
  "1",
];
const STRINGS = [
  '""',
  '"x"',
  '"a b,c=d"',
  '"\\""',
  '"\\\\"',
  '"\\n"',
  '"line\nline"',
  '"ünï"',
  '"# no"',
  '"a\r\nb"',
];
const NUMBERS = [
  ...[
    "0",
    "-0",
    "1",
    "1.5",
    "-2.25",
    "1e5",
    "1.5e-3",
    "1E+2",
    "007",
    "0.1",
    "123456789012345678901234567890",
  ],
  ...["1e-400", "5e-324", "1.7976931348623157e308", "9007199254740993", "0.30000000000000004"],
  ...[
    "3i",
    "-3i",
    "9223372036854775807i",
    "-9223372036854775808i",
    "007i",
    "-0i",
    "3u",
    "18446744073709551615u",
  ],
];
const BAD_VALUES = [
  ...[
    "",
    "+1",
    ".5",
    "1.",
    "-",
    "--1",
    "1e",
    "1e+",
    "1e400",
    "-1e400",
    "nan",
    "NaN",
    "inf",
    "Infinity",
    "1x",
  ],
  ...[
    "9223372036854775808i",
    "-9223372036854775809i",
    "18446744073709551616u",
    "-1u",
    "1.5i",
    "1e3u",
    "0x10",
  ],
  ...[
    "99999999999999999999i",
    "tru",
    "TRue",
    "fALSE",
    "yes",
    "x",
    '"open',
    '"a"b',
    "\\",
    "=",
    "1i2",
  ],
];
const BOOLS = ["t", "T", "true", "True", "TRUE", "f", "F", "false", "False", "FALSE"];
const TIMES = [
  "1",
  "-1",
  "0",
  "1700000000000000000",
  "9223372036854775807",
  "-9223372036854775808",
  "00012",
];
const BAD_TIMES = [
  ...[
    "9223372036854775808",
    "-9223372036854775809",
    "99999999999999999999999",
    "+1",
    "1.5",
    "x",
    "1 2",
    "-",
    "1i",
  ],
];
const ODD_LINES = [
  "",
  " ",
  "\t",
  "# comment",
  "#",
  "  # x",
  ",a=b v=1",
  "m",
  "m,",
  "m, v=1",
  "m,a v=1",
  "m,=a v=1",
];
const INTERESTING = [
  0x2c, 0x3d, 0x20, 0x22, 0x5c, 0x0a, 0x0d, 0x23, 0x09, 0, 0x31, 0x2d, 0x2e, 0x69, 0xff, 0xc3, 0xa9,
  0x80,
];

export interface BodyOptions {
  /** How likely a part of a line is wrong. */
  readonly badness: number;
  readonly lines: number;
}

export function randomBody(random: Random, options: BodyOptions): Uint8Array {
  let text = "";
  const lines = 1 + random.below(options.lines);
  for (let i = 0; i < lines; i++) {
    text += random.chance(options.badness) ? random.pick(ODD_LINES) : randomLine(random, options);
    text += random.chance(0.1) ? "\r\n" : "\n";
  }
  if (random.chance(0.5)) text = text.slice(0, -1);
  return new TextEncoder().encode(text);
}

function randomLine(random: Random, { badness }: BodyOptions): string {
  const bad = () => random.chance(badness);
  const spaces = () => " ".repeat(random.chance(0.1) ? 2 : 1);
  let line = random.chance(0.05) ? " " : "";
  line += random.chance(0.6) ? "m" : random.pick(NAMES);
  for (let i = random.below(4); i > 0; i--)
    line += `,${random.pick(KEY_NAMES)}=${bad() ? random.pick(["", "a=b", " "]) : random.pick(TAG_VALUES)}`;
  line += bad() ? "" : spaces();
  const fields: string[] = [];
  // A field name often tells its kind, so that lines agree.
  for (let i = 1 + random.below(4); i > 0; i--) {
    const [name, value] = random.pick<readonly [string, () => string]>([
      ["f", () => random.pick(NUMBERS)],
      ["n", () => `${random.below(1000)}i`],
      ["float", () => random.pick([...NUMBERS, `${random.below(1e9) / 1e6}`])],
      ["s", () => random.pick(STRINGS)],
      ["ok", () => random.pick(BOOLS)],
      [random.pick(KEY_NAMES), () => random.pick([...NUMBERS, ...STRINGS, ...BOOLS])],
    ]);
    fields.push(`${name}=${bad() ? random.pick(BAD_VALUES) : value()}`);
  }
  line += fields.join(",");
  if (bad()) line += random.pick([",", ",,", " ,", "=", " "]);
  if (random.chance(0.8))
    line += `${spaces()}${bad() ? random.pick(BAD_TIMES) : random.pick(TIMES)}`;
  if (random.chance(0.05)) line += " ";
  return line;
}

/** Changes a few bytes: replaces, inserts, removes, or copies a stretch. */
export function damage(random: Random, body: Uint8Array): Uint8Array {
  let bytes = [...body];
  for (let i = 1 + random.below(3); i > 0 && bytes.length > 0; i--) {
    const at = random.below(bytes.length);
    const byte = random.chance(0.8) ? random.pick(INTERESTING) : random.below(256);
    const kind = random.below(4);
    if (kind === 0) bytes[at] = byte;
    else if (kind === 1) bytes.splice(at, 0, byte);
    else if (kind === 2) bytes.splice(at, 1 + random.below(3));
    else bytes = [...bytes.slice(0, at), ...bytes.slice(random.below(bytes.length))];
  }
  return Uint8Array.from(bytes);
}
