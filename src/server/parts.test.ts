/** The small pure parts of the server: memory shares, log lines, banner. */
import { describe, expect, test } from "vitest";
import { banner, clientUrl } from "./banner.ts";
import { loadConfig } from "./config.ts";
import { logLine } from "./log_output.ts";
import { planMemory } from "./memory_plan.ts";

const GIB = 1024 ** 3;

describe("memory", () => {
  const total = (wish: Parameters<typeof planMemory>[0], machine: number) =>
    planMemory(wish, machine).totalBytes / GIB;
  test("half of RAM, capped, never below what is needed", () => {
    expect(total(undefined, 4 * GIB)).toBe(2);
    expect(total(undefined, 64 * GIB)).toBe(8);
    expect(total(undefined, GIB / 4)).toBe(0.25);
    expect(total({ share: 0.75 }, 64 * GIB)).toBe(48);
    expect(total({ bytes: 3 * GIB }, GIB)).toBe(3);
    expect(() => planMemory({ bytes: 1000 }, GIB)).toThrow("at least 256MiB");
  });
  test("the shares leave room for the process itself", () => {
    const plan = planMemory({ bytes: GIB }, GIB);
    expect(plan.duckBytes + plan.kernelBytes + plan.inFlightBytes).toBeLessThan(0.9 * GIB);
    expect(plan.writeBufferBytes).toBeLessThan(plan.duckBytes / 2);
  });
});

describe("log lines", () => {
  const line = (entry: object) => logLine(JSON.stringify({ level: 30, time: "T", ...entry }));
  test("text, fields, quoting", () => {
    expect(line({ msg: "hello", a: 1, b: "x y", c: { d: [1] }, e: "plain" })).toBe(
      'T INFO  hello a=1 b="x y" c="{\\"d\\":[1]}" e=plain\n',
    );
  });
  test("an error's message and stack, under either name or alone", () => {
    const err = { type: "Bug", message: "broken", stack: "Bug: broken\n    at x" };
    expect(line({ level: 50, msg: "failed", error: err })).toBe(
      "T ERROR failed error=broken\n    Bug: broken\n        at x\n",
    );
    expect(line({ level: 50, err })).toBe("T ERROR broken\n    Bug: broken\n        at x\n");
  });
  test("what is not JSON passes", () => expect(logLine("oops")).toBe("oops\n"));
});

describe("banner", () => {
  const shown = (flags: Record<string, string>, url = "http://localhost:4000") =>
    banner(url, loadConfig({ flags, env: {} }).config);
  test("commands as they stand", () => {
    const text = shown({});
    expect(text).toContain(
      "curl 'http://localhost:4000/v1/influxdb/api/v2/write?db=public&precision=ms' --data-binary $'cpu,host=a usage=1.5 1700000000000'",
    );
    expect(text).toContain("--data-urlencode 'sql=SELECT * FROM cpu'");
    expect(text).toContain("http://localhost:4000/dashboard/");
  });
  test("with users, with TLS, without InfluxDB", () => {
    expect(shown({ user_provider: "static_user_provider:cmd:a=b" })).toContain("-u USER:PASSWORD");
    expect(shown({}, "https://h:1")).toContain("curl -k");
    expect(shown({ "influxdb.enable": "false" })).toContain("INSERT INTO cpu");
  });
  test("addresses that a client can use", () => {
    expect(clientUrl("http", "0.0.0.0", 1)).toBe("http://localhost:1");
    expect(clientUrl("https", "::1", 2)).toBe("https://[::1]:2");
  });
});
