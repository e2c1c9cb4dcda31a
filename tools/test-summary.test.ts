import { expect, it } from 'vitest';

import { failedStep, summaryOf, type TestReport } from './test-summary.ts';

it('counts failed tests by name', () => {
  const results = [
    { status: 'passed', fullName: 'a passes' },
    { status: 'failed', fullName: 'a fails' },
    { status: 'pending', fullName: 'a waits' },
  ];
  expect(
    summaryOf(report({ success: false, testResults: [file('failed', results)] }), false),
  ).toEqual({
    passed: 7,
    failed: 1,
    skipped: ['a.test.ts: a waits'],
    failures: ['a.test.ts: a fails'],
  });
});

it('counts a file that could not be collected', () => {
  const { failed } = summaryOf(
    report({ success: false, testResults: [file('failed', [])] }),
    false,
  );
  expect(failed).toBe(1);
});

it('counts an error outside of all tests', () => {
  expect(summaryOf(report({ success: false }), false).failed).toBe(1);
});

it('counts nothing in a good run', () => {
  const good = [{ status: 'passed', fullName: 'a passes' }];
  expect(summaryOf(report({ testResults: [file('passed', good)] }), true).failed).toBe(0);
});

it('counts a skipped test as failed where everything is required', () => {
  const results = [
    { status: 'passed', fullName: 'a passes' },
    { status: 'skipped', fullName: 'a waits' },
  ];
  const given = report({ testResults: [file('passed', results)] });
  expect(summaryOf(given, true)).toMatchObject({
    failed: 1,
    failures: ['a.test.ts: a waits (skipped)'],
  });
  expect(summaryOf(given, false).failed).toBe(0);
});

it('counts a step that ended with another code than 0', () => {
  expect(failedStep('lint=0')).toBeUndefined();
  expect(failedStep('lint=2')).toBe('lint (exit code 2)');
});

function report(given: Partial<TestReport>): TestReport {
  return { success: true, numPassedTests: 7, testResults: [], ...given };
}

function file(
  status: string,
  assertionResults: TestReport['testResults'][number]['assertionResults'],
): TestReport['testResults'][number] {
  return { name: 'a.test.ts', status, message: 'broken', assertionResults };
}
