import { expect, it } from 'vitest';
import { momentIn, rowChanges } from './row-changes.ts';

const row = (key: string, ...cells: string[]): { key: string; cells: string[] } => ({ key, cells });

it('rows that came, went, changed, or are others of their name', () => {
  const before = [
    row('shop/gone', 'Running', 'a', '1'),
    row('shop/same', 'Running', 'b', '2'),
    row('shop/made-again', 'Running', 'c', '3'),
    row('shop/web', 'Pending', 'd', '4'),
    row('shop/other-field', 'Running', 'e', '5'),
  ];
  const after = [
    row('shop/same', 'Running', 'b', '2'),
    row('shop/made-again', 'Running', 'x', '9'),
    row('shop/web', 'Running', 'd', '8'),
    row('shop/other-field', 'Running', 'e', '7'),
    row('shop/new', 'Running', 'f', '6'),
  ];
  expect(rowChanges(before, after).map(({ key, kind }) => [key, kind])).toEqual([
    ['shop/gone', 'removed'],
    ['shop/made-again', 'replaced'],
    ['shop/new', 'added'],
    ['shop/other-field', 'changed'],
    ['shop/web', 'changed'],
  ]);
  expect(rowChanges(after, after)).toEqual([]);
});

it('moments are versions, times, and how long ago', () => {
  const now = Date.parse('2026-11-26T12:00:00Z');
  expect(momentIn(' 1234 ', now)).toBe('1234');
  expect(momentIn('90m', now)).toBe('2026-11-26T10:30:00.000Z');
  expect(momentIn('2 d', now)).toBe('2026-11-24T12:00:00.000Z');
  expect(momentIn('2026-11-26T10:00:00Z', now)).toBe('2026-11-26T10:00:00.000Z');
  expect(['', 'soon', '-1', '10', '1e9', '2026-99-99'].map((one) => momentIn(one, now))).toEqual([
    ...[undefined, undefined, undefined, '10', undefined, undefined],
  ]);
});
