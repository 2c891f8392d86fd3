// Reads vitest's JSON report and its exit code; prints "N passed, N failed[, N skipped]" and exits non-zero on any failure.
// A file that did not even load counts as one failure: it ran none of its tests.
import { readFileSync } from "node:fs";

const [, , path, exitCode] = process.argv;
let passed = 0;
let failed = 0;
let skipped = 0;
try {
  const report = JSON.parse(readFileSync(path, "utf8"));
  passed = report.numPassedTests;
  failed = report.numFailedTests;
  skipped = report.numPendingTests + report.numTodoTests;
  failed += report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  ).length;
} catch (error) {
  console.error(`no test report: ${error.message}`);
}
// Vitest found something that no test owns: an unhandled error, or no test at all.
if (failed === 0 && (exitCode !== "0" || passed === 0)) failed = 1;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed > 0 ? 1 : 0);
