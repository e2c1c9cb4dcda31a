/**
 * Reads vitest's JSON reports and ends with one plain line: `N passed, N failed`.
 *
 * A file that breaks while it is collected has no failed test in the report, and an error outside
 * of all tests has neither; both are counted, so the line never says 0 failed of a failed run. With
 * EVERWATCH_REQUIRE_ALL=1 a test that was skipped counts as failed too.
 *
 *     tsx tools/test-summary.ts [--step NAME=EXIT_CODE]... report.json[,AGAIN.json]...
 *     tsx tools/test-summary.ts --files report.json     the files of failed tests, if they are few
 *
 * AGAIN.json is of a second run of those files alone. A test that failed in the first run and passed
 * in the second counts as passed, and is named: it depends on the load of the machine, or shows a
 * race, and is a bug in either case.
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
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  /** Names of tests that did not run. */
  readonly skipped: readonly string[];
  /** The failed tests and the files that could not be run, by name, with what they said. */
  readonly failures: ReadonlyMap<string, string>;
  /** Names of tests that passed in the second run only. */
  readonly unsteady: readonly string[];
}

/**
 * @param again of a second run of the failed files alone.
 * @param requiresAll counts what was skipped as failed.
 */
export function summaryOf(
  report: TestReport,
  {
    again,
    requiresAll,
  }: { readonly again?: TestReport | undefined; readonly requiresAll: boolean },
): TestSummary {
  const failures = new Map(report.testResults.flatMap(failuresOf));
  if (!report.success && failures.size === 0) failures.set('an error outside of all tests', '');
  const passedAgain = new Set(again?.testResults.flatMap(passedOf));
  const passedBefore = new Set(report.testResults.flatMap(passedOf));
  const unsteady = [...passedAgain].filter((name) => !passedBefore.has(name));
  for (const name of unsteady) failures.delete(name);
  // A file may fail by itself, as by what comes before its first test.
  for (const { name, status } of again?.testResults ?? []) {
    if (status === 'passed') failures.delete(name);
  }
  const skipped = report.testResults.flatMap(skippedOf).filter((name) => !passedAgain.has(name));
  if (requiresAll) for (const name of skipped) failures.set(`${name} (skipped)`, '');
  const passed = report.numPassedTests + unsteady.length;
  return { passed, failed: failures.size, skipped, failures, unsteady };
}

/** The files to run again: none when more failed than chance explains. */
export function filesToRunAgain(report: TestReport): string[] {
  const failed = report.testResults.filter(({ status }) => status === 'failed');
  return failed.length <= FILES_MAX ? failed.map(({ name }) => name) : [];
}

const FILES_MAX = 4;

/** The step of a run that is no test, if it failed: `lint=1` did, `lint=0` did not. */
export function failedStep(step: string): string | undefined {
  const [name, code] = step.split('=');
  return code === '0' ? undefined : `${name ?? step} (exit code ${code ?? 'unknown'})`;
}

function failuresOf(file: TestReport['testResults'][number]): [name: string, said: string][] {
  const failed = file.assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length > 0) {
    return failed.map(({ fullName, failureMessages = [] }) => [
      `${file.name}: ${fullName}`,
      failureMessages.join('\n'),
    ]);
  }
  return file.status === 'failed' ? [[file.name, file.message]] : [];
}

function passedOf(file: TestReport['testResults'][number]): string[] {
  return file.assertionResults
    .filter(({ status }) => status === 'passed')
    .map(({ fullName }) => `${file.name}: ${fullName}`);
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

/** The beginning of what a failed test said, set in below its name. */
function beginningOf(said: string): string {
  const lines = said.split('\n').slice(0, LINES_SHOWN);
  return lines.map((line) => `    ${line.slice(0, LINE_LENGTH)}`).join('\n');
}

const LINES_SHOWN = 12;
const LINE_LENGTH = 300;

function summaryOfReports(paths: string): TestSummary {
  const [first = '', again] = paths.split(',');
  return summaryOf(readReport(first), {
    again: again === undefined ? undefined : readReport(again),
    requiresAll: process.env['EVERWATCH_REQUIRE_ALL'] === '1',
  });
}

function printSummary(summaries: readonly TestSummary[], steps: readonly string[]): void {
  const failures = [
    ...steps.map((step): [string, string] => [step, '']),
    ...summaries.flatMap((one) => [...one.failures]),
  ];
  const passed = summaries.reduce((sum, one) => sum + one.passed, 0);
  for (const skip of summaries.flatMap(({ skipped }) => skipped)) console.log(`SKIPPED ${skip}`);
  for (const name of summaries.flatMap(({ unsteady }) => unsteady)) {
    console.log(`UNSTEADY ${name} (failed, and passed when its file was run again)`);
  }
  for (const [name, said] of failures) {
    console.log(`FAILED ${name}${said === '' ? '' : `\n${beginningOf(said)}`}`);
  }
  console.log(`${String(passed)} passed, ${String(failures.length)} failed`);
  if (failures.length > 0 || passed === 0) process.exitCode = 1;
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      step: { type: 'string', multiple: true, default: [] },
      files: { type: 'boolean', default: false },
    },
  });
  if (values.files) {
    for (const path of positionals) {
      for (const file of filesToRunAgain(readReport(path))) console.log(file);
    }
    return;
  }
  const steps = values.step.map(failedStep).filter((name) => name !== undefined);
  printSummary(positionals.map(summaryOfReports), steps);
}

if (process.argv[1] === import.meta.filename) main();
