/** Real time and real chance: the only place that asks the system for them. */
import { randomInt, randomUUID } from 'node:crypto';
import type { Clock, Random } from '../../api/meta/clock.ts';

/** What a timer of node can hold; asked for more, it would fire at once. */
const DELAY_MAX_MS = 2 ** 31 - 1;

/** Set by tests alone, for a machine whose clock is wrong; in milliseconds. */
const OFFSET_MS = Number(process.env['EVERWATCH_CLOCK_OFFSET_MS'] ?? 0);

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now() + OFFSET_MS,
  after(delayMs, callback) {
    // 25 days are as good as for ever, for a connection.
    const timer = setTimeout(callback, Math.min(delayMs, DELAY_MAX_MS));
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Random numbers of the operating system. */
export const systemRandom: Random = {
  integer: (below) => randomInt(below),
  uuid: () => randomUUID(),
};
