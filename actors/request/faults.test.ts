import { expect, it } from 'vitest';
import { faultsTo } from './faults.ts';
import { codeOf, givenReceived, testLogger } from './given.fixture.ts';

it('tells the log everything and the client nothing of its inside', () => {
  const logger = testLogger();
  const faults = faultsTo(logger);
  const { request, answers } = givenReceived({ url: '/x' });
  const error = new Error('secret');
  faults.answer(request, error);
  expect(codeOf(answers[0])).toBe(500);
  expect(JSON.stringify(answers)).not.toContain('secret');
  expect(logger.lines).toMatchObject([{ level: 'error', fields: { err: error, path: '/x' } }]);
});

it('does not throw where the log and the connection are broken', () => {
  const logger = {
    ...testLogger(),
    error() {
      throw new Error('disk full');
    },
  };
  const { request } = givenReceived();
  Object.defineProperty(request, 'reply', {
    value: () => {
      throw new Error('no door');
    },
  });
  const faults = faultsTo(logger);
  expect(() => faults.answer(request, new Error('first'))).not.toThrow();
  expect(faults.count).toBe(2);
});

it('does not answer twice', () => {
  const faults = faultsTo(testLogger());
  const { request, answers } = givenReceived();
  faults.answer(request, 1);
  faults.answer(request, 2);
  expect(answers).toHaveLength(1);
});
