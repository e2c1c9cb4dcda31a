import { describe, expect, it } from 'vitest';

import { resourceVersion } from '../../streams/resource-version.ts';
import { formatContinueToken, parseContinueToken, type ContinueToken } from './continue-token.ts';

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

describe('a continue token', () => {
  it.each<ContinueToken>([
    { version: resourceVersion(7), after: 'ns/a', since: 1_000 },
    { version: undefined, after: '/näme', since: 0 },
    { version: resourceVersion(Number.MAX_SAFE_INTEGER), after: 'a/b', since: 2 ** 41 },
  ])('says the same behind the wire: %j', (token) => {
    expect(parseContinueToken(formatContinueToken(token))).toEqual(token);
  });

  it('is safe in a URL', () => {
    const token = { version: resourceVersion(1), after: 'ns/???>>>~~~', since: 0 };
    expect(formatContinueToken(token)).toMatch(/^[\w-]+$/);
  });

  it('without a time is as old as can be', () => {
    const text = encoded({ v: 'meta.k8s.io/v1', rv: 7, start: 'ns/a\0' });
    expect(parseContinueToken(text)).toEqual({ version: 7, after: 'ns/a', since: 0 });
  });

  const version = ': incorrect encoded start resourceVersion (version meta.k8s.io/v1)';
  it.each<[string, string]>([
    ['', ': unexpected end of JSON input'],
    ['!!!', ': illegal base64 data at input byte 0'],
    ['ab+c', ': illegal base64 data at input byte 2'],
    ['x', ': illegal base64 data at input byte 0'],
    ['e30=', ': illegal base64 data at input byte 3'],
    [encoded('{').slice(0, 3), ': unexpected end of JSON input'],
    [encoded(null), ': server does not recognize this encoded version '],
    [encoded(5), ': json: cannot unmarshal number into Go value of type storage.continueToken'],
    [encoded([]), ': json: cannot unmarshal array into Go value of type storage.continueToken'],
    [encoded({}), ': server does not recognize this encoded version '],
    [encoded({ v: 'v2' }), ': server does not recognize this encoded version v2'],
    [encoded({ v: 'meta.k8s.io/v1', rv: 0, start: 'a\0' }), version],
    [encoded({ v: 'meta.k8s.io/v1', rv: -2, start: 'a\0' }), version],
    [
      encoded({ v: 'meta.k8s.io/v1', rv: '7', start: 'a\0' }),
      ': json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
    ],
    [encoded({ v: 'meta.k8s.io/v1', rv: 1.5, start: 'a\0' }), version],
    [
      encoded({ v: 'meta.k8s.io/v1', rv: 7, start: '' }),
      ': encoded start key empty (version meta.k8s.io/v1)',
    ],
    [encoded({ v: 'meta.k8s.io/v1', rv: 7 }), ': encoded start key empty (version meta.k8s.io/v1)'],
  ])('that is none is refused: %s', (text, problem) => {
    expect(parseContinueToken(text)).toBe(`continue key is not valid${problem}`);
  });
});
