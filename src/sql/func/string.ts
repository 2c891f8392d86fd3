/** String functions. Lengths are Int32; positions count from 1. */
import { T, typeName } from "../../types/mod.ts";
import { type Bound, isNullConstant } from "../plan/bound.ts";
import { castTo } from "../plan/cast.ts";
import { planError } from "../plan/errors.ts";
import { isFloat } from "../plan/numeric.ts";
import {
  ANY,
  double,
  integer,
  type ScalarDefinition,
  scalar,
  type Table,
  text,
} from "./definition.ts";

/** A function of strings that DuckDB has under `duck`, giving a string. */
const strings = (count: number | readonly [number, number], duck: string, shown?: string) =>
  scalar(
    count,
    (args) => ({ sql: `${duck}(${args.map(text).join(", ")})`, type: T.string }),
    shown,
  );

/** A measure of a string, Int32. */
const measure = (duck: string) =>
  scalar(1, ([x]) => ({ sql: `CAST(${duck}(${text(x!)}) AS INTEGER)`, type: T.int32 }));

const position = scalar(2, ([haystack, needle]) => ({
  sql: `CAST(strpos(${text(haystack!)}, ${text(needle!)}) AS INTEGER)`,
  type: T.int32,
}));

/** How many characters from 1 on, and the rest of the rules of standard SQL for starts below 1. */
function substring(args: readonly Bound[]): ReturnType<ScalarDefinition["bind"]> {
  const s = text(args[0]!);
  const start = integer(args[1]!, "substr");
  const first = args[1]!.constant?.kind === "int" ? args[1]!.constant.value : undefined;
  if (args[2] === undefined) {
    const from = first !== undefined && first >= 1n ? start : `greatest(${start}, 1)`;
    return { sql: `substr(${s}, ${from})`, type: T.string };
  }
  const length = integer(args[2], "substr");
  const count = args[2].constant?.kind === "int" ? args[2].constant.value : undefined;
  if (count !== undefined && count < 0n)
    throw planError(
      `negative substring length not allowed: substr(<str>, ${first ?? "start"}, ${count})`,
    );
  if (first !== undefined && first >= 1n && count !== undefined)
    return { sql: `substr(${s}, ${start}, ${length})`, type: T.string };
  const checked =
    count === undefined
      ? `CASE WHEN ${length} < 0 THEN error('Execution error: negative substring length not allowed') ELSE ${length} END`
      : length;
  const shortened = `greatest(${checked} + least(${start} - 1, 0), 0)`;
  return { sql: `substr(${s}, greatest(${start}, 1), ${shortened})`, type: T.string };
}

const pad = (name: "lpad" | "rpad") =>
  scalar([2, 3], (args) => {
    const s = text(args[0]!);
    const n = `CAST(greatest(${integer(args[1]!, name)}, 0) AS INTEGER)`;
    const fill = args[2] === undefined ? "' '" : text(args[2]);
    const padded = `${name}(${s}, ${n}, ${fill})`;
    if (args[2] === undefined) return { sql: padded, type: T.string };
    return {
      sql: `CASE WHEN ${fill} = '' THEN left(${s}, ${n}) ELSE ${padded} END`,
      type: T.string,
    };
  });

const take = (name: "left" | "right") =>
  scalar(2, ([s, n]) => ({ sql: `${name}(${text(s!)}, ${integer(n!, name)})`, type: T.string }));

/** Elements of a list of strings with a separator between; DuckDB's own takes only constant ones. */
export function joined(list: string, separator: Bound): string {
  const sep = text(separator);
  if (separator.constant?.kind === "string") return `array_to_string(${list}, ${sep})`;
  return `CASE WHEN len(${list}) = 0 THEN '' ELSE list_reduce(${list}, lambda a, b: a || ${sep} || b) END`;
}

/** Replacing nothing inserts at every boundary. */
const replace = scalar(3, ([s, from, to]) => {
  const [a, b, c] = [text(s!), text(from!), text(to!)];
  const plain = `replace(${a}, ${b}, ${c})`;
  if (from!.constant?.kind === "string" && from!.constant.value !== "")
    return { sql: plain, type: T.string };
  const everywhere = `(${c} || ${joined(`string_split(${a}, '')`, to!)} || ${c})`;
  return {
    sql: `CASE WHEN ${b} = '' THEN CASE WHEN ${a} = '' THEN ${c} ELSE ${everywhere} END ELSE ${plain} END`,
    type: T.string,
  };
});

const concat = scalar([1, ANY], (args) => ({
  sql: `concat(${args.map(text).join(", ")})`,
  type: T.string,
}));

