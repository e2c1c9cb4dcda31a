/** The two ways to be unset, and keys that users choose. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { forEachIn, isEmpty, setIfAbsent, setIfZero, structAt } from './default-field.ts';
import { setOwn } from '../json/own-property.ts';

describe('a default', () => {
  it.each([undefined, null])('fills a pointer that is %s', (value) => {
    const object: JsonObject = { field: value };
    setIfAbsent(object, 'field', 1);
    expect(object).toEqual({ field: 1 });
  });

  it.each([0, '', false])('leaves a pointer to %s alone', (value) => {
    const object: JsonObject = { field: value };
    setIfAbsent(object, 'field', 1);
    expect(object).toEqual({ field: value });
  });

  it.each([undefined, null, 0, '', false])('fills a plain field that is %s', (value) => {
    const object: JsonObject = { field: value };
    setIfZero(object, 'field', 'x');
    expect(object).toEqual({ field: 'x' });
  });

  it('is found where a struct has to be made first', () => {
    const object: JsonObject = { spec: null };
    structAt(structAt(object, 'spec'), 'template')['x'] = 1;
    expect(object).toEqual({ spec: { template: { x: 1 } } });
  });

  it('reaches list items that are null', () => {
    const object: JsonObject = { items: [null, { a: 1 }, 'text'] };
    forEachIn(object, 'items', (item) => {
      item['seen'] = true;
    });
    expect(object).toEqual({ items: [{ seen: true }, { a: 1, seen: true }, 'text'] });
  });

  it('counts null, [] and {} as empty', () => {
    expect([null, undefined, [], {}].map(isEmpty)).toEqual([true, true, true, true]);
    expect([[0], { a: undefined }].map(isEmpty)).toEqual([false, false]);
  });

  it('does not change the prototype under the key __proto__', () => {
    const object: JsonObject = {};
    setOwn(object, '__proto__', '1');
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(JSON.stringify(object)).toBe('{"__proto__":"1"}');
  });
});
