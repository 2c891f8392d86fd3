/** Net: the HTTP plumbing under every HTTP protocol. */
export * from "./api.ts";
export { HttpServer, type HttpServerOptions } from "./http_server.ts";
export { headerText, renderGreptimeError } from "./render.ts";
