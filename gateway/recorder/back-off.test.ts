import { getEventListeners } from 'node:events';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { StillClock } from '../../projections/store/given-store.fixture.ts';
import { BackOff } from './back-off.ts';

const CERTAIN = { integer: () => 0, uuid: () => '' };

describe('a pause after a failure', () => {
  it('is twice as long after each, up to half a minute', async () => {
    const clock = new StillClock();
    const backOff = new BackOff({ clock, random: CERTAIN });
    const delays: number[] = [];
    for (let failure = 0; failure < 8; failure += 1) {
      const waiting = backOff.wait(new AbortController().signal);
      delays.push(...clock.delays);
      clock.ring();
      await waiting;
    }
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('ends at once, and the next is the first again, when the server is known to be back', async () => {
    const clock = new StillClock();
    const returned = new Subject<void>();
    const backOff = new BackOff({ clock, random: CERTAIN, returned });
    const stop = new AbortController();
    for (let failure = 0; failure < 5; failure += 1) {
      const waiting = backOff.wait(stop.signal);
      expect(clock.delays).toEqual([500]);
      returned.next();
      await waiting;
      expect(clock.delays).toEqual([]);
    }
    expect([returned.observed, listenersOf(stop)]).toEqual([false, 0]);
  });

  it('ends with its owner, and leaves no timer and no listener', async () => {
    const clock = new StillClock();
    const returned = new Subject<void>();
    const stop = new AbortController();
    const waiting = new BackOff({ clock, random: CERTAIN, returned }).wait(stop.signal);
    expect([clock.delays, returned.observed, listenersOf(stop)]).toEqual([[500], true, 1]);
    stop.abort();
    await waiting;
    expect([clock.delays, returned.observed, listenersOf(stop)]).toEqual([[], false, 0]);
  });
});

function listenersOf(stop: AbortController): number {
  return getEventListeners(stop.signal, 'abort').length;
}
