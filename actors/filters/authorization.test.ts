import { describe, expect, it } from 'vitest';
import type { Behavior, Ref } from '../request/actor.ts';
import type { AuthorizationResult } from '../authorization/authorization-meters.ts';
import { ALLOW, type Authorizer, type Decision, undecided } from '../authorization/authorizer.ts';
import {
  givenAuthenticated,
  testClock,
  testFaults,
  sendThrough,
  sendThroughAndWait,
} from '../request/given.fixture.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import { authorization } from './authorization.ts';

const NO: Decision = { verdict: 'noOpinion', reason: '' };

function filter(answer: Decision | Promise<Decision> | Error) {
  const authorizer: Authorizer = {
    authorize() {
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return (next: Ref<AuthenticatedRequest>): Behavior<AuthenticatedRequest> =>
    authorization({ authorizer, clock: testClock(), faults: testFaults() }, next);
}

describe('authorization', () => {
  it.each<[AuthorizationResult, Decision]>([
    ['allowed', ALLOW],
    ['denied', { verdict: 'deny', reason: '' }],
    ['no-opinion', NO],
    ['error', undecided(new Error('broken'))],
  ])('is counted as %s', async (result, decision) => {
    const clock = testClock();
    for (const [answer, tookMs] of [
      [() => decision, 0],
      [() => Promise.resolve().then(() => (clock.advance(40), decision)), 40],
    ] as const) {
      const counted: [AuthorizationResult, number][] = [];
      const authorizationMeters = {
        authorized: (...what: [AuthorizationResult, number]) => void counted.push(what),
      };
      const parts = { authorizer: { authorize: answer }, clock, faults: testFaults() };
      const counting = (next: Ref<AuthenticatedRequest>): Behavior<AuthenticatedRequest> =>
        authorization({ ...parts, authorizationMeters }, next);
      await sendThroughAndWait(givenAuthenticated(), counting);
      expect(counted).toEqual([[result, tookMs]]);
    }
  });

  it('passes on what is allowed', () => {
    const given = givenAuthenticated();
    expect(sendThrough(given, filter(ALLOW)).passedOn).toEqual([given.request]);
  });

  it('waits for an authorizer that has to ask', async () => {
    const { passedOn } = await sendThroughAndWait(
      givenAuthenticated(),
      filter(Promise.resolve(ALLOW)),
    );
    expect(passedOn).toHaveLength(1);
  });

  it('knows how long that took, and nothing of one that decides at once', async () => {
    const clock = testClock();
    const slow = () =>
      Promise.resolve().then(() => {
        clock.advance(40);
        return ALLOW;
      });
    for (const [authorize, layers] of [
      [slow, [['authorization', 40]]],
      [() => ALLOW, []],
    ] as const) {
      const given = givenAuthenticated();
      const slowFilter = (next: Ref<AuthenticatedRequest>): Behavior<AuthenticatedRequest> =>
        authorization({ authorizer: { authorize }, clock, faults: testFaults() }, next);
      await sendThroughAndWait(given, slowFilter);
      expect([...given.request.layers]).toEqual(layers);
    }
  });

  it.each([
    [
      '/api/v1/namespaces/n/pods/a',
      'pods "a" is forbidden: User "jane" cannot get resource "pods" in API group "" ' +
        'in the namespace "n"',
    ],
    [
      '/apis/apps/v1/deployments',
      'deployments.apps is forbidden: User "jane" cannot list resource "deployments" ' +
        'in API group "apps" at the cluster scope',
    ],
    [
      '/api/v1/namespaces/n/pods/a/status',
      'pods "a" is forbidden: User "jane" cannot get resource "pods/status" in API group "" ' +
        'in the namespace "n"',
    ],
    ['/healthz', 'forbidden: User "jane" cannot get path "/healthz"'],
    ['/a<b', 'forbidden: User "jane" cannot get path "/a&lt;b"'],
  ])('says in upstream’s words that %s is forbidden', (url, sentence) => {
    const given = givenAuthenticated({ url });
    const { code, message, passedOn } = sendThrough(given, filter(NO));
    expect([code, message, passedOn]).toEqual([403, sentence, []]);
    // What the client sent stands in the sentence: no browser may take it for a page.
    expect(given.request.responseHeaders['X-Content-Type-Options']).toBe('nosniff');
  });

  it('puts the reason behind the sentence', () => {
    const deny: Decision = { verdict: 'deny', reason: 'Everything is forbidden.' };
    const { message } = sendThrough(givenAuthenticated({ url: '/x' }), filter(deny));
    expect(message).toBe('forbidden: User "jane" cannot get path "/x": Everything is forbidden.');
  });

  it.each([
    [{ verdict: 'allow', reason: 'RBAC: allowed by x' }, 'allow', 'RBAC: allowed by x'],
    [{ verdict: 'noOpinion', reason: 'none' }, 'forbid', 'none'],
    [undecided(new Error('down')), undefined, 'internal error'],
  ] as [Decision, string | undefined, string][])(
    'leaves word of %j for the record of audit',
    (decision, said, reason) => {
      const given = givenAuthenticated();
      sendThrough(given, filter(decision));
      const { annotations } = given.request;
      expect(annotations.get('authorization.k8s.io/decision')).toBe(said);
      expect(annotations.get('authorization.k8s.io/reason')).toBe(reason);
    },
  );

  it('answers 500 where the decision failed', async () => {
    expect(sendThrough(givenAuthenticated(), filter(undecided(new Error('rbac broke')))).code).toBe(
      500,
    );
    const rejected = Promise.reject<Decision>(new Error('webhook is down'));
    expect((await sendThroughAndWait(givenAuthenticated(), filter(rejected))).code).toBe(500);
  });

  it('answers 500 where an authorizer throws', () => {
    expect(sendThrough(givenAuthenticated(), filter(new Error('bug'))).code).toBe(500);
  });
});

describe('a request that needs more than one right', () => {
  const SECRETS = '/everwatch/v1/log?resource=core/secrets';

  /** Allows what is named by its path or resource, at once or later. */
  function allowing(names: readonly string[], isLate: boolean) {
    const asked: string[] = [];
    const authorizer: Authorizer = {
      authorize({ request: { isResourceRequest, path, resource } }) {
        const name = isResourceRequest ? resource : path;
        asked.push(name);
        const decision = names.includes(name) ? ALLOW : NO;
        return isLate ? Promise.resolve(decision) : decision;
      },
    };
    const parts = { authorizer, clock: testClock(), faults: testFaults() };
    const strict = (next: Ref<AuthenticatedRequest>): Behavior<AuthenticatedRequest> =>
      authorization(parts, next);
    return { asked, strict };
  }

  const RIGHTS = ['/everwatch/v1/log', 'logs', 'secrets'];

  it.each([false, true])('is passed on with all of them (late: %s)', async (isLate) => {
    const { asked, strict } = allowing(RIGHTS, isLate);
    const { passedOn } = await sendThroughAndWait(givenAuthenticated({ url: SECRETS }), strict);
    expect([passedOn.length, asked]).toEqual([1, RIGHTS]);
  });

  it.each([
    [[], 'forbidden: User "jane" cannot get path "/everwatch/v1/log"'],
    [
      RIGHTS.slice(0, 1),
      'logs.dev.everwatch is forbidden: User "jane" cannot get resource "logs" in API group ' +
        '"dev.everwatch" at the cluster scope',
    ],
    [
      RIGHTS.slice(0, 2),
      'secrets is forbidden: User "jane" cannot list resource "secrets" in API group "" at the ' +
        'cluster scope',
    ],
  ])('is refused by the first that lacks behind %j', async (rights, sentence) => {
    for (const isLate of [false, true]) {
      const { asked, strict } = allowing(rights, isLate);
      const found = await sendThroughAndWait(givenAuthenticated({ url: SECRETS }), strict);
      expect([found.code, found.message, found.passedOn]).toEqual([403, sentence, []]);
      expect(asked).toEqual(RIGHTS.slice(0, rights.length + 1));
    }
  });

  it.each([
    ['/forks/a/version', ['/version'], ['', '']],
    ['/forks/a/version', ['/version', 'forks'], ['a', '']],
    ['/at/999999/version', ['/version'], ['', '']],
    ['/at/999999/version', ['/version', 'logs'], ['', '999999']],
    // Both or none: a moment of the main control plane is another one.
    ['/forks/a/at/5/version', ['/version', 'forks'], ['', '']],
    ['/forks/a/at/5/version', ['/version', 'logs'], ['', '']],
    ['/forks/a/at/5/version', ['/version', 'forks', 'logs'], ['a', '5']],
    ['/forks/a/api/v1/secrets', ['secrets'], ['a', '']],
  ])('%s of a user with %j is for this place', async (url, rights, [fork, at]) => {
    for (const isLate of [false, true]) {
      const { strict } = allowing(rights, isLate);
      const { passedOn } = await sendThroughAndWait(givenAuthenticated({ url }), strict);
      expect(passedOn[0]?.info).toMatchObject({ fork, at });
    }
  });

  it('is answered when an authorizer throws at a later one', async () => {
    const authorizer: Authorizer = {
      authorize({ request: { resource } }) {
        if (resource === 'logs') throw new Error('broken');
        return Promise.resolve(ALLOW);
      },
    };
    const parts = { authorizer, clock: testClock(), faults: testFaults() };
    const broken = (next: Ref<AuthenticatedRequest>): Behavior<AuthenticatedRequest> =>
      authorization(parts, next);
    for (const url of [SECRETS, '/at/5/version']) {
      const found = await sendThroughAndWait(givenAuthenticated({ url }), broken);
      expect([found.code, found.passedOn]).toEqual([500, []]);
    }
  });
});
