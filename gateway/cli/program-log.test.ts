import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openProgramLog } from './program-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-log-'));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

it('passes while lines are written, and fails without an error while they are not', () => {
  const path = join(folder, 'lines');
  const fd = openSync(path, 'w');
  const { logger, check } = openProgramLog('info', fd);
  logger.info({}, 'one');
  expect(readFileSync(path, 'utf8')).toContain('"msg":"one"');
  expect([check.name, check.problem()]).toEqual(['log', undefined]);
  closeSync(fd);
  logger.info({}, 'two');
  expect(check.problem()).toContain('EBADF');
});
