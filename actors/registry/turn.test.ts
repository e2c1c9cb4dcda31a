import { describe, expect, it } from 'vitest';

import { AttemptTurn } from './turn.ts';

describe('a turn', () => {
  it('gives back what was taken for it, once, in order', () => {
    const turn = new AttemptTurn();
    const given: string[] = [];
    turn.whenOver(() => given.push('first'));
    turn.whenOver(() => given.push('second'));

    turn.end();
    turn.end();
    expect(given).toEqual(['first', 'second']);
  });

  it('does what was left for a committed change once, and waits for all of it', async () => {
    const turn = new AttemptTurn();
    const done: string[] = [];
    turn.whenCommitted(() => Promise.reject(new Error('broken')));
    turn.whenCommitted(() => {
      throw new Error('broken at once');
    });
    turn.whenCommitted(() => Promise.resolve().then(() => done.push('third')));

    await turn.committed();
    expect(done).toEqual(['third']);
    expect(turn.committed()).toBeUndefined();
  });

  it('waits for nothing where nothing was left', () => {
    expect(new AttemptTurn().committed()).toBeUndefined();
  });
});
