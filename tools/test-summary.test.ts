import { expect, it } from 'vitest';

import { failedStep, filesToRunAgain, summaryOf, type TestReport } from './test-summary.ts';

it('counts failed tests by name', () => {
  const results = [
    { status: 'passed', fullName: 'a passes' },
    { status: 'failed', fullName: 'a fails', failureMessages: ['no'] },
    { status: 'pending', fullName: 'a waits' },
  ];
  expect(
    summaryOf(report({ success: false, testResults: [file('failed', results)] }), LENIENT),
  ).toEqual({
    passed: 7,
    failed: 1,
    skipped: ['a.test.ts: a waits'],
    failures: new Map([['a.test.ts: a fails', 'no']]),
    unsteady: [],
  });
});

it('counts a file that could not be collected', () => {
  const { failed } = summaryOf(
    report({ success: false, testResults: [file('failed', [])] }),
    LENIENT,
  );
  expect(failed).toBe(1);
});

it('counts an error outside of all tests', () => {
  expect(summaryOf(report({ success: false }), LENIENT).failed).toBe(1);
});

it('counts nothing in a good run', () => {
  const good = [{ status: 'passed', fullName: 'a passes' }];
  expect(summaryOf(report({ testResults: [file('passed', good)] }), STRICT).failed).toBe(0);
});

it('counts a skipped test as failed where everything is required', () => {
  const results = [
    { status: 'passed', fullName: 'a passes' },
    { status: 'skipped', fullName: 'a waits' },
  ];
  const given = report({ testResults: [file('passed', results)] });
  expect(summaryOf(given, STRICT)).toMatchObject({
    failed: 1,
    failures: new Map([['a.test.ts: a waits (skipped)', '']]),
  });
  expect(summaryOf(given, LENIENT).failed).toBe(0);
});

it('counts a test as passed that passed in the second run, and names it', () => {
  const first = [
    { status: 'failed', fullName: 'a fails' },
    { status: 'failed', fullName: 'b fails' },
  ];
  const second = [
    { status: 'passed', fullName: 'a fails' },
    { status: 'failed', fullName: 'b fails' },
  ];
  const given = report({ success: false, testResults: [file('failed', first)] });
  const again = report({ success: false, testResults: [file('failed', second)] });
  expect(summaryOf(given, { again, requiresAll: true })).toEqual({
    passed: 8,
    failed: 1,
    skipped: [],
    failures: new Map([['a.test.ts: b fails', '']]),
    unsteady: ['a.test.ts: a fails'],
  });
});

it('takes nothing back of a first run whose second brought no report', () => {
  const given = report({
    success: false,
    testResults: [file('failed', [{ status: 'failed', fullName: 'a fails' }])],
  });
  const again = report({ success: false, numPassedTests: 0 });
  expect(summaryOf(given, { again, requiresAll: true })).toMatchObject({ passed: 7, failed: 1 });
});

it('counts the tests of a file whose set-up failed in the first run only', () => {
  const first = file('failed', [{ status: 'skipped', fullName: 'a waits' }]);
  const second = file('passed', [{ status: 'passed', fullName: 'a waits' }]);
  const given = report({ success: false, testResults: [first] });
  const again = report({ testResults: [second] });
  expect(summaryOf(given, { requiresAll: true }).failed).toBe(2);
  expect(summaryOf(given, { again, requiresAll: true })).toMatchObject({
    passed: 8,
    failed: 0,
    unsteady: ['a.test.ts: a waits'],
  });
});

it('runs few failed files again', () => {
  const failed = file('failed', [{ status: 'failed', fullName: 'a fails' }]);
  const passed = file('passed', [{ status: 'passed', fullName: 'a passes' }]);
  expect(filesToRunAgain(report({ testResults: [failed, passed] }))).toEqual(['a.test.ts']);
  expect(filesToRunAgain(report({ testResults: Array(5).fill(failed) }))).toEqual([]);
});

it('counts a step that ended with another code than 0', () => {
  expect(failedStep('lint=0')).toBeUndefined();
  expect(failedStep('lint=2')).toBe('lint (exit code 2)');
});

const LENIENT = { requiresAll: false };
const STRICT = { requiresAll: true };

function report(given: Partial<TestReport>): TestReport {
  return { success: true, numPassedTests: 7, testResults: [], ...given };
}

function file(
  status: string,
  assertionResults: TestReport['testResults'][number]['assertionResults'],
): TestReport['testResults'][number] {
  return { name: 'a.test.ts', status, message: 'broken', assertionResults };
}
