import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bytesText, digits, ratioText, secondsText, short } from "./numbers.ts";
import { type Report, writeReport } from "./report.ts";

const report: Report = {
  name: "sample",
  title: "Sample",
  summary: "One run.",
  settings: { batch: 3000 },
  tables: [{ title: "Load", columns: ["a", "b|c"], rows: [["1", "x\ny"]] }],
  budgets: [
    { what: "speed", budget: "≥ 2 ×", measured: "3 ×", met: true },
    { what: "disk", budget: "≤ 4", measured: "5", met: false },
    { what: "other", budget: "0", measured: "–", met: null },
  ],
  charts: [{ file: "a.svg", title: "A", svg: "<svg/>" }],
  notes: ["cut"],
  results: { ns: 1_686_441_600_000_000_001n },
};

test("a report is Markdown, JSON and charts, with its machine, and can be published", () => {
  const folder = mkdtempSync(join(tmpdir(), "report-"));
  try {
    const publishDir = join(folder, "docs");
    const written = writeReport(report, { outDir: join(folder, "out"), publishDir });
    expect(written).toMatch(/out\/sample-\d{8}-\d{6}$/);
    for (const place of [written, join(publishDir, "sample")]) {
      const markdown = readFileSync(join(place, "report.md"), "utf8");
      for (const part of [
        "# Sample",
        `Node.js ${process.version}`,
        "batch 3000",
        "| a | b\\|c |",
        "| 1 | x y |",
        "| speed | ≥ 2 × | 3 × | met |",
        "| disk | ≤ 4 | 5 | **not met** |",
        "| other | 0 | – | not judged |",
        "![A](a.svg)",
        "- cut",
      ])
        expect(markdown).toContain(part);
      const json = JSON.parse(readFileSync(join(place, "report.json"), "utf8"));
      expect(json.results.ns).toBe("1686441600000000001");
      expect(json.machine.cores).toBeGreaterThan(0);
      expect(json.charts).toEqual(["a.svg"]);
      expect(existsSync(join(place, "a.svg"))).toBe(true);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("numbers are short and have units", () => {
  expect([0, 0.0123, 5.678, 45.67, 670_123, 1.4e6, 2e9, Number.NaN].map(short)).toEqual([
    "0",
    "0.012",
    "5.68",
    "45.7",
    "670 K",
    "1.40 M",
    "2.00 G",
    "–",
  ]);
  expect([12, 2048, 1.5 * 1024 ** 3].map(bytesText)).toEqual(["12 B", "2.00 KiB", "1.50 GiB"]);
  expect([0.5, 59, 125, 3720].map(secondsText)).toEqual([
    "0.50 s",
    "59.0 s",
    "2 m 05 s",
    "1 h 02 m",
  ]);
  expect([ratioText(21.34), ratioText(Number.NaN), digits(-3.456)]).toEqual([
    "21.3 ×",
    "–",
    "-3.46",
  ]);
});
