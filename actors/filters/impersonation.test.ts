import { describe, expect, it } from 'vitest';
import type { Behavior, Ref } from '../request/actor.ts';
import { NODE_NAME } from '../authentication/extra-keys.ts';
import {
  ALLOW,
  type Attributes,
  type Authorizer,
  type Decision,
  NO_OPINION,
  undecided,
} from '../authorization/authorizer.ts';
import {
  givenAuthenticated,
  testClock,
  testFaults,
  sendThrough,
  sendThroughAndWait,
} from '../request/given.fixture.ts';
import type { IncomingHeaders } from '../request/request-line.ts';
import type { AuthenticatedRequest, UserInfo } from '../request/request.ts';
import { impersonation } from './impersonation.ts';

/** `verb group/resource[/sub] namespace/name` */
function spelled({ request }: Attributes): string {
  const { verb, apiGroup, resource, subresource, namespace, name } = request;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  return `${verb} ${apiGroup}/${what} ${namespace}/${name}`;
}

type Rule = (asked: string, attributes: Attributes) => boolean;

function filter(rule: Rule, asked: string[] = [], later = false) {
  const authorizer = {
    authorize(attributes: Attributes): Decision | Promise<Decision> {
      const question = spelled(attributes);
      asked.push(question);
      const decision = rule(question, attributes) ? ALLOW : NO_OPINION;
      return later ? Promise.resolve(decision) : decision;
    },
  };
  return asking(authorizer);
}

/** What was counted, last first. */
const counted: string[] = [];
const count =
  (what: string) =>
  (mode: string, isAllowed: boolean): void =>
    void counted.unshift([what, mode, isAllowed ? 'allowed' : 'denied'].join(' '));
const authenticationMeters = { attempted: count('attempt'), asked: count('check') };

function asking(authorizer: Authorizer, isConstrained = true) {
  return (next: Ref<AuthenticatedRequest>): Behavior<AuthenticatedRequest> =>
    impersonation(
      {
        ...{ authorizer, faults: testFaults(), clock: testClock() },
        ...{ authenticationMeters, isConstrained },
      },
      next,
    );
}

function sent(headers: IncomingHeaders, user: Partial<UserInfo> = {}) {
  return givenAuthenticated({ url: '/api/v1/namespaces/n/pods', headers }, user);
}

const PLAIN: Rule = (asked) => asked.startsWith('impersonate ');