const contains = (duck: string) =>
  scalar(2, ([s, part]) => ({ sql: `${duck}(${text(s!)}, ${text(part!)})`, type: T.bool }));

const repeat = scalar(2, ([s, n]) => ({
  sql: `repeat(${text(s!)}, greatest(${integer(n!, "repeat")}, 0))`,
  type: T.string,
}));

const splitPart = scalar(3, ([s, separator, n]) => {
  if (n!.constant?.kind === "int" && n!.constant.value === 0n)
    throw planError("field position must not be zero");
  return {
    sql: `split_part(${text(s!)}, ${text(separator!)}, ${integer(n!, "split_part")})`,
    type: T.string,
  };
});

/** `a,b,c` before (or, from the end, after) the n-th delimiter. */
const substringIndex = scalar(3, ([s, delimiter, n]) => {
  const parts = `string_split(${text(s!)}, ${text(delimiter!)})`;
  const count = integer(n!, "substr_index");
  const head = `list_slice(${parts}, 1, ${count})`;
  const tail = `list_slice(${parts}, greatest(len(${parts}) + ${count} + 1, 1), len(${parts}))`;
  return {
    sql: `CASE WHEN ${count} = 0 THEN '' WHEN ${count} > 0 THEN ${joined(head, delimiter!)} ELSE ${joined(tail, delimiter!)} END`,
    type: T.string,
  };
});

const initcap = scalar(1, ([s]) => ({
  sql: `array_to_string(list_transform(regexp_extract_all(lower(${text(s!)}), '[\\p{L}\\p{N}]+|[^\\p{L}\\p{N}]+'), w -> upper(w[1]) || w[2:]), '')`,
  type: T.string,
}));

function overlay(args: readonly Bound[]): ReturnType<ScalarDefinition["bind"]> {
  const [s, what] = [text(args[0]!), text(args[1]!)];
  const start = integer(args[2]!, "overlay");
  const length = args[3] === undefined ? `length(${what})` : integer(args[3], "overlay");
  const before = `substr(${s}, 1, greatest(${start} - 1, 0))`;
  const after = `substr(${s}, greatest(${start} + ${length}, 1))`;
  return { sql: `(${before} || ${what} || ${after})`, type: T.string };
}

const findInSet = scalar(2, ([s, list]) => ({
  sql: `CAST(coalesce(list_position(string_split(${text(list!)}, ','), ${text(s!)}), 0) AS INTEGER)`,
  type: T.int32,
}));

const locate = scalar([2, 3], (args) => {
  const [needle, s] = [text(args[0]!), text(args[1]!)];
  if (args[2] === undefined)
    return { sql: `CAST(strpos(${s}, ${needle}) AS BIGINT)`, type: T.int64 };
  const from = integer(args[2], "locate");
  const found = `strpos(substr(${s}, ${from}), ${needle})`;
  return {
    sql: `CASE WHEN ${from} < 1 THEN 0 WHEN ${found} = 0 THEN 0 ELSE ${found} + ${from} - 1 END`,
    type: T.int64,
  };
});

const elt = scalar([2, ANY], ([n, ...words]) => {
  const index = integer(n!, "elt");
  const cases = words.map((word, i) => `WHEN ${i + 1} THEN ${text(word)}`).join(" ");
  return { sql: `CASE ${index} ${cases} ELSE NULL END`, type: T.string };
});

const field = scalar([2, ANY], ([x, ...words]) => {
  const value = text(x!);
  const cases = words.map((word, i) => `WHEN ${value} = ${text(word)} THEN ${i + 1}`).join(" ");
  return { sql: `CAST(CASE ${cases} ELSE 0 END AS BIGINT)`, type: T.int64 };
});

const insert = scalar(4, ([s, at, n, what]) => {
  const [value, from, count, put] = [
    text(s!),
    integer(at!, "insert"),
    integer(n!, "insert"),
    text(what!),
  ];
  const rest = `CASE WHEN ${count} < 0 THEN '' ELSE substr(${value}, ${from} + ${count}) END`;
  return {
    sql: `CASE WHEN ${from} < 1 OR ${from} > length(${value}) THEN ${value} ELSE substr(${value}, 1, ${from} - 1) || ${put} || ${rest} END`,
    type: T.string,
  };
});

const format = scalar(2, ([x, digits]) => {
  const value = double(x!, "format");
  const places = integer(digits!, "format");
  return {
    sql: `CASE WHEN ${places} <= 0 THEN format('{:,}', CAST(round(${value}) AS BIGINT)) ELSE format('{:,}', CAST(trunc(round(${value}, CAST(${places} AS INTEGER))) AS BIGINT)) || '.' || lpad(CAST(CAST(round(abs(round(${value}, CAST(${places} AS INTEGER)) - trunc(round(${value}, CAST(${places} AS INTEGER)))) * pow(10e0, ${places})) AS BIGINT) AS VARCHAR), CAST(${places} AS INTEGER), '0') END`,
    type: T.string,
  };
});

