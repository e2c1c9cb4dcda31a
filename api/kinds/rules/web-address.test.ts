import { describe, expect, it } from 'vitest';
import { parseWebAddress } from './web-address.ts';

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
