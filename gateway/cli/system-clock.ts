/** Real time and real chance: the only place that asks the system for them. */
import { randomInt, randomUUID } from 'node:crypto';
import type { Clock, Random } from '../../api/meta/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

export const systemRandom: Random = {
  integer: (below) => randomInt(below),
  uuid: () => randomUUID(),
};
