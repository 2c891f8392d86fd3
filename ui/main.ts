/** The page: wires editor, result, table list, write box and login together. */
import { csv, onLogin, type Records, ROWS_MAX, sql, version, writeLines } from "./api.ts";
import { Chart } from "./chart.ts";
import { showGrid } from "./grid.ts";
import { seriesOf } from "./series.ts";
import { listDatabases, TableList } from "./tables.ts";

function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found as T;
}

const editor = element<HTMLTextAreaElement>("sql");
const lines = element<HTMLTextAreaElement>("lines");
const database = element<HTMLSelectElement>("db");
const status = element("status");
const run = element<HTMLButtonElement>("run");
const chart = new Chart(element("chart"));
let running: AbortController | undefined;
let lastQuery = "";

const tables = new TableList(element("tables"), element<HTMLInputElement>("filter"), (query) => {
  editor.value = query;
  void execute();
});

function showError(id: string, error: unknown): void {
  const box = element(id);
  box.hidden = error === undefined;
  box.textContent = error instanceof Error ? error.message : String(error ?? "");
}

/** Selects one of two or more buttons and shows its panel only. */
function choose(button: string, panels: Readonly<Record<string, string>>): void {
  for (const [id, panel] of Object.entries(panels)) {
    element(id).setAttribute("aria-selected", String(id === button));
    element(panel).hidden = id !== button;
  }
}
const RESULTS = { "show-table": "grid", "show-chart": "chart" };
const PAGES = { "tab-query": "query", "tab-write": "write" };
for (const id of Object.keys(RESULTS))
  element(id).addEventListener("click", () => choose(id, RESULTS));
for (const id of Object.keys(PAGES)) element(id).addEventListener("click", () => choose(id, PAGES));

async function execute(): Promise<void> {
  if (running !== undefined) {
    running.abort();
    return;
  }
  running = new AbortController();
  run.textContent = "Stop";
  status.textContent = "running …";
  showError("error", undefined);
  lastQuery = editor.value;
  localStorage.setItem("tidemark.sql", lastQuery);
  try {
    const answer = await sql(lastQuery, database.value, running.signal);
    const rows = answer.records?.rows.length;
    const parts = [
      rows === undefined ? "" : `${rows.toLocaleString("en")}${rows === ROWS_MAX ? "+" : ""} rows`,
      answer.affected === undefined ? "" : `${answer.affected.toLocaleString("en")} affected`,
      `${answer.elapsedMs} ms`,
    ];
    status.textContent = parts.filter(Boolean).join(" · ");
    showRecords(answer.records);
    if (/\b(create|drop|alter|rename)\b/i.test(lastQuery)) await loadNames();
  } catch (error) {
    status.textContent = running.signal.aborted ? "stopped" : "";
    if (!running.signal.aborted) showError("error", error);
  } finally {
    running = undefined;
    run.textContent = "Run";
  }
}

function showRecords(records: Records | undefined): void {
  element<HTMLButtonElement>("download").disabled = records === undefined;
  const series = records === undefined ? [] : seriesOf(records);
  const button = element<HTMLButtonElement>("show-chart");
  button.disabled = series.length === 0;
  if (series.length === 0) choose("show-table", RESULTS);
  if (records === undefined) element("grid").replaceChildren();
  else showGrid(element("grid"), records);
  chart.show(series);
}

async function loadNames(): Promise<void> {
  const names = await listDatabases();
  const chosen = database.value || "public";
  database.replaceChildren(...names.map((name) => new Option(name, name, false, name === chosen)));
  await tables.load(database.value);
}

async function write(): Promise<void> {
  const sent = element("sent");
  showError("write-error", undefined);
  sent.textContent = "writing …";
  try {
    await writeLines(lines.value, database.value, element<HTMLSelectElement>("precision").value);
    sent.textContent = "written";
    await loadNames();
  } catch (error) {
    sent.textContent = "";
    showError("write-error", error);
  }
}

async function download(): Promise<void> {
  try {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await csv(lastQuery, database.value));
    link.download = "result.csv";
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    showError("error", error);
  }
}

/** One dialog, however many requests wait for it. */
let asking: Promise<string> | undefined;
onLogin(() => {
  asking ??= new Promise<string>((resolve) => {
    const dialog = element<HTMLDialogElement>("login");
    dialog.addEventListener(
      "close",
      () => {
        asking = undefined;
        resolve(
          `${element<HTMLInputElement>("user").value}:${element<HTMLInputElement>("password").value}`,
        );
      },
      { once: true },
    );
    if (element<HTMLInputElement>("user").value !== "")
      showError("login-error", "Wrong user or password.");
    dialog.showModal();
  });
  return asking;
});

const report = (id: string) => (error: unknown) => showError(id, error);
run.addEventListener("click", () => void execute());
editor.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  void execute();
});
element("send").addEventListener("click", () => void write());
element("download").addEventListener("click", () => void download());
element("reload").addEventListener("click", () => void loadNames().catch(report("error")));
database.addEventListener("change", () => void tables.load(database.value).catch(report("error")));

editor.value = localStorage.getItem("tidemark.sql") ?? "SHOW TABLES";
lines.value = `cpu,host=a usage=1.5 ${Date.now()}\ncpu,host=b usage=2.5 ${Date.now()}`;
loadNames().then(execute, report("error"));
version().then((text) => {
  element("version").textContent = text;
}, report("error"));
