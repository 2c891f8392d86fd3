/**
 * InfluxDB's HTTP API: writes (version 1 and 2), ping, health, and as much of /query as its 1.x clients need.
 * Paths below /v1/influxdb are the product's; the same without it are for the `influx` shell, which cannot be given a path.
 */
import type { Histogram, Metrics } from "../../base/mod.ts";
import type { Ingestor } from "../../ingest/mod.ts";
import type { Ctx, Route } from "../../net/mod.ts";
import type { QueryEngine } from "../../query/mod.ts";
import { renderV1Error, renderV2Error } from "./errors.ts";
import { handleQuery } from "./query.ts";
import { bucketDatabase, handleWrite } from "./write.ts";

export interface InfluxDeps {
  readonly ingestor: Ingestor;
  readonly engine: QueryEngine;
  readonly metrics: Metrics;
  /** Of this product, for /health. */
  readonly version: string;
}

/** Clients look at it to see what they may send: everything used here exists since 1.8. */
const INFLUX_VERSION = "1.8.10";

const VERSION_HEADERS = {
  "x-influxdb-version": INFLUX_VERSION,
  "x-influxdb-build": "OSS",
} as const;

/** All routes, under both prefixes. */
export function influxRoutes(deps: InfluxDeps): Route[] {
  const elapsed = deps.metrics.histogram(
    "greptime_servers_http_influxdb_write_elapsed",
    "Seconds of a line protocol request, without reading its body.",
    ["db"],
  );
  return ["/v1/influxdb", ""].flatMap((prefix) => {
    const routes = routesBelow(prefix, deps, elapsed);
    // Plain /health is the server's own.
    return prefix === "" ? routes.filter(({ path }) => path !== "/health") : routes;
  });
}

function routesBelow(prefix: string, deps: InfluxDeps, elapsed: Histogram<"db">): Route[] {
  const write = { ingestor: deps.ingestor, elapsed };
  const login = { access: "auth", scheme: "influx" } as const;
  return [
    {
      ...login,
      methods: ["POST"],
      path: `${prefix}/write`,
      permission: "write",
      renderError: renderV1Error,
      handler: (ctx) => handleWrite(write, ctx, null),
    },
    {
      ...login,
      methods: ["POST"],
      path: `${prefix}/api/v2/write`,
      permission: "write",
      renderError: renderV2Error,
      handler: (ctx) => handleWrite(write, ctx, bucketDatabase(ctx.query.get("bucket"))),
    },
    {
      ...login,
      methods: ["GET", "POST"],
      path: `${prefix}/query`,
      renderError: renderV1Error,
      handler: (ctx) => handleQuery(deps.engine, ctx, VERSION_HEADERS),
    },
    { methods: ["GET"], path: `${prefix}/ping`, access: "open", probe: true, handler: ping },
    {
      methods: ["GET"],
      path: `${prefix}/health`,
      access: "open",
      probe: true,
      handler: (ctx) => health(ctx, deps.version),
    },
  ];
}

/** 204, or with `?verbose=true` 200 and the version, as InfluxDB 1.x does. */
async function ping(ctx: Ctx): Promise<void> {
  const verbose = ctx.query.get("verbose");
  if (verbose === null || verbose === "" || verbose === "0" || verbose === "false")
    await ctx.send(204, "", VERSION_HEADERS);
  else await ctx.json(200, { version: INFLUX_VERSION }, VERSION_HEADERS);
}

/** The form of InfluxDB's /health, which version 2 clients parse. */
async function health(ctx: Ctx, version: string): Promise<void> {
  const body = {
    name: "tidemark",
    message: "ready for queries and writes",
    status: "pass",
    checks: [],
    version,
  };
  await ctx.json(200, body, VERSION_HEADERS);
}
