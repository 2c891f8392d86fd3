/** Databases and tables at the side: names first, columns when a table is opened. */
import { quoteName, sql } from "./api.ts";

const texts = (rows: readonly (readonly unknown[])[]) => rows.map((row) => String(row[0]));

export async function listDatabases(): Promise<string[]> {
  const { records } = await sql("SHOW DATABASES", "public");
  return texts(records?.rows ?? []);
}

export class TableList {
  #names: string[] = [];
  #db = "public";

  constructor(
    private readonly root: HTMLElement,
    private readonly filter: HTMLInputElement,
    /** Called with a query over the table whose arrow was pressed. */
    private readonly onQuery: (query: string) => void,
  ) {
    filter.addEventListener("input", () => this.#render());
  }

  async load(db: string): Promise<void> {
    this.#db = db;
    const { records } = await sql("SHOW TABLES", db);
    this.#names = texts(records?.rows ?? []);
    this.#render();
  }

  #render(): void {
    const wanted = this.filter.value.toLowerCase();
    const names = this.#names.filter((name) => name.toLowerCase().includes(wanted));
    if (names.length > 0) this.root.replaceChildren(...names.map((name) => this.#item(name)));
    else {
      const none = document.createElement("p");
      none.className = "muted";
      none.textContent = this.#names.length === 0 ? "No tables yet." : "No table of this name.";
      this.root.replaceChildren(none);
    }
  }

  #item(name: string): HTMLElement {
    const item = document.createElement("details");
    const head = document.createElement("summary");
    const label = document.createElement("span");
    label.textContent = name;
    label.title = name;
    const query = document.createElement("button");
    query.type = "button";
    query.textContent = "▸";
    query.title = `Query ${name}`;
    query.addEventListener("click", async (event) => {
      event.preventDefault();
      const columns = await this.#columns(name);
      const time = columns.find((column) => column.role === "TIMESTAMP");
      const order = time === undefined ? "" : ` ORDER BY ${quoteName(time.name)} DESC`;
      this.onQuery(`SELECT * FROM ${quoteName(name)}${order} LIMIT 200`);
    });
    head.append(label, query);
    item.append(head);
    item.addEventListener("toggle", async () => {
      if (!item.open || item.querySelector("ul") !== null) return;
      const list = document.createElement("ul");
      item.append(list);
      for (const column of await this.#columns(name)) {
        const row = document.createElement("li");
        const type = document.createElement("small");
        type.textContent = column.type;
        row.className = column.role.toLowerCase();
        row.title = `${column.name}: ${column.type}, ${row.className}`;
        row.append(column.name, type);
        list.append(row);
      }
    });
    return item;
  }

  /** Columns of DESC TABLE: name, type, key, null, default, semantic type. */
  async #columns(table: string): Promise<{ name: string; type: string; role: string }[]> {
    const { records } = await sql(`DESC TABLE ${quoteName(table)}`, this.#db);
    return (records?.rows ?? []).map((row) => ({
      name: String(row[0]),
      type: String(row[1]),
      role: String(row.at(-1)),
    }));
  }
}
