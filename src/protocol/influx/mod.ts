/** InfluxDB's HTTP API. */
export { type InfluxDeps, influxRoutes } from "./routes.ts";
