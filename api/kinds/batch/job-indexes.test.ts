import { describe, expect, it } from 'vitest';
import { countIndexes, overlapOf } from './job-indexes.ts';

describe('indexes of a job', () => {
  it.each([
    ['', 0],
    ['0', 1],
    ['0,2-4,7', 5],
    ['+1', 1],
  ])('are counted: %j has %i', (text, count) => {
    expect(countIndexes(text, 10)).toEqual({ ok: true, count });
  });

  it.each([
    ['3,1', 'non-increasing order, previous: 3, current: 1'],
    ['4-4', 'non-increasing order, previous: 4, current: 4'],
    ['1,1', 'non-increasing order, previous: 1, current: 1'],
    ['10', 'too large index: "10"'],
    ['0-10', 'too large index: "10"'],
    ['a', 'cannot convert string to integer for index: "a"'],
    ['1-', 'cannot convert string to integer for index: ""'],
    [
      '1-2-3',
      `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
    ],
  ])('must rise and be below what is to be completed: %j', (text, why) => {
    expect(countIndexes(text, 10)).toEqual({ ok: false, why });
  });

  it.each([
    ['0-3,7', '4-6,8', undefined],
    ['0-3,7', '5,7', 7],
    ['2-5', '0-3', 2],
    ['', '1', undefined],
  ])('of %j and %j overlap at %j', (one, other, at) => {
    expect(overlapOf(one, other, 10)).toBe(at);
  });
});
