/** SET of a session variable. What names mean is the session's affair. */
import type { Statement } from "../ast.ts";
import type { Cursor } from "./cursor.ts";
import { parseName } from "./expr.ts";

export function parseSet(p: Cursor): Statement {
  p.expect("set");
  let scope = (["session", "local", "global"] as const).find(
    (word) => p.isWord(word) && !p.isOp("=", 1) && p.take(word),
  );
  if (p.take("time", "zone")) {
    if (!p.takeOp("=")) p.take("to");
    return { kind: "set", scope, name: "TIME_ZONE", values: [parseValue(p)] };
  }
  let name = parseName(p)
    .map((part) => part.name)
    .join(".")
    .toUpperCase();
  if (name.startsWith("@@")) {
    const match = /^@@(?:(SESSION|LOCAL|GLOBAL)\.)?(.*)$/s.exec(name)!;
    scope ??= match[1]?.toLowerCase() as typeof scope;
    name = match[2]!;
  }
  if (name === "TIMEZONE") name = "TIME_ZONE";
  const assigned = p.takeOp("=") || p.takeOp(":=") || p.take("to");
  // `SET NAMES utf8` has neither `=` nor TO.
  if (!assigned && name !== "NAMES") p.fail("equals sign or TO");
  const values = p.list(() => parseValue(p));
  return { kind: "set", scope, name, values };
}

function parseValue(p: Cursor): string {
  const token = p.next();
  switch (token.kind) {
    case "string":
    case "quoted":
    case "number":
      return token.value;
    case "word":
      return p.textOf(token);
    case "op":
      if ((token.value === "-" || token.value === "+") && p.peek().kind === "number")
        return `${token.value === "-" ? "-" : ""}${p.next().value}`;
      break;
  }
  p.fail("variable value", token);
}
