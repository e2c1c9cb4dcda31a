import { describe, expect, it } from 'vitest';
import { StillClock } from '../../projections/objects/given-store.fixture.ts';
import { BackOff } from './back-off.ts';

const CERTAIN = { integer: () => 0, uuid: () => '' };

describe('a pause after a failure', () => {
  it('is twice as long after each, up to half a minute', async () => {
    const clock = new StillClock();
    const backOff = new BackOff(clock, CERTAIN);
    const delays: number[] = [];
    for (let failure = 0; failure < 8; failure += 1) {
      const waiting = backOff.wait(new AbortController().signal);
      delays.push(...clock.delays);
      clock.ring();
      await waiting;
    }
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('ends at once, and the next is the first again, when somebody finds that it works', async () => {
    const clock = new StillClock();
    const backOff = new BackOff(clock, CERTAIN);
    for (let failure = 0; failure < 5; failure += 1) {
      const waiting = backOff.wait(new AbortController().signal);
      backOff.hurry();
      await waiting;
      expect(clock.delays).toEqual([]);
    }
    void backOff.wait(new AbortController().signal);
    expect(clock.delays).toEqual([500]);
  });
});
