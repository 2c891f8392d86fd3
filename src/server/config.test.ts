import { describe, expect, test } from "vitest";
import { type ConfigSources, loadConfig, showConfig } from "./config.ts";
import { envName, SETTING_KEYS, SETTINGS, type SettingKey } from "./settings.ts";

const load = (sources: Partial<ConfigSources>) => loadConfig({ flags: {}, env: {}, ...sources });
const file = (text: string) => ({ path: "x.toml", text });

describe("precedence: flag > file > environment > default", () => {
  const places = {
    flag: { flags: { "http.addr": "h:1" } },
    file: { file: file('[http]\naddr = "h:2"') },
    tidemark: { TIDEMARK_STANDALONE__HTTP__ADDR: "h:3" },
    greptime: { GREPTIMEDB_STANDALONE__HTTP__ADDR: "h:4" },
  };
  for (let mask = 0; mask < 16; mask++) {
    const flag = (mask & 8) !== 0;
    const inFile = (mask & 4) !== 0;
    const tidemark = (mask & 2) !== 0;
    const greptime = (mask & 1) !== 0;
    const want = flag ? 1 : inFile ? 2 : tidemark ? 3 : greptime ? 4 : 4000;
    test(`flag ${flag}, file ${inFile}, TIDEMARK ${tidemark}, GREPTIMEDB ${greptime} → ${want}`, () => {
      const { config } = load({
        ...(flag ? places.flag : {}),
        ...(inFile ? places.file : {}),
        env: { ...(tidemark ? places.tidemark : {}), ...(greptime ? places.greptime : {}) },
      });
      expect(config["http.addr"].port).toBe(want);
    });
  }

  test("--env-prefix replaces both prefixes", () => {
    const env = { ...places.tidemark, MY__HTTP__ADDR: "h:9" };
    expect(load({ env, envPrefix: "MY" }).config["http.addr"].port).toBe(9);
  });

  test("every key can be set from the environment", () => {
    for (const key of SETTING_KEYS) {
      const env = { [`TIDEMARK_STANDALONE__${envName(key)}`]: "\u0000" };
      // The value is wrong for all but plain texts; what counts is that the key is found.
      let message = "";
      try {
        expect(load({ env }).raw[key]).toBe("\u0000");
      } catch (error) {
        message = String(error);
        expect(message).toContain(key);
      }
      expect(message).not.toContain("unknown key");
    }
  });
});

describe("values", () => {
  const value = (key: SettingKey, given: unknown) =>
    load({ file: file(`${key} = ${JSON.stringify(given)}`) }).config[key];
  const table: [SettingKey, unknown, unknown][] = [
    ["http.addr", "[::1]:80", { host: "::1", port: 80 }],
    ["http.addr", ":4000", { host: "0.0.0.0", port: 4000 }],
    ["http.addr", "example:0", { host: "example", port: 0 }],
    ["http.body_limit", "64MB", 67_108_864],
    ["http.body_limit", 1000, 1000],
    ["http.timeout", "1m 30s", 90_000],
    ["http.timeout", 2, 2000],
    ["http.timeout", "2", 2000],
    ["http.enable_cors", false, false],
    ["http.enable_cors", "TRUE", true],
    ["http.cors_allowed_origins", ["a", "b"], ["a", "b"]],
    ["http.cors_allowed_origins", "a, b", ["a", "b"]],
    ["memory_budget", "1.5GiB", { bytes: 1_610_612_736 }],
    ["memory_budget", "50%", { share: 0.5 }],
    ["write_bytes_exhausted_policy", "fail", 0],
    ["write_bytes_exhausted_policy", "wait", 10_000],
    ["write_bytes_exhausted_policy", "Wait(250ms)", 250],
    ["storage.type", "File", "file"],
    ["logging.level", "WARN", "warn"],
  ];
  for (const [key, given, want] of table)
    test(`${key} = ${JSON.stringify(given)}`, () => expect(value(key, given)).toEqual(want));

  const wrong: [SettingKey, unknown][] = [
    ["http.addr", "nope"],
    ["http.addr", "h:70000"],
    ["http.body_limit", "64 apples"],
    ["http.body_limit", -1],
    ["http.timeout", "fast"],
    ["http.enable_cors", "maybe"],
    ["http.max_connections", 0],
    ["http.max_connections", 1.5],
    ["memory_budget", "150%"],
    ["wal.sync", "sometimes"],
    ["storage.type", "S3"],
    ["write_bytes_exhausted_policy", "wait(x)"],
    ["storage.data_home", 7],
    ["default_timezone", "Mars/Olympus"],
  ];
  for (const [key, given] of wrong)
    test(`${key} = ${JSON.stringify(given)} is refused by name`, () => {
      expect(() => value(key, given)).toThrow(key);
      if (key !== "default_timezone") expect(() => value(key, given)).toThrow("x.toml");
    });

  test("all defaults are valid, and all mistakes are told at once", () => {
    expect(Object.keys(load({}).config)).toEqual(Object.keys(SETTINGS));
    const bad = file('[http]\naddr = "x"\ntimeout = "y"\n[nowhere]\nz = 1');
    expect(() => load({ file: bad })).toThrow(/http.addr[\s\S]*|nowhere.z/);
    expect(() => load({ file: bad })).toThrow("unknown key nowhere.z");
    expect(() => load({ file: bad })).toThrow("http.timeout");
  });
});

describe("keys nobody knows", () => {
  test("a key of the reference is a warning", () => {
    const { warnings } = load({
      file: file(
        '[mysql]\naddr = "x"\n[mysql.tls]\nmode = "disable"\n[[region_engine]]\n[region_engine.mito]\nnum_workers = 8\n',
      ),
      env: { GREPTIMEDB_STANDALONE__GRPC__BIND_ADDR: "x" },
    });
    expect(warnings.map((w) => w.split(" ")[0])).toEqual([
      "grpc.bind_addr",
      "mysql.addr",
      "mysql.tls.mode",
      "region_engine.mito.num_workers",
    ]);
  });
  test("any other stops the start, with a suggestion", () => {
    expect(() => load({ file: file("[http]\nadr = 1") })).toThrow(/http.adr .*http.addr\?/);
    expect(() => load({ file: file('data_home = "x"') })).toThrow(/storage.data_home\?/);
    expect(() => load({ env: { TIDEMARK_STANDALONE__HTTP__ADDRESS: "x" } })).toThrow(
      "HTTP__ADDRESS",
    );
    expect(() => load({ file: file("[http") })).toThrow("x.toml is not valid TOML");
  });
  test("half a TLS pair is refused", () => {
    expect(() => load({ flags: { "http.tls.cert_path": "c" } })).toThrow("key_path");
    expect(() => load({ flags: { "http.tls.mode": "require" } })).toThrow("cert_path");
  });
});

test("/config shows effective values and no secret", () => {
  const { raw } = load({
    flags: { user_provider: "static_user_provider:cmd:a=hunter2", "http.addr": "h:1" },
  });
  const shown = showConfig(raw);
  expect(shown).toContain('addr = "h:1"');
  expect(shown).toContain('user_provider = "******"');
  expect(shown).not.toContain("hunter2");
});
