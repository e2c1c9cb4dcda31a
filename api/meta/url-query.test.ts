import { describe, expect, it } from 'vitest';
import { percentDecode, queryUnescape, queryValue, queryValues } from './url-query.ts';

describe('queryValue', () => {
  const cases: [query: string, name: string, value: string | undefined][] = [
    ['', 'watch', undefined],
    ['watch', 'watch', ''],
    ['watch=', 'watch', ''],
    ['watch=1', 'watch', '1'],
    ['a=b&watch=true', 'watch', 'true'],
    ['watches=1', 'watch', undefined],
    ['xwatch=1&watch=2', 'watch', '2'],
    ['limit=5&limit=6', 'limit', '5'],
    ['fieldSelector=metadata.name%3Da%20b', 'fieldSelector', 'metadata.name=a b'],
    ['fieldSelector=metadata.name=a', 'fieldSelector', 'metadata.name=a'],
    ['w%61tch=1', 'watch', '1'],
    ['pretty=a+b', 'pretty', 'a b'],
    ['watch=%zz&watch=2', 'watch', '2'],
    ['watch=a;b', 'watch', undefined],
    ['&&watch=1&', 'watch', '1'],
  ];
  it.each(cases)('%s at %s gives %s', (query, name, value) => {
    expect(queryValue(query, name)).toBe(value);
  });
});

it('gives every value in order', () => {
  expect(queryValues('exclude=a&x=1&exclude=b%2Fc&exclude', 'exclude')).toEqual(['a', 'b/c', '']);
});

describe('percentDecode', () => {
  it('refuses a malformed escape', () => {
    expect(percentDecode('/a%2')).toBeUndefined();
    expect(percentDecode('/a%zz')).toBeUndefined();
  });
  it('keeps a plus, which only means a space in a query', () => {
    expect(percentDecode('/a+b%2B')).toBe('/a+b+');
    expect(queryUnescape('a+b%2B')).toBe('a b+');
  });
  it('replaces what is not UTF-8 and keeps the rest', () => {
    expect(percentDecode('é%ff%41')).toBe('é\ufffdA');
  });
});
