/** Formats of chrono (Rust) → DuckDB: most letters agree, fractions of a second do not. */
import type { TimeUnit } from "../../types/mod.ts";
import { planError } from "../plan/errors.ts";
import { stringSql } from "../plan/literal.ts";
import { scaleTicks, ticksOf, toMicros } from "../plan/ticks.ts";

/** Letters with the same meaning on both sides. */
const SAME = new Set([..."aAbBdHIjmMpSUwWyY"]);

/** Letters that stand for others. */
const EXPANDED: Readonly<Record<string, string>> = {
  F: "%Y-%m-%d",
  T: "%H:%M:%S",
  X: "%H:%M:%S",
  R: "%H:%M",
  D: "%m/%d/%y",
  x: "%m/%d/%y",
  h: "%b",
  c: "%a %b %e %H:%M:%S %Y",
  v: "%e-%b-%Y",
  r: "%I:%M:%S %p",
  C: "",
};

/** `sql` is a timestamp of `unit`, already in the zone that it is shown in. */
export function chronoFormat(sql: string, unit: TimeUnit, format: string): string {
  const micros = toMicros(sql, unit);
  const parts: string[] = [];
  let plain = "";
  const flush = () => {
    if (plain === "") return;
    parts.push(plain.includes("%") ? `strftime(${micros}, ${stringSql(plain)})` : stringSql(plain));
    plain = "";
  };
  const expanded = format.replace(/%([FTXRDxhcvr])/g, (_m, letter: string) => EXPANDED[letter]!);
  const token = /%([-_0]?)(\.?)([369]?)([A-Za-z%])|[^%]+|%/gs;
  for (const match of expanded.matchAll(token)) {
    const [whole, flag, dot, width, letter] = match;
    if (letter === undefined) {
      if (whole === "%") throw planError(`invalid date format: ${format}`);
      plain += whole;
      continue;
    }
    if (letter === "f") {
      flush();
      parts.push(fraction(sql, unit, width === "" ? undefined : Number(width), dot === "."));
    } else if (letter === "%") {
      plain += "%%";
    } else if (letter === "n" || letter === "t") {
      plain += letter === "n" ? "\n" : "\t";
    } else if (letter === "e" || letter === "k" || letter === "l") {
      flush();
      const base = { e: "%-d", k: "%-H", l: "%-I" }[letter];
      parts.push(`lpad(strftime(${micros}, '${base}'), 2, ' ')`);
    } else if (letter === "s") {
      flush();
      parts.push(`CAST(epoch_ms(${micros}) // 1000 AS VARCHAR)`);
    } else if (letter === "z" || letter === "Z") {
      throw planError(`date format %${letter} needs a time zone, which timestamps do not have`);
    } else if (SAME.has(letter) && width === "" && dot === "") {
      plain += `%${flag === "-" ? "-" : ""}${letter}`;
    } else if (letter === "G" || letter === "V" || letter === "u") {
      plain += whole;
    } else {
      throw planError(`date format %${letter} is not supported`);
    }
  }
  flush();
  if (parts.length === 0) return "''";
  return parts.length === 1 ? parts[0]! : `(${parts.join(" || ")})`;
}

/** `%f` is all nine digits, `%3f` the first three, `%.f` a dot and as many as it takes. */
function fraction(sql: string, unit: TimeUnit, width: number | undefined, dot: boolean): string {
  const nanos = scaleTicks(ticksOf(sql, unit), unit, "ns");
  const within = `((${nanos} % 1000000000 + 1000000000) % 1000000000)`;
  const digits = `lpad(CAST(${within} AS VARCHAR), 9, '0')`;
  const point = dot ? "'.' || " : "";
  if (width !== undefined) return `(${point}left(${digits}, ${width}))`;
  if (!dot) return digits;
  return `CASE WHEN ${within} = 0 THEN '' WHEN ${within} % 1000000 = 0 THEN '.' || left(${digits}, 3) WHEN ${within} % 1000 = 0 THEN '.' || left(${digits}, 6) ELSE '.' || ${digits} END`;
}
