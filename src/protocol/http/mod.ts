/** The product's own HTTP API: SQL, operations, the page. */
export { dashboardRoutes, type PageFile } from "./dashboard.ts";
export { type OpsDeps, opsRoutes } from "./ops.ts";
export { type SqlDeps, sqlRoutes } from "./sql.ts";
