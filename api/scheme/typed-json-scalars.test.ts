import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  canonicalBase64,
  canonicalTime,
  illegalBase64At,
  parseTime,
  type TimePrecision,
} from './typed-json-scalars.ts';

it.each([
  ['', ''],
  ['YQ==', 'YQ=='],
  ['YR==', 'YQ=='],
  ['Y\nQ\r\n==\n', 'YQ=='],
  ['YWJj', 'YWJj'],
])('%j is written back as %j', (text, canonical) => {
  expect(canonicalBase64(text)).toBe(canonical);
});

it.each([
  ['x', 0],
  ['YQ=', 3],
  ['YQ=a', 2],
  ['YQ==a', 4],
  ['Y===', 1],
  ['YWJjx', 4],
  ['YW-j', 2],
  ['=', 0],
])('%j is illegal at byte %i', (text, position) => {
  expect(illegalBase64At(text)).toBe(position);
  expect(canonicalBase64(text)).toBeUndefined();
});

describe('the canonical text of a time', () => {
  it.each<[string, TimePrecision, string | null]>([
    ['2020-01-01T00:00:00Z', 'seconds', '2020-01-01T00:00:00Z'],
    ['2020-02-29T23:59:59Z', 'seconds', '2020-02-29T23:59:59Z'],
    ['2020-01-01T00:00:00.9+02:00', 'seconds', '2019-12-31T22:00:00Z'],
    ['2020-01-01T1:00:00Z', 'seconds', '2020-01-01T01:00:00Z'],
    ['2020-01-01T00:00:00,5Z', 'seconds', '2020-01-01T00:00:00Z'],
    ['0050-01-01T00:00:00Z', 'seconds', '0050-01-01T00:00:00Z'],
    ['0000-01-01T00:00:00+01:00', 'seconds', '-0001-12-31T23:00:00Z'],
    ['9999-12-31T23:59:59-01:00', 'seconds', '10000-01-01T00:59:59Z'],
    ['0001-01-01T00:00:00Z', 'seconds', null],
    ['2020-01-01T00:00:00.123456Z', 'microseconds', '2020-01-01T00:00:00.123456Z'],
    ['2020-01-01T00:00:00.500000+01:00', 'microseconds', '2019-12-31T23:00:00.500000Z'],
  ])('%s in %s → %s', (text, precision, canonical) => {
    expect(canonicalTime(text, precision)).toBe(canonical);
  });
});

describe('what is wrong with a time', () => {
  it.each<[string, TimePrecision, string]>([
    ['x', 'seconds', 'as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    ['2020-1-1', 'seconds', 'as "2006-01-02T15:04:05Z07:00": cannot parse "1-1" as "01"'],
    ['2020-02-30T00:00:00Z', 'seconds', ': day out of range'],
    ['2021-02-29T00:00:00+05:30', 'seconds', ': day out of range'],
    ['2020-13-01T00:00:00Z', 'seconds', ': month out of range'],
    ['2020-01-01T24:00:00Z', 'seconds', ': hour out of range'],
    ['2020-01-01T00:00:00-25:00', 'seconds', ': time zone offset hour out of range'],
    ['2020-01-01T00:00:00Zx', 'seconds', ': extra text: "x"'],
    [
      '2020-01-01T00:00:00.5Z',
      'microseconds',
      'as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".5Z" as ".000000"',
    ],
    ['ü', 'seconds', 'as "2006-01-02T15:04:05Z07:00": cannot parse "\\xc3\\xbc" as "2006"'],
  ])('%s in %s', (text, precision, why) => {
    const parsed = parseTime(text, precision);
    expect(parsed.ok ? '' : parsed.why).toContain(why);
  });
});

describe('a canonical time', () => {
  const MIN = Date.UTC(1000, 0, 1) / 1000;
  const MAX = Date.UTC(2999, 11, 31) / 1000;
  const seconds = fc.oneof(
    fc.integer({ min: MIN, max: MAX }),
    // The ends of months, one after the other.
    fc.integer({ min: 0, max: 24_000 }).map((month) => Date.UTC(1000, month, 0, 23, 59, 59) / 1000),
  );

  it('is read as the same time with a zone is, which is read step by step, and is its own text', () => {
    fc.assert(
      fc.property(seconds, fc.integer({ min: 0, max: 999_999 }), (unixSeconds, micros) => {
        const text = new Date(unixSeconds * 1000).toISOString().slice(0, -'.000Z'.length);
        const fine = `${text}.${String(micros).padStart(6, '0')}`;
        const read = { ok: true, unixSeconds, nanoseconds: 0 };
        expect(parseTime(`${text}Z`, 'seconds')).toEqual(read);
        expect(parseTime(`${text}+00:00`, 'seconds')).toEqual(read);
        const finely = { ...read, nanoseconds: micros * 1000 };
        expect(parseTime(`${fine}Z`, 'microseconds')).toEqual(finely);
        expect(parseTime(`${fine}+00:00`, 'microseconds')).toEqual(finely);
        expect(canonicalTime(`${text}+00:00`, 'seconds')).toBe(`${text}Z`);
        expect(canonicalTime(`${fine}Z`, 'microseconds')).toBe(`${fine}Z`);
        expect(canonicalTime(`${fine}+00:00`, 'microseconds')).toBe(`${fine}Z`);
      }),
    );
  });

  it.each(['2023-02-29', '2020-02-30', '2021-04-31', '2021-13-01', '2021-00-10', '2021-01-32'])(
    'is not on %s',
    (day) => {
      expect(canonicalTime(`${day}T00:00:00Z`, 'seconds')).toBeUndefined();
      expect(canonicalTime(`${day}T00:00:00.000000Z`, 'microseconds')).toBeUndefined();
      expect(parseTime(`${day}T00:00:00Z`, 'seconds').ok).toBe(false);
    },
  );
});
