import { expect, it } from 'vitest';
import { givenRouted, testFaults, testLogger, sendThrough } from '../request/given.fixture.ts';
import { warningRecorder } from './warning-recorder.ts';

function logAfter(warnings: string[]) {
  const logger = testLogger();
  const given = givenRouted({ headers: { 'user-agent': 'old-tool/1.0' } });
  const tools = { logger, faults: testFaults() };
  const { passedOn } = sendThrough(given, (next) => warningRecorder(tools, next));
  expect(passedOn).toHaveLength(1);
  for (const warning of warnings) given.request.warn(warning);
  given.request.finish({ code: 200, sizeBytes: 0 });
  return logger.lines;
}

it('records which client was warned of what', () => {
  expect(logAfter(['v1beta1 is deprecated'])).toMatchObject([
    { fields: { warnings: ['v1beta1 is deprecated'], userAgent: 'old-tool/1.0' } },
  ]);
});

it('says nothing where no client was warned', () => {
  expect(logAfter([])).toEqual([]);
});
