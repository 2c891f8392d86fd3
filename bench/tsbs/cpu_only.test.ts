import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  CPU_FIELDS,
  CPU_ONLY_DEFAULTS,
  CpuOnlyGenerator,
  type CpuOnlyOptions,
} from "./cpu_only.ts";

const HOUR_NS = 3_600_000_000_000n;

function options(scale: number, hours: bigint, seed = 123): CpuOnlyOptions {
  const { startNs, intervalNs } = CPU_ONLY_DEFAULTS;
  return { scale, seed, startNs, endNs: startNs + hours * HOUR_NS, intervalNs };
}

function textOf(generator: CpuOnlyGenerator, rowsMax: number): string {
  const buffer = Buffer.alloc(rowsMax * generator.lineBytesMax);
  return buffer.toString("latin1", 0, generator.fill(buffer, 0, rowsMax).bytes);
}

const DATACENTERS: Readonly<Record<string, string>> = {
  "us-east-1": "abce",
  "us-west-1": "ab",
  "us-west-2": "abc",
  "eu-west-1": "abc",
  "eu-central-1": "ab",
  "ap-southeast-1": "ab",
  "ap-southeast-2": "ab",
  "ap-northeast-1": "ac",
  "sa-east-1": "abc",
};

describe("format", () => {
  const scale = 300;
  const lines = textOf(new CpuOnlyGenerator(options(scale, 1n)), scale * 3).split("\n");
  lines.pop();

  test("three tokens, 11 tag parts, 10 integers in 0..100, 19 digits, in order", () => {
    expect(lines).toHaveLength(scale * 3);
    for (const [i, line] of lines.entries()) {
      const tokens = line.split(" ");
      expect(tokens).toHaveLength(3);
      const tags = tokens[0]!.split(",");
      expect(tags).toHaveLength(11);
      expect(tags[0]).toBe("cpu");
      expect(tags[1]).toBe(`hostname=host_${i % scale}`);
      const fields = tokens[1]!.split(",");
      expect(fields.map((f) => f.split("=")[0])).toEqual([...CPU_FIELDS]);
      for (const field of fields) {
        const value = /^\w+=(\d{1,3})i$/.exec(field)?.[1];
        expect(value, field).toBeDefined();
        expect(Number(value)).toBeLessThanOrEqual(100);
      }
      const ns = CPU_ONLY_DEFAULTS.startNs + BigInt(Math.floor(i / scale)) * 10_000_000_000n;
      expect(tokens[2]).toBe(String(ns));
      expect(tokens[2]).toHaveLength(19);
    }
  });

  test("tags have the right names and values and stay with their host", () => {
    for (const [i, line] of lines.entries()) {
      const head = line.split(" ")[0]!;
      expect(head).toBe(lines[i % scale]!.split(" ")[0]);
      const tags = Object.fromEntries(
        head
          .split(",")
          .slice(1)
          .map((tag) => tag.split("=") as [string, string]),
      );
      expect(Object.keys(tags)).toEqual([
        "hostname",
        "region",
        "datacenter",
        "rack",
        "os",
        "arch",
        "team",
        "service",
        "service_version",
        "service_environment",
      ]);
      expect(DATACENTERS[tags.region!]).toContain(tags.datacenter!.slice(tags.region!.length));
      expect(tags.datacenter!.slice(tags.region!.length)).toHaveLength(1);
      expect(Number(tags.rack)).toBeLessThan(100);
      expect(["Ubuntu16.10", "Ubuntu16.04LTS", "Ubuntu15.10"]).toContain(tags.os);
      expect(["x64", "x86"]).toContain(tags.arch);
      expect(["SF", "NYC", "LON", "CHI"]).toContain(tags.team);
      expect(Number(tags.service)).toBeLessThan(20);
      expect(["0", "1"]).toContain(tags.service_version);
      expect(["production", "staging", "test"]).toContain(tags.service_environment);
    }
  });

  test("lines are about 345 bytes long", () => {
    const mean = lines.reduce((sum, line) => sum + line.length + 1, 0) / lines.length;
    expect(mean).toBeGreaterThan(338);
    expect(mean).toBeLessThan(352);
  });

  test("a value moves by a small step each epoch", () => {
    const value = (line: string) => Number(/usage_user=(\d+)i/.exec(line)![1]);
    for (let host = 0; host < scale; host++)
      expect(Math.abs(value(lines[host]!) - value(lines[scale + host]!))).toBeLessThanOrEqual(6);
  });
});

