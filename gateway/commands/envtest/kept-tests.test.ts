import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { keptTest } from './kept-tests.ts';

const cache = mkdtempSync(join(tmpdir(), 'everwatch-tests-'));
afterAll(() => {
  rmSync(cache, { recursive: true });
});

function keep(suite: string, ...lines: readonly string[]): string {
  const log = join(cache, 'everwatch', 'logs', suite, 'everwatch', '%2Fregistry');
  mkdirSync(log, { recursive: true });
  writeFileSync(join(log, 'tests.jsonl'), lines.join('\n'));
  return log;
}

const line = (test: string, from: string, failed = false): string =>
  JSON.stringify({ test, failed, from, until: '90' });

it('finds the newest of a name, of all suites', () => {
  keep('b-20261126T100000000-7', line('TestOne', '1'), '');
  const log = keep('a-20261127T100000000-3', line('TestOne', '5'), line('TestOne', '40', true), '');
  mkdirSync(join(cache, 'everwatch', 'logs', 'c-20261128T100000000-3', 'everwatch', 'empty'), {
    recursive: true,
  });
  const found = keptTest('TestOne', { XDG_CACHE_HOME: cache });
  expect(found).toEqual({ test: 'TestOne', failed: true, from: '40', until: '90', log });
  expect(keptTest('Test', { XDG_CACHE_HOME: cache })).toBeUndefined();
  expect(keptTest('TestOne', { EVERWATCH_ENVTEST_LOGS: join(cache, 'none') })).toBeUndefined();
});

it('passes over a line that is being written, and what is none', () => {
  keep('d-20261129T100000000-7', 'no json', line('TestTwo', '3'), line('TestTwo', '9').slice(0, 9));
  expect(keptTest('TestTwo', { XDG_CACHE_HOME: cache })).toMatchObject({ from: '3' });
});