describe('impersonation', () => {
  it('passes on a request for no other user', async () => {
    const asked: string[] = [];
    const given = sent({ accept: '*/*' });
    expect(
      (
        await sendThroughAndWait(
          given,
          filter(() => false, asked),
        )
      ).passedOn,
    ).toEqual([given.request]);
    expect([asked, given.request.impersonator]).toEqual([[], undefined]);
  });

  it('lets a user act as another that may, with all that was asked for, and forgets the headers', async () => {
    const asked: string[] = [];
    const headers = {
      'impersonate-user': 'omar',
      'impersonate-uid': '7',
      'impersonate-group': ['ops', 'dev'],
      'impersonate-extra-example.org%2fscopes': ['a', 'b'],
      accept: '*/*',
    };
    const { request, answers } = sent(headers);
    expect((await sendThroughAndWait({ request, answers }, filter(PLAIN, asked))).passedOn).toEqual(
      [request],
    );
    expect(request.user).toEqual({
      name: 'omar',
      uid: '7',
      groups: ['ops', 'dev', 'system:authenticated'],
      extra: { 'example.org/scopes': ['a', 'b'] },
    });
    expect(request.impersonator?.name).toBe('jane');
    expect(request.impersonationConstraint).toBe('');
    expect(asked.slice(1)).toEqual([
      'impersonate /users /omar',
      'impersonate authentication.k8s.io/uids /7',
      'impersonate /groups /ops',
      'impersonate /groups /dev',
      'impersonate authentication.k8s.io/userextras/example.org/scopes /a',
      'impersonate authentication.k8s.io/userextras/example.org/scopes /b',
    ]);
    const left = Object.entries(request.headers).filter(([, value]) => value !== undefined);
    expect(left).toEqual([['accept', '*/*']]);
  });

  it('counts how often it was asked for, in which way, and what was asked about it', async () => {
    counted.length = 0;
    await sendThroughAndWait(sent({ 'impersonate-user': 'omar' }), filter(PLAIN));
    expect(counted).toEqual([
      'attempt legacy allowed',
      'check legacy allowed',
      'check user-info denied',
    ]);
    counted.length = 0;
    await sendThroughAndWait(
      sent({ 'impersonate-user': 'omar' }),
      filter(() => false),
    );
    expect(counted).toEqual(['attempt  denied', 'check legacy denied', 'check user-info denied']);
  });

  it('gives a service account its groups', async () => {
    const given = sent({ 'impersonate-user': 'system:serviceaccount:shop:till' });
    const asked: string[] = [];
    await sendThroughAndWait(given, filter(PLAIN, asked));
    expect(given.request.user.groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:shop',
      'system:authenticated',
    ]);
    expect(asked.at(-1)).toBe('impersonate /serviceaccounts shop/till');
  });

  it.each([
    ['system:anonymous', [], ['system:unauthenticated']],
    ['omar', ['system:unauthenticated'], ['system:unauthenticated']],
    ['omar', ['system:authenticated'], ['system:authenticated']],
  ])('puts %s of %j into %j', async (name, groups, expected) => {
    const given = sent({ 'impersonate-user': name, 'impersonate-group': groups });
    await sendThroughAndWait(given, filter(PLAIN));
    expect(given.request.user.groups).toEqual(expected);
  });

  it('knows the plain way only where the others are switched off', async () => {
    const asked: string[] = [];
    const authorizer: Authorizer = {
      authorize(attributes) {
        asked.push(spelled(attributes));
        return NO_OPINION;
      },
    };
    const { code } = await sendThroughAndWait(
      sent({ 'impersonate-user': 'omar' }),
      asking(authorizer, false),
    );
    expect([code, asked]).toEqual([403, ['impersonate /users /omar']]);
  });

  it('says in upstream’s words what is forbidden, of the narrowest way that was tried', async () => {
    const given = sent({ 'impersonate-user': 'omar' });
    const { code, message, passedOn } = await sendThroughAndWait(
      given,
      filter(() => false),
    );
    expect([code, passedOn]).toEqual([403, []]);
    expect(given.request.responseHeaders['X-Content-Type-Options']).toBe('nosniff');
    expect(message).toBe(
      'pods is forbidden: User "jane" cannot impersonate-on:user-info:list resource "pods" in ' +
        'API group "" in the namespace "n"',
    );
  });

  it('says it of the plain way once that was good for the user', async () => {
    const modes = filter((asked) => asked === 'impersonate /users /omar');
    const answers: string[] = [];
    const behavior = modes({ send: () => undefined });
    for (const name of ['omar', 'root']) {
      const given = sent({ 'impersonate-user': name });
      answers.push((await sendThroughAndWait(given, () => behavior)).message);
    }
    expect(answers).toEqual([
      '',
      'users "root" is forbidden: User "jane" cannot impersonate resource "users" in API group ' +
        '"" at the cluster scope',
    ]);
  });

  it.each([
    [
      { 'impersonate-group': ['a', 'b"'] },
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a", "b\\""}, ' +
        'Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      { 'impersonate-uid': '7' },
      'requested &user.DefaultInfo{Name:"", UID:"7", Groups:[]string(nil), ' +
        'Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      { 'impersonate-extra-b': 'x', 'impersonate-extra-__proto__': ['y', 'z'] },
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string(nil), ' +
        'Extra:map[string][]string{"__proto__":[]string{"y", "z"}, "b":[]string{"x"}}} ' +
        'without impersonating a user name',
    ],
  ])('wants a name beside %j', async (headers, sentence) => {
    const { code, message } = await sendThroughAndWait(
      sent(headers),
      filter(() => true),
    );
    expect([code, message]).toEqual([400, sentence]);
  });

  it('waits for an authorizer that has to ask', async () => {
    const given = sent({ 'impersonate-user': 'omar', 'impersonate-group': 'ops' });
    const { passedOn } = sendThrough(given, filter(PLAIN, [], true));
    expect(passedOn).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(passedOn).toHaveLength(1);
  });

  it('answers 403 where the authorizer failed, with what it said', async () => {
    const authorizer = { authorize: () => Promise.reject<Decision>(new Error('webhook is down')) };
    const { code, message } = await sendThroughAndWait(
      sent({ 'impersonate-user': 'omar' }),
      asking(authorizer),
    );
    expect(code).toBe(403);
    expect(message).toMatch(/in the namespace "n": webhook is down$/);
    const both = undecided(new Error('e'));
    const says = { authorize: () => ({ ...both, reason: 'r' }) };
    const said = await sendThroughAndWait(sent({ 'impersonate-user': 'omar' }), asking(says));
    expect(said.message).toMatch(/: e: r$/);
  });
});

