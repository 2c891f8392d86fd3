/** What every benchmark is given: where its files go, and where it says that something is wrong. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isFinished, writeBatchFile } from "../load/batch_file.ts";
import { linesOf, type Workload, workloadFileName } from "../load/workload.ts";
import { Progress } from "../report/progress.ts";
import { type Report, type ReportPlace, verdict, writeReport } from "../report/report.ts";

/** Folders of servers' data that are not deleted yet. */
const workFolders = new Set<string>();

/** Deletes them all; for the way out after a signal, when the servers have ended. */
export function releaseAll(): void {
  for (const folder of workFolders) rmSync(folder, { recursive: true, force: true });
}

export class BenchContext {
  readonly #place: ReportPlace;
  /** Missing rows, refused writes, wrong answers: anything that makes a number worthless. */
  readonly problems: string[] = [];

  constructor(place: ReportPlace) {
    this.#place = place;
  }

  /** An empty folder for a server's data, deleted by `release`. */
  workFolder(name: string): string {
    const folder = join(this.#place.outDir, "work", `${name}-${process.pid}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    workFolders.add(folder);
    return folder;
  }

  release(folder: string): void {
    workFolders.delete(folder);
    rmSync(folder, { recursive: true, force: true });
  }

  problem(what: string): void {
    this.problems.push(what);
    process.stderr.write(`\n*** PROBLEM: ${what}\n`);
  }

  say(line: string): void {
    process.stderr.write(`${line}\n`);
  }

  /** The workload as a file of batches; made when it is not there yet, kept for the next run. */
  async batchFile(workload: Workload, batchRows: number): Promise<string> {
    const path = join(this.#place.outDir, "data", workloadFileName(workload, batchRows));
    if (isFinished(path)) return path;
    const lines = linesOf(workload);
    const bar = new Progress("generate", lines.rowsTotal);
    await writeBatchFile(path, lines, batchRows, (rows) => bar.update(rows));
    bar.end(lines.rowsTotal);
    return path;
  }

  /** Writes dirty pages back, so that one run's disk work is not in the next one's numbers. */
  quietDisk(): void {
    spawnSync("sync");
  }

  /** Writes the report with this run's problems, and prints where it is and how the budgets stand. */
  publish(report: Report): void {
    const notes = [...this.problems.map((problem) => `**Problem:** ${problem}`), ...report.notes];
    const folder = writeReport({ ...report, notes }, this.#place);
    for (const table of report.tables)
      this.say(`\n${table.title}\n${aligned([table.columns, ...table.rows])}`);
    if (report.budgets.length > 0) this.say("\nBudgets");
    for (const b of report.budgets)
      this.say(
        `  ${verdict(b.met).replaceAll("*", "").padEnd(10)}  ${b.what}: ${b.measured} (wanted ${b.budget})`,
      );
    this.say(`\n${folder}/report.md`);
  }
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) =>
    Math.max(...rows.map((row) => (row[i] ?? "").length)),
  );
  return rows
    .map((row) => `  ${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join("  ")}`.trimEnd())
    .join("\n");
}
