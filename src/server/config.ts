/**
 * Settings from four places, strongest first: flag, file, environment, default. Pure: file text and environment come in.
 * Every complaint names the key and where it was found; a key that nobody knows stops the start.
 */
import { parse as parseToml, stringify as writeToml } from "smol-toml";
import { Fatal, messageOf } from "../base/mod.ts";
import { isIgnoredKey } from "./known_keys.ts";
import { type Config, envName, SETTING_KEYS, SETTINGS, type SettingKey } from "./settings.ts";

export interface ConfigSources {
  /** Values of flags, by key, as text or (for switches) true. */
  readonly flags: Readonly<Partial<Record<SettingKey, string | boolean>>>;
  readonly file?: { readonly path: string; readonly text: string } | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Given with --env-prefix: replaces the two usual prefixes. */
  readonly envPrefix?: string | undefined;
}

export interface LoadedConfig {
  readonly config: Config;
  /** What each key's value was before it was parsed, for /config. */
  readonly raw: Readonly<Partial<Record<SettingKey, unknown>>>;
  readonly warnings: readonly string[];
}

/** The weaker first: a TIDEMARK_ variable beats its GREPTIMEDB_ twin. */
const ENV_PREFIXES = ["GREPTIMEDB_STANDALONE", "TIDEMARK_STANDALONE"];

interface Found {
  readonly value: unknown;
  /** "flag --http-addr", "file x.toml", "environment variable X": for messages. */
  readonly where: string;
}

/** Throws Fatal with one line for each wrong key. */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const found = new Map<SettingKey, Found>();
  const warnings: string[] = [];
  const mistakes: string[] = [];
  const take = (key: string, value: unknown, where: string) => {
    if (key in SETTINGS) found.set(key as SettingKey, { value, where });
    else if (isIgnoredKey(key)) warnings.push(`${key} (${where}) has no effect in Tidemark`);
    else mistakes.push(`unknown key ${key} (${where})${suggestion(key)}`);
  };
  for (const { key, value, name } of envValues(sources))
    take(key, value, `environment variable ${name}`);
  if (sources.file !== undefined)
    for (const [key, value] of fileValues(sources.file))
      take(key, value, `file ${sources.file.path}`);
  for (const [key, value] of Object.entries(sources.flags))
    if (value !== undefined)
      take(key, value, `flag ${SETTINGS[key as SettingKey].flag?.split(/ [<[]/)[0]}`);

  const config: Partial<Record<SettingKey, unknown>> = {};
  const raw: Partial<Record<SettingKey, unknown>> = {};
  for (const key of SETTING_KEYS) {
    const setting = SETTINGS[key];
    const { value, where } = found.get(key) ?? { value: setting.default, where: "default" };
    raw[key] = value;
    const result = setting.schema.safeParse(value);
    if (result.success) config[key] = result.data;
    else mistakes.push(`${key} (${where}): ${result.error.issues.map(issueText).join("; ")}`);
  }
  if (mistakes.length > 0)
    throw new Fatal(`the configuration is wrong:\n  ${mistakes.join("\n  ")}`);
  checkTogether(config as Config);
  return { config: config as Config, raw, warnings };
}

/** The effective settings as TOML, secrets replaced. */
export function showConfig(raw: LoadedConfig["raw"]): string {
  const tree: Record<string, unknown> = {};
  for (const key of SETTING_KEYS) {
    const value = raw[key];
    if (value === undefined) continue;
    const path = key.split(".");
    let node = tree;
    for (const part of path.slice(0, -1)) {
      node[part] ??= {};
      node = node[part] as Record<string, unknown>;
    }
    node[path.at(-1)!] = SETTINGS[key].secret === true ? "******" : value;
  }
  return writeToml(tree);
}

function checkTogether(config: Config): void {
  const cert = config["http.tls.cert_path"];
  const key = config["http.tls.key_path"];
  const on = config["http.tls.mode"] === "require";
  if ((cert === undefined) !== (key === undefined) || (on && cert === undefined))
    throw new Fatal("TLS needs both http.tls.cert_path and http.tls.key_path");
  const zone = config.default_timezone;
  if (!/^[+-]\d{2}:\d{2}$/.test(zone) && !isZone(zone))
    throw new Fatal(
      `default_timezone: "${zone}" is not an IANA time zone or an offset like +08:00`,
    );
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function* envValues(
  sources: ConfigSources,
): Iterable<{ key: string; value: string; name: string }> {
  const prefixes = sources.envPrefix === undefined ? ENV_PREFIXES : [sources.envPrefix];
  const byName = new Map<string, SettingKey>(SETTING_KEYS.map((key) => [envName(key), key]));
  for (const prefix of prefixes)
    for (const [name, value] of Object.entries(sources.env)) {
      if (value === undefined || !name.startsWith(`${prefix}__`)) continue;
      const rest = name.slice(prefix.length + 2).toUpperCase();
      yield { key: byName.get(rest) ?? rest.toLowerCase().replaceAll("__", "."), value, name };
    }
}

function fileValues(file: { path: string; text: string }): [string, unknown][] {
  let tree: Record<string, unknown>;
  try {
    tree = parseToml(file.text);
  } catch (error) {
    throw new Fatal(`${file.path} is not valid TOML: ${messageOf(error)}`);
  }
  const values: [string, unknown][] = [];
  flatten(tree, "", values);
  return values;
}

function flatten(value: unknown, key: string, into: [string, unknown][]): void {
  if (isTable(value))
    for (const [name, inner] of Object.entries(value))
      flatten(inner, key === "" ? name : `${key}.${name}`, into);
  // [[region_engine]] and the like: each table below the one name.
  else if (Array.isArray(value) && value.some(isTable))
    for (const item of value) flatten(item, key, into);
  else into.push([key, value]);
}

function isTable(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

function issueText(issue: { readonly message: string }): string {
  return issue.message.replace(/^Invalid input: /, "");
}

/** " (did you mean http.addr?)" when one key is close. */
function suggestion(key: string): string {
  const last = key.split(".").at(-1)!;
  const near =
    SETTING_KEYS.find((known) => known.split(".").at(-1) === last) ??
    SETTING_KEYS.find((known) => distance(known, key) <= 2);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** Edits between two words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[b.length]!;
}
