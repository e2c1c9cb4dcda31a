import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  bothFieldSelectors,
  escapeFieldValue,
  EVERY_FIELD,
  fieldEquals,
  parseFieldSelector,
  refuseField,
  unsupportedField,
  type FieldSelector,
} from './field-selector.ts';

function selectorOf(text: string): FieldSelector {
  const parsed = parseFieldSelector(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.selector;
}

const fields: Readonly<Record<string, string>> = { 'metadata.name': 'a', phase: 'Running' };
const get = (field: string): string => fields[field] ?? '';

describe('matching', () => {
  it.each([
    ['', true],
    ['metadata.name=a', true],
    ['metadata.name==a,phase!=Pending', true],
    ['metadata.name=b', false],
    ['metadata.name=a,phase!=Running', false],
    ['missing=', true],
    ['missing!=x', true],
    ['=', true],
  ])('%s: %s', (text, expected) => {
    expect(selectorOf(text).matches(get)).toBe(expected);
  });
});

describe('reading', () => {
  it('sorts terms and leaves out empty ones', () => {
    const selector = selectorOf(',b=1,,a!=2,=');
    expect(selector.canonical).toBe('a!=2,b=1');
    expect(selector.requirements).toEqual([
      { field: 'a', operator: '!=', value: '2' },
      { field: 'b', operator: '=', value: '1' },
    ]);
    expect(selectorOf('=').isEmpty).toBe(true);
  });

  it.each([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('refuses %s', (text, message) => {
    expect(parseFieldSelector(text)).toEqual({ ok: false, message });
  });

  it('escapes what is long as it does what is short', () => {
    const piece = 'a,b=c\\d\u00e4\u{1f600}\ud800';
    const times = 1_000;

    expect(escapeFieldValue(piece.repeat(times))).toBe(escapeFieldValue(piece).repeat(times));
  });

  it('gets any value back that was escaped', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (value) => {
        const { requirements, canonical } = selectorOf(`f=${escapeFieldValue(value)}`);
        expect(requirements).toEqual([{ field: 'f', operator: '=', value }]);
        expect(selectorOf(canonical).canonical).toBe(canonical);
      }),
    );
  });
});

describe('what a selector requires', () => {
  it('is the value of an equality', () => {
    expect(selectorOf('a=1,b!=2').requiresExactMatch('a')).toBe('1');
    expect(selectorOf('a=1,b!=2').requiresExactMatch('b')).toBeUndefined();
  });

  it('adds up', () => {
    expect(bothFieldSelectors(selectorOf('a=1'), fieldEquals('b', '2')).canonical).toBe('a=1,b=2');
    expect(bothFieldSelectors(EVERY_FIELD, fieldEquals('b', '2')).canonical).toBe('b=2');
  });
});

describe('fields that a kind does not have', () => {
  it('are refused in the words of that kind', () => {
    const selector = selectorOf('metadata.name=a,spec.x=1');
    expect(unsupportedField(selector, ['spec.x'])).toBeUndefined();
    expect(unsupportedField(selector, ['spec.y'])).toBe('field label not supported: spec.x');
    expect(unsupportedField(selector, [])).toBe(
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
    expect(unsupportedField(selector, [], refuseField)).toBe('field label not supported: spec.x');
  });
});
