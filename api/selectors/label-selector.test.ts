import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  EVERY_LABEL,
  exactLabelValue,
  isLabelSelector,
  labelSelectorOf,
  NO_LABEL,
  parseLabelSelector,
  type LabelSelector,
} from './label-selector.ts';
import { PART } from '../json/json-parts.ts';
import type { StringMap } from '../meta/object-meta.ts';

function selectorOf(text: string): LabelSelector {
  const parsed = parseLabelSelector(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.selector;
}

function messageOf(text: string): string {
  const parsed = parseLabelSelector(text);
  return parsed.ok ? '' : parsed.message;
}

describe('matching', () => {
  it.each<[string, StringMap | undefined, boolean]>([
    ['', undefined, true],
    ['a=b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', undefined, false],
    ['a==b', { a: 'b' }, true],
    ['a=', { a: '' }, true],
    ['a=', {}, false],
    ['a!=b', { a: 'b' }, false],
    ['a!=b', undefined, true],
    ['a in (b,c)', { a: 'c' }, true],
    ['a in (b,c)', { a: 'd' }, false],
    ['a in (b,c)', {}, false],
    ['a notin (b,c)', { a: 'c' }, false],
    ['a notin (b,c)', {}, true],
    ['a', { a: '' }, true],
    ['a', {}, false],
    ['!a', {}, true],
    ['!a', { a: '' }, false],
    ['a>3', { a: '4' }, true],
    ['a>3', { a: '3' }, false],
    ['a>3', { a: 'x' }, false],
    ['a<3', {}, false],
    ['a<9223372036854775807', { a: '9223372036854775806' }, true],
    ['a=b,c=d,e', { a: 'b', c: 'd', e: 'f' }, true],
    ['a=b,c=d,e', { a: 'b', c: 'd' }, false],
  ])('%s selects %j: %s', (selector, labels, expected) => {
    expect(selectorOf(selector).matches(labels)).toBe(expected);
  });

  it('finds no labels that were not set', () => {
    expect(selectorOf('constructor').matches({})).toBe(false);
    expect(selectorOf('!toString').matches({})).toBe(true);
    expect(selectorOf('constructor in (a,b)').matches({})).toBe(false);
    expect(selectorOf('valueOf>1').matches({})).toBe(false);
  });
});

describe('the canonical form', () => {
  it.each([
    ['b=1 , a = 2', 'a=2,b=1'],
    ['a in (c,b,,c)', 'a in (,b,c)'],
    ['a notin ( )', 'a notin ()'],
    ['in in (in), !notin', 'in in (in),!notin'],
    ['a >5,b< 6', 'a>5,b<6'],
    ['a==b', 'a==b'],
  ])('of %s is %s', (text, canonical) => {
    expect(selectorOf(text).canonical).toBe(canonical);
  });

  it('reads as the same selector', () => {
    const key = fc.constantFrom('a', 'b', 'example.com/c');
    const value = fc.constantFrom('', 'x', 'y', '5');
    const set = fc.array(value, { maxLength: 3 }).map((values) => `(${values.join(',')})`);
    const term = fc.oneof(
      fc.tuple(key, fc.constantFrom('=', '==', '!='), value).map((parts) => parts.join('')),
      fc.tuple(key, fc.constantFrom('in', 'notin'), set).map((parts) => parts.join(' ')),
      key,
      key.map((one) => `!${one}`),
    );
    fc.assert(
      fc.property(fc.array(term, { maxLength: 4 }), fc.dictionary(key, value), (terms, labels) => {
        const selector = selectorOf(terms.join(','));
        const again = selectorOf(selector.canonical);
        expect(again.canonical).toBe(selector.canonical);
        expect(again.matches(labels)).toBe(selector.matches(labels));
      }),
    );
  });
});

describe('what cannot be read', () => {
  it.each([
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    [
      'a>x',
      'unable to parse requirement: values[0]: Invalid value: "x": ' +
        "for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])('%s: %s', (text, message) => {
    expect(messageOf(text)).toBe(message);
  });

  it('has keys and values judged', () => {
    expect(messageOf('-a=b')).toMatch(
      /^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of /,
    );
    expect(messageOf('a=é')).toMatch(
      /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "é": a valid label must be /,
    );
  });
});

describe('the object form', () => {
  it('selects nothing when there is none, everything when it is empty', () => {
    expect(labelSelectorOf(undefined)).toEqual({ ok: true, selector: NO_LABEL });
    expect(NO_LABEL.matches({})).toBe(false);
    const empty = labelSelectorOf({});
    expect(empty.ok && empty.selector.isEmpty).toBe(true);
    expect(EVERY_LABEL.matches(undefined)).toBe(true);
  });

  it('is both maps and expressions', () => {
    const parsed = labelSelectorOf({
      matchLabels: { b: 'x' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['z', 'y'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    });
    expect(parsed.ok && parsed.selector.canonical).toBe('a in (y,z),b=x,!c');
  });

  it('knows four operators', () => {
    const parsed = labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'Gt' }] });
    expect(parsed).toEqual({
      ok: false,
      message: '"Gt" is not a valid label selector operator',
    });
  });
});

it('tells the one value that a label must have', () => {
  expect(exactLabelValue(selectorOf('a=b,c'), 'a')).toBe('b');
  expect(exactLabelValue(selectorOf('a in (b)'), 'a')).toBe('b');
  expect(exactLabelValue(selectorOf('a in (b,c)'), 'a')).toBeUndefined();
  expect(exactLabelValue(selectorOf('a!=b'), 'a')).toBeUndefined();
  expect(exactLabelValue(selectorOf('a=b'), 'c')).toBeUndefined();
});

describe('a selector of many terms', () => {
  it.each([
    ['that can be read', '', true],
    ['that cannot be read', ',=', false],
  ])('%s gives others a turn after each part of it', (_name, end, isReadable) => {
    const parts = isLabelSelector(Array.from({ length: PART * 3 }, () => 'a=b').join(',') + end);
    let turns = 0;
    let part = parts.next();
    for (; part.done !== true; part = parts.next()) turns += 1;

    expect([part.value, turns]).toEqual([isReadable, 3]);
  });
});
