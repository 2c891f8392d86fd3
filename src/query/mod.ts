/** Query: sessions, statements, virtual tables, limits. The front door for protocols and the server. */
export * from "./api.ts";
export type { QueryDeps, QueryLimits, ServerFacts } from "./context.ts";
export { createQueryEngine } from "./engine.ts";
export type { EnginePort } from "./engine_port.ts";
export { timestampText } from "./text/timestamp_text.ts";
