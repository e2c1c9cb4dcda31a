import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { playedLog } from './played-log.ts';

const logs = mkdtempSync(join(tmpdir(), 'everwatch-played-'));
const log = join(logs, 'shop-20261128T100000000-7', 'everwatch', 'plane');
const environment = { EVERWATCH_ENVTEST_LOGS: logs };
const named = (name: string) => ({ log: name, from: undefined, until: undefined });
mkdirSync(log, { recursive: true });
afterAll(() => {
  rmSync(logs, { recursive: true });
});

function keep(...tests: readonly object[]): void {
  const lines = tests.map((test) => `${JSON.stringify({ test: 'TestGift', ...test })}\n`);
  writeFileSync(join(log, 'tests.jsonl'), lines.join(''));
}

it('plays a test by its name, from where it began to where it ended', () => {
  keep({ failed: true, from: '4' }, { failed: false, from: '4', until: '9' });
  expect(playedLog(named('TestGift'), environment)).toEqual({
    range: { log, from: '4', until: '9' },
    notice: `TestGift passed: revisions 4 to 9 of ${log}`,
  });
});

it('plays what there is of a test that was cut off', () => {
  keep({ failed: false, from: '1', until: '3' }, { failed: true, from: '4' });
  expect(playedLog(named('TestGift'), environment)).toEqual({
    range: { log, from: '4', until: undefined },
    notice: `TestGift did not end: revisions 4 to the last of ${log}`,
  });
});

it('takes moments of the user before those of the test, and a place as it is', () => {
  keep({ failed: true, from: '4', until: '9' });
  const { range } = playedLog({ log: 'TestGift', from: '2', until: undefined }, environment);
  expect(range).toEqual({ log, from: '2', until: '9' });
  expect(playedLog(named(log), environment)).toEqual({ range: named(log), notice: undefined });
});
