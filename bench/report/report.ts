/**
 * What a benchmark says in the end: settings, tables, budgets, charts; as Markdown for people and JSON
 * for programs, in bench/out/NAME-DATE/ and, when published, in docs/bench/.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeMachine, type Machine } from "./machine.ts";

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Budget {
  /** What was promised, such as "rows/s against InfluxDB". */
  readonly what: string;
  readonly budget: string;
  readonly measured: string;
  /** null: could not be judged in this run. */
  readonly met: boolean | null;
}

export interface Chart {
  /** File name without folder, ".svg" at its end. */
  readonly file: string;
  readonly title: string;
  readonly svg: string;
}

export interface Report {
  /** The benchmark's name, as in `bin/bench NAME`. */
  readonly name: string;
  readonly title: string;
  /** One or two sentences: what was done. */
  readonly summary: string;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  readonly tables: readonly Table[];
  readonly budgets: readonly Budget[];
  readonly charts: readonly Chart[];
  /** What a reader must know to judge the numbers. */
  readonly notes: readonly string[];
  /** Every number, for programs. */
  readonly results: unknown;
}

export const verdict = (met: boolean | null): string =>
  met === null ? "not judged" : met ? "met" : "**not met**";

function cell(value: string): string {
  return value.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function tableMarkdown(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

export function reportMarkdown(report: Report, machine: Machine): string {
  const settings = Object.entries(report.settings).map(([key, value]) => `${key} ${value}`);
  const parts = [
    `# ${report.title}`,
    report.summary,
    `Machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node.js ${machine.node}; commit ${machine.commit}; ${machine.date}. The loader ran on the same machine.`,
    `Settings: ${settings.join(", ")}.`,
  ];
  if (report.budgets.length > 0)
    parts.push(
      "## Budgets",
      tableMarkdown(
        ["budget", "wanted", "measured", "verdict"],
        report.budgets.map((b) => [b.what, b.budget, b.measured, verdict(b.met)]),
      ),
    );
  for (const table of report.tables)
    parts.push(`## ${table.title}`, tableMarkdown(table.columns, table.rows));
  for (const chart of report.charts) parts.push(`![${chart.title}](${chart.file})`);
  if (report.notes.length > 0)
    parts.push("## Notes", report.notes.map((note) => `- ${note}`).join("\n"));
  return `${parts.join("\n\n")}\n`;
}

/** Where reports go. */
export interface ReportPlace {
  /** bench/out */
  readonly outDir: string;
  /** docs/bench, when this run is published; null otherwise. */
  readonly publishDir: string | null;
}

/** Writes the report; returns its folder. */
export function writeReport(report: Report, place: ReportPlace): string {
  const machine = describeMachine();
  const stamp = machine.date.replaceAll(/[-:]/g, "").replace("T", "-").replace("Z", "");
  const folder = join(place.outDir, `${report.name}-${stamp}`);
  mkdirSync(folder, { recursive: true });
  const { charts, ...rest } = report;
  const json = { ...rest, charts: charts.map((chart) => chart.file), machine };
  writeFileSync(join(folder, "report.json"), `${JSON.stringify(json, plainNumbers, 2)}\n`);
  writeFileSync(join(folder, "report.md"), reportMarkdown(report, machine));
  for (const chart of charts) writeFileSync(join(folder, chart.file), chart.svg);
  if (place.publishDir !== null) {
    const published = join(place.publishDir, report.name);
    rmSync(published, { recursive: true, force: true });
    cpSync(folder, published, { recursive: true });
  }
  return folder;
}

/** bigint has no JSON form: as text, so that no digit is lost. */
function plainNumbers(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
