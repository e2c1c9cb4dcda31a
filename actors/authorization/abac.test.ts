import { describe, expect, it } from 'vitest';
import type { RequestInfo } from '../request/request.ts';
import { abacAuthorizer, parseAbac } from './abac.ts';
import { NO_INFO, userNamed } from './rbac/given-policy.fixture.ts';

function policy(spec: object): string {
  const head = { apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy' };
  return JSON.stringify({ ...head, spec });
}

function authorizer(...lines: string[]) {
  const parsed = parseAbac(lines.join('\n'));
  if (!parsed.ok) throw new Error(parsed.message);
  return abacAuthorizer(parsed.policies);
}

function asks(lines: string[], who: [string, ...string[]], request: Partial<RequestInfo> = {}) {
  const [name, ...groups] = who;
  return authorizer(...lines).authorize({
    user: userNamed(name, groups),
    request: { ...NO_INFO, ...request },
  });
}

const NO = { verdict: 'noOpinion', reason: 'No policy matched.' };
const YES = { verdict: 'allow', reason: '' };
const ALL = { namespace: '*', resource: '*', apiGroup: '*' };

describe('ABAC', () => {
  it('allows what a line says, to whom it says', () => {
    const lines = [policy({ user: 'jane', namespace: 'n', resource: 'pods', apiGroup: '' })];
    expect(asks(lines, ['jane'], { namespace: 'n' })).toEqual(YES);
    expect(asks(lines, ['jane'], { namespace: 'm' })).toEqual(NO);
    expect(asks(lines, ['bob'], { namespace: 'n' })).toEqual(NO);
    expect(asks(lines, ['jane'], { namespace: 'n', resource: 'secrets' })).toEqual(NO);
    expect(asks(lines, ['jane'], { namespace: 'n', apiGroup: 'apps' })).toEqual(NO);
  });

  it('needs both the user and the group where both are named', () => {
    const lines = [policy({ user: 'jane', group: 'dev', ...ALL })];
    expect(asks(lines, ['jane', 'dev'])).toEqual(YES);
    expect(asks(lines, ['jane'])).toEqual(NO);
    expect(asks(lines, ['bob', 'dev'])).toEqual(NO);
    expect(asks([policy(ALL)], ['jane', 'dev'])).toEqual(NO);
  });

  it('lets write where it does not say that it is read-only', () => {
    expect(asks([policy({ user: 'jane', ...ALL })], ['jane'], { verb: 'create' })).toEqual(YES);
  });

  it('allows what one of several lines allows', () => {
    const lines = ['jane', 'bob'].map((user) => policy({ user, ...ALL }));
    expect(asks(lines, ['bob'])).toEqual(YES);
    expect(asks(['{"group":"dev"}'], ['jane', 'dev', 'system:authenticated'])).toEqual(YES);
    expect(asks(['{"group":"dev"}'], ['jane', 'system:authenticated'])).toEqual(NO);
  });

  it('lists what concerns resources and what concerns paths apart', () => {
    const lines = [
      policy({ user: 'jane', ...ALL, resource: 'pods' }),
      policy({ user: 'jane', namespace: '*', nonResourcePath: '/version', readonly: true }),
      policy({ user: 'jane', ...ALL, namespace: 'other', resource: 'secrets' }),
    ];
    expect(authorizer(...lines).rulesFor(userNamed('jane'), 'n')).toEqual({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['pods'], resourceNames: [] }],
      pathRules: [{ verbs: ['get', 'list', 'watch'], nonResourceURLs: ['/version'] }],
      isIncomplete: false,
      problem: '',
    });
  });

  it.each(['{"kind":"Policy","user":"jane"}', '{"apiVersion":"v1","user":"jane"}'])(
    'takes %s for a line without a version',
    (line) => {
      expect(asks([line], ['jane'], { namespace: 'x' })).toEqual(YES);
      expect(asks([line], ['bob'], { namespace: 'x' })).toEqual(NO);
    },
  );

  it('lets only read where it is read-only', () => {
    const lines = [policy({ group: '*', readonly: true, ...ALL })];
    expect(asks(lines, ['jane'], { verb: 'watch' })).toEqual(YES);
    expect(asks(lines, ['jane'], { verb: 'create' })).toEqual(NO);
    expect(authorizer(...lines).rulesFor(userNamed('jane'), 'n')).toMatchObject({
      resourceRules: [{ verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*'] }],
    });
  });

  it('knows paths, also those that end with a star', () => {
    const lines = [policy({ user: '*', nonResourcePath: '/apis*' })];
    const path = { isResourceRequest: false, path: '/apis/apps' };
    expect(asks(lines, ['jane'], path)).toEqual(YES);
    expect(asks(lines, ['jane'], { ...path, path: '/metrics' })).toEqual(NO);
    expect(asks(lines, ['jane'])).toEqual(NO);
  });

  it('takes lines without a version, where what is left out means everything', () => {
    expect(asks(['{"user":"jane"}'], ['jane'], { namespace: 'x', apiGroup: 'y' })).toEqual(YES);
    expect(asks(['{"namespace":"n"}'], ['bob', 'system:authenticated'])).toEqual(NO);
    expect(
      asks(['{"namespace":"n"}'], ['bob', 'system:authenticated'], { namespace: 'n' }),
    ).toEqual(YES);
    expect(asks(['{"user":"*"}'], ['anonymous'])).toEqual(NO);
  });

  it('skips what is no policy, and says which line is wrong', () => {
    expect(parseAbac('# none\n\n')).toEqual({ ok: true, policies: [] });
    expect(parseAbac('\n{')).toMatchObject({ ok: false, line: 2 });
    for (const line of ['7', 'null', '[]', '"jane"']) {
      expect(parseAbac(line)).toEqual({ ok: false, line: 1, message: 'must be an object' });
    }
    const other = { apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Pod' };
    expect(parseAbac(JSON.stringify(other))).toMatchObject({ ok: false });
    expect(parseAbac(policy({ user: 7 }))).toMatchObject({ message: 'user must be a string' });
    expect(parseAbac(policy({ readonly: 'yes' }))).toMatchObject({ ok: false });
    expect(parseAbac('{"apiVersion":"v1","kind":"Pod"}')).toMatchObject({ ok: false, line: 1 });
  });
});
