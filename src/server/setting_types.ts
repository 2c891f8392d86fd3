/**
 * The kinds of value a setting can have. Each takes what a TOML file holds (number, boolean, text, list) and what a
 * flag or an environment variable holds (always text), and gives the value in the unit that its name says.
 */
import { z } from "zod";
import { messageOf, parseBytes, parseDuration } from "../base/mod.ts";

/** Runs a parser inside a zod schema: what it throws becomes the issue's message. */
function parsed<I, O>(base: z.ZodType<I>, parse: (value: I) => O) {
  return base.transform((value, context): O => {
    try {
      return parse(value);
    } catch (error) {
      context.addIssue({ code: "custom", message: messageOf(error) });
      return z.NEVER;
    }
  });
}

const fail = (message: string): never => {
  throw new Error(message);
};

export const text = z.string();

export const bool = parsed(z.union([z.boolean(), z.string()]), (value) => {
  if (typeof value === "boolean") return value;
  const word = value.trim().toLowerCase();
  if (word === "true") return true;
  if (word === "false") return false;
  return fail(`expected true or false, got "${value}"`);
});

export const whole = (min: number, max: number) =>
  parsed(z.union([z.number(), z.string()]), (value) => {
    const n =
      typeof value === "number" ? value : /^\s*\d+\s*$/.test(value) ? Number(value) : Number.NaN;
    if (!Number.isInteger(n) || n < min || n > max)
      fail(`expected a whole number from ${min} to ${max}, got ${JSON.stringify(value)}`);
    return n;
  });

/** A size in bytes: 67108864, "64MB". */
export const size = parsed(z.union([z.number().int().nonnegative(), z.string()]), (value) =>
  typeof value === "number" ? value : parseBytes(value),
);

/** A size in bytes, or a share of the memory of the machine, as a fraction: "8GiB", "50%". */
export const sizeOrShare = parsed(
  z.union([z.number().int().nonnegative(), z.string()]),
  (value): { bytes: number } | { share: number } => {
    if (typeof value === "number") return { bytes: value };
    const percent = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(value)?.[1];
    if (percent === undefined) return { bytes: parseBytes(value) };
    const share = Number(percent) / 100;
    if (share <= 0 || share > 1) fail(`a share is more than 0% and at most 100%, got "${value}"`);
    return { share };
  },
);

/** A duration in milliseconds: "10s", "1h 30m"; a bare number (also as text) is seconds. */
export const durationMs = parsed(z.union([z.number().nonnegative(), z.string()]), (value) => {
  if (typeof value === "number") return value * 1000;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  return Number(parseDuration(value) / 1_000_000n);
});

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** "127.0.0.1:4000", "[::1]:4000", ":4000" (all interfaces); port 0 = any free one. */
export const address = parsed(z.string(), (value): Address => {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(value.trim());
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) return fail(`expected HOST:PORT, got "${value}"`);
  return { host: match[1] ?? (match[2] === "" ? "0.0.0.0" : match[2]!), port };
});

export const choice = <const W extends string>(...words: readonly W[]) =>
  parsed(z.string(), (value): W => {
    const word = words.find((w) => w === value.trim().toLowerCase());
    return word ?? fail(`expected one of ${words.join(", ")}, got "${value}"`);
  });

/** A list; in flags and environment variables separated by commas. */
export const list = parsed(z.union([z.array(z.string()), z.string()]), (value) =>
  typeof value === "string"
    ? value
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "")
    : value,
);

/** What to do when request bodies fill their memory: "wait" (10 s), "wait(2s)", "fail". The value: how long to wait, ms. */
export const waitPolicyMs = parsed(z.string(), (value) => {
  const word = value.trim().toLowerCase();
  if (word === "fail") return 0;
  if (word === "wait") return 10_000;
  const inner = /^wait\((.+)\)$/.exec(word)?.[1];
  if (inner === undefined) return fail(`expected wait, wait(DURATION) or fail, got "${value}"`);
  return Number(parseDuration(inner) / 1_000_000n);
});
