/** Catalog: databases and tables. Opens regions, keeps the kernel's slots in step, merges schemas of concurrent writers. */
export * from "./api.ts";
export {
  CATALOG_NAME,
  columnNotFound,
  DEFAULT_DATABASE,
  databaseNotFound,
  fullName,
  isTableName,
  isVirtualDatabase,
  PRIVATE_DATABASE,
  tableNotFound,
} from "./names.ts";
export { type CatalogOptions, openCatalog } from "./open.ts";
export { normalizeTableOptions } from "./options.ts";
