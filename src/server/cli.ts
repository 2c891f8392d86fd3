/** The command line: `standalone start`, `user hash-password`. Lists only what works; values are read in config.ts. */
import { text as readAll } from "node:stream/consumers";
import { Command, InvalidArgumentError, Option } from "commander";
import { formatVerifier, HASH_FORMATS, type HashFormat, hashPassword } from "../auth/mod.ts";
import type { ConfigSources } from "./config.ts";
import { type BuildInfo, readTextFile } from "./files.ts";
import { SETTING_KEYS, SETTINGS, type SettingKey } from "./settings.ts";

export interface Actions {
  start(sources: ConfigSources): Promise<void>;
}

export function program(build: BuildInfo, actions: Actions): Command {
  const root = new Command("tidemark")
    .description("Time-series and observability database, wire-compatible with GreptimeDB")
    .version(`tidemark ${build.version} (${build.commit})`, "-V, --version")
    .showHelpAfterError();
  root
    .command("standalone")
    .description("everything in one process")
    .addCommand(startCommand(actions));
  root
    .command("user")
    .description("users for user_provider files")
    .addCommand(hashPasswordCommand());
  return root;
}

function startCommand(actions: Actions): Command {
  const command = new Command("start")
    .description("start the server; what is set by flag, file, environment wins in this order")
    .option("-c, --config-file <FILE>", "settings in TOML (docs/config.md)")
    .addOption(new Option("--config <FILE>", "the same").hideHelp())
    .option(
      "--env-prefix <PREFIX>",
      "read PREFIX__SECTION__KEY instead of TIDEMARK_STANDALONE__… and GREPTIMEDB_STANDALONE__…",
    );
  const keyOf = new Map<string, SettingKey>();
  for (const key of SETTING_KEYS) {
    const { flag, help, default: fallback } = SETTINGS[key];
    if (flag === undefined) continue;
    const shown = fallback === undefined || fallback === false ? "" : ` (default ${fallback})`;
    const option = new Option(flag, `${help}${shown}`);
    keyOf.set(option.attributeName(), key);
    command.addOption(option);
  }
  return command.action(async (options: Record<string, string | boolean | undefined>) => {
    const flags: Partial<Record<SettingKey, string | boolean>> = {};
    for (const [name, key] of keyOf) {
      const value = options[name];
      if (value !== undefined) flags[key] = value;
    }
    const path = (options.configFile ?? options.config) as string | undefined;
    await actions.start({
      flags,
      env: process.env,
      envPrefix: options.envPrefix as string | undefined,
      file:
        path === undefined ? undefined : { path, text: readTextFile(path, "configuration file") },
    });
  });
}

function hashPasswordCommand(): Command {
  const count = (max: number) => (text: string) => {
    const n = /^\d+$/.test(text) ? Number(text) : 0;
    if (n < 1 || n > max) throw new InvalidArgumentError(`from 1 to ${max}.`);
    return n;
  };
  return new Command("hash-password")
    .description("print a password as it may stand in a user file, behind `name=`")
    .addOption(
      new Option("--format <FORMAT>", "kind of hash")
        .choices(HASH_FORMATS)
        .default("pbkdf2_sha256"),
    )
    .option("--password <PASSWORD>", "the password; other users of the machine can see it")
    .option("--password-stdin", "read it from standard input instead")
    .option("--iterations <N>", "rounds of the hash", count(1_000_000), 4096)
    .option("--salt-len <BYTES>", "length of the random salt", count(1024), 16)
    .option("--salt-hex <HEX>", "this salt instead of a random one")
    .action(async (options: HashOptions, command: Command) => {
      if ((options.password === undefined) === (options.passwordStdin === undefined))
        command.error("error: give either --password or --password-stdin");
      const salt = options.saltHex;
      if (salt !== undefined && !/^([0-9a-f]{2})+$/i.test(salt))
        command.error("error: --salt-hex is not hexadecimal");
      const password = options.password ?? (await readAll(process.stdin)).replace(/\r?\n$/, "");
      if (password === "") command.error("error: the password is empty");
      const verifier = await hashPassword(options.format, password, {
        iterations: options.iterations,
        saltBytes: options.saltLen,
        ...(salt === undefined ? {} : { salt: Buffer.from(salt, "hex") }),
      });
      process.stdout.write(`${formatVerifier(verifier)}\n`);
    });
}

interface HashOptions {
  readonly format: HashFormat;
  readonly password?: string;
  readonly passwordStdin?: boolean;
  readonly iterations: number;
  readonly saltLen: number;
  readonly saltHex?: string;
}
