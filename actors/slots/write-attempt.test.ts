import { describe, expect, it } from 'vitest';

import { RunningAttempt } from './write-attempt.ts';

describe('a turn', () => {
  it('gives back what was taken for it, once, in order', () => {
    const attempt = new RunningAttempt();
    const given: string[] = [];
    attempt.whenOver(() => given.push('first'));
    attempt.whenOver(() => given.push('second'));

    attempt.end();
    attempt.end();
    expect(given).toEqual(['first', 'second']);
  });

  it('does what was left for a committed change once, and waits for all of it', async () => {
    const attempt = new RunningAttempt();
    const done: string[] = [];
    attempt.whenCommitted(() => Promise.reject(new Error('broken')));
    attempt.whenCommitted(() => {
      throw new Error('broken at once');
    });
    attempt.whenCommitted(() => Promise.resolve().then(() => done.push('third')));

    await attempt.committed();
    expect(done).toEqual(['third']);
    expect(attempt.committed()).toBeUndefined();
  });

  it('waits for nothing where nothing was left', () => {
    expect(new RunningAttempt().committed()).toBeUndefined();
  });
});
