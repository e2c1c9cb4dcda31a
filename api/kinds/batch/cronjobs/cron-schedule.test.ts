import { describe, expect, it } from 'vitest';
import { scheduleProblem } from './cron-schedule.ts';

const problemOf = (schedule: string) =>
  scheduleProblem(schedule, (zone) =>
    zone === 'Europe/Berlin' ? undefined : `unknown time zone ${zone}`,
  );

describe('a schedule', () => {
  it.each([
    '*/5 * * * *',
    '0 0 1 jan-MAR ?',
    '1,2,30-40/2 0-23 * * sun',
    '@hourly',
    '@every 1h30m',
    'TZ=Europe/Berlin 0 5 * * *',
  ])('can be read: %j', (schedule) => {
    expect(problemOf(schedule)).toBeUndefined();
  });

  it.each([
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['@often', 'unrecognized descriptor: @often'],
    ['TZ=Nowhere 0 5 * * *', 'provided bad location Nowhere: unknown time zone Nowhere'],
  ])('cannot be read: %j', (schedule, problem) => {
    expect(problemOf(schedule)).toBe(problem);
  });
});
