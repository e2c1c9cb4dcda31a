import { describe, expect, it } from 'vitest';
import { givenRouted, testClock, testFaults, testLogger, visit } from '../given.fixture.ts';
import { httpLogging } from './http-logging.ts';

function logOf(code: number, level: 'debug' | 'info') {
  const logger = testLogger(level);
  const clock = testClock();
  const given = givenRouted({
    url: '/api/v1/pods?watch=1',
    headers: { authorization: 'Bearer top-secret', 'user-agent': 'kubectl' },
  });
  given.request.received(clock.now());
  visit(given, (next) => httpLogging({ clock, logger, faults: testFaults() }, next));
  clock.advance(3);
  given.request.finish({ code, sizeBytes: 10 });
  return logger.lines;
}

describe('http-logging', () => {
  it('says nothing of what went well', () => {
    expect(logOf(200, 'info')).toEqual([]);
    expect(logOf(404, 'info')).toEqual([]);
  });

  it('says at level debug what was asked and what came of it', () => {
    const [line] = logOf(200, 'debug');
    expect(line?.level).toBe('debug');
    expect(line?.fields).toMatchObject({
      verb: 'watch',
      uri: '/api/v1/pods?watch=1',
      code: 200,
      sizeBytes: 10,
      durationMs: 3,
      userAgent: 'kubectl',
    });
    expect(JSON.stringify(line)).not.toContain('top-secret');
  });

  it('always says what went wrong on our side', () => {
    expect(logOf(504, 'info')).toMatchObject([{ level: 'warn', fields: { code: 504 } }]);
  });
});