describe('constrained impersonation', () => {
  const PODS = '/pods n/';
  const node = 'system:node:n1';

  it.each([
    ['user-info', 'omar', ['users /omar'], ['system:authenticated']],
    ['arbitrary-node', node, ['nodes /n1'], ['system:nodes', 'system:authenticated']],
    [
      'serviceaccount',
      'system:serviceaccount:a:b',
      ['serviceaccounts a/b'],
      ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
    ],
  ])('as %s asks for both verbs', async (mode, name, checks, groups) => {
    const wants = [
      `impersonate-on:${mode}:list ${PODS}`,
      ...checks.map((check) => `impersonate:${mode} authentication.k8s.io/${check}`),
    ];
    const asked: string[] = [];
    const given = sent({ 'impersonate-user': name });
    await sendThroughAndWait(
      given,
      filter((one) => wants.includes(one), asked),
    );
    expect(asked).toEqual(wants);
    expect(given.request.user.groups).toEqual(groups);
    expect(given.request.impersonationConstraint).toBe(`impersonate:${mode}`);
  });

  it.each([
    ['arbitrary-node', node, { 'impersonate-uid': '7' }],
    ['arbitrary-node', node, { 'impersonate-group': 'system:masters' }],
    ['arbitrary-node', node, { 'impersonate-extra-a.b%2fc': 'x' }],
    ['serviceaccount', 'system:serviceaccount:a:b', { 'impersonate-group': 'system:masters' }],
  ])('as %s allows the name alone: not %s with %j', async (mode, name, more) => {
    const rule: Rule = (asked) => asked.includes(mode);
    const given = sent({ 'impersonate-user': name, ...more });
    expect((await sendThroughAndWait(given, filter(rule))).code).toBe(403);
    expect(
      (await sendThroughAndWait(sent({ 'impersonate-user': name }), filter(rule))).passedOn,
    ).toHaveLength(1);
  });

  it('lets a pod be the node it runs on, asked for all nodes and without the values', async () => {
    const seen: unknown[] = [];
    const account = { name: 'system:serviceaccount:a:b', extra: { [NODE_NAME]: ['n1'] } };
    const mode = filter((asked, { user }) => {
      seen.push(user.extra);
      return asked.includes('associated-node');
    });
    const given = sent({ 'impersonate-user': node }, account);
    expect((await sendThroughAndWait(given, mode)).passedOn).toHaveLength(1);
    expect(seen[0]).toEqual({ 'authentication.kubernetes.io/associated-node-keys': [NODE_NAME] });
    expect(given.request.impersonationConstraint).toBe('impersonate:associated-node');
    const other = sent({ 'impersonate-user': 'system:node:n2' }, account);
    expect((await sendThroughAndWait(other, mode)).code).toBe(403);
    const more = sent({ 'impersonate-user': node, 'impersonate-group': 'other' }, account);
    expect((await sendThroughAndWait(more, mode)).code).toBe(403);
    const onlyOn: string[] = [];
    const half = filter((asked) => asked.startsWith('impersonate-on:associated'), onlyOn);
    expect(
      (await sendThroughAndWait(sent({ 'impersonate-user': node }, account), half)).message,
    ).toBe(
      'nodes.authentication.k8s.io "*" is forbidden: User "system:serviceaccount:a:b" cannot ' +
        'impersonate:associated-node resource "nodes" in API group "authentication.k8s.io" ' +
        'at the cluster scope',
    );
  });

  it.each([
    [{ 'impersonate-group': ['a', ''] }, 'impersonating the empty string group is not allowed'],
    [
      { 'impersonate-group': 'system:masters' },
      'impersonating the system:masters group is not allowed',
    ],
    [{ 'impersonate-extra-': 'a' }, 'impersonating the empty string key in extra is not allowed'],
    [
      { 'impersonate-extra-a.b%2f%43': 'a' },
      'impersonating a non-lowercase key in extra is not allowed: "a.b/C"',
    ],
    [
      { 'impersonate-extra-a.b%2fc': '' },
      'impersonating the empty string value in extra is not allowed',
    ],
    [
      { 'impersonate-extra-a': 'x' },
      'impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "a": ' +
        'must be a domain-prefixed path (such as "acme.io/foo")',
    ],
  ])('refuses %j', async (headers, why) => {
    const rule: Rule = (asked) => asked.includes('user-info');
    const { code, message } = await sendThroughAndWait(
      sent({ 'impersonate-user': 'omar', ...headers }),
      filter(rule),
    );
    expect(code).toBe(403);
    expect(message.endsWith(`at the cluster scope: ${why}`)).toBe(true);
  });

  it('asks once for all where there are many groups or values, and else for each', async () => {
    const many = { 'impersonate-user': 'omar', 'impersonate-group': ['a', 'b', 'c', 'd'] };
    const extra = { 'impersonate-extra-x.y%2fz': ['1', '2', '3', '4'] };
    const asked: string[] = [];
    await sendThroughAndWait(
      sent({ ...many, ...extra }),
      filter((one) => one.includes('user-info') && !one.includes('groups /*'), asked),
    );
    expect(asked.slice(2)).toEqual([
      'impersonate:user-info authentication.k8s.io/groups /*',
      'impersonate:user-info authentication.k8s.io/groups /a',
      'impersonate:user-info authentication.k8s.io/groups /b',
      'impersonate:user-info authentication.k8s.io/groups /c',
      'impersonate:user-info authentication.k8s.io/groups /d',
      'impersonate:user-info authentication.k8s.io/userextras/* /*',
    ]);
  });
});
