/** Ingest: decoded rows → schema merge → region write. */
export * from "./api.ts";
export { createIngestor, type IngestOptions } from "./ingestor.ts";
