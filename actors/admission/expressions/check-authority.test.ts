/** What expressions are told of the rights of users, and how often the authorizers are asked for it. */
import { describe, expect, it } from 'vitest';
import {
  ALLOW,
  type Attributes,
  type Decision,
  NO_OPINION,
} from '../../authorization/authorizer.ts';
import { userNamed } from '../../authorization/rbac/given-policy.fixture.ts';
import { AskedDecisions } from './check-authority.ts';

const JANE = userNamed('jane', ['dev']);
const POD = {
  ...{ group: '', resource: 'pods', subresource: 'log', namespace: 'n', name: 'p' },
  ...{ fieldSelector: 'a=b', labelSelector: 'c=d' },
};

function given(answer: (attributes: Attributes) => Decision | Promise<Decision>) {
  const asked: Attributes[] = [];
  const decisions = new AskedDecisions({
    authorize(attributes) {
      asked.push(attributes);
      return answer(attributes);
    },
  });
  return { asked, decisions, authority: decisions.authorityOf(JANE) };
}

const YES = { isAllowed: true, reason: '', error: undefined };

describe('the authority of a user', () => {
  it('is asked of the authorizers, each question once', () => {
    const { asked, authority } = given(() => ALLOW);
    expect(authority.mayDo('get', POD)).toEqual(YES);
    expect(authority.mayDo('get', POD)).toEqual(YES);
    expect(authority.mayReach('post', '/x')).toEqual(YES);
    expect(asked).toMatchObject([
      {
        user: JANE,
        request: {
          ...{ isResourceRequest: true, verb: 'get', apiGroup: '', apiVersion: '*' },
          ...{ resource: 'pods', subresource: 'log', namespace: 'n', name: 'p' },
          ...{ fieldSelector: 'a=b', labelSelector: 'c=d' },
        },
      },
      { user: JANE, request: { isResourceRequest: false, verb: 'post', path: '/x' } },
    ]);
  });

  it('may be that of a service account, which is another question', () => {
    const { asked, authority } = given(() => NO_OPINION);
    const till = authority.ofServiceAccount('shop', 'till');
    expect(till.mayReach('get', '/x')).toEqual({ ...YES, isAllowed: false });
    void authority.mayReach('get', '/x');
    expect(asked.map(({ user }) => user)).toEqual([
      {
        ...{ name: 'system:serviceaccount:shop:till', uid: '', extra: {} },
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop'],
      },
      JANE,
    ]);
  });

  it('tells why it is refused, and what went wrong', () => {
    const error = new Error('down');
    const failing = given(() => ({ verdict: 'noOpinion', reason: 'because', error }));
    expect(failing.authority.mayReach('get', '/')).toEqual({
      ...{ isAllowed: false, reason: 'because', error: 'down' },
    });
    const denied = given(() => ({ verdict: 'deny', reason: '' }));
    expect(denied.authority.mayReach('get', '/')).toEqual({ ...YES, isAllowed: false });
  });
});

describe('an expression', () => {
  it('is evaluated once where every authorizer answers at once', () => {
    const { decisions, authority } = given(() => ALLOW);
    let evaluated = 0;
    const value = decisions.settled(() => {
      evaluated += 1;
      return authority.mayReach('get', '/');
    });
    expect([value, evaluated]).toEqual([YES, 1]);
  });

  it('is evaluated again when an answer has come, as often as it asks for more', async () => {
    const { asked, decisions, authority } = given(({ request }) =>
      Promise.resolve(request.path === '/b' ? NO_OPINION : ALLOW),
    );
    const seen: unknown[] = [];
    const value = await decisions.settled(() => {
      const first = authority.mayReach('get', '/a');
      const second = 'isAllowed' in first ? authority.mayReach('get', '/b') : first;
      seen.push(second);
      return second;
    });
    expect(value).toEqual({ ...YES, isAllowed: false });
    expect([seen.length, asked.length]).toEqual([3, 2]);
  });

  it('is told of an authorizer that fails', async () => {
    const { decisions, authority } = given(() => Promise.reject(new Error('down')));
    const value = await decisions.settled(() => authority.mayReach('get', '/'));
    expect(value).toEqual({ isAllowed: false, reason: '', error: 'down' });
  });

  it('ends however much it asks', async () => {
    const { asked, decisions, authority } = given(() => Promise.resolve(ALLOW));
    await decisions.settled(() => authority.mayReach('get', `/${String(asked.length)}`));
    expect(asked).toHaveLength(65);
  });
});
