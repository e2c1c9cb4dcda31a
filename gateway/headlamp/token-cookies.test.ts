import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sentCookies, tokenCookies } from './token-cookies.ts';

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';

/** What a browser sends back to a path, with what it has besides. */
function kept(set: readonly string[], path: string, others: readonly string[] = []): string {
  const own = set.filter((one) => one.includes(`Path=${path};`) && !one.includes('Max-Age=0'));
  return [...others, ...own.map((one) => one.split(';', 1)[0] ?? '')].join('; ');
}

describe('the cookies of a token', () => {
  it.each(['/everwatch/headlamp/clusters', '/everwatch/headlamp/wsMultiplexer'])(
    'are sent to %s, and give the token back, however long it is',
    (path) => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 30_000 }), (length) => {
          const token = 'ab.-_~+/'.repeat(length).slice(0, length);
          const sent = kept(tokenCookies(token) ?? [], path, ['theme=dark']);
          return sentCookies([sent]).token === token;
        }),
        { numRuns: 30 },
      );
    },
  );

  it('are out of reach of scripts and of other sites, and go over TLS only', () => {
    for (const cookie of tokenCookies(TOKEN) ?? []) {
      expect(cookie).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
    }
  });

  it('leave nothing of a longer one behind', () => {
    const paths = (tokenCookies('x'.repeat(30_000)) ?? []).map((one) => one.split('=', 1)[0]);
    const forgotten = (tokenCookies('') ?? []).filter((one) => one.includes('Max-Age=0'));
    expect(forgotten.map((one) => one.split('=', 1)[0])).toEqual(paths);
  });

  it.each(['a b', 'a;Path=/', 'a\r\nSet-Cookie: b=c', 'ä', 'x'.repeat(40_000)])(
    'hold nothing but tokens: %s',
    (text) => {
      expect(tokenCookies(text)).toBeUndefined();
    },
  );
});

describe('what a browser sent', () => {
  it('is put together from several headers, and others are left as they are', () => {
    const sent = ['a=1; headlamp-auth-everwatch.1=def', 'headlamp-auth-everwatch.0=abc', 'b="2"'];
    expect(sentCookies(sent)).toEqual({ token: 'abcdef', others: 'a=1; b="2"' });
  });

  it('is no token where it is of another cluster, or could not be one', () => {
    expect(sentCookies(['headlamp-auth-other.0=abc']).token).toBeUndefined();
    expect(sentCookies(['headlamp-auth-everwatch.0=a b']).token).toBeUndefined();
    expect(sentCookies(['headlamp-auth-everwatch.0']).token).toBeUndefined();
    expect(sentCookies([]).token).toBeUndefined();
  });
});
