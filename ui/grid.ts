/** A result as a table. */
import type { Records } from "./api.ts";
import { cellText, isNumber } from "./values.ts";

/** More rows make the page slow, not clearer. */
const SHOWN_MAX = 1_000;

export function showGrid(into: HTMLElement, records: Records): void {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const { name, data_type } of records.fields) {
    const cell = document.createElement("th");
    const type = document.createElement("small");
    type.textContent = data_type;
    cell.append(name, type);
    cell.classList.toggle("number", isNumber(data_type));
    head.append(cell);
  }
  const body = table.createTBody();
  for (const values of records.rows.slice(0, SHOWN_MAX)) {
    const row = body.insertRow();
    for (const [i, value] of values.entries()) {
      const type = records.fields[i]!.data_type;
      const cell = row.insertCell();
      cell.textContent = cellText(value, type);
      cell.title = value === null ? "" : String(cell.textContent);
      cell.classList.toggle("null", value === null);
      cell.classList.toggle("number", isNumber(type));
    }
  }
  into.replaceChildren(table);
  if (records.rows.length > SHOWN_MAX) {
    const more = document.createElement("div");
    more.className = "more";
    more.textContent = `${SHOWN_MAX.toLocaleString("en")} of ${records.rows.length.toLocaleString("en")} rows are shown.`;
    into.append(more);
  }
}
