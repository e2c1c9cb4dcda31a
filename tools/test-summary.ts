/**
 * Reads vitest's JSON report and ends with one plain line: `N passed, N failed`.
 *
 * A file that breaks while it is collected has no failed test in the report, and an error outside
 * of all tests has neither; both are counted, so the line never says 0 failed of a failed run.
 *
 *     tsx tools/test-summary.ts report.json
 */
import { readFileSync } from 'node:fs';

export interface TestReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  /** Names of tests that did not run; `.ci/run` should have none that could run there. */
  readonly skipped: readonly string[];
  /** Names of the failed tests and of the files that could not be run. */
  readonly failures: readonly string[];
}

export function summaryOf(report: TestReport): TestSummary {
  const failures = report.testResults.flatMap(failuresOf);
  if (!report.success && failures.length === 0) failures.push('an error outside of all tests');
  const skipped = report.testResults.flatMap(skippedOf);
  return { passed: report.numPassedTests, failed: failures.length, skipped, failures };
}

function failuresOf(file: TestReport['testResults'][number]): string[] {
  const failed = file.assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length > 0) return failed.map(({ fullName }) => `${file.name}: ${fullName}`);
  return file.status === 'failed' ? [`${file.name}: ${file.message}`] : [];
}

function skippedOf(file: TestReport['testResults'][number]): string[] {
  return file.assertionResults
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => `${file.name}: ${fullName}`);
}

function main(path: string): void {
  // Vitest's own JSON reporter wrote the file.
  const report = JSON.parse(readFileSync(path, 'utf8')) as TestReport;
  const { passed, failed, skipped, failures } = summaryOf(report);
  for (const skip of skipped) console.log(`SKIPPED ${skip}`);
  for (const failure of failures) console.log(`FAILED ${failure}`);
  console.log(`${String(passed)} passed, ${String(failed)} failed`);
  if (failed > 0 || passed === 0) process.exitCode = 1;
}

if (process.argv[1] === import.meta.filename) main(process.argv[2] ?? '');