test("three days have the distribution of the reference", () => {
  const generator = new CpuOnlyGenerator(options(20, 72n));
  let n = 0;
  let sum = 0;
  let squares = 0;
  let over90 = 0;
  let zero = 0;
  let full = 0;
  for (;;) {
    const text = textOf(generator, 5000);
    if (text === "") break;
    for (const match of text.matchAll(/=(\d+)i/g)) {
      const value = Number(match[1]);
      n++;
      sum += value;
      squares += value * value;
      if (value > 90) over90++;
      if (value === 0) zero++;
      if (value === 100) full++;
    }
  }
  expect(n).toBe(20 * 25_920 * 10);
  const mean = sum / n;
  expect(Math.abs(mean - 49.3)).toBeLessThan(1.5);
  expect(Math.abs(Math.sqrt(squares / n - mean * mean) - 29.2)).toBeLessThan(0.7);
  expect(Math.abs((over90 / n) * 100 - 9.35)).toBeLessThan(0.7);
  expect(Math.abs((zero / n) * 100 - 1.6)).toBeLessThan(0.3);
  expect(Math.abs((full / n) * 100 - 0.7)).toBeLessThan(0.2);
});

describe("determinism", () => {
  const hash = (seed: number, rowsMax: number) => {
    const generator = new CpuOnlyGenerator(options(50, 1n, seed));
    const digest = createHash("sha256");
    for (;;) {
      const text = textOf(generator, rowsMax);
      if (text === "") return digest.digest("hex");
      digest.update(text);
    }
  };

  test("equal seeds give equal bytes, however they are cut into batches", () => {
    expect(hash(1, 17)).toBe(hash(1, 3000));
    expect(hash(1, 17)).not.toBe(hash(2, 17));
  });
});

test("ends exclusively, counts rows, and knows its last time", () => {
  const generator = new CpuOnlyGenerator(options(7, 1n));
  expect(generator.rowsTotal).toBe(7 * 360);
  expect(generator.lastNs).toBe(CPU_ONLY_DEFAULTS.startNs + HOUR_NS - 10_000_000_000n);
  const text = textOf(generator, 10_000);
  expect(text.split("\n")).toHaveLength(7 * 360 + 1);
  expect(text.trimEnd().endsWith(String(generator.lastNs))).toBe(true);
  expect(textOf(generator, 10)).toBe("");
});

test("a longer time span takes no more memory", () => {
  const generator = new CpuOnlyGenerator(options(1000, 1_000_000n));
  const buffer = Buffer.alloc(3000 * generator.lineBytesMax);
  const bytesHeld = () => process.memoryUsage().arrayBuffers;
  generator.fill(buffer, 0, 3000);
  const before = bytesHeld();
  for (let i = 0; i < 200; i++) expect(generator.fill(buffer, 0, 3000).rows).toBe(3000);
  // The values alone would be 48 MB if they were kept.
  expect(bytesHeld() - before).toBeLessThan(4 * 1024 * 1024);
});

test("never writes past the room it asks for", () => {
  const generator = new CpuOnlyGenerator(options(2000, 1n));
  const rows = 500;
  const buffer = Buffer.alloc(16 + rows * generator.lineBytesMax + 16, 0xee);
  const { bytes } = generator.fill(buffer.subarray(16, buffer.length - 16), 0, rows);
  expect(bytes).toBeLessThanOrEqual(rows * generator.lineBytesMax);
  expect(buffer.subarray(0, 16).every((b) => b === 0xee)).toBe(true);
  expect(buffer.subarray(-16).every((b) => b === 0xee)).toBe(true);
  expect(generator.fill(buffer, 8, 1).rows).toBe(1);
  expect(buffer.toString("latin1", 8, 12)).toBe("cpu,");
});
