import { describe, expect, it } from 'vitest';
import { givenRouted } from '../request/given.fixture.ts';
import { identified, refused, UNKNOWN } from './authenticator.ts';
import {
  BEARER_PROTOCOL_PREFIX as PREFIX,
  websocketProtocolAuthenticator,
} from './bearer-token.ts';

const JANE = identified({ name: 'jane', uid: '', groups: [], extra: {} });
const authenticator = websocketProtocolAuthenticator({
  authenticateToken: (token) => (token === 'good?>' ? JANE : UNKNOWN),
});

function asked(protocols: string | string[] | undefined, isWebSocket = true) {
  const headers = protocols === undefined ? {} : { 'sec-websocket-protocol': protocols };
  return authenticator.authenticate(givenRouted({ headers, isWebSocket }).request);
}

const GOOD = PREFIX + Buffer.from('good?>').toString('base64url');

describe('websocketProtocolAuthenticator', () => {
  it('reads the token from among the protocols', () => {
    expect(asked(`${GOOD}, v4.channel.k8s.io`)).toBe(JANE);
    expect(asked(['binary.k8s.io', GOOD])).toBe(JANE);
  });

  it('reads nothing from a request that is no WebSocket, or without a token', () => {
    expect(asked(`${GOOD}, x`, false)).toEqual(UNKNOWN);
    expect(asked('x')).toEqual(UNKNOWN);
    expect(asked(undefined)).toEqual(UNKNOWN);
    expect(asked(`${PREFIX}, x`)).toEqual(UNKNOWN);
  });

  it.each([
    [GOOD, 'missing additional subprotocol'],
    [`${GOOD}, ${GOOD}, x`, 'multiple base64.bearer.authorization tokens specified'],
    [`${PREFIX}a+b/, x`, 'invalid base64.bearer.authorization token encoding'],
    [`${PREFIX}YQ==, x`, 'invalid base64.bearer.authorization token encoding'],
    [`${PREFIX}YWJjZ, x`, 'invalid base64.bearer.authorization token encoding'],
    [
      `${PREFIX}${Buffer.from([0xff]).toString('base64url')}, x`,
      'invalid base64.bearer.authorization token encoding',
    ],
    [`${PREFIX}${Buffer.from('bad').toString('base64url')}, x`, 'invalid bearer token'],
  ])('refuses %s', (protocols, reason) => {
    expect(asked(protocols)).toEqual(refused(reason));
  });
});
