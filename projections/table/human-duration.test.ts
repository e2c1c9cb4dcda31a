/** Durations as people read them. */
import { describe, expect, it } from 'vitest';
import { humanDuration, shortHumanDuration } from './human-duration.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a duration', () => {
  it.each([
    [-2, '<invalid>', '<invalid>'],
    [-1.9, '0s', '0s'],
    [0, '0s', '0s'],
    [59.9, '59s', '59s'],
    [119, '119s', '1m'],
    [2 * MINUTE, '2m', '2m'],
    [9 * MINUTE + 59, '9m59s', '9m'],
    [10 * MINUTE + 1, '10m', '10m'],
    [2 * HOUR + 59 * MINUTE, '179m', '2h'],
    [3 * HOUR, '3h', '3h'],
    [7 * HOUR + 59 * MINUTE, '7h59m', '7h'],
    [8 * HOUR + 59 * MINUTE, '8h', '8h'],
    [24 * HOUR - 1, '23h', '23h'],
    [24 * HOUR, '24h', '1d'],
    [47 * HOUR, '47h', '1d'],
    [2 * DAY, '2d', '2d'],
    [7 * DAY + 23 * HOUR, '7d23h', '7d'],
    [8 * DAY + HOUR, '8d', '8d'],
    [364 * DAY, '364d', '364d'],
    [365 * DAY, '365d', '1y'],
    [729 * DAY, '729d', '1y'],
    [730 * DAY, '2y', '2y'],
    [800 * DAY, '2y70d', '2y'],
    [8 * 365 * DAY + DAY, '8y', '8y'],
    [400 * 365 * DAY, '292y', '292y'],
  ])('of %d seconds is %s, in short %s', (seconds, long, short) => {
    expect(humanDuration(seconds * 1000)).toBe(long);
    expect(shortHumanDuration(seconds * 1000)).toBe(short);
  });
});
