/** Mathematical functions. DuckDB raises errors where floats have an answer (NaN, infinity): those are guarded. */
import { duckTypeName, T } from "../../types/mod.ts";
import type { Bound } from "../plan/bound.ts";
import { castTo } from "../plan/cast.ts";
import { executionError, planError } from "../plan/errors.ts";
import { commonNumeric, isInteger, isUnsigned } from "../plan/numeric.ts";
import {
  ANY,
  double,
  integer,
  number,
  type ScalarDefinition,
  scalar,
  type Table,
} from "./definition.ts";

const NAN = "'nan'::DOUBLE";

/** A function of one double that DuckDB has under `duck`. */
const float1 = (name: string, duck: string): ScalarDefinition =>
  scalar(1, ([x]) => ({ sql: `${duck}(${double(x!, name)})`, type: T.float64 }));

/** As float1, with `cases` of the argument `x` before it. */
const guarded = (name: string, cases: (x: string) => string, value: (x: string) => string) =>
  scalar(1, ([arg]) => {
    const x = double(arg!, name);
    return { sql: `CASE ${cases(x)} ELSE ${value(x)} END`, type: T.float64 };
  });

const logarithm = (name: string, duck: string) =>
  guarded(
    name,
    (x) => `WHEN ${x} < 0 THEN ${NAN} WHEN ${x} = 0 THEN '-inf'::DOUBLE`,
    (x) => `${duck}(${x})`,
  );

/** Angles of infinity are NaN; DuckDB refuses them. */
const trigonometric = (name: string) =>
  guarded(
    name,
    (x) => `WHEN isinf(${x}) THEN ${NAN}`,
    (x) => `${name}(${x})`,
  );

/** ceil, floor: a double, except that decimals stay decimals. */
const rounding = (name: string) =>
  scalar(1, ([arg]) => {
    const x = number(arg!, name);
    if (x.type.kind === "decimal")
      return { sql: `CAST(${name}(${x.sql}) AS ${duckTypeName(x.type)})`, type: x.type };
    return { sql: `${name}(${castTo(x, T.float64).sql})`, type: T.float64 };
  });

function round(args: readonly Bound[]): ReturnType<ScalarDefinition["bind"]> {
  const x = number(args[0]!, "round");
  const digits = args[1] === undefined ? "0" : `CAST(${integer(args[1], "round")} AS INTEGER)`;
  if (x.type.kind === "decimal") {
    const wanted = args[1]?.constant?.kind === "int" ? Number(args[1].constant.value) : 0;
    const scale = Math.max(0, Math.min(x.type.scale, wanted));
    const type = { ...x.type, scale };
    return { sql: `CAST(round(${x.sql}, ${wanted}) AS ${duckTypeName(type)})`, type };
  }
  return { sql: `round(${castTo(x, T.float64).sql}, ${digits})`, type: T.float64 };
}

function truncate(args: readonly Bound[]): ReturnType<ScalarDefinition["bind"]> {
  const x = double(args[0]!, "trunc");
  if (args[1] === undefined) return { sql: `trunc(${x})`, type: T.float64 };
  const scale = `pow(10e0, ${integer(args[1], "trunc")})`;
  return { sql: `(trunc(${x} * ${scale}) / ${scale})`, type: T.float64 };
}

function absolute([arg]: readonly Bound[]): ReturnType<ScalarDefinition["bind"]> {
  const x = number(arg!, "abs");
  return { sql: isUnsigned(x.type) ? x.sql : `abs(${x.sql})`, type: x.type };
}

/** mod(x, y): as `%`, in the widest type of its kind. */
function modulo(args: readonly Bound[]): ReturnType<ScalarDefinition["bind"]> {
  const [a, b] = args.map((arg) => number(arg, "mod")) as [Bound, Bound];
  const common = commonNumeric(a.type, b.type) ?? T.float64;
  const type = !isInteger(common) ? T.float64 : isUnsigned(common) ? T.uint64 : T.int64;
  const x = castTo(a, type).sql;
  const y = castTo(b, type).sql;
  if (!isInteger(type)) return { sql: `(${x} % ${y})`, type };
  if (b.constant?.kind === "int") {
    if (b.constant.value === 0n) throw executionError("Divide by zero error");
    return { sql: `(${x} % ${y})`, type };
  }
  return {
    sql: `CASE WHEN ${y} = 0 THEN error('Divide by zero error') ELSE (${x} % ${y}) END`,
    type,
  };
}

function clamp(args: readonly Bound[]): ReturnType<ScalarDefinition["bind"]> {
  const bounds = args.map((arg) => number(arg, "clamp"));
  const [value, min, max] = bounds as [Bound, Bound, Bound];
  const type = value.type;
  const low = castTo(min, type).sql;
  const high = castTo(max, type).sql;
  const complaint = `error('Execution error: min ''' || CAST(${low} AS VARCHAR) || ''' > max ''' || CAST(${high} AS VARCHAR) || '''')`;
  const within = `greatest(least(${value.sql}, ${high}), ${low})`;
  return {
    sql: `CASE WHEN ${low} > ${high} THEN ${complaint} WHEN ${value.sql} IS NULL THEN NULL ELSE ${within} END`,
    type,
  };
}

const clampOneSide = (name: string, duck: string) =>
  scalar(2, (args) => {
    const [value, bound] = args.map((arg) => number(arg, name)) as [Bound, Bound];
    const limit = castTo(bound, value.type).sql;
    return {
      sql: `CASE WHEN ${value.sql} IS NULL THEN NULL ELSE ${duck}(${value.sql}, ${limit}) END`,
      type: value.type,
    };
  });

