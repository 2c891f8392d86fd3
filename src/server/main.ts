#!/usr/bin/env node
/** The process: command line in, exit code out. Everything else is in the modules that it calls. */
import { availableParallelism } from "node:os";
import { Fatal, messageOf, systemClock } from "../base/mod.ts";
import { banner } from "./banner.ts";
import { program } from "./cli.ts";
import { type ConfigSources, loadConfig } from "./config.ts";
import { readBuildInfo } from "./files.ts";
import { Lifecycle } from "./lifecycle.ts";
import { openLog } from "./log_output.ts";
import { Standalone } from "./standalone.ts";

const build = readBuildInfo();

async function start(sources: ConfigSources): Promise<void> {
  const loaded = loadConfig(sources);
  const { config } = loaded;
  const logger = openLog(config["logging.level"], config["logging.log_format"]);
  const lifecycle = new Lifecycle(logger);
  for (const warning of loaded.warnings) logger.warn(warning);
  try {
    const server = await Standalone.start({
      loaded,
      build,
      logger,
      clock: systemClock,
      cores: availableParallelism(),
      onFatal: (error) => lifecycle.fail(error),
    });
    process.stdout.write(banner(server.url, config));
    lifecycle.run(server);
  } catch (error) {
    if (!(error instanceof Fatal)) lifecycle.fail(error);
    logger.fatal(messageOf(error));
    logger.flush();
    process.exitCode = 1;
    // Whatever was opened before the failure is closed; what still holds the process must not keep it.
    setTimeout(() => process.exit(1), 100);
  }
}

try {
  await program(build, { start }).parseAsync();
} catch (error) {
  // A wrong configuration: there is no log to write to yet.
  process.stderr.write(`${error instanceof Fatal ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
}
