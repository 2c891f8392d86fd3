import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, SealBroken, seal, stringify, unseal } from "./sealed_json.ts";

describe("JSON with bigints", () => {
  test("bigints keep every digit, and user data that looks like one stays what it is", () => {
    const value = {
      time: 1460549358372198212n,
      negative: -(2n ** 63n),
      list: [1n, "1", 1, null, true, 0.1],
      options: { $n: "12", $$n: "x", $: 1, $other: { $n: "5" } },
    };
    expect(parse(stringify(value))).toEqual(value);
    expect(stringify(5n)).toBe('{"$n":"5"}');
  });

  test("any value comes back", () => {
    const key = fc.oneof(fc.string(), fc.constantFrom("$n", "$$n", "$", "__proto__", "toString"));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.bigInt(),
        fc.string({ unit: "binary" }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(key, tie("value"), { maxKeys: 4 }),
      ),
    }));
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    fc.assert(
      fc.property(value, (one) => {
        // Dictionaries of fast-check have no prototype: compare what JSON can see of them.
        expect(stringify(parse(stringify(one)))).toBe(stringify(one));
      }),
      { seed, numRuns: 500 },
    );
  });
});

describe("seal", () => {
  const sealed = seal({ kind: "delta", version: 7, body: [{ add: "file", rows: 12n }] });

  test("is two lines that a person can read", () => {
    expect(Buffer.from(sealed).toString()).toBe(
      '{"format":1,"kind":"delta","version":7,"bytes":36,"crc32c":"8e74c7bc"}\n' +
        '[{"add":"file","rows":{"$n":"12"}}]\n',
    );
  });

  test("comes back", () => {
    expect(unseal(sealed, "delta", 7)).toEqual([{ add: "file", rows: 12n }]);
  });

  test("no byte can change, go or be added unnoticed", () => {
    for (let at = 0; at < sealed.length; at++) {
      for (const flip of [1, 16, 128]) {
        const changed = Buffer.from(sealed);
        changed[at]! ^= flip;
        expect(() => unseal(changed, "delta", 7), `byte ${at}`).toThrow(SealBroken);
      }
      expect(() => unseal(sealed.subarray(0, at), "delta", 7)).toThrow(SealBroken);
    }
    expect(() => unseal(Buffer.concat([sealed, Buffer.from("\n")]), "delta", 7)).toThrow(
      SealBroken,
    );
  });

  test("a file in another role or of another format is refused with both values", () => {
    expect(() => unseal(sealed, "checkpoint", 7)).toThrow(/delta.*checkpoint/);
    expect(() => unseal(sealed, "delta", 8)).toThrow(/:7.*:8/);
    const newer = Buffer.from(Buffer.from(sealed).toString().replace('"format":1', '"format":2'));
    expect(() => unseal(newer, "delta", 7)).toThrow("format 2, this program reads format 1");
  });
});
