/** The parts of a RANGE query: durations, FILL, the ALIGN clause. */
import type { Align, Expr, Fill, RangeDuration } from "../ast.ts";
import type { Cursor } from "./cursor.ts";
import { parseExpr } from "./expr.ts";

/** `'10s'` or `(INTERVAL '10' second)`. */
export function parseRangeDuration(p: Cursor): RangeDuration {
  if (p.takeOp("(")) {
    const expr = parseExpr(p);
    p.expectOp(")");
    return { kind: "interval", expr };
  }
  return { kind: "text", text: p.string() };
}

/** `FILL NULL | PREV | LINEAR | literal`. */
export function parseFill(p: Cursor): Fill {
  p.expect("fill");
  if (p.take("null")) return { kind: "null" };
  if (p.take("prev")) return { kind: "prev" };
  if (p.take("linear")) return { kind: "linear" };
  // Only a literal with its sign: what follows may be the next clause.
  return { kind: "constant", value: parseExpr(p, 100) };
}

/** `ALIGN step [TO …] [BY (…)] [FILL …]`; the last three in any order. */
export function parseAlign(p: Cursor): Align {
  p.expect("align");
  const step = parseRangeDuration(p);
  let to: Align["to"];
  let by: readonly Expr[] | undefined;
  let fill: Fill | undefined;
  for (;;) {
    if (to === undefined && p.take("to")) {
      to = parseTo(p);
    } else if (by === undefined && p.take("by")) {
      p.expectOp("(");
      by = p.isOp(")") ? [] : p.list(() => parseExpr(p));
      p.expectOp(")");
    } else if (fill === undefined && p.isWord("fill")) {
      fill = parseFill(p);
    } else {
      return { step, to, by, fill };
    }
  }
}

function parseTo(p: Cursor): Align["to"] {
  if (p.take("now")) {
    if (p.takeOp("(")) p.expectOp(")");
    return { kind: "now" };
  }
  if (p.take("calendar")) return undefined;
  if (p.takeOp("(")) {
    const expr = parseExpr(p);
    p.expectOp(")");
    return { kind: "expr", expr };
  }
  return { kind: "text", text: p.string() };
}
