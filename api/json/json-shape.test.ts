import { describe, expect, it } from 'vitest';

import {
  anything,
  flag,
  listOf,
  optional,
  type Read,
  struct,
  text,
  textLists,
  texts,
  unknownField,
} from './json-shape.ts';

const SHAPE = struct({
  name: text,
  on: flag,
  more: anything,
  names: texts,
  extra: textLists,
  inner: struct({ url: text }),
  maybe: optional(struct({ path: text })),
  items: listOf(struct({ name: text, inner: optional(struct({ a: text })) })),
});
const ZERO: Read<typeof SHAPE> = {
  ...{ name: '', on: false, more: undefined, names: [], extra: new Map() },
  ...{ inner: { url: '' }, maybe: undefined, items: [] },
};

describe('a file by its shape', () => {
  it('has zero values where there is nothing, or something else', () => {
    expect(SHAPE.read(undefined)).toEqual(ZERO);
    const odd = { name: 1, on: 'true', names: 'a', extra: [], inner: 'x', maybe: [], items: {} };
    expect(SHAPE.read(odd)).toEqual(ZERO);
  });

  it('is read, and entries of another type are left out', () => {
    const read = SHAPE.read({
      ...{ name: 'a', on: true, more: { b: 1 }, names: ['x', 1, 'y'] },
      ...{ extra: { __proto__x: ['1'], two: ['2', 3] }, inner: { url: 'u' }, maybe: {} },
      items: [{ name: 'one' }, null, 'two', { inner: { a: 'b' } }],
    });
    expect(read).toEqual({
      ...{ name: 'a', on: true, more: { b: 1 }, names: ['x', 'y'] },
      extra: new Map([
        ['__proto__x', ['1']],
        ['two', ['2']],
      ]),
      ...{ inner: { url: 'u' }, maybe: { path: '' } },
      items: [
        { name: 'one', inner: undefined },
        { name: '', inner: { a: 'b' } },
      ],
    });
  });

  it.each([
    [{ name: 'a', inner: { url: '' }, items: [{ name: '' }] }, undefined],
    [{ more: { anything: { goes: 1 } } }, undefined],
    [{ nam: 'a' }, 'nam'],
    [{ inner: { ur: '' } }, 'inner.ur'],
    [{ maybe: { constructor: '' } }, 'maybe.constructor'],
    [{ items: [{}, { inner: { b: 1 } }] }, 'items[1].inner.b'],
  ])('names a field that it does not have: %j', (value, unknown) => {
    expect(unknownField(SHAPE, value)).toBe(unknown);
  });

  it('does not compile with a field that is misspelt', () => {
    // @ts-expect-error: it is `url`.
    expect(SHAPE.read({}).inner.ulr).toBe(undefined);
  });
});
