import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./json_text.ts";

test.each([
  ['{"b":1,"a":2}', '{"a":2,"b":1}'],
  [' { "a" : [ 1 , 2.50 , -3e+4 ] } ', '{"a":[1,2.50,-3e+4]}'],
  ['{"a":1,"a":2}', '{"a":2}'],
  ["9223372036854775807", "9223372036854775807"],
  ['"\\u00e9\\n"', '"é\\n"'],
  ["{}", "{}"],
  ["[]", "[]"],
  ["null", "null"],
])("%s → %s", (text, want) => {
  expect(canonicalJson(text)).toBe(want);
});

test.each(["", "{", "[1,]", "01", "{a:1}", "tru", "1 2", '"\\x"', "nullx", '{"a"}', "-", "1."])(
  "refuses %s",
  (text) => {
    expect(canonicalJson(text)).toBeUndefined();
  },
);

test("refuses what nests too deep instead of overflowing the stack", () => {
  expect(canonicalJson("[".repeat(100_000))).toBeUndefined();
});

test("agrees with JSON.parse on every document", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(canonicalJson(text)!)).toEqual(JSON.parse(text));
    }),
  );
});
