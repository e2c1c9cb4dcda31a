import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { isWorthKeeping, NO_TIME, versionAtTime, type TimeSearch } from './time-index.ts';

const v = resourceVersion;
const point = (time: number, version: number) => ({ time, version: v(version) });

describe('a point of the index of times', () => {
  it('is kept where a second has passed, or 1,024 versions', () => {
    const last = point(5_000, 100);
    expect(isWorthKeeping(point(5_999, 1_123), last)).toBe(false);
    expect(isWorthKeeping(point(6_000, 101), last)).toBe(true);
    expect(isWorthKeeping(point(5_000, 1_124), last)).toBe(true);
    expect(isWorthKeeping(point(0, 1), NO_TIME)).toBe(true);
  });
});

describe('the version at a time', () => {
  /** Records at these times, from version 1 on; undefined: cut away. */
  function search(times: readonly (number | undefined)[], more: Partial<TimeSearch> = {}) {
    const at = (version: number): LoggedEvent | undefined => {
      const time = times[version - 1];
      // The search looks at nothing else of a record.
      return time === undefined ? undefined : ({ time, resourceVersion: version } as LoggedEvent);
    };
    const now = point(Math.max(...times.map((time) => time ?? 0)), times.length);
    return (timeMs: number) =>
      versionAtTime(timeMs, { log: { at }, from: NO_TIME, now, cuts: [], ...more });
  }

  it('is the one before the first record that is later', () => {
    const versionAt = search([10, 20, 20, 30]);
    expect([9, 10, 19, 20, 29, 30, 99].map(versionAt)).toEqual([0, 1, 1, 3, 3, 4, 4]);
  });

  it('is not led astray by a clock that was late', () => {
    const versionAt = search([10, 30, 20, 40]);
    expect([10, 20, 30, 39, 40].map(versionAt)).toEqual([1, 1, 3, 3, 4]);
  });

  it('lies before a cut that holds something later', () => {
    const versionAt = search([undefined, undefined, 20, 30], { cuts: [point(15, 2)] });
    expect([14, 15, 20].map(versionAt)).toEqual([1, 2, 3]);
  });

  it('lies before the first of several cuts that hold something later, in whichever order', () => {
    const cuts = [point(40, 3), point(15, 2), point(50, 4)];
    for (const given of [cuts, cuts.toReversed()]) {
      const versionAt = search([undefined, undefined, undefined, undefined, 60], { cuts: given });
      expect([14, 15, 39, 40, 50, 60].map(versionAt)).toEqual([1, 2, 2, 3, 4, 5]);
    }
  });

  it('begins where a point of the index says', () => {
    const versionAt = search([10, 20, 30, 40], { from: point(20, 2) });
    expect([25, 30, 35].map(versionAt)).toEqual([2, 3, 3]);
  });
});