const toHex = scalar(1, ([x]) => {
  if (isNullConstant(x!)) return { sql: "NULL::VARCHAR", type: T.string };
  if (x!.type.kind === "string" || isFloat(x!.type))
    throw planError(`Function 'to_hex' expects an integer but received ${typeName(x!.type)}`);
  return { sql: `lower(to_hex(${integer(x!, "to_hex")}))`, type: T.string };
});

function bytes(arg: Bound): string {
  return castTo(arg, T.binary).sql;
}

const encode = scalar(2, ([x, encoding]) => {
  const name = encoding!.constant?.kind === "string" ? encoding!.constant.value.toLowerCase() : "";
  if (name === "hex") return { sql: `lower(hex(${bytes(x!)}))`, type: T.string };
  if (name === "base64") return { sql: `rtrim(to_base64(${bytes(x!)}), '=')`, type: T.string };
  throw planError(
    `There is no built-in encoding named '${name}', currently supported encodings are: base64, hex`,
  );
});

const decode = scalar(2, ([x, encoding]) => {
  const name = encoding!.constant?.kind === "string" ? encoding!.constant.value.toLowerCase() : "";
  const s = text(x!);
  if (name === "hex") return { sql: `unhex(${s})`, type: T.binary };
  if (name === "base64")
    return {
      sql: `from_base64(rpad(${s}, CAST((length(${s}) + 3) // 4 * 4 AS INTEGER), '='))`,
      type: T.binary,
    };
  throw planError(
    `There is no built-in encoding named '${name}', currently supported encodings are: base64, hex`,
  );
});

export const STRING: Table = {
  ascii: scalar(1, ([x]) => ({ sql: `ascii(${text(x!)})`, type: T.int32 })),
  bit_length: scalar(1, ([x]) => ({
    sql: `CAST(octet_length(${bytes(x!)}) * 8 AS INTEGER)`,
    type: T.int32,
  })),
  btrim: strings([1, 2], "trim"),
  char_length: measure("length"),
  character_length: measure("length"),
  chr: scalar(1, ([x]) => ({ sql: `chr(CAST(${integer(x!, "chr")} AS INTEGER))`, type: T.string })),
  concat,
  concat_ws: scalar([2, ANY], (args) => ({
    sql: `concat_ws(${args.map(text).join(", ")})`,
    type: T.string,
  })),
  contains: contains("contains"),
  decode,
  elt,
  encode,
  ends_with: contains("ends_with"),
  field,
  find_in_set: findInSet,
  format,
  initcap,
  insert,
  instr: position,
  lcase: strings(1, "lower"),
  left: take("left"),
  length: measure("length"),
  levenshtein: scalar(2, ([a, b]) => ({
    sql: `CAST(levenshtein(${text(a!)}, ${text(b!)}) AS INTEGER)`,
    type: T.int32,
  })),
  locate,
  lower: strings(1, "lower"),
  lpad: pad("lpad"),
  ltrim: strings([1, 2], "ltrim"),
  md5: strings(1, "md5"),
  mid: scalar([2, 3], substring),
  octet_length: scalar(1, ([x]) => ({
    sql: `CAST(octet_length(${bytes(x!)}) AS INTEGER)`,
    type: T.int32,
  })),
  overlay: scalar([3, 4], overlay),
  position,
  repeat,
  replace,
  reverse: strings(1, "reverse"),
  right: take("right"),
  rpad: pad("rpad"),
  rtrim: strings([1, 2], "rtrim"),
  sha256: scalar(1, ([x]) => ({
    sql: `unhex(sha256(${x!.type.kind === "binary" ? x!.sql : text(x!)}))`,
    type: T.binary,
  })),
  space: scalar(1, ([n]) => ({
    sql: `repeat(' ', greatest(${integer(n!, "space")}, 0))`,
    type: T.string,
  })),
  split_part: splitPart,
  starts_with: contains("starts_with"),
  strpos: position,
  substr: scalar([2, 3], substring),
  substr_index: substringIndex,
  substring: scalar([2, 3], substring, "substr"),
  substring_index: substringIndex,
  to_hex: toHex,
  translate: strings(3, "translate"),
  trim: strings([1, 2], "trim", "btrim"),
  ucase: strings(1, "upper"),
  upper: strings(1, "upper"),
  uuid: scalar(0, () => ({ sql: "CAST(uuid() AS VARCHAR)", type: T.string })),
};
