/** What the HTTP plumbing counts. Names follow the reference where it has one. */
import type { Counter, Histogram, Metrics } from "../base/mod.ts";
import type { InFlight } from "./in_flight.ts";

export class HttpMetrics {
  readonly #requests: Counter<"method" | "path" | "code">;
  readonly #elapsed: Histogram<"method" | "path">;
  readonly authFailures: Counter<"code">;
  readonly failures: Counter;
  readonly bugs: Counter;
  readonly dropped: Counter;

  constructor(metrics: Metrics, inFlight: InFlight, running: () => number) {
    this.#requests = metrics.counter(
      "greptime_servers_http_requests_total",
      "HTTP requests answered, by route and status",
      ["method", "path", "code"],
    );
    this.#elapsed = metrics.histogram(
      "greptime_servers_http_requests_elapsed",
      "Seconds from the head of a request to the end of its handling",
      ["method", "path"],
    );
    this.authFailures = metrics.counter(
      "greptime_servers_auth_failure_count",
      "Requests refused for their credentials",
      ["code"],
    );
    this.failures = metrics.counter(
      "greptime_servers_error",
      "Requests that failed through no fault of the caller",
    );
    this.bugs = metrics.counter("greptime_panic_counter", "Broken invariants met by requests");
    this.dropped = metrics.counter(
      "tidemark_http_connections_dropped_total",
      "Connections closed at once because too many were open",
    );
    metrics.gauge("tidemark_http_requests_running", "Requests being handled", [], function () {
      this.set(running());
    });
    metrics.gauge(
      "greptime_servers_request_memory_in_use_bytes",
      "Bytes of request bodies held",
      [],
      function () {
        this.set(inFlight.used);
      },
    );
    metrics.gauge(
      "greptime_servers_request_memory_limit_bytes",
      "Most bytes of request bodies held at once, 0 = no limit",
      [],
      function () {
        this.set(inFlight.bytesMax);
      },
    );
    metrics.gauge(
      "greptime_servers_request_memory_rejected_total",
      "Requests refused because the bodies of others filled the memory",
      [],
      function () {
        this.set(inFlight.rejected);
      },
    );
  }

  /** `path` is the route's pattern, so that the number of series stays small; undefined for no route. */
  observe(method: string, path: string | undefined, status: number, elapsedMs: number): void {
    const labels = { method: KNOWN.has(method) ? method : "other", path: path ?? "none" };
    this.#requests.inc({ ...labels, code: String(status) });
    this.#elapsed.observe(labels, elapsedMs / 1000);
  }
}

const KNOWN = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);
