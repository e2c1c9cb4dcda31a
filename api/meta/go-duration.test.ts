import { expect, it } from 'vitest';
import { formatGoDuration, parseGoDuration } from './go-duration.ts';

it.each([
  ['0', 0],
  ['5s', 5_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['1.005s', 1_005],
  ['0.1h', 360_000],
  ['.5s', 500],
  ['5.s', 5_000],
  ['-2m', -120_000],
  ['+300ms', 300],
  ['1m0.5s', 60_500],
  ['100us', 0.1],
  ['100µs', 0.1],
])('%s is %d ms', (text, ms) => {
  expect(parseGoDuration(text)).toEqual({ ok: true, ms });
});

it.each([
  ['', 'time: invalid duration ""'],
  ['-', 'time: invalid duration "-"'],
  ['abc', 'time: invalid duration "abc"'],
  ['.s', 'time: invalid duration ".s"'],
  ['5', 'time: missing unit in duration "5"'],
  ['1h5', 'time: missing unit in duration "1h5"'],
  ['3d', 'time: unknown unit "d" in duration "3d"'],
  ['1m 5s', 'time: unknown unit "m " in duration "1m 5s"'],
  ['99999999999h', 'time: invalid duration "99999999999h"'],
])('%s is refused as Go refuses it', (text, problem) => {
  expect(parseGoDuration(text)).toEqual({ ok: false, problem });
});

it.each([
  [0, '0s'],
  [1.5, '1.5ms'],
  [60_000, '1m0s'],
  [90_500, '1m30.5s'],
  [3_600_000, '1h0m0s'],
  [-5_000, '-5s'],
])('%d ms is written %s', (ms, text) => {
  expect(formatGoDuration(ms)).toBe(text);
});
