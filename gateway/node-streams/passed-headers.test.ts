/** That what is about a user or about one connection stays here, and all else passes as it was sent. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { givenReceived } from '../../actors/request/given.fixture.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { headersForBackend, headersForClient } from './passed-headers.ts';

function given(rawHeaders: readonly string[], remoteAddress = '192.0.2.1'): ReceivedRequest {
  return givenReceived({ url: '/', rawHeaders, remoteAddress }).request;
}

const SECRET = 'of one user only';
const NEVER = ['Authorization', 'AUTHORIZATION', 'x-remote-user', 'X-Remote-Uid', 'X-Remote-Group'];
const never = fc.oneof(
  fc.constantFrom(...NEVER, 'Impersonate-User', 'impersonate-group'),
  fc.stringMatching(/^[a-z]{1,8}$/).map((name) => `X-Remote-Extra-${name}`),
  fc.stringMatching(/^[A-Z]{1,8}$/).map((name) => `Impersonate-Extra-${name}`),
);
const plain = fc.stringMatching(/^x-kept-[a-z]{1,8}$/);

describe('the headers of a request', () => {
  it('leave without any that says which user it is, wherever it stands', () => {
    const header = fc.oneof(
      never.map((name) => [name, SECRET]),
      plain.map((name) => [name, 'shown']),
    );
    fc.assert(
      fc.property(fc.array(header), fc.boolean(), (headers, isUpgrade) => {
        const passed = headersForBackend(given(['host', 'a', ...headers.flat()]), isUpgrade);
        expect(passed).not.toContain(SECRET);
        const kept = headers.filter(([name = '']) => name.startsWith('x-kept')).flat();
        expect(passed).toEqual(['Host', 'a', ...kept, 'X-Forwarded-For', '192.0.2.1']);
      }),
    );
  });

  it('that a filter has forgotten stay behind', () => {
    const request = given(['host', 'a', 'X-Token', SECRET, 'Other', '1']);
    request.forgetHeader('x-token');
    expect(headersForBackend(request, false)).not.toContain(SECRET);
  });

  it('about the connection pass with an upgrade alone, without a token among the protocols', () => {
    const protocols = 'base64url.bearer.authorization.k8s.io.c2VjcmV0, v5.channel.k8s.io';
    const request = given([
      ...['Host', 'a', 'Connection', 'Upgrade, X-Mine', 'X-Mine', '1', 'Upgrade', 'websocket'],
      ...['Sec-WebSocket-Protocol', protocols, 'TE', 'trailers', 'X-Forwarded-For', '198.51.100.1'],
    ]);
    const forwarded = ['X-Forwarded-For', '198.51.100.1, 192.0.2.1'];
    expect(headersForBackend(request, false)).toEqual([
      ...['Host', 'a', 'Sec-WebSocket-Protocol', protocols, 'TE', 'trailers', ...forwarded],
    ]);
    expect(headersForBackend(request, true)).toEqual([
      ...['Host', 'a', 'Connection', 'Upgrade, X-Mine', 'X-Mine', '1', 'Upgrade', 'websocket'],
      ...['Sec-WebSocket-Protocol', 'v5.channel.k8s.io', 'TE', 'trailers', ...forwarded],
    ]);
  });

  it('of HTTP/2 become those of HTTP/1.1', () => {
    const request = given([':authority', 'a:1', ':path', '/', 'cookie', 'x=1', 'cookie', 'y=2']);
    expect(headersForBackend(request, false)).toEqual([
      ...['Host', 'a:1', 'Cookie', 'x=1; y=2', 'X-Forwarded-For', '192.0.2.1'],
    ]);
  });
});

describe('the headers of an answer', () => {
  it('stand behind our own, without those of the connection and of CORS', () => {
    const request = given(['host', 'a']);
    request.responseHeaders['Cache-Control'] = 'no-cache, private';
    const raw = [
      ...[
        'Content-Type',
        'a/b',
        'Set-Cookie',
        'x',
        'set-cookie',
        'y',
        'cache-control',
        'max-age=1',
      ],
      ...[
        'Access-Control-Allow-Origin',
        '*',
        'Connection',
        'X-Hop',
        'X-Hop',
        '1',
        'Upgrade',
        'h2c',
      ],
      ...['Transfer-Encoding', 'chunked', '__proto__', 'z'],
    ];
    expect(Object.entries(headersForClient(request, raw))).toEqual([
      ['content-type', 'a/b'],
      ['set-cookie', ['x', 'y']],
      ['Cache-Control', ['no-cache, private', 'max-age=1']],
      ['__proto__', 'z'],
    ]);
  });

  it('let no script of a backend stand in front of other paths', () => {
    const raw = ['Content-Type', 'text/javascript', 'Service-Worker-Allowed', '/'];
    expect(headersForClient(given(['host', 'a']), raw)).toEqual({
      'content-type': 'text/javascript',
    });
  });
});
