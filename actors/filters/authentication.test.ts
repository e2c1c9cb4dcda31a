import { describe, expect, it } from 'vitest';
import type { Behavior, Ref } from '../request/actor.ts';
import {
  identified,
  UNKNOWN,
  type Authentication,
  type Authenticator,
} from '../authentication/authenticator.ts';
import {
  givenRouted,
  testClock,
  testFaults,
  testLogger,
  sendThrough,
  sendThroughAndWait,
} from '../request/given.fixture.ts';
import type { AuthenticatedRequest, RoutedRequest } from '../request/request.ts';
import { authentication } from './authentication.ts';

const JANE = { name: 'jane', uid: '1', groups: ['dev'], extra: {} };

function given(answer: Authentication | Promise<Authentication> | Error) {
  const logger = testLogger();
  const counted: string[] = [];
  const authenticationMeters = {
    authenticated: (...all: readonly unknown[]) => void counted.push(all.join(' ')),
  };
  const authenticator: Authenticator = {
    authenticate() {
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const filter = (next: Ref<AuthenticatedRequest>): Behavior<RoutedRequest> =>
    authentication(
      {
        authenticator,
        logger,
        faults: testFaults(),
        limitsUnknown: true,
        clock: testClock(),
        authenticationMeters,
      },
      next,
    );
  return { logger, filter, counted };
}

describe('authentication', () => {
  it('passes on a user that is known', () => {
    const { filter, counted } = given(identified(JANE));
    expect(sendThrough(givenRouted(), filter).passedOn[0]?.user).toEqual(JANE);
    expect(counted).toEqual(['success jane 0']);
  });

  it('waits for an authenticator that has to ask', async () => {
    const { filter } = given(Promise.resolve(identified(JANE)));
    const { passedOn } = await sendThroughAndWait(givenRouted(), filter);
    expect(passedOn[0]?.user).toEqual(JANE);
  });

  it('answers 401 to the unknown', () => {
    const { filter, counted } = given(UNKNOWN);
    const { code, message, passedOn } = sendThrough(givenRouted(), filter);
    expect([code, message, passedOn]).toEqual([401, 'Unauthorized', []]);
    expect(counted).toEqual(['failure  0']);
  });

  it('keeps the reason of a refusal in the log', () => {
    const annotations = { 'example.org/why': 'stale' };
    const { filter, logger, counted } = given({
      verdict: 'refused',
      reason: 'token is stale',
      annotations,
    });
    const routed = givenRouted();
    const { code, message } = sendThrough(routed, filter);
    expect([code, message]).toEqual([401, 'Unauthorized']);
    expect([...routed.request.annotations]).toEqual(Object.entries(annotations));
    expect(counted).toEqual(['error  0']);
    expect(logger.lines).toMatchObject([{ fields: { reason: 'token is stale' } }]);
  });

  it('answers 401 where the one asked did not answer', async () => {
    const { filter } = given(Promise.reject(new Error('webhook is down')));
    expect((await sendThroughAndWait(givenRouted(), filter)).code).toBe(401);
  });

  it('answers 500 where an authenticator throws', () => {
    const { filter } = given(new Error('bug'));
    expect(sendThrough(givenRouted(), filter).code).toBe(500);
  });

  const anonymous = identified({ ...JANE, name: 'system:anonymous' });
  it.each([
    ['the unknown', UNKNOWN, 'close'],
    ['the anonymous', anonymous, 'close'],
    ['a known user', identified(JANE), undefined],
  ])('gives %s so many answers of a connection of HTTP/2', (_who, answer, expected) => {
    const { filter } = given(answer);
    const overHttp2 = givenRouted({ headers: { ':method': 'GET' } });
    sendThrough(overHttp2, filter);
    expect(overHttp2.request.responseHeaders['Connection']).toBe(expected);
    const overHttp1 = givenRouted();
    sendThrough(overHttp1, filter);
    expect(overHttp1.request.responseHeaders['Connection']).toBeUndefined();
  });

  it('lets a browser load the whole page over one connection', () => {
    const { filter } = given(anonymous);
    const close = (url: string, headers = { ':method': 'GET' }): unknown => {
      const routed = givenRouted({ url, headers });
      sendThrough(routed, filter);
      return routed.request.responseHeaders['Connection'];
    };
    expect(close('/everwatch/')).toBeUndefined();
    expect(close('/everwatch/assets/page.js')).toBeUndefined();
    expect(close('/everwatch/v1/status')).toBe('close');
    expect(close('/forks/mine/everwatch/')).toBe('close');
  });
});
