/**
 * Reads vitest's JSON reports and ends with one plain line: `N passed, N failed`.
 *
 * A file that breaks while it is collected has no failed test in the report, and an error outside
 * of all tests has neither; both are counted, so the line never says 0 failed of a failed run. With
 * EVERWATCH_REQUIRE_ALL=1 a test that was skipped counts as failed too.
 *
 *     tsx tools/test-summary.ts [--step NAME=EXIT_CODE]... report.json...
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

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
  /** Names of tests that did not run. */
  readonly skipped: readonly string[];
  /** Names of the failed tests and of the files that could not be run. */
  readonly failures: readonly string[];
}

/** @param requiresAll counts what was skipped as failed. */
export function summaryOf(report: TestReport, requiresAll: boolean): TestSummary {
  const failures = report.testResults.flatMap(failuresOf);
  if (!report.success && failures.length === 0) failures.push('an error outside of all tests');
  const skipped = report.testResults.flatMap(skippedOf);
  if (requiresAll) failures.push(...skipped.map((name) => `${name} (skipped)`));
  return { passed: report.numPassedTests, failed: failures.length, skipped, failures };
}

/** The step of a run that is no test, if it failed: `lint=1` did, `lint=0` did not. */
export function failedStep(step: string): string | undefined {
  const [name, code] = step.split('=');
  return code === '0' ? undefined : `${name ?? step} (exit code ${code ?? 'unknown'})`;
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

/** A report that was not written, or not whole, is a failed run. */
function readReport(path: string): TestReport {
  try {
    // Vitest's own JSON reporter wrote the file.
    return JSON.parse(readFileSync(path, 'utf8')) as TestReport;
  } catch (error) {
    const message = `no report: ${String(error)}`;
    const file = { name: path, status: 'failed', message, assertionResults: [] };
    return { success: false, numPassedTests: 0, testResults: [file] };
  }
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { step: { type: 'string', multiple: true, default: [] } },
  });
  const requiresAll = process.env['EVERWATCH_REQUIRE_ALL'] === '1';
  const summaries = positionals.map((path) => summaryOf(readReport(path), requiresAll));
  const steps = values.step.map(failedStep).filter((name) => name !== undefined);
  const failures = [...steps, ...summaries.flatMap((one) => one.failures)];
  const passed = summaries.reduce((sum, one) => sum + one.passed, 0);
  for (const skip of summaries.flatMap(({ skipped }) => skipped)) console.log(`SKIPPED ${skip}`);
  for (const failure of failures) console.log(`FAILED ${failure}`);
  console.log(`${String(passed)} passed, ${String(failures.length)} failed`);
  if (failures.length > 0 || passed === 0) process.exitCode = 1;
}

if (process.argv[1] === import.meta.filename) main();
