/** The HTTP server as the settings want it: limits, origins, certificate. Opened last, closed first. */
import { messageOf } from "../base/mod.ts";
import { type HttpLimits, HttpServer, type HttpServerOptions } from "../net/mod.ts";
import { clientUrl } from "./banner.ts";
import { readTls, watch } from "./files.ts";
import type { Config } from "./settings.ts";

export interface HttpParts
  extends Pick<
    HttpServerOptions,
    "routes" | "authenticator" | "budget" | "metrics" | "logger" | "clock" | "onFatal"
  > {
  /** The share of the memory budget, where the settings name no limit. */
  readonly inFlightBytesMax: number;
}

export interface HttpListener {
  /** As a client on this machine reaches it. */
  readonly url: string;
  /** Takes no new requests, lets running ones finish for `http.shutdown_timeout`. */
  close(): Promise<void>;
}

/** Resolves when it listens. Throws Fatal: address in use, unreadable certificate. */
export async function openHttp(config: Config, parts: HttpParts): Promise<HttpListener> {
  const tls = tlsPaths(config);
  const origins = config["http.cors_allowed_origins"];
  const server = new HttpServer({
    ...parts,
    limits: limitsOf(config, parts.inFlightBytesMax),
    timezone: config.default_timezone,
    corsOrigins: !config["http.enable_cors"] ? [] : origins.length === 0 ? "*" : origins,
    tls: tls === undefined ? undefined : readTls(tls.certPath, tls.keyPath),
  });
  const { host, port } = config["http.addr"];
  const address = await server.listen(host, port);
  const stopWatching =
    tls !== undefined && config["http.tls.watch"]
      ? watchTls(server, tls, parts.logger)
      : () => undefined;
  return {
    url: clientUrl(tls === undefined ? "http" : "https", host, address.port),
    close: async () => {
      stopWatching();
      await server.stop(config["http.shutdown_timeout"]);
    },
  };
}

interface TlsPaths {
  readonly certPath: string;
  readonly keyPath: string;
}

/** undefined: plain HTTP. */
function tlsPaths(config: Config): TlsPaths | undefined {
  const certPath = config["http.tls.cert_path"];
  const keyPath = config["http.tls.key_path"];
  if (certPath === undefined || keyPath === undefined) return undefined;
  return config["http.tls.mode"] === "disable" ? undefined : { certPath, keyPath };
}

function watchTls(
  server: HttpServer,
  { certPath, keyPath }: TlsPaths,
  logger: HttpParts["logger"],
): () => void {
  return watch([certPath, keyPath], () => {
    try {
      server.setTls(readTls(certPath, keyPath));
      logger.info("certificate and key read again");
    } catch (error) {
      // The two files are replaced one after the other: the next change makes the pair fit.
      logger.warn(`the former certificate stays in use: ${messageOf(error)}`);
    }
  });
}

function limitsOf(config: Config, inFlightBytesMax: number): HttpLimits {
  return {
    bodyBytesMax: config["http.body_limit"],
    inFlightBytesMax: config.max_in_flight_write_bytes || inFlightBytesMax,
    inFlightWaitMs: config.write_bytes_exhausted_policy,
    connectionsMax: config["http.max_connections"],
    requestsMax: config["http.max_requests"],
    headTimeoutMs: config["http.header_timeout"],
    bodyTimeoutMs: config["http.body_timeout"],
    sendTimeoutMs: config["http.send_timeout"],
    keepAliveMs: config["http.keep_alive_timeout"],
    requestTimeoutMs: config["http.timeout"],
  };
}
