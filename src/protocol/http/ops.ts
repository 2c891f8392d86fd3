/** Health, status, metrics, configuration and log level: what an operator asks. */
import { DbError, type Logger, type Metrics } from "../../base/mod.ts";
import type { Ctx, Route } from "../../net/mod.ts";

export interface OpsDeps {
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly version: string;
  readonly commit: string;
  readonly branch: string;
  readonly hostname: string;
  /** The effective configuration as TOML, without secrets. */
  readonly config: string;
}

const LEVELS = ["trace", "debug", "info", "warn", "error", "off"];

/** A log filter is a word or two. */
const FILTER_BYTES_MAX = 4096;

export function opsRoutes(deps: OpsDeps): Route[] {
  const probe = { methods: ["GET", "POST"], access: "open", probe: true } as const;
  const healthy = (ctx: Ctx) => ctx.json(200, {});
  return [
    { ...probe, path: "/health", handler: healthy },
    { ...probe, path: "/v1/health", handler: healthy },
    { ...probe, path: "/ready", handler: healthy },
    { ...probe, methods: ["GET"], path: "/status", handler: (ctx) => status(ctx, deps) },
    { ...probe, methods: ["GET"], path: "/metrics", handler: (ctx) => metrics(ctx, deps) },
    // Beyond /v1, but no stranger's business: the reference leaves these two open.
    {
      methods: ["GET"],
      path: "/config",
      access: "auth",
      handler: (ctx) => ctx.send(200, deps.config, { "content-type": "text/plain; charset=utf-8" }),
    },
    {
      methods: ["POST"],
      path: "/debug/log_level",
      access: "auth",
      permission: "write",
      handler: (ctx) => setLogLevel(ctx, deps.logger),
    },
  ];
}

/** `rustc_version` is what clients of the reference look for; here it names what runs the code. */
async function status(ctx: Ctx, deps: OpsDeps): Promise<void> {
  await ctx.json(200, {
    commit: deps.commit,
    branch: deps.branch,
    rustc_version: `node ${process.version}`,
    hostname: deps.hostname,
    version: deps.version,
  });
}

async function metrics(ctx: Ctx, deps: OpsDeps): Promise<void> {
  await ctx.send(200, await deps.metrics.text(), {
    "content-type": "text/plain; version=0.0.4; charset=utf-8",
  });
}

/** The body is a level, or the reference's filter (`info,mito2=debug`), of which the general level counts. */
async function setLogLevel(ctx: Ctx, logger: Logger): Promise<void> {
  const filter = (await ctx.text({ bytesMax: FILTER_BYTES_MAX })).trim().toLowerCase();
  const level = filter
    .split(",")
    .map((part) => part.trim())
    .find((part) => !part.includes("="));
  if (level === undefined || !LEVELS.includes(level))
    throw new DbError("invalid_arguments", `not a log level: use one of ${LEVELS.join(", ")}`);
  const before = logger.level;
  logger.level = level === "off" ? "silent" : level;
  await ctx.send(200, `Log Level changed from ${before} to ${level}`);
}
