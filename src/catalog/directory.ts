/** What readers see of the catalog: frozen databases and tables behind maps. It looks up and replaces; it decides nothing. */
import type { DatabaseInfo, TableInfo } from "./api.ts";
import { databaseNotFound, tableNotFound } from "./names.ts";
import { ttlOf } from "./options.ts";

export interface Database {
  info: DatabaseInfo;
  readonly tables: Map<string, TableInfo>;
}

export class Directory {
  readonly #databases = new Map<string, Database>();
  readonly #tables = new Map<number, TableInfo>();
  #list: readonly DatabaseInfo[] = Object.freeze([]);
  #nextHandle = 1;

  databases(): readonly DatabaseInfo[] {
    return this.#list;
  }

  get(name: string): Database | undefined {
    return this.#databases.get(name);
  }

  table(db: string, name: string): TableInfo | undefined {
    return this.#databases.get(db)?.tables.get(name);
  }

  tableById(id: number): TableInfo | undefined {
    return this.#tables.get(id);
  }

  ttlNs({ db, schema }: TableInfo): bigint | undefined {
    const own = schema.options.ttl !== undefined;
    return ttlOf(own ? schema.options : (this.get(db)?.info.options ?? {}));
  }

  /** Throws database_not_found. */
  needDatabase(name: string): Database {
    const database = this.#databases.get(name);
    if (database === undefined) throw databaseNotFound(name);
    return database;
  }

  /** Throws database_not_found, table_not_found. */
  needTable(db: string, name: string): TableInfo {
    const table = this.needDatabase(db).tables.get(name);
    if (table === undefined) throw tableNotFound(db, name);
    return table;
  }

  /** A database keeps its handle; one that comes back after a drop gets another. */
  putDatabase(info: Omit<DatabaseInfo, "handle">): void {
    const old = this.#databases.get(info.name);
    const frozen = Object.freeze({ ...info, handle: old?.info.handle ?? this.#nextHandle++ });
    if (old === undefined) this.#databases.set(info.name, { info: frozen, tables: new Map() });
    else old.info = frozen;
    this.#relist();
  }

  /** Its tables must be forgotten before. */
  forgetDatabase(name: string): void {
    this.#databases.delete(name);
    this.#relist();
  }

  putTable(table: TableInfo): void {
    this.needDatabase(table.db).tables.set(table.name, table);
    this.#tables.set(table.id, table);
  }

  forgetTable(table: TableInfo): void {
    this.#databases.get(table.db)?.tables.delete(table.name);
    this.#tables.delete(table.id);
  }

  #relist(): void {
    this.#list = Object.freeze([...this.#databases.values()].map(({ info }) => info));
  }
}