const integers = (name: string) =>
  scalar(2, ([a, b]) => ({
    sql: `${name}(${integer(a!, name)}, ${integer(b!, name)})`,
    type: T.int64,
  }));

const power = scalar(2, ([x, y]) => ({
  sql: `pow(${double(x!, "power")}, ${double(y!, "power")})`,
  type: T.float64,
}));

const unitRange = (name: string) =>
  guarded(
    name,
    (x) => `WHEN abs(${x}) > 1 THEN ${NAN}`,
    (x) => `${name}(${x})`,
  );

const random = scalar(0, () => ({ sql: "random()", type: T.float64 }), "random");

export const MATH: Table = {
  abs: scalar(1, absolute),
  acos: unitRange("acos"),
  acosh: guarded(
    "acosh",
    (x) => `WHEN ${x} < 1 THEN ${NAN}`,
    (x) => `acosh(${x})`,
  ),
  asin: unitRange("asin"),
  asinh: float1("asinh", "asinh"),
  atan: float1("atan", "atan"),
  atan2: scalar(2, ([y, x]) => ({
    sql: `atan2(${double(y!, "atan2")}, ${double(x!, "atan2")})`,
    type: T.float64,
  })),
  atanh: guarded(
    "atanh",
    (x) =>
      `WHEN abs(${x}) > 1 THEN ${NAN} WHEN ${x} = 1 THEN 'inf'::DOUBLE WHEN ${x} = -1 THEN '-inf'::DOUBLE`,
    (x) => `atanh(${x})`,
  ),
  cbrt: scalar(1, ([arg]) => {
    const x = double(arg!, "cbrt");
    // DuckDB is off by one bit for cubes of integers.
    const whole = `round(cbrt(${x}))`;
    return {
      sql: `CASE WHEN ${whole} * ${whole} * ${whole} = ${x} THEN ${whole} ELSE cbrt(${x}) END`,
      type: T.float64,
    };
  }),
  ceil: rounding("ceil"),
  ceiling: { ...rounding("ceil") },
  clamp: scalar(3, clamp),
  clamp_max: clampOneSide("clamp_max", "least"),
  clamp_min: clampOneSide("clamp_min", "greatest"),
  cos: trigonometric("cos"),
  cosh: float1("cosh", "cosh"),
  cot: guarded(
    "cot",
    (x) => `WHEN ${x} = 0 THEN 'inf'::DOUBLE WHEN isinf(${x}) THEN ${NAN}`,
    (x) => `cot(${x})`,
  ),
  degrees: float1("degrees", "degrees"),
  exp: float1("exp", "exp"),
  factorial: scalar(1, ([n]) => ({
    sql: `CAST(factorial(CAST(${integer(n!, "factorial")} AS INTEGER)) AS BIGINT)`,
    type: T.int64,
  })),
  floor: rounding("floor"),
  gcd: integers("gcd"),
  isnan: scalar(1, ([x]) => ({ sql: `isnan(${double(x!, "isnan")})`, type: T.bool })),
  iszero: scalar(1, ([x]) => ({ sql: `(${double(x!, "iszero")} = 0)`, type: T.bool })),
  lcm: integers("lcm"),
  ln: logarithm("ln", "ln"),
  log: scalar([1, 2], (args) => {
    const x = double(args.at(-1)!, "log");
    const guard = `WHEN ${x} < 0 THEN ${NAN} WHEN ${x} = 0 THEN '-inf'::DOUBLE`;
    if (args.length === 1) return { sql: `CASE ${guard} ELSE log10(${x}) END`, type: T.float64 };
    const base = double(args[0]!, "log");
    const value = `CASE WHEN ${base} <= 0 THEN ${NAN} ELSE ln(${x}) / ln(${base}) END`;
    return { sql: `CASE ${guard} ELSE ${value} END`, type: T.float64 };
  }),
  log10: logarithm("log10", "log10"),
  log2: logarithm("log2", "log2"),
  mod: scalar(2, modulo),
  nanvl: scalar(2, ([x, y]) => {
    const a = double(x!, "nanvl");
    return {
      sql: `CASE WHEN isnan(${a}) THEN ${double(y!, "nanvl")} ELSE ${a} END`,
      type: T.float64,
    };
  }),
  pi: scalar(0, () => ({ sql: "pi()", type: T.float64 })),
  pow: power,
  power,
  radians: float1("radians", "radians"),
  rand: { ...random, shown: "rand" },
  random,
  round: scalar([1, 2], round),
  signum: scalar(1, ([x]) => {
    const value = double(x!, "signum");
    return {
      sql: `CASE WHEN isnan(${value}) THEN ${NAN} ELSE CAST(sign(${value}) AS DOUBLE) END`,
      type: T.float64,
    };
  }),
  sin: trigonometric("sin"),
  sinh: float1("sinh", "sinh"),
  sqrt: guarded(
    "sqrt",
    (x) => `WHEN ${x} < 0 THEN ${NAN}`,
    (x) => `sqrt(${x})`,
  ),
  tan: trigonometric("tan"),
  tanh: float1("tanh", "tanh"),
  trunc: scalar([1, 2], truncate),
};

/** least and greatest ignore NULLs, as DuckDB's do. */
const extreme = (name: "greatest" | "least") =>
  scalar([1, ANY], (args, binder) => {
    const type = binder.unify(args, name);
    if (type.kind === "null") throw planError(`${name} needs an argument that is not NULL`);
    const list = args.map((arg) => castTo(arg, type).sql).join(", ");
    return { sql: `${name}(${list})`, type };
  });

export const EXTREMES: Table = { greatest: extreme("greatest"), least: extreme("least") };
