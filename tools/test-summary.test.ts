import { expect, it } from 'vitest';

import { summaryOf, type TestReport } from './test-summary.ts';

it('counts failed tests by name', () => {
  const results = [
    { status: 'passed', fullName: 'a passes' },
    { status: 'failed', fullName: 'a fails' },
    { status: 'pending', fullName: 'a waits' },
  ];
  expect(summaryOf(report({ success: false, testResults: [file('failed', results)] }))).toEqual({
    passed: 7,
    failed: 1,
    skipped: ['a.test.ts: a waits'],
    failures: ['a.test.ts: a fails'],
  });
});

it('counts a file that could not be collected', () => {
  const { failed } = summaryOf(report({ success: false, testResults: [file('failed', [])] }));
  expect(failed).toBe(1);
});

it('counts an error outside of all tests', () => {
  expect(summaryOf(report({ success: false })).failed).toBe(1);
});

it('counts nothing in a good run', () => {
  const good = [{ status: 'passed', fullName: 'a passes' }];
  expect(summaryOf(report({ testResults: [file('passed', good)] })).failed).toBe(0);
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
