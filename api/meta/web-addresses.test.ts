import { describe, expect, it } from 'vitest';

import {
  parseWebAddress,
  percentDecode,
  queryUnescape,
  queryValue,
  queryValues,
} from './web-addresses.ts';

describe('a URL as Go reads it', () => {
  it('has its parts', () => {
    expect(parseWebAddress('HTTPS://jane:x@h.example.com:8443/a/b?c=d#e')).toEqual({
      ok: true,
      address: {
        scheme: 'https',
        host: 'h.example.com:8443',
        user: 'jane:x',
        path: '/a/b',
        query: 'c=d',
        fragment: 'e',
      },
    });
  });

  it.each([
    ['', ''],
    ['/a', ''],
    ['//h/a', 'h'],
    ['mailto:a@b', ''],
    ['https:///a', ''],
    ['https://[::1]:80/', '[::1]:80'],
  ])('%j is at %j', (text, host) => {
    const parsed = parseWebAddress(text);
    expect(parsed.ok && parsed.address.host).toBe(host);
  });

  it.each([
    [':a', 'missing protocol scheme'],
    ['a:b', undefined],
    ['1a:b', 'first path segment in URL cannot contain colon'],
    ['https://h:x/', 'invalid port ":x" after host'],
    ['https://a b/', 'invalid character " " in host name'],
    ['https://[::1/', "missing ']' in host"],
    ['https://h/%zz', 'invalid URL escape "%zz"'],
    ['https://h/\n', 'net/url: invalid control character in URL'],
  ])('%j is wrong: %s', (text, problem) => {
    const parsed = parseWebAddress(text);
    const message = problem === undefined ? true : `parse ${JSON.stringify(text)}: ${problem}`;
    expect(parsed.ok || parsed.message).toBe(message);
  });
});

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
