import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parsed } from '../../flags/given-flags.fixture.ts';
import { descriptorWriter } from '../../logs/line-output.ts';
import { openProgramLog } from './program-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-log-'));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function opened(...argv: string[]) {
  const path = { info: join(folder, 'info'), error: join(folder, 'error') };
  const fd = { info: openSync(path.info, 'w'), error: openSync(path.error, 'w') };
  const told = () => [readFileSync(path.info, 'utf8'), readFileSync(path.error, 'utf8')];
  const write = { info: descriptorWriter(fd.info), error: descriptorWriter(fd.error) };
  return { ...openProgramLog(parsed(argv), { write, whenEnding: () => undefined }), fd, told };
}

it('passes while lines are written, and fails without an error while they are not', () => {
  const { logger, check, fd, told } = opened();
  logger.info({}, 'one');
  expect(told()).toEqual(['', expect.stringMatching(/^I\d{4} .*\] "one"\n$/)]);
  expect([check.name, check.problem()]).toEqual(['log', undefined]);
  closeSync(fd.error);
  logger.info({}, 'two');
  expect(check.problem()).toContain('EBADF');
});

it('has the form and the streams that are wanted', () => {
  const split = ['--feature-gates=LoggingAlphaOptions=true', '--log-json-split-stream'];
  const { logger, told } = opened('--logging-format=json', ...split, '--log-level=debug');
  logger.verbose(4, {}, 'four');
  logger.verbose(5, {}, 'five');
  logger.warn({ a: 1 }, 'warned');
  expect(told()).toEqual([
    expect.stringMatching(/^\{"ts":\d+,"caller":"[^"]*","msg":"four","v":4\}\n$/),
    expect.stringMatching(/^\{"ts":\d+,"caller":"[^"]*","msg":"warned","v":0,"a":1\}\n$/),
  ]);
  const only = opened('--log-level=warn', '-v=9');
  only.logger.verbose(1, {}, 'hidden');
  only.logger.error({}, 'failed');
  expect(only.told()[1]).toMatch(/^E[^\n]*"failed"\n$/);
});

it('writes of a start that another process has told of nothing but errors, and all behind it', () => {
  let isTold = true;
  const lines = (...argv: string[]) => {
    const path = join(folder, 'told');
    const fd = openSync(path, 'w');
    const write = { info: descriptorWriter(fd), error: descriptorWriter(fd) };
    const host = { write, whenEnding: () => undefined, startIsTold: () => isTold };
    const { logger } = openProgramLog(parsed(argv), host);
    isTold = true;
    logger.warn({}, 'warned');
    logger.error({}, 'failed');
    isTold = false;
    logger.info({}, 'serving');
    closeSync(fd);
    return [...readFileSync(path, 'utf8').matchAll(/"(\w+)"$/gm)].map(([, said]) => said);
  };
  expect(lines()).toEqual(['failed', 'serving']);
  expect(lines('--log-level=error')).toEqual(['failed']);
  expect(lines('-v=1')).toEqual(['warned', 'failed', 'serving']);
});
