/**
 * `bin/bench NAME [flags]`: the one way to run a benchmark. Ends with 1 when rows were missing, writes
 * refused or answers wrong; a budget that is not met is said in the report and does not fail the run.
 */
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { BenchContext, releaseAll } from "./benchmarks/context.ts";
import { LP_SERIES_DEFAULTS, runLpSeries } from "./benchmarks/lp_series.ts";
import { RESTART_DEFAULTS, runRestart } from "./benchmarks/restart.ts";
import { runSoak, SOAK_DEFAULTS } from "./benchmarks/soak.ts";
import { runTsbsLoad, TSBS_LOAD_DEFAULTS } from "./benchmarks/tsbs_load.ts";
import { stopAll } from "./peers/process.ts";
import { REPOSITORY } from "./peers/tidemark.ts";

interface Benchmark<O extends object> {
  readonly name: string;
  readonly summary: string;
  readonly defaults: O;
  /** Option name → help. Every option of `defaults` has one. */
  readonly help: Readonly<Record<keyof O & string, string>>;
  run(context: BenchContext, options: O): Promise<void>;
}

/** Keeps the options' type inside; the list below is of many types. */
function benchmark<O extends object>(spec: Benchmark<O>): (program: Command) => Command {
  return (program) => {
    const command = program.command(spec.name).description(spec.summary);
    for (const [key, value] of Object.entries(spec.defaults)) {
      const flag = `--${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;
      const help = spec.help[key as keyof O & string];
      if (typeof value === "number") command.option(`${flag} <n>`, help, parseNumber, value);
      else command.option(`${flag} <text>`, help, String(value));
    }
    command.option("--publish", "also copy the report to docs/bench/", false);
    command.action(async (options: O & { publish: boolean }) => {
      const { publish, ...rest } = options;
      const context = new BenchContext({
        outDir: join(REPOSITORY, "bench/out"),
        publishDir: publish ? join(REPOSITORY, "docs/bench") : null,
      });
      await spec.run(context, rest as unknown as O);
      if (context.problems.length > 0) process.exitCode = 1;
    });
    return command;
  };
}

function parseNumber(text: string): number {
  const value = Number(text.replaceAll("_", ""));
  if (text.trim() === "" || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError("not a number ≥ 0");
  return value;
}

const PEERS_HELP = "comma list of ours, influxdb, victoria";
const SECONDS_HELP = "a load is cut after this many seconds";

const BENCHMARKS = [
  benchmark({
    name: "tsbs-load",
    summary: "TSBS cpu-only load: ours, InfluxDB and VictoriaMetrics on the same file",
    defaults: TSBS_LOAD_DEFAULTS,
    help: {
      scale: "hosts",
      hours: "time span of the data",
      seed: "seed of the data",
      start: "first timestamp, RFC 3339",
      intervalS: "seconds between two rows of a host",
      batch: "rows a request",
      workers: "connections, one request in flight on each",
      peers: PEERS_HELP,
      secondsMax: SECONDS_HELP,
    },
    run: runTsbsLoad,
  }),
  benchmark({
    name: "lp-series",
    summary: "line protocol with 5 random doubles, at 100 K and 1 M series",
    defaults: LP_SERIES_DEFAULTS,
    help: {
      rows: "rows of each load",
      series: "comma list of numbers of series, multiples of 1,000",
      seed: "seed of the data",
      batch: "rows a request",
      workers: "connections, one request in flight on each",
      warmup: "batches before the clock starts",
      peers: PEERS_HELP,
      secondsMax: SECONDS_HELP,
    },
    run: runLpSeries,
  }),
  benchmark({
    name: "restart",
    summary: "kill -9 with a full write-ahead log: time until serving, nothing lost",
    defaults: RESTART_DEFAULTS,
    help: {
      walMib: "size of the log at the kill",
      series: "series, a multiple of 1,000",
      tables: "tables that take turns",
      batch: "rows a request",
      workers: "connections, one request in flight on each",
      seed: "seed of the data",
    },
    run: runRestart,
  }),
  benchmark({
    name: "soak",
    summary: "mixed load for minutes: flat memory, no stalls, every answer checked",
    defaults: SOAK_DEFAULTS,
    help: {
      minutes: "how long",
      rate: "rows a second, in order",
      hosts: "series",
      seed: "seed of what is late, rewritten and asked",
      memory: "memory_budget of the server",
    },
    run: runSoak,
  }),
];

const program = new Command("bench")
  .description("Benchmarks of Tidemark. Reports go to bench/out/NAME-DATE/.")
  .showHelpAfterError()
  .helpCommand(false);
const commands = BENCHMARKS.map((add) => add(program));
commands.push(
  program
    .command("kernel")
    .description("rows/s and MB/s of each decoder, in this process, no server")
    .helpOption(false) // it parses its own flags, --help among them
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_options: object, command: Command) => {
      const { run } = await import("./kernel.ts");
      await run(command.args);
    }),
);
program
  .command("list")
  .description("names of all benchmarks")
  .action(() => {
    for (const command of commands)
      process.stdout.write(`${command.name().padEnd(12)} ${command.description()}\n`);
  });

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    process.stderr.write(`\n${signal}: stopping the servers\n`);
    void stopAll().then(() => {
      releaseAll();
      process.exit(130);
    });
  });

try {
  await program.parseAsync();
} catch (error) {
  // A RangeError is a flag's value that makes no sense; anything else is worth its stack.
  const { message, stack } = error as Error;
  process.stderr.write(`${error instanceof RangeError ? message : stack}\n`);
  process.exitCode = 1;
} finally {
  await stopAll();
}
